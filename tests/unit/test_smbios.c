/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS: entry points of both forms, and one string out of a table that nobody vouches for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/smbios.h"
#include "exact.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void put_sum(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;
    bytes[at] = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[at] = (uint8_t)-sum;
}

/* Only `available` bytes of it can be read: ASan sees any other. */
static bool read_entry(const uint8_t *entry, size_t available, uint64_t *address, size_t *length)
{
    uint8_t *copy = exact_copy(entry, available);
    *address = 99;
    *length = 99;
    bool good = smbios_table(copy, available, address, length);
    if (!good) {
        assert_int_equal(*address, 99);
        assert_int_equal(*length, 99);
    }
    free(copy);
    return good;
}

static void build_entry_32(uint8_t entry[64], uint8_t length, uint16_t table_length,
                           uint32_t address)
{
    memset(entry, 0, 64);
    memcpy(entry, "_SM_", 4);
    entry[5] = length;
    entry[6] = 2;
    entry[7] = 8;
    memcpy(entry + 16, "_DMI_", 5);
    memcpy(entry + 22, &table_length, 2);
    memcpy(entry + 24, &address, 4);
    entry[30] = 0x28;
    put_sum(entry + 16, 15, 5);
    put_sum(entry, length, 4);
}

static void build_entry_64(uint8_t entry[64], uint8_t length, uint32_t table_length,
                           uint64_t address)
{
    memset(entry, 0, 64);
    memcpy(entry, "_SM3_", 5);
    entry[6] = length;
    entry[7] = 3;
    entry[10] = 1;
    memcpy(entry + 12, &table_length, 4);
    memcpy(entry + 16, &address, 8);
    put_sum(entry, length, 5);
}

static void both_entry_points_lead_to_their_table(void **state)
{
    (void)state;
    uint8_t entry[64];
    uint64_t address;
    size_t length;
    build_entry_32(entry, 31, 0x1234, 0x7FF00000);
    assert_true(read_entry(entry, 31, &address, &length));
    assert_int_equal(address, 0x7FF00000);
    assert_int_equal(length, 0x1234);
    build_entry_32(entry, 30, 0x1234, 0x7FF00000); /* as version 2.1 miscounted it */
    assert_true(read_entry(entry, 31, &address, &length));

    build_entry_64(entry, 24, 0x12345, 0x123456789000);
    assert_true(read_entry(entry, 24, &address, &length));
    assert_int_equal(address, 0x123456789000);
    assert_int_equal(length, 0x12345);
    assert_true(read_entry(entry, 31, &address, &length));
    build_entry_64(entry, 28, 100, 1); /* a later version with more in it */
    assert_true(read_entry(entry, 31, &address, &length));
}

static void the_largest_length_is_bounded(void **state)
{
    (void)state;
    uint8_t entry[64];
    uint64_t address;
    size_t length;
    build_entry_64(entry, 24, 0xFFFFFFFF, 0x1000);
    assert_true(read_entry(entry, 24, &address, &length));
    assert_int_equal(length, SMBIOS_TABLE_MAX);
}

