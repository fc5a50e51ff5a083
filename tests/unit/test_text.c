/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted text: conversions against what the C library prints, cuts, durations, sizes. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/text.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Formats as the C library does, and compares text and length at every buffer size. */
#define SAME_AS_LIBC(...)                                                     \
    do {                                                                      \
        char want_[512];                                                      \
        int length_ = snprintf(want_, sizeof want_, __VA_ARGS__);             \
        for (size_t size_ = 0; size_ <= (size_t)length_ + 2; size_++) {       \
            char *got_ = malloc(size_ + 1); /* the byte after must stay */    \
            got_[size_] = 'X';                                                \
            assert_int_equal(text_format(got_, size_, __VA_ARGS__), length_); \
            assert_int_equal(got_[size_], 'X');                               \
            if (size_ > 0) {                                                  \
                char cut_[512];                                               \
                snprintf(cut_, size_, "%s", want_);                           \
                assert_string_equal(got_, cut_);                              \
            }                                                                 \
            free(got_);                                                       \
        }                                                                     \
    } while (0)

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wformat-truncation"
#endif

static void numbers_print_as_the_c_library_prints_them(void **state)
{
    (void)state;
    static const int ints[] = {0, 1, -1, 9, 10, -10, 12345, INT_MAX, INT_MIN};
    for (size_t i = 0; i < COUNT(ints); i++) {
        SAME_AS_LIBC("%d", ints[i]);
        SAME_AS_LIBC("<%5d>", ints[i]);
        SAME_AS_LIBC("<%-5d>", ints[i]);
        SAME_AS_LIBC("<%05d>", ints[i]);
        SAME_AS_LIBC("<%24d>", ints[i]);
        SAME_AS_LIBC("<%-24i>", ints[i]);
        SAME_AS_LIBC("<%024d>", ints[i]);
        SAME_AS_LIBC("<%.3d>", ints[i]);
        SAME_AS_LIBC("<%8.3d>", ints[i]);
        SAME_AS_LIBC("<%*d>", 7, ints[i]);
        SAME_AS_LIBC("<%*d>", -7, ints[i]);
        SAME_AS_LIBC("<%.*d>", -1, ints[i]);
        SAME_AS_LIBC("%u", (unsigned)ints[i]);
        SAME_AS_LIBC("%x", (unsigned)ints[i]);
        SAME_AS_LIBC("0x%08x", (unsigned)ints[i]);
    }
    static const long long longs[] = {0, LLONG_MAX, LLONG_MIN, -1, 1000000007};
    for (size_t i = 0; i < COUNT(longs); i++) {
        SAME_AS_LIBC("%lld", longs[i]);
        SAME_AS_LIBC("%ld", (long)longs[i]);
        SAME_AS_LIBC("%llu", (unsigned long long)longs[i]);
        SAME_AS_LIBC("%lu", (unsigned long)longs[i]);
        SAME_AS_LIBC("%llx", (unsigned long long)longs[i]);
        SAME_AS_LIBC("%lx", (unsigned long)longs[i]);
        SAME_AS_LIBC("%zu", (size_t)longs[i]);
        SAME_AS_LIBC("%zd", (ptrdiff_t)longs[i]);
        SAME_AS_LIBC("<%-30llu>", (unsigned long long)longs[i]);
        SAME_AS_LIBC("<%030llx>", (unsigned long long)longs[i]);
    }
    SAME_AS_LIBC("<%.0d>", 0); /* no digit at all */
}

static void strings_and_characters_print_as_the_c_library_prints_them(void **state)
{
    (void)state;
    static const char *const strings[] = {"", "a", "hello", "a somewhat longer text than most are"};
    for (size_t i = 0; i < COUNT(strings); i++) {
        SAME_AS_LIBC("%s", strings[i]);
        SAME_AS_LIBC("[%10s]", strings[i]);
        SAME_AS_LIBC("[%-10s]", strings[i]);
        SAME_AS_LIBC("[%.3s]", strings[i]);
        SAME_AS_LIBC("[%6.3s]", strings[i]);
        SAME_AS_LIBC("[%-*.*s]", 6, 2, strings[i]);
        SAME_AS_LIBC("[%.0s]", strings[i]);
        SAME_AS_LIBC("[%.s]", strings[i]);
    }
    SAME_AS_LIBC("%c%c%c", 'a', 'b', 'c');
    SAME_AS_LIBC("[%4c|%-4c]", 'a', 'b');
    SAME_AS_LIBC("100%% of %s, %d%%", "it", 5);
    SAME_AS_LIBC("plain");
    SAME_AS_LIBC("%s", "");
}

