/* SPDX-License-Identifier: BSD-2-Clause */
/* LoadOptions bytes as firmware and loaders really pass them (E2 to E6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/cmdline.h"
#include "../../lib/utf.h"
#include "exact.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Bytes of exactly their size. */
struct exact {
    unsigned char *bytes;
    size_t size;
};

static struct exact exact_utf16(const char *text, bool terminated)
{
    uint16_t units[CMDLINE_MAX * 2];
    size_t size = 2 * (utf16_from_utf8(text, units, COUNT(units)) + (terminated ? 1 : 0));
    return (struct exact){exact_copy(units, size), size};
}

static struct exact exact_bytes(const void *bytes, size_t size)
{
    return (struct exact){exact_copy(bytes, size), size};
}

static void assert_decodes(struct exact e, enum cmdline_status status, const char *want)
{
    char text[CMDLINE_MAX];
    memset(text, 'X', sizeof text);
    assert_int_equal(cmdline_decode(e.bytes, e.size, text, sizeof text), status);
    assert_string_equal(text, want);
    free(e.bytes);
}

#define DECODES(status, want, ...)                                          \
    assert_decodes(exact_bytes((const unsigned char[]){__VA_ARGS__},        \
                               sizeof(const unsigned char[]){__VA_ARGS__}), \
                   status, want)

static void nothing_a_lone_byte_and_null_are_no_options(void **state)
{
    (void)state; /* E4 */
    char text[8] = "old";
    assert_int_equal(cmdline_decode(NULL, 0, text, sizeof text), CMDLINE_NONE);
    assert_string_equal(text, "");
    assert_int_equal(cmdline_decode(NULL, 1000, text, sizeof text), CMDLINE_NONE);
    assert_decodes(exact_bytes("", 0), CMDLINE_NONE, "");
    DECODES(CMDLINE_NONE, "", 0);
    DECODES(CMDLINE_NONE, "", '-');
    DECODES(CMDLINE_NONE, "", 0, 0);
    DECODES(CMDLINE_NONE, "", 0, 0, 0, 0, 0, 0);
    DECODES(CMDLINE_NONE, "", ' ', 0, '\t', 0);
    DECODES(CMDLINE_NONE, "", ' ', ' ');
    DECODES(CMDLINE_NONE, "", 0xFF, 0xFE);
}

static void utf16_is_read_to_its_nul_or_its_end(void **state)
{
    (void)state; /* E4 */
    assert_decodes(exact_utf16("-q --size 4M", true), CMDLINE_OK, "-q --size 4M");
    assert_decodes(exact_utf16("-q --size 4M", false), CMDLINE_OK, "-q --size 4M");
    assert_decodes(exact_utf16("a\tb", true), CMDLINE_OK, "a\tb");
    DECODES(CMDLINE_OK, "q", 'q', 0);
    /* what stands behind the NUL is padding, whatever it is, and may be half a unit */
    DECODES(CMDLINE_OK, "-q", '-', 0, 'q', 0, 0, 0, 1, 2, 3, 0xFF, 0xFF, 0xD8);
    DECODES(CMDLINE_OK, "-q", '-', 0, 'q', 0, 0, 0, 0xAA);
    /* size > 0, first character NUL (systemd#5467, shim#505: NUL, then garbage) */
    DECODES(CMDLINE_NONE, "", 0, 0, '-', 0, 'q', 0);
}

static void half_a_character_at_the_end_is_garbage(void **state)
{
    (void)state; /* E4: odd size */
    DECODES(CMDLINE_GARBAGE, "", '-', 0, 'q', 0, 'x');
    DECODES(CMDLINE_GARBAGE, "", '-', 0, 'q');
}

static void ascii_is_told_by_its_odd_bytes(void **state)
{
    (void)state;                                                          /* E5 */
    DECODES(CMDLINE_OK, "/efi", 0x2F, 0x65, 0x66, 0x69);                  /* efibootmgr#219 */
    assert_decodes(exact_bytes("-q --usb!", 9), CMDLINE_OK, "-q --usb!"); /* odd, as OVMF gave it */
    assert_decodes(exact_bytes("-q", 2), CMDLINE_OK, "-q");
    assert_decodes(exact_bytes("-q\0", 3), CMDLINE_OK, "-q");
    assert_decodes(exact_bytes("-q\0\0\0", 5), CMDLINE_OK, "-q");
    assert_decodes(exact_bytes("--size\t4M", 9), CMDLINE_OK, "--size\t4M");
    assert_decodes(exact_bytes("-q\n", 3), CMDLINE_GARBAGE, "");
    assert_decodes(exact_bytes("caf\xC3\xA9", 5), CMDLINE_GARBAGE, "");
}