static void a_bad_entry_point_leads_nowhere(void **state)
{
    (void)state;
    uint8_t entry[64];
    uint64_t address;
    size_t length;
    for (size_t at = 0; at < 31; at++) { /* any byte wrong */
        build_entry_32(entry, 31, 0x1234, 0x7FF00000);
        entry[at] ^= 0x10;
        assert_false(read_entry(entry, 31, &address, &length));
    }
    for (size_t at = 0; at < 24; at++) {
        build_entry_64(entry, 24, 0x1234, 0x7FF00000);
        entry[at] ^= 0x10;
        assert_false(read_entry(entry, 24, &address, &length));
    }
    for (size_t available = 0; available < 31; available++) { /* cut */
        build_entry_32(entry, 31, 0x1234, 0x7FF00000);
        assert_false(read_entry(entry, available, &address, &length));
        build_entry_64(entry, 31, 0x1234, 0x7FF00000);
        assert_false(read_entry(entry, available, &address, &length));
    }
    static const uint8_t lengths[] = {0, 5, 23, 29, 32, 255};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        build_entry_32(entry, 31, 0x1234, 0x7FF00000);
        entry[5] = lengths[i];
        put_sum(entry, lengths[i] > 4 && lengths[i] <= 64 ? lengths[i] : 31, 4);
        assert_false(read_entry(entry, 31, &address, &length));
    }
    static const uint8_t lengths_64[] = {0, 6, 23, 32, 255};
    for (size_t i = 0; i < COUNT(lengths_64); i++) {
        build_entry_64(entry, 24, 0x1234, 0x7FF00000);
        entry[6] = lengths_64[i];
        put_sum(entry, lengths_64[i] > 5 && lengths_64[i] <= 64 ? lengths_64[i] : 24, 5);
        assert_false(read_entry(entry, 31, &address, &length));
    }
    build_entry_32(entry, 31, 0, 0x7FF00000);
    assert_false(read_entry(entry, 31, &address, &length));
    build_entry_32(entry, 31, 100, 0);
    assert_false(read_entry(entry, 31, &address, &length));
    build_entry_64(entry, 24, 100, 0);
    assert_false(read_entry(entry, 31, &address, &length));
    build_entry_32(entry, 31, 100, 0x1000);
    memcpy(entry + 16, "_XMI_", 5); /* with sums that are right */
    put_sum(entry + 16, 15, 5);
    put_sum(entry, 31, 4);
    assert_false(read_entry(entry, 31, &address, &length));
}

/* A table as a string literal; its own NUL is not part of it. */
static void assert_version(const char *table, size_t length, const char *want)
{
    uint8_t *copy = exact_copy(table, length);
    char text[32];
    memset(text, 'X', sizeof text);
    assert_int_equal(smbios_firmware_version(copy, length, text, sizeof text), want[0] != '\0');
    assert_string_equal(text, want);
    free(copy);
}
#define VERSION(table, want) assert_version(table, sizeof(table) - 1, want)

#define TYPE_1                         \
    "\x01\x08\x01\x00\x01\x02\x03\x04" \
    "Maker\0Model\0\0"
#define NO_TEXTS "\x20\x04\x02\x00\0\0"
#define TYPE_0   "\x00\x18\x00\x00\x01\x02\x00\xE8\x03\x00\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define END      "\x7F\x04\xFF\xFE\0\0"

static void the_version_is_the_string_that_type_0_names(void **state)
{
    (void)state;
    VERSION(TYPE_0 "EDK II\0"
                   "0.0.0\0"
                   "02/06/2015\0\0" END,
            "0.0.0");
    VERSION(TYPE_1 NO_TEXTS TYPE_0 "Vendor\0N2JET99W (1.77 )\0\0" END, "N2JET99W (1.77 )");
    VERSION("\x00\x06\x00\x00\x02\x01"
            "2.10\0Vendor\0\0" END,
            "2.10");
    VERSION("\x00\x06\x00\x00\x02\x01"
            "2.10\0\0",
            "2.10"); /* no end structure */
    VERSION(TYPE_0 "V\0"
                   "1.0\0\0" TYPE_0 "V\0"
                   "2.0\0\0" END,
            "1.0");
}

