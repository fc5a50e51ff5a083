/* SPDX-License-Identifier: BSD-2-Clause */
/* The small parts of the reports: digits, dates, wrapping, names, lists of ids, foreign text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/report_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char text[4096];
static struct text_buffer buffer;
static struct text_sink sink;

static void fresh(void)
{
    sink = text_buffer_sink(&buffer, text, sizeof text);
}

/* DESIGN, "Honesty": two or three digits, as the spread allows. */
static void microseconds_carry_as_many_digits_as_the_spread_allows(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        uint32_t spread;
        const char *want;
    } cases[] = {
        {15300, 0, "15.3"},
        {15300, 499, "15.3"}, /* third digit steps by 0.1 us: below five steps */
        {15300, 500, "15"},   /* five steps */
        {15500, 9000, "16"},  /* rounded half up */
        {-15340, 10, "-15.3"},
        {1, 0, "0.001"},
        {21, UINT32_MAX, "0.021"}, /* no digit below a nanosecond either way */
        {213, 0, "0.213"},
        {213, 5, "0.21"},
        {1999, 0, "2.00"},
        {9994, 0, "9.99"},
        {9996, 0, "10.0"}, /* not 10.00 */
        {99960, 9000, "100"},
        {999960, 0, "1000"},
        {184812345, 0, "185000"},
        {184812345, 10000000, "180000"},
        {2147483647, 0, "2150000"},
        {0, 0, "0"},
        {0, 900, "0"},
        {INT64_MIN, 0, "-9220000000000000"},
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        report_us(text, sizeof text, cases[i].ns, cases[i].spread);
        assert_string_equal(text, cases[i].want);
    }
}

static void spreads_carry_one_digit_or_two_after_a_one(void **state)
{
    (void)state;
    static const struct {
        uint32_t ns;
        const char *want;
    } cases[] = {
        {0, "0"},     {4, "0.004"},  {12, "0.012"},  {40, "0.04"},    {94, "0.09"},
        {96, "0.10"}, {160, "0.16"}, {213, "0.2"},   {950, "1.0"},    {1234, "1.2"},
        {2600, "3"},  {12345, "12"}, {96000, "100"}, {160000, "160"}, {4294967295u, "4000000"},
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        report_spread(text, sizeof text, cases[i].ns);
        assert_string_equal(text, cases[i].want);
    }
}

static void factors_and_dates_are_short(void **state)
{
    (void)state;
    static const struct {
        uint32_t percent;
        const char *want;
    } factors[] = {{200, "2"}, {150, "1.5"}, {125, "1.25"}, {5, "0.05"}, {100000, "1000"}};
    for (unsigned i = 0; i < COUNT(factors); i++) {
        report_factor(text, sizeof text, factors[i].percent);
        assert_string_equal(text, factors[i].want);
    }
    static const struct {
        uint64_t seconds;
        const char *want;
    } dates[] = {
        {0, "not known"},
        {59, "1970-01-01 00:00"},
        {951782340, "2000-02-28 23:59"},
        {951868800, "2000-03-01 00:00"}, /* after 2000-02-29: 400 years */
        {951782400, "2000-02-29 00:00"},
        {4107542399, "2100-02-28 23:59"},
        {4107542400, "2100-03-01 00:00"}, /* 2100 is no leap year */
        {1764540900, "2025-11-30 22:15"},
        {253402300799, "9999-12-31 23:59"},
        {253402300800, "not known"},
        {UINT64_MAX, "not known"},
    };
    for (unsigned i = 0; i < COUNT(dates); i++) {
        report_date(text, sizeof text, dates[i].seconds);
        assert_string_equal(text, dates[i].want);
    }
}