static void binary_from_firmware_entries_is_garbage_or_nothing(void **state)
{
    (void)state;                                       /* E2 */
    DECODES(CMDLINE_NONE, "", 0x00, 0x00, 0x42, 0x4F); /* fwupd#8435 */
    /* systemd#10001, Dell: 01 00 00 00, the entry's name, more */
    DECODES(CMDLINE_GARBAGE, "", 1, 0, 0, 0, 'U', 0, 'E', 0, 'F', 0, 'I', 0, 0, 0, 7, 9);
    /* efibootmgr#170, Lenovo: "....2.LN........", a dot for each byte that is not known */
    static const unsigned char dots[] = {0x00, 0x01, 0x1F, 0x7F, 0x80, 0xFF};
    for (size_t i = 0; i < COUNT(dots); i++) {
        unsigned char bytes[16];
        memset(bytes, dots[i], sizeof bytes);
        bytes[4] = '2';
        memcpy(bytes + 6, "LN", 2);
        assert_decodes(exact_bytes(bytes, sizeof bytes),
                       dots[i] == 0 ? CMDLINE_NONE : CMDLINE_GARBAGE, "");
    }
    /* Windows Boot Manager's: text, NUL, binary: the odd bytes are letters, the whole is no text */
    DECODES(CMDLINE_GARBAGE, "", 'W', 'I', 'N', 'D', 'O', 'W', 'S', 0, 1, 0, 0, 0, 0x88, 0, 0, 0,
            'x', 0, 0, 0, 'B', 0, 'C', 0, 'D', 0);
    /* systemd#39347: looks like CJK */
    DECODES(CMDLINE_GARBAGE, "", 0x2D, 0x4E, 0x87, 0x65, 0, 0);
}

static void one_bad_character_makes_all_of_it_garbage(void **state)
{
    (void)state; /* E2: below 0x20 but tab, above 0x7E */
    for (unsigned unit = 1; unit <= 0xFFFF; unit++) {
        const unsigned char bytes[] = {
            '-', 0, 'q', 0, (unsigned char)unit, (unsigned char)(unit >> 8), 'x', 0};
        char text[8];
        const bool good = unit == '\t' || (unit >= 0x20 && unit <= 0x7E);
        assert_int_equal(cmdline_decode(bytes, sizeof bytes, text, sizeof text),
                         good ? CMDLINE_OK : CMDLINE_GARBAGE);
        assert_int_equal(strlen(text), good ? 4 : 0);
    }
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state; /* E6 */
    DECODES(CMDLINE_OK, "-q", 0xFF, 0xFE, '-', 0, 'q', 0);
    DECODES(CMDLINE_OK, "-q", 0xFF, 0xFE, '-', 0, 'q', 0, 0, 0);
    DECODES(CMDLINE_GARBAGE, "", '-', 0, 0xFF, 0xFE);         /* only in front */
    DECODES(CMDLINE_GARBAGE, "", 0xFE, 0xFF, 0, '-', 0, 'q'); /* big-endian */
}

/* EFI_LOAD_OPTION with one file path node, and optional data. */
static size_t load_option(unsigned char *ret, uint32_t attributes, const void *data, size_t size)
{
    static const unsigned char paths[] = {4,    4,    10, 0, 'a', 0, 'b', 0, 0, 0, /* file path */
                                          0x7F, 0xFF, 4,  0};
    static const unsigned char description[] = {'O', 0, 'S', 0, 0, 0};
    unsigned char *at = ret;
    for (int i = 0; i < 4; i++)
        *at++ = (unsigned char)(attributes >> 8 * i);
    *at++ = sizeof paths;
    *at++ = 0;
    memcpy(at, description, sizeof description);
    at += sizeof description;
    memcpy(at, paths, sizeof paths);
    at += sizeof paths;
    memcpy(at, data, size);
    return (size_t)(at - ret) + size;
}

