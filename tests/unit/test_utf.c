/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 to and from UTF-16: nothing is lost, nothing is read beyond its end, cuts are whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/utf.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void every_character_and_every_lone_surrogate_comes_back(void **state)
{
    (void)state;
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        char text[UTF8_CHAR_MAX + 1];
        size_t length = utf8_put(text, c);
        text[length] = '\0';
        assert_int_equal(length, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        const char *at = text;
        assert_int_equal(utf8_next(&at), c);
        assert_ptr_equal(at, text + length);
        assert_int_equal(utf8_next(&at), 0);
        assert_ptr_equal(at, text + length);

        uint16_t units[3];
        size_t count = utf16_from_utf8(text, units, COUNT(units));
        assert_int_equal(count, c < 0x10000 ? 1 : 2);
        assert_int_equal(units[count], 0);
        char back[UTF8_CHAR_MAX + 1];
        assert_int_equal(utf8_from_utf16(units, count, back, sizeof back), length);
        assert_string_equal(back, text);
    }
}

static void ill_formed_bytes_become_replacements_one_by_one(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t want[6];
    } cases[] = {
        {"\x80", {0xFFFD}},                                     /* continuation alone */
        {"\xC3", {0xFFFD}},                                     /* cut off */
        {"\xE2\x82", {0xFFFD, 0xFFFD}},                         /* cut off */
        {"\xF0\x9F\x98", {0xFFFD, 0xFFFD, 0xFFFD}},             /* cut off */
        {"\xC3z", {0xFFFD, 'z'}},                               /* cut off, then good again */
        {"\xC0\xAF", {0xFFFD, 0xFFFD}},                         /* overlong / */
        {"\xE0\x80\xAF", {0xFFFD, 0xFFFD, 0xFFFD}},             /* overlong / */
        {"\xF0\x80\x80\xAF", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}}, /* overlong / */
        {"\xF4\x90\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}}, /* 0x110000 */
        {"\xF8\x88\x80\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}},
        {"\xFF\xFE", {0xFFFD, 0xFFFD}},
        {"a\xE2\x82\xACz", {'a', 0x20AC, 'z'}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *copy = malloc(strlen(cases[i].text) + 1); /* exactly: ASan sees a read beyond */
        strcpy(copy, cases[i].text);
        const char *at = copy;
        for (size_t c = 0; c < COUNT(cases[i].want); c++)
            assert_int_equal(utf8_next(&at), cases[i].want[c]);
        free(copy);
    }
    char text[UTF8_CHAR_MAX];
    assert_int_equal(utf8_put(text, 0x110000), 3);
    assert_memory_equal(text, "\xEF\xBF\xBD", 3);
}

static void surrogates_pair_up_only_in_order(void **state)
{
    (void)state;
    static const struct {
        uint16_t units[4];
        size_t count;
        const char *want;
    } cases[] = {
        {{0xD83D, 0xDE00}, 2, "\xF0\x9F\x98\x80"},
        {{0xD83D}, 1, "\xED\xA0\xBD"}, /* the end cuts the pair */
        {{0xD83D, 'a'},
         2,
         "\xED\xA0\xBD"
         "a"},
        {{0xDE00, 0xD83D}, 2, "\xED\xB8\x80\xED\xA0\xBD"},
        {{0xD83D, 0xD83D, 0xDE00}, 3, "\xED\xA0\xBD\xF0\x9F\x98\x80"},
        {{0xD83D, 0, 0xDE00}, 3, "\xED\xA0\xBD"}, /* the NUL ends it */
        {{0xFEFF, 'x'}, 2, "\xEF\xBB\xBFx"},
        {{0xD83D, 0xE000}, 2, "\xED\xA0\xBD\xEE\x80\x80"},
        {{'a', 'b'}, 1, "a"},
        {{'a'}, 0, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned char *bytes = malloc(2 * cases[i].count + 1); /* at an odd address too */
        for (size_t odd = 0; odd < 2; odd++) {
            if (odd == 1 && cases[i].count == 0)
                continue;
            memcpy(bytes + odd, cases[i].units, 2 * cases[i].count);
            char text[16];
            assert_int_equal(utf8_from_utf16(bytes + odd, cases[i].count, text, sizeof text),
                             strlen(cases[i].want));
            assert_string_equal(text, cases[i].want);
        }
        free(bytes);
    }
}

static void a_small_buffer_holds_whole_characters_and_the_length_is_still_told(void **state)
{
    (void)state;
    static const char text[] = "a\xC3\xA4\xF0\x9F\x98\x80z";
    static const uint16_t units[] = {'a', 0xE4, 0xD83D, 0xDE00, 'z', 0};
    static const size_t kept8[] = {0, 0, 1, 1, 3, 3, 3, 3, 7, 8, 8};
    static const size_t kept16[] = {0, 0, 1, 2, 2, 4, 5, 5};
    for (size_t size = 0; size < COUNT(kept8); size++) {
        char *out = malloc(size);
        assert_int_equal(utf8_from_utf16(units, 99, out, size), 8);
        if (size > 0) {
            assert_int_equal(strlen(out), kept8[size]);
            assert_memory_equal(out, text, kept8[size]);
        }
        free(out);
    }
    for (size_t size = 0; size < COUNT(kept16); size++) {
        uint16_t *out = malloc(size * sizeof *out);
        assert_int_equal(utf16_from_utf8(text, out, size), 5);
        if (size > 0) {
            assert_memory_equal(out, units, 2 * kept16[size]);
            assert_int_equal(out[kept16[size]], 0);
        }
        free(out);
    }
    assert_int_equal(utf16_from_utf8(text, NULL, 0), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_and_every_lone_surrogate_comes_back),
        cmocka_unit_test(ill_formed_bytes_become_replacements_one_by_one),
        cmocka_unit_test(surrogates_pair_up_only_in_order),
        cmocka_unit_test(a_small_buffer_holds_whole_characters_and_the_length_is_still_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