static void foreign_text_is_made_plain(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *in, *want;
    } cases[] = {
        {64, "  Example(R)   CPU 3000+  ", "Example(R) CPU 3000+"},
        {64, "\t\x1b[0m\x7f\xe9",
         "?"
         "?[0m?"
         "?"},
        {64, "", ""},
        {64, "    ", ""},
        {6, "abcdefgh", "abcde"},
        {6, "abc  defgh", "abc d"},
        {6, "abcd  efgh", "abcd"}, /* no blank at the end */
        {2, "ab", "a"},
        {1, "ab", ""},
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        memset(text, 'x', sizeof text);
        size_t length = report_clean(text, cases[i].size, cases[i].in);
        assert_string_equal(text, cases[i].want);
        assert_int_equal(length, strlen(cases[i].want));
        assert_int_equal(text[cases[i].size], 'x');
    }
    assert_int_equal(report_clean(text, 0, "abc"), 0);
}

static void fields_wrap_at_blanks_and_hang(void **state)
{
    (void)state;
    struct report_page page = report_page(&sink, 40); /* 39 are used, 27 beside the margin */
    fresh();
    report_field(&page, "label", "%s", "");
    report_field(&page, "", "123456789 123456789 1234567");
    report_field(&page, "x", "123456789 123456789 12345678");
    report_field(&page, "y", "a  b   c ");
    report_field(&page, "solid", "123456789 123456789 123\0364567 8");
    assert_string_equal(text, "label       \n"
                              "            123456789 123456789 1234567\n"
                              "x           123456789 123456789\n"
                              "            12345678\n"
                              "y           a b c\n"
                              "solid       123456789 123456789\n"
                              "            123 4567 8\n");
}

static void words_longer_than_any_line_are_cut(void **state)
{
    (void)state;
    static char word[301];
    struct report_page page = report_page(&sink, 80);
    memset(word, 'w', sizeof word - 1);
    fresh();
    report_field(&page, "", "%s end", word);
    unsigned letters = 0;
    for (const char *at = text; *at; at++)
        letters += *at == 'w';
    assert_int_equal(letters, 300);
    assert_non_null(strstr(text, " end\n"));
}

static void classes_are_named_by_what_tells_them_apart(void **state)
{
    (void)state;
    static const struct {
        struct class_key key;
        uint16_t flags;
        const char *want;
    } cases[] = {
        {{LEVEL_LLC, DISTANCE_LOCAL, 0, 0, 0, 0}, 0, "LLC"},
        {{LEVEL_SYSTEM, 21, 0, 0, 0, 0}, 0, "system d21"},
        {{LEVEL_LLC, DISTANCE_LOCAL, CORE_KIND_E, CORE_KIND_P, 0, 0}, 0, "LLC E+P"},
        {{LEVEL_L2, DISTANCE_LOCAL, CORE_KIND_E, CORE_KIND_E, 0, 0}, 0, "L2 E"},
        {{LEVEL_DIE, 255, CORE_KIND_LP_E, CORE_KIND_P, 0, 0},
         CLASS_SPLIT | CLASS_ZERO,
         "die d255 LP+P split"},
        {{LEVEL_DIE, DISTANCE_LOCAL, 0, 0x33, 0, 0}, 0, "die 00+33"},
        {{200, DISTANCE_LOCAL, 0, 0, 0, 0}, 0, "?"},
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        report_class_name(text, sizeof text, cases[i].key, cases[i].flags);
        assert_string_equal(text, cases[i].want);
    }
    /* The longest fits a cell of the level table. */
    struct class_key longest = {LEVEL_PACKAGE, 255, 0x33, 0x44, 0, 0};
    assert_in_range(report_class_name(text, sizeof text, longest, CLASS_SPLIT), 1, GRID_CELL - 1);
}