static void a_whole_load_option_is_unwrapped(void **state)
{
    (void)state; /* E3 */
    static const struct {
        const char *data;
        size_t size;
        enum cmdline_status status;
        const char *want;
    } cases[] = {
        {"-\0q\0\0\0", 6, CMDLINE_OK, "-q"},
        {"-\0q\0", 4, CMDLINE_OK, "-q"},
        {"-q --usb", 8, CMDLINE_OK, "-q --usb"},
        {"\xFF\xFE-\0q\0", 6, CMDLINE_OK, "-q"},
        {"", 0, CMDLINE_NONE, ""},
        {"\0\0BO", 4, CMDLINE_NONE, ""},
        {"\1\2\3\4", 4, CMDLINE_GARBAGE, ""},
    };
    static const uint32_t attributes[] = {0, 1, 3, 9, 0x101, 0x1F0B};
    for (size_t a = 0; a < COUNT(attributes); a++) {
        for (size_t i = 0; i < COUNT(cases); i++) {
            unsigned char bytes[64];
            size_t size = load_option(bytes, attributes[a], cases[i].data, cases[i].size);
            assert_decodes(exact_bytes(bytes, size), cases[i].status, cases[i].want);
        }
    }
}

static void what_is_not_quite_a_load_option_is_garbage(void **state)
{
    (void)state; /* E3: well formed, and ends exactly where it says */
    unsigned char good[64], bytes[64];
    const size_t size = load_option(good, 1, "-\0q\0", 4);
    static const struct {
        size_t at;
        unsigned char value;
    } changes[] = {
        {0, 0x11},  /* an attribute that is not defined */
        {3, 0x80},  /* another */
        {4, 13},    /* path list one byte short */
        {4, 15},    /* one byte long */
        {5, 1},     /* 256 bytes long */
        {4, 10},    /* ends before the end node */
        {14, 0},    /* node without length */
        {14, 3},    /* shorter than its header */
        {14, 11},   /* reaches into the next */
        {15, 0xFF}, /* far too long */
        {24, 5},    /* so does the end node, by one byte */
        {24, 3},    /* end node shorter than its header */
        {22, 4},    /* no end node */
        {23, 1},    /* ends an instance only */
    };
    for (size_t i = 0; i < COUNT(changes); i++) {
        memcpy(bytes, good, size);
        bytes[changes[i].at] = changes[i].value;
        char text[CMDLINE_MAX];
        struct exact e = exact_bytes(bytes, size);
        enum cmdline_status status = cmdline_decode(e.bytes, e.size, text, sizeof text);
        assert_int_equal(status, CMDLINE_GARBAGE);
        free(e.bytes);
    }
    /* cut anywhere: never read beyond, never options */
    for (size_t cut = 0; cut < size - 4; cut++) {
        char text[CMDLINE_MAX];
        struct exact e = exact_bytes(good, cut);
        assert_int_not_equal(cmdline_decode(e.bytes, e.size, text, sizeof text), CMDLINE_OK);
        free(e.bytes);
    }
}

static void a_text_too_long_is_refused_not_cut(void **state)
{
    (void)state;
    char text[CMDLINE_MAX + 1], out[CMDLINE_MAX];
    memset(text, 'x', sizeof text);
    struct exact e = exact_bytes(text, CMDLINE_MAX - 1);
    assert_int_equal(cmdline_decode(e.bytes, e.size, out, sizeof out), CMDLINE_OK);
    assert_int_equal(strlen(out), CMDLINE_MAX - 1);
    free(e.bytes);
    e = exact_bytes(text, CMDLINE_MAX);
    assert_int_equal(cmdline_decode(e.bytes, e.size, out, sizeof out), CMDLINE_TOO_LONG);
    assert_string_equal(out, "");
    for (size_t size = 0; size < 4; size++) {
        char *small = malloc(size);
        assert_int_equal(cmdline_decode("-\0q\0x\0", 6, small, size), CMDLINE_TOO_LONG);
        free(small);
    }
    free(e.bytes);
}

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = CMDLINE_OK; a <= CMDLINE_TOO_LONG; a++) {
        for (int b = CMDLINE_OK; b < a; b++)
            assert_string_not_equal(cmdline_status_text((enum cmdline_status)a),
                                    cmdline_status_text((enum cmdline_status)b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_a_lone_byte_and_null_are_no_options),
        cmocka_unit_test(utf16_is_read_to_its_nul_or_its_end),
        cmocka_unit_test(half_a_character_at_the_end_is_garbage),
        cmocka_unit_test(ascii_is_told_by_its_odd_bytes),
        cmocka_unit_test(binary_from_firmware_entries_is_garbage_or_nothing),
        cmocka_unit_test(one_bad_character_makes_all_of_it_garbage),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(a_whole_load_option_is_unwrapped),
        cmocka_unit_test(what_is_not_quite_a_load_option_is_garbage),
        cmocka_unit_test(a_text_too_long_is_refused_not_cut),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
