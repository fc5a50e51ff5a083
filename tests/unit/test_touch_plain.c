/* SPDX-License-Identifier: BSD-2-Clause */
/* The touch kernel in C that `make bench` compares with: it does the same work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../bench/touch_plain.c"
#include <string.h>

#define LINE  64u
#define LINES 992u /* 31 segments of 32 */

static uint64_t memory[LINES][LINE / 8] __attribute__((aligned(64)));

static uint64_t visits(unsigned pattern, unsigned access)
{
    struct touch_order order;
    memset(memory, 0, sizeof memory);
    touch_order_init(&order, memory, sizeof memory, LINE);
    assert_true(touch_plain(&order, pattern, access) > 0);
    uint64_t lines = 0;
    for (unsigned i = 0; i < LINES; i++) {
        lines += memory[i][1] != 0;
        assert_int_equal(memory[i][0], 0);
        if (access == TOUCH_UPDATE)
            assert_int_equal(memory[i][1], 1);
    }
    return lines;
}

static void each_line_is_stored_to_once(void **state)
{
    (void)state;
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++) {
        assert_int_equal(visits(pattern, TOUCH_UPDATE), LINES);
        assert_int_equal(visits(pattern, TOUCH_WRITE), LINES);
        assert_int_equal(visits(pattern, TOUCH_READ), 0);
    }
}

/* A line that holds a number leads a chase elsewhere: an address depends on what was read. */
static void a_chase_follows_what_it_reads(void **state)
{
    (void)state;
    struct touch_order order;
    static uint64_t longer[LINES + 1][LINE / 8] __attribute__((aligned(64)));
    memset(longer, 0, sizeof longer);
    touch_order_init(&order, longer, sizeof longer - LINE, LINE);
    longer[0][0] = LINE; /* the first of all is the first line of the first segment */
    touch_plain(&order, TOUCH_CHASE, TOUCH_UPDATE);
    unsigned once = 0;
    for (unsigned i = 0; i <= LINES; i++)
        once += longer[i][1] == 1;
    assert_true(once < LINES);
}

static void another_pattern_is_nothing(void **state)
{
    (void)state;
    struct touch_order order;
    touch_order_init(&order, memory, sizeof memory, LINE);
    assert_int_equal(touch_plain(&order, (enum touch_pattern)TOUCH_PATTERNS, TOUCH_READ), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_stored_to_once),
        cmocka_unit_test(a_chase_follows_what_it_reads),
        cmocka_unit_test(another_pattern_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
