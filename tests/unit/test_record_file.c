/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that is made beforehand: its head, its two places, and what is none of it (G8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/little_endian.h"
#include "../../lib/record_file.h"
#include <string.h>

static uint8_t file[RECORD_FILE_BYTES];

static void a_file_of_zeros_is_blank_and_becomes_one_of_ours(void **state)
{
    (void)state;
    size_t length = 1;
    memset(file, 0, sizeof(file));
    assert_int_equal(record_file_check(file, sizeof(file)), RECORD_FILE_BLANK);
    record_file_format(file);
    assert_int_equal(record_file_check(file, sizeof(file)), RECORD_FILE_OK);
    record_file_record(file, &length);
    assert_int_equal(length, 0);
}

/* docs/record.md. */
static void the_head_is_that_of_the_document(void **state)
{
    (void)state;
    static const uint8_t head[12] = {'M', 'I', 'G', 'F', 1, 0, 16, 0, 0, 16, 0, 0};
    record_file_format(file);
    assert_memory_equal(file, head, sizeof(head));
}

static void what_is_not_ours_is_foreign(void **state)
{
    (void)state;
    record_file_format(file);
    assert_int_equal(record_file_check(file, sizeof(file) - 1), RECORD_FILE_FOREIGN);
    assert_int_equal(record_file_check(file, 0), RECORD_FILE_FOREIGN);
    for (unsigned bit = 0; bit < 16 * 8; bit++) {
        record_file_format(file);
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(record_file_check(file, sizeof(file)), RECORD_FILE_FOREIGN);
    }
    memset(file, 0, sizeof(file));
    file[sizeof(file) - 1] = 1;
    assert_int_equal(record_file_check(file, sizeof(file)), RECORD_FILE_FOREIGN);
}

static void a_record_comes_back_as_it_was_put_and_leaves_the_breadcrumb_alone(void **state)
{
    (void)state;
    uint8_t record[RECORD_MAX_BYTES];
    size_t length;
    memset(record, 0xA5, sizeof(record));
    put16(record + 8, RECORD_MAX_BYTES);
    record_file_format(file);
    memset(file + RECORD_FILE_CRUMB, 0x77, BREADCRUMB_BYTES);
    record_file_put(file, record, sizeof(record));
    const uint8_t *back = record_file_record(file, &length);
    assert_int_equal(length, sizeof(record));
    assert_memory_equal(back, record, length);
    assert_int_equal(record_file_check(file, sizeof(file)), RECORD_FILE_OK);
    assert_int_equal(file[RECORD_FILE_CRUMB], 0x77);
    record_file_put(file, NULL, 0);
    record_file_record(file, &length);
    assert_int_equal(length, 0);
}

static void a_length_that_lies_is_bounded(void **state)
{
    (void)state;
    size_t length;
    record_file_format(file);
    memset(file + RECORD_FILE_RECORD, 0xFF, RECORD_FILE_RECORD_ROOM);
    record_file_record(file, &length);
    assert_int_equal(length, RECORD_MAX_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_zeros_is_blank_and_becomes_one_of_ours),
        cmocka_unit_test(the_head_is_that_of_the_document),
        cmocka_unit_test(what_is_not_ours_is_foreign),
        cmocka_unit_test(a_record_comes_back_as_it_was_put_and_leaves_the_breadcrumb_alone),
        cmocka_unit_test(a_length_that_lies_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
