/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 against published check values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/crc32.h"

static void published_check_values_come_out(void **state)
{
    (void)state;
    assert_int_equal(crc32_update(0, "123456789", 9), 0xCBF43926u);
    assert_int_equal(crc32_update(0, "", 0), 0);
    assert_int_equal(crc32_update(0, "\0\0\0\0", 4), 0x2144DF1Cu);
    assert_int_equal(crc32_update(0, "The quick brown fox jumps over the lazy dog", 43),
                     0x414FA339u);
}

static void parts_give_what_the_whole_gives(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= 9; cut++) {
        uint32_t crc = crc32_update(0, "123456789", cut);
        assert_int_equal(crc32_update(crc, "123456789" + cut, 9 - cut), 0xCBF43926u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_check_values_come_out),
        cmocka_unit_test(parts_give_what_the_whole_gives),
    };
    return cmocka_run_group_tests_name("crc32", tests, NULL, NULL);
}