static void classes_of_one_name_are_numbered(void **state)
{
    (void)state;
    struct report_class classes[4] = {
        {.key = {LEVEL_LLC, DISTANCE_LOCAL, 0, 0, 0, 0}, .flags = CLASS_SPLIT},
        {.key = {LEVEL_LLC, DISTANCE_LOCAL, 0, 0, 0, 0}},
        {.key = {LEVEL_LLC, DISTANCE_LOCAL, 0, 0, 0, 0}, .flags = CLASS_SPLIT | CLASS_ZERO},
        {.key = {LEVEL_SYSTEM, DISTANCE_LOCAL, 0, 0, 0, 0}},
    };
    static const char *const want[] = {"LLC split 1", "LLC", "LLC split 2", "system"};
    report_name_classes(classes, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(report_plain(classes[i].name), want[i]);
}

static void numbers_that_are_no_name_are_a_question_mark(void **state)
{
    (void)state;
    assert_string_equal(report_pattern(TOUCH_CHASE), "chase");
    assert_string_equal(report_pattern(TOUCH_PATTERNS), "?");
    assert_string_equal(report_access(TOUCH_ACCESSES), "?");
    assert_string_equal(report_clock(CLOCK_MODEL), "the model");
    assert_string_equal(report_clock(255), "?");
}

static bool id_at(const void *ctx, unsigned i, uint32_t *ret_apic_id)
{
    *ret_apic_id = ((const uint32_t *)ctx)[i];
    return *ret_apic_id != 999; /* 999 took no part */
}

static void id_lists_join_runs(void **state)
{
    (void)state;
    static const struct {
        uint32_t ids[10];
        unsigned count;
        const char *want;
    } cases[] = {
        {{0}, 0, ""},
        {{7}, 1, " 7"},
        {{0, 1}, 2, " 0-1"},
        {{0, 1, 2, 4, 5, 6}, 6, " 0-2 4-6"},
        {{0, 2, 4, 6, 8}, 5, " 0-8 by 2"},
        {{0, 2, 4}, 3, " 0 2 4"},
        {{0, 2, 3, 4}, 4, " 0 2-4"},
        {{0, 4, 5, 9}, 4, " 0 4-5 9"},
        {{0, 16, 32, 48, 49, 50}, 6, " 0-48 by 16 49-50"},
        {{5, 3, 4, 1}, 4, " 5 3-4 1"}, /* in the order that they come */
        {{3, 3, 3}, 3, " 3 3 3"},
        {{0, 999, 1, 2, 999}, 5, " 0-2"},
        {{999}, 1, ""},
        {{4294967294u, 4294967295u, 0, 1}, 4, " 4294967294-4294967295 0-1"},
        {{9, 1, 5, 2}, 4, " 9 1 5 2"},
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        const struct report_cells cells = {
            .count = cases[i].count, .ctx = cases[i].ids, .name = id_at};
        fresh();
        report_apic_ids(&sink, &cells);
        for (char *at = text; *at; at++)
            *at = *at == '\036' ? ' ' : *at;
        assert_string_equal(text, cases[i].want);
    }
}

static void every_flag_has_a_line_and_none_has_one(void **state)
{
    (void)state;
    fresh();
    report_flags(&sink, 0);
    assert_string_equal(text, "flags       none\n");
    fresh();
    report_flags(&sink, UINT32_MAX);
    for (unsigned bit = 0; bit < FLAG_COUNT; bit++)
        assert_non_null(strstr(text, flag_name(bit)));
    assert_non_null(strstr(text, "bit 31: set by a later version"));
    fresh();
    report_flags(&sink, FLAG_COST_ZERO);
    assert_string_equal(text, "flags       cost-zero: no cost could be told from zero\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(microseconds_carry_as_many_digits_as_the_spread_allows),
        cmocka_unit_test(spreads_carry_one_digit_or_two_after_a_one),
        cmocka_unit_test(factors_and_dates_are_short),
        cmocka_unit_test(foreign_text_is_made_plain),
        cmocka_unit_test(fields_wrap_at_blanks_and_hang),
        cmocka_unit_test(words_longer_than_any_line_are_cut),
        cmocka_unit_test(classes_are_named_by_what_tells_them_apart),
        cmocka_unit_test(classes_of_one_name_are_numbered),
        cmocka_unit_test(numbers_that_are_no_name_are_a_question_mark),
        cmocka_unit_test(id_lists_join_runs),
        cmocka_unit_test(every_flag_has_a_line_and_none_has_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
