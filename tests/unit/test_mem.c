/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's own memory functions against plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Under other names, since the host has its own. */
#define memcpy  own_memcpy
#define memmove own_memmove
#define memset  own_memset
#define memcmp  own_memcmp
#include "../../lib/mem.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp

#define SIZE 64

static void fill(unsigned char *bytes)
{
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 37 + 1);
}

static void copies_any_length_at_any_alignment(void **state)
{
    unsigned char from[SIZE], to[SIZE];

    (void)state;
    fill(from);
    for (size_t offset = 0; offset < 9; offset++)
        for (size_t size = 0; size <= SIZE - 18; size++) {
            for (size_t i = 0; i < SIZE; i++)
                to[i] = 0xEE;
            assert_ptr_equal(own_memcpy(to + offset, from + 8 - offset, size), to + offset);
            for (size_t i = 0; i < SIZE; i++)
                assert_int_equal(to[i], i >= offset && i < offset + size ? from[i + 8 - 2 * offset]
                                                                         : 0xEE);
        }
}

static void moves_overlapping_bytes_both_ways(void **state)
{
    unsigned char before[SIZE], after[SIZE];

    (void)state;
    fill(before);
    for (size_t from = 0; from < 20; from++)
        for (size_t to = 0; to < 20; to++)
            for (size_t size = 0; size < SIZE - 20; size++) {
                fill(after);
                assert_ptr_equal(own_memmove(after + to, after + from, size), after + to);
                for (size_t i = 0; i < SIZE; i++)
                    assert_int_equal(after[i],
                                     i >= to && i < to + size ? before[i - to + from] : before[i]);
            }
}

static void sets_the_low_byte_and_nothing_beside(void **state)
{
    unsigned char to[SIZE];

    (void)state;
    for (size_t offset = 0; offset < 9; offset++)
        for (size_t size = 0; size <= SIZE - 9; size++) {
            fill(to);
            assert_ptr_equal(own_memset(to + offset, 0x1A5, size), to + offset);
            for (size_t i = 0; i < SIZE; i++)
                assert_int_equal(
                    to[i], i >= offset && i < offset + size ? 0xA5 : (unsigned char)(i * 37 + 1));
        }
}

static void compares_bytes_as_unsigned(void **state)
{
    unsigned char a[SIZE], b[SIZE];

    (void)state;
    for (size_t at = 0; at < SIZE; at++) {
        fill(a);
        fill(b);
        a[at] = 0x7F;
        b[at] = 0x80;
        assert_true(own_memcmp(a, b, SIZE) < 0);
        assert_true(own_memcmp(b, a, SIZE) > 0);
        assert_int_equal(own_memcmp(a, b, at), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_any_length_at_any_alignment),
        cmocka_unit_test(moves_overlapping_bytes_both_ways),
        cmocka_unit_test(sets_the_low_byte_and_nothing_beside),
        cmocka_unit_test(compares_bytes_as_unsigned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
