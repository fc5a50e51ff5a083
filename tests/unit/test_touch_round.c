/* SPDX-License-Identifier: BSD-2-Clause */
/* Every size becomes the nearest working set that the touch kernel can visit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/touch.h"

static bool visitable(unsigned long long lines)
{
    while (lines >= 32 && lines % 2 == 0)
        lines /= 2;
    return lines >= 1 && lines < 32;
}

static unsigned long long distance(unsigned long long a, unsigned long long b)
{
    return a > b ? a - b : b - a;
}

static void the_nearest_visitable_size_is_chosen(void **state)
{
    (void)state;
    static const unsigned line_sizes[] = {32, 64, 128};
    for (unsigned s = 0; s < 3; s++) {
        unsigned line = line_sizes[s];
        for (unsigned long long lines = 1; lines < 5000; lines++) {
            unsigned long long rounded = touch_round(lines * line, line) / line;
            assert_true(visitable(rounded));
            unsigned long long below = lines, above = lines;
            while (!visitable(below))
                below--;
            while (!visitable(above))
                above++;
            assert_true(distance(rounded, lines) <= lines - below);
            assert_true(distance(rounded, lines) <= above - lines);
        }
    }
}

static void rounding_twice_changes_nothing(void **state)
{
    (void)state;
    for (unsigned long long bytes = 0; bytes < 1ull << 62; bytes += bytes / 7 + 13) {
        unsigned long long once = touch_round(bytes, 64);
        assert_int_equal(once % 64, 0);
        assert_int_equal(touch_round(once, 64), once);
    }
}

static void parts_of_a_line_round_to_the_nearest_and_nothing_to_one(void **state)
{
    (void)state;
    static const struct {
        unsigned long long bytes, rounded;
    } rows[] = {
        {0, 64},
        {1, 64},
        {64, 64},
        {95, 64},
        {96, 128},
        {31 * 64, 31 * 64},
        {32 * 64, 32 * 64},
        {33 * 64, 34 * 64},
        {65 * 64, 64 * 64},
        {66 * 64, 68 * 64},
        {1ull << 40, 1ull << 40},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(touch_round(rows[i].bytes, 64), rows[i].rounded);
}

static void the_largest_sizes_do_not_wrap(void **state)
{
    (void)state;
    static const unsigned line_sizes[] = {32, 64, 128};
    for (unsigned s = 0; s < 3; s++) {
        unsigned long long rounded = touch_round(~0ull, line_sizes[s]);
        assert_true(rounded > ~0ull / 32 * 31);
        assert_true(visitable(rounded / line_sizes[s]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_visitable_size_is_chosen),
        cmocka_unit_test(rounding_twice_changes_nothing),
        cmocka_unit_test(parts_of_a_line_round_to_the_nearest_and_nothing_to_one),
        cmocka_unit_test(the_largest_sizes_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