static void a_string_without_terminator_is_read_no_further_than_its_precision(void **state)
{
    (void)state;
    char *three = malloc(3);
    memcpy(three, "abc", 3);
    char out[8];
    text_format(out, sizeof out, "%.3s", three);
    assert_string_equal(out, "abc");
    text_format(out, sizeof out, "%.*s", 2, three);
    assert_string_equal(out, "ab");
    free(three);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wformat-overflow"
#else
#pragma GCC diagnostic ignored "-Wformat-invalid-specifier"
#endif

static void a_foreign_conversion_is_copied_and_nothing_after_it_is_converted(void **state)
{
    (void)state;
    static const struct {
        const char *format, *want;
    } cases[] = {
        {"%d %f %s", "7 %f %s"},
        {"%n%d", "%n%d"},
        {"a%", "a%"},
        {"a%5", "a%5"},
        {"a%-08", "a%-08"},
        {"%l", "%l"},
        {"%.", "%."},
        {"%hd", "%hd"},
        {"%lld%lld%p", "7"
                       "8%p"},
        {"%+d", "%+d"},
        {"%\xC3\xA4", "%\xC3\xA4"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[64];
        size_t length = text_format(out, sizeof out, cases[i].format, 7LL, 8LL, 9LL);
        assert_string_equal(out, cases[i].want);
        assert_int_equal(length, strlen(cases[i].want));
    }
}

static void absurd_widths_are_bounded(void **state)
{
    (void)state;
    char out[8];
    assert_int_equal(text_format(out, sizeof out, "%*d", INT_MAX, 1), 4096);
    assert_int_equal(text_format(out, sizeof out, "%*d", INT_MIN, 1), 4096);
    assert_int_equal(text_format(out, sizeof out, "%.*d", INT_MAX, 1), 4096);
    assert_int_equal(text_format(out, sizeof out, "%99999999999999999999d", 1), 4096);
    assert_string_equal(out, "       ");
}

static void a_null_string_is_said_to_be_one(void **state)
{
    (void)state;
    const char *volatile none = NULL;
    char out[16];
    text_format(out, sizeof out, "<%s>", none);
    assert_string_equal(out, "<(null)>");
}
#pragma GCC diagnostic pop

static void a_cut_never_leaves_half_a_character(void **state)
{
    (void)state;
    static const char text[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z"; /* a, 2, 3, 4 bytes, z */
    static const size_t kept[] = {0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t size = 1; size < COUNT(kept); size++) {
        char out[16];
        memset(out, 'X', sizeof out);
        assert_int_equal(text_format(out, size, "%s", text), sizeof text - 1);
        assert_int_equal(strlen(out), kept[size]);
        assert_memory_equal(out, text, kept[size]);
    }
}

static void collect(void *ctx, const char *text, size_t length)
{
    char *out = ctx;
    assert_true(length > 0);
    strncat(out, text, length);
}

static void print_through(const struct text_sink *sink, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprint(sink, format, args);
    va_end(args);
}

static void a_sink_gets_the_same_text(void **state)
{
    (void)state;
    char out[128] = "";
    struct text_sink sink = {.write = collect, .ctx = out};
    text_print(&sink, "%s=%5d|%-4s|", "n", 42, "x");
    print_through(&sink, "%llu %c", 1ULL << 40, 'q');
    text_print(&sink, "%s", "");
    assert_string_equal(out, "n=   42|x   |1099511627776 q");
}

static void a_buffer_sink_goes_on_where_it_stopped_and_counts_what_it_dropped(void **state)
{
    (void)state;
    char out[6];
    struct text_buffer buffer;
    struct text_sink sink = text_buffer_sink(&buffer, out, sizeof out);
    assert_string_equal(out, "");
    text_print(&sink, "ab");
    text_print(&sink, "c%d", 1);
    assert_string_equal(out, "abc1");
    text_print(&sink, "xyz");
    text_print(&sink, "!");
    assert_string_equal(out, "abc1x");
    assert_int_equal(buffer.length, 8);
}

static void durations_have_three_digits_and_a_fitting_unit(void **state)
{
    (void)state;
    static const struct {
        long long ns;
        const char *want;
    } cases[] = {
        {0, "0"},
        {1, "1 ns"},
        {-40, "-40 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {15300, "15.3 us"},
        {15349, "15.3 us"},
        {15350, "15.4 us"},
        {9994, "9.99 us"},
        {9995, "10.0 us"},
        {99949, "99.9 us"},
        {99950, "100 us"},
        {500000, "500 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {1200000, "1.20 ms"},
        {-1200000, "-1.20 ms"},
        {91815564, "91.8 ms"},
        {999499999, "999 ms"},
        {999500000, "1.00 s"},
        {60000000000, "60.0 s"},
        {3600000000000, "3600 s"},
        {LLONG_MAX, "9223372037 s"},
        {LLONG_MIN, "-9223372037 s"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[32];
        assert_int_equal(text_duration(out, sizeof out, cases[i].ns), strlen(cases[i].want));
        assert_string_equal(out, cases[i].want);
    }
    char tiny[4];
    assert_int_equal(text_duration(tiny, sizeof tiny, 15300), 7);
    assert_string_equal(tiny, "15.");
}

static void sizes_are_in_powers_of_1024_without_useless_zeros(void **state)
{
    (void)state;
    static const struct {
        unsigned long long bytes;
        const char *want;
    } cases[] = {
        {0, "0 B"},
        {36, "36 B"},
        {1023, "1023 B"},
        {1024, "1 KiB"},
        {48 * 1024, "48 KiB"},
        {768 * 1024, "768 KiB"},
        {1023 * 1024, "1023 KiB"},
        {1024 * 1024 - 1, "1 MiB"},
        {1024 * 1024, "1 MiB"},
        {1280 * 1024, "1.25 MiB"},
        {1536 * 1024, "1.5 MiB"},
        {100ULL << 20, "100 MiB"},
        {1ULL << 30, "1 GiB"},
        {(1ULL << 40) * 3 / 2, "1.5 TiB"},
        {1ULL << 50, "1 PiB"},
        {1ULL << 60, "1 EiB"},
        {(1ULL << 60) / 4 * 5, "1.25 EiB"},
        {ULLONG_MAX, "16 EiB"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[32];
        assert_int_equal(text_bytes(out, sizeof out, cases[i].bytes), strlen(cases[i].want));
        assert_string_equal(out, cases[i].want);
    }
}

static void a_list_gives_its_strings_by_number_and_null_beyond(void **state)
{
    (void)state;
    static const char list[] = "one\0"
                               "2\0"
                               "three four\0";
    assert_string_equal(text_nth(list, 0), "one");
    assert_string_equal(text_nth(list, 1), "2");
    assert_string_equal(text_nth(list, 2), "three four");
    assert_null(text_nth(list, 3));
    assert_null(text_nth(list, UINT32_MAX));
    assert_null(text_nth("", 0));
}

static void a_decimal_has_as_many_digits_behind_the_point_as_asked_for(void **state)
{
    (void)state;
    char text[32];
    assert_int_equal(text_decimal(text, sizeof text, true, 1234, 2), 6);
    assert_string_equal(text, "-12.34");
    text_decimal(text, sizeof text, false, 12, 0);
    assert_string_equal(text, "12");
    text_decimal(text, sizeof text, false, 7, 3);
    assert_string_equal(text, "0.007");
    text_decimal(text, sizeof text, false, UINT64_MAX, 9);
    assert_string_equal(text, "18446744073.709551615");
    assert_int_equal(text_decimal(text, 4, false, 12345, 1), 6);
    assert_string_equal(text, "123");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decimal_has_as_many_digits_behind_the_point_as_asked_for),
        cmocka_unit_test(a_list_gives_its_strings_by_number_and_null_beyond),
        cmocka_unit_test(numbers_print_as_the_c_library_prints_them),
        cmocka_unit_test(strings_and_characters_print_as_the_c_library_prints_them),
        cmocka_unit_test(a_string_without_terminator_is_read_no_further_than_its_precision),
        cmocka_unit_test(a_foreign_conversion_is_copied_and_nothing_after_it_is_converted),
        cmocka_unit_test(a_null_string_is_said_to_be_one),
        cmocka_unit_test(absurd_widths_are_bounded),
        cmocka_unit_test(a_cut_never_leaves_half_a_character),
        cmocka_unit_test(a_sink_gets_the_same_text),
        cmocka_unit_test(a_buffer_sink_goes_on_where_it_stopped_and_counts_what_it_dropped),
        cmocka_unit_test(durations_have_three_digits_and_a_fitting_unit),
        cmocka_unit_test(sizes_are_in_powers_of_1024_without_useless_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