static void no_version_is_said_where_there_is_none(void **state)
{
    (void)state;
    VERSION("", "");
    VERSION(END, "");
    VERSION(TYPE_1 NO_TEXTS END, "");
    VERSION(TYPE_1 END TYPE_0 "V\0"
                              "1.0\0\0",
            "");                          /* behind the end */
    VERSION(TYPE_0 "Vendor\0\0" END, ""); /* names string 2 of 1 */
    VERSION(TYPE_0 "\0\0" END, "");
    VERSION("\x00\x06\x00\x00\x01\x00"
            "V\0"
            "1.0\0\0" END,
            ""); /* names string 0 */
    VERSION("\x00\x06\x00\x00\x01\xFF"
            "V\0"
            "1.0\0\0" END,
            "");
    VERSION("\x00\x05\x00\x00\x01"
            "\x02\0"
            "1.0\0\0" END,
            ""); /* too short to name one: 2 is its first text */
    VERSION(TYPE_0 "V\0"
                   "   \0\0" END,
            ""); /* blank */
}

static void a_broken_table_ends_the_walk(void **state)
{
    (void)state;
    VERSION("\x01\x00\x01\x00\0\0" TYPE_0 "V\0"
            "1.0\0\0",
            ""); /* a structure without length */
    VERSION("\x01\x03\x01\x00\0\0" TYPE_0 "V\0"
            "1.0\0\0",
            "");
    VERSION("\x01\xFF\x01\x00\0\0", ""); /* longer than the table */
    VERSION("\x01\x04\x01\x00"
            "never ended",
            "");
    VERSION(TYPE_0 "V\0"
                   "1.0",
            "");
    VERSION(TYPE_0 "V\0"
                   "1.0\0",
            "");
}

static void a_table_cut_anywhere_is_never_read_beyond(void **state)
{
    (void)state;
    static const char table[] = TYPE_1 NO_TEXTS TYPE_0 "V\0"
                                                       "1.0\0\0" END;
    const size_t needed = sizeof table - 1 - (sizeof END - 1);
    for (size_t cut = 0; cut < sizeof table; cut++)
        assert_version(table, cut, cut < needed ? "" : "1.0");
}

static void text_is_made_fit_for_a_console(void **state)
{
    (void)state;
    static const struct {
        const char *string, *want;
    } cases[] = {
        {"1.0", "1.0"},
        {"1.0  ", "1.0"},
        {"  1.0", "  1.0"},
        {"1\x1B[2J\x07.0", "1?[2J?.0"},
        {"1.0\xE4\x80\x7F", "1.0???"},
        {"1.0\nroot=x", "1.0"},
        {"1.0\r\n", "1.0"},
        {"", ""},
        {" ", ""},
        {"\n", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t length = strlen(cases[i].string);
        uint8_t *copy = exact_copy(cases[i].string, length); /* no NUL behind it */
        char text[64];
        assert_int_equal(smbios_text(copy, length, text, sizeof text), cases[i].want[0] != '\0');
        assert_string_equal(text, cases[i].want);
        free(copy);
    }
    char text[8];
    assert_true(smbios_text((const uint8_t *)"1.0\0junk", 8, text, sizeof text));
    assert_string_equal(text, "1.0");
}

static void text_is_cut_to_its_buffer(void **state)
{
    (void)state;
    static const uint8_t string[] = "ab   f";
    static const char *const want[] = {NULL, "", "a", "ab", "ab", "ab", "ab", "ab   f", "ab   f"};
    for (size_t size = 0; size < COUNT(want); size++) {
        char *text = malloc(size > 0 ? size : 1);
        bool there = smbios_text(string, 6, text, size);
        assert_int_equal(there, size > 1);
        if (size > 0)
            assert_string_equal(text, want[size]);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_entry_points_lead_to_their_table),
        cmocka_unit_test(the_largest_length_is_bounded),
        cmocka_unit_test(a_bad_entry_point_leads_nowhere),
        cmocka_unit_test(the_version_is_the_string_that_type_0_names),
        cmocka_unit_test(no_version_is_said_where_there_is_none),
        cmocka_unit_test(a_broken_table_ends_the_walk),
        cmocka_unit_test(a_table_cut_anywhere_is_never_read_beyond),
        cmocka_unit_test(text_is_made_fit_for_a_console),
        cmocka_unit_test(text_is_cut_to_its_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
