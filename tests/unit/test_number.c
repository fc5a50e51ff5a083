/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed numbers: read whole or refused, never wrapped; and suggestions for typed words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/number.h"
#include "../../lib/suggest.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define UNTOUCHED    0x5A5A5A5Au

static void bytes_take_units_of_1024(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum number_status status;
        uint64_t value;
    } cases[] = {
        {"0", NUMBER_OK, 0},
        {"1", NUMBER_OK, 1},
        {"007", NUMBER_OK, 7},
        {"1k", NUMBER_OK, 1024},
        {"1KiB", NUMBER_OK, 1024},
        {"3M", NUMBER_OK, 3 << 20},
        {"3mib", NUMBER_OK, 3 << 20},
        {"2G", NUMBER_OK, 2ull << 30},
        {"0x10", NUMBER_OK, 16},
        {"0X10K", NUMBER_OK, 16384},
        {"18446744073709551615", NUMBER_OK, UINT64_MAX},
        {"18446744073709551616", NUMBER_TOO_BIG, UNTOUCHED},
        {"99999999999999999999999999999", NUMBER_TOO_BIG, UNTOUCHED},
        {"0x1FFFFFFFFFFFFFFFF", NUMBER_TOO_BIG, UNTOUCHED},
        {"17179869183G", NUMBER_OK, 17179869183ull << 30},
        {"17179869184G", NUMBER_TOO_BIG, UNTOUCHED},
        {"18446744073709551616x", NUMBER_BAD, UNTOUCHED},
        {"", NUMBER_BAD, UNTOUCHED},
        {"K", NUMBER_BAD, UNTOUCHED},
        {"1KK", NUMBER_BAD, UNTOUCHED},
        {"1KB", NUMBER_BAD, UNTOUCHED},
        {"1 K", NUMBER_BAD, UNTOUCHED},
        {" 1", NUMBER_BAD, UNTOUCHED},
        {"1 ", NUMBER_BAD, UNTOUCHED},
        {"-1", NUMBER_BAD, UNTOUCHED},
        {"+1", NUMBER_BAD, UNTOUCHED},
        {"1.0", NUMBER_BAD, UNTOUCHED},
        {"0x", NUMBER_BAD, UNTOUCHED},
        {"x10", NUMBER_BAD, UNTOUCHED},
        {"12a", NUMBER_BAD, UNTOUCHED},
        {"0x0x1", NUMBER_BAD, UNTOUCHED},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t value = UNTOUCHED;
        assert_int_equal(number_parse_bytes(cases[i].text, &value), cases[i].status);
        assert_int_equal(value, cases[i].value);
    }
}

static void durations_take_units_of_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum number_status status;
        uint64_t value;
    } cases[] = {
        {"500000", NUMBER_OK, 500000},    {"500000ns", NUMBER_OK, 500000},
        {"500us", NUMBER_OK, 500000},     {"5ms", NUMBER_OK, 5000000},
        {"1s", NUMBER_OK, 1000000000},    {"1m", NUMBER_BAD, UNTOUCHED},
        {"1usus", NUMBER_BAD, UNTOUCHED}, {"18446744073709552us", NUMBER_TOO_BIG, UNTOUCHED},
        {"us", NUMBER_BAD, UNTOUCHED},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t value = UNTOUCHED;
        assert_int_equal(number_parse_ns(cases[i].text, &value), cases[i].status);
        assert_int_equal(value, cases[i].value);
    }
}

static void taking_a_number_stops_behind_its_digits(void **state)
{
    (void)state;
    const char *text = "12-0x1f,99999999999999999999,x";
    uint64_t value = 0;
    assert_int_equal(number_take(&text, &value), NUMBER_OK);
    assert_int_equal(value, 12);
    assert_string_equal(text, "-0x1f,99999999999999999999,x");
    assert_int_equal(number_take(&text, &value), NUMBER_BAD);
    assert_string_equal(text, "-0x1f,99999999999999999999,x");
    text++;
    assert_int_equal(number_take(&text, &value), NUMBER_OK);
    assert_int_equal(value, 0x1F);
    text++;
    assert_int_equal(number_take(&text, &value), NUMBER_TOO_BIG);
    assert_int_equal(value, 0x1F);
    assert_string_equal(text, ",x");
}

static void distances_count_typing_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *known;
        unsigned distance;
    } cases[] = {
        {"size", "size", 0},
        {"SIZE", "size", 0},
        {"siez", "size", 1},     /* swapped */
        {"sze", "size", 1},      /* dropped */
        {"sizee", "size", 1},    /* doubled */
        {"sixe", "size", 1},     /* beside */
        {"si", "size", 1},       /* begun */
        {"capa", "capacity", 1}, /* begun */
        {"pattren", "pattern", 1},
        {"paternn", "pattern", 2},
        {"capazitie", "capacity", 3},
        {"sore", "size", SUGGEST_FAR},
        {"usb", "cpus", SUGGEST_FAR},
        {"s", "size", SUGGEST_FAR},
        {"", "size", SUGGEST_FAR},
        {"a-word-of-twenty-five-let", "a-word-of-twenty-five-let", SUGGEST_FAR},
        {"a-word-of-twenty-four-lt", "a-word-of-twenty-four-lt", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(suggest_distance(cases[i].typed, cases[i].known), cases[i].distance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_take_units_of_1024),
        cmocka_unit_test(durations_take_units_of_time),
        cmocka_unit_test(taking_a_number_stops_behind_its_digits),
        cmocka_unit_test(distances_count_typing_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
