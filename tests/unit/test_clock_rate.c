/* SPDX-License-Identifier: BSD-2-Clause */
/* From windows, steps and several witnesses to one rate and an honest error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../arch/x86/clock.h"
#include "../../lib/flags.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Rates ---- */

static void a_window_becomes_kilohertz(void **state)
{
    (void)state;
    static const struct {
        uint64_t ticks, ns, khz;
    } rows[] = {
        {0, 0, 0},
        {0, 1000, 0},
        {1000, 0, 0},
        {25000000, 10000000, 2500000},
        {25960000, 10000000, 2596000},
        {1, 1000000, 1},
        {1, 1000001, 0},
        {1ull << 63, 1ull << 43, 1048576000000},
        {UINT64_MAX, 1, 1000000000000},
        {UINT64_MAX, UINT64_MAX, 1000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t khz = clock_khz(rows[i].ticks, rows[i].ns);
        assert_int_equal(khz, rows[i].khz < 1000000000000 ? rows[i].khz : 1000000000000);
    }
}

static void the_majority_that_lies_closest_gives_the_rate(void **state)
{
    (void)state;
    static const struct {
        uint64_t khz[7];
        unsigned count;
        uint64_t rate, spread_from, spread_to;
    } rows[] = {
        {{0}, 0, 0, 10000, 10000},
        {{0, 0, 0, 0, 0}, 5, 0, 10000, 10000},
        {{2500000, 2500000, 2500000, 2500000, 2500000}, 5, 2500000, 0, 0},
        {{2500000, 2500100, 2499900, 2500050, 2499950}, 5, 2500000, 20, 21},
        /* Two runs 2 percent off, on one side or on both (B6). */
        {{2550000, 2500000, 2551000, 2500010, 2500020}, 5, 2500010, 1, 6},
        {{2450000, 2500000, 2550000, 2500010, 2500020}, 5, 2500010, 1, 6},
        {{1, 2500000, 900000000, 2500010, 2500020}, 5, 2500010, 1, 6},
        /* All different: the spread says so. */
        {{1000000, 2000000, 3000000, 4000000, 5000000}, 5, 3000000, 333333, 333334},
        /* Windows that failed are left out; fewer than three tell no spread. */
        {{0, 2500000, 0, 2500000, 0}, 5, 2500000, 10000, 10000},
        {{0, 0, 0, 2500000, 0}, 5, 2500000, 10000, 10000},
        {{2500000, 2600000}, 2, 2600000, 29000, 30000},
        {{0, 2500000, 2500000, 2500010, 0}, 5, 2500000, 0, 0},
        {{3, 3, 3, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, 7, UINT64_MAX, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t khz[7];
        uint32_t spread_ppm = 12345;
        memcpy(khz, rows[i].khz, sizeof(khz));
        assert_int_equal(clock_settle(khz, rows[i].count, &spread_ppm), rows[i].rate);
        assert_in_range(spread_ppm, rows[i].spread_from, rows[i].spread_to);
    }
}

static void the_step_is_what_small_differences_are_multiples_of(void **state)
{
    (void)state;
    static const struct {
        uint64_t differences[8];
        unsigned count, from, to;
    } rows[] = {
        {{0}, 0, 1, 1},
        {{0, 0, 0, 0}, 4, 1, 1}, /* stands */
        {{30, 31, 32, 33, 35, 30, 31, 30}, 8, 1, 3},
        {{26, 52, 26, 78, 26, 52, 26, 2600000}, 8, 26, 26}, /* 10 ns steps at 2.6 GHz */
        {{52, 52, 78, 52, 78, 104, 52, 52}, 8, 26, 26},     /* a read costs two steps */
        {{25, 26, 51, 77, 26, 25, 26, 1001}, 8, 25, 26},    /* 25.6 ticks to a step, seen rounded */
        {{100, 100, 100, 100, 100, 100, 0, 100}, 8, 100, 100},
        {{57, 60, 63, 60, 57, 60, 63, 66}, 8, 3, 3},
        {{36, 38, 36, 40, 36, 36, 38, 42}, 8, 1, 4},
        {{1, 2, 3, 4}, 4, 1, 1},
        {{UINT64_MAX, 7, 7, 14}, 4, 7, 7},
        {{UINT64_MAX, UINT64_MAX}, 2, UINT32_MAX, UINT32_MAX},
        {{1ull << 40, 1ull << 41}, 2, UINT32_MAX, UINT32_MAX},
        {{1ull << 31, 3ull << 31}, 2, 1u << 31, 1u << 31},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_in_range(clock_step(rows[i].differences, rows[i].count), rows[i].from, rows[i].to);
}

static void core_clock_is_aperf_over_mperf(void **state)
{
    (void)state;
    static const struct {
        struct clock_core start, end;
        uint32_t permille;
    } rows[] = {
        {{0, 0}, {1000, 1000}, 1000},
        {{0, 0}, {1420, 1000}, 1420},
        {{500, 100}, {900, 600}, 800}, /* below base (B8) */
        {{0, 0}, {1000, 0}, 0},        /* MPERF stands */
        {{7, 7}, {7, 7}, 0},
        {{UINT64_MAX - 99, UINT64_MAX - 99}, {100, 100}, 1000}, /* both wrap */
        {{1000, 1000}, {500, 2000}, 0},                         /* APERF was reset between */
        {{0, 0}, {1ull << 62, 1ull << 62}, 1000},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(clock_core_permille(&rows[i].start, &rows[i].end), rows[i].permille);
}

/* ---- The choice ---- */

/* References are named by a letter each. */
static struct clock_reference reference_of(char letter)
{
    switch (letter) {
    case 'p':
        return (struct clock_reference){.source = CLOCK_PM_TIMER, .error_ppm = 200};
    case 's':
        return (struct clock_reference){.source = CLOCK_STALL, .error_ppm = 20000};
    default:
        return (struct clock_reference){.source = CLOCK_OS, .error_ppm = 50};
    }
}

struct choice {
    const char *what;
    uint64_t hint;
    const char *references; /* "ps": PM timer, then Stall; o: the OS */
    uint64_t khz0, khz1, khz2;
    uint32_t spread0, spread1, spread2;
    uint64_t rate;
    enum clock_source source, second;
    uint32_t error_ppm; /* at most 2 less than found */
    bool disagrees;
};
#define P CLOCK_PM_TIMER
#define S CLOCK_STALL
#define O CLOCK_OS
#define C CLOCK_CPUID

static void check_choice(const struct choice *row)
{
    uint64_t khz[] = {row->khz0, row->khz1, row->khz2};
    uint32_t spread[] = {row->spread0, row->spread1, row->spread2}, flags = ~0u;
    struct clock_reference references[3];
    unsigned count = 0;
    for (; row->references[count] != 0; count++)
        references[count] = reference_of(row->references[count]);

    struct clock_info info = {.resolution = 77, .read_cost = 88, .core_permille = 99};
    clock_choose(row->hint, khz, spread, references, count, &info, &flags);
    if (info.khz != row->rate || info.source != row->source || info.second != row->second ||
        info.error_ppm - row->error_ppm > 2 || flags != (row->disagrees ? FLAG_CLOCK_DISAGREES : 0))
        fail_msg("%s: khz %llu source %u second %u error %u flags %x", row->what,
                 (unsigned long long)info.khz, info.source, info.second, info.error_ppm, flags);
    assert_int_equal(info.resolution, 77);
    assert_int_equal(info.read_cost, 88);
    assert_int_equal(info.core_permille, 99);
}

static void the_most_exact_confirmed_rate_is_chosen(void **state)
{
    (void)state;
    static const struct choice rows[] = {
        {"leaf 0x16 says 2300, true are 2304 (B3)", 2300000, "ps", 2304000, 2310000, 0, 30, 900, 0,
         2304000, P, C, 230, false},
        {"no leaf", 0, "ps", 2304000, 2310000, 0, 30, 900, 0, 2304000, P, S, 230, false},
        {"PM timer stands", 2300000, "ps", 0, 2310000, 0, 10000, 900, 0, 2300000, C, S, 2000,
         false},
        {"PM timer lies by 10 percent, two others do not", 2300000, "ps", 2530000, 2305000, 0, 10,
         900, 0, 2300000, C, S, 2000, false},
        {"hint off by 875 times (B3)", 3500000, "ps", 4000, 4010, 0, 30, 900, 0, 4000, P, S, 230,
         false},
        {"1 percent apart is agreement", 2500000, "p", 2524750, 0, 0, 30, 0, 0, 2524750, P, C, 230,
         false},
        {"one that shakes is less exact than CPUID, but no liar (B6)", 2500000, "ps", 2510000, 0, 0,
         15000, 10000, 0, 2500000, C, P, 2000, false},
        {"the best two of three", 2500000, "pso", 2500100, 2501000, 2500050, 30, 900, 10, 2500050,
         O, P, 60, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_choice(&rows[i]);
}

static void what_nothing_confirms_is_flagged_with_an_error_that_covers_it(void **state)
{
    (void)state;
    static const struct choice rows[] = {
        {"hint off, one reference", 3500000, "p", 4000, 0, 0, 30, 0, 0, 4000, P, C, 874000000,
         true},
        {"hint off, one vague reference", 3500000, "s", 4000, 0, 0, 900, 0, 0, 4000, S, C,
         874000000, true},
        {"nobody agrees", 2000000, "ps", 2300000, 2600000, 0, 30, 900, 0, 2300000, P, C, 130434,
         true},
        {"more than 1 percent", 2500000, "p", 2526000, 0, 0, 30, 0, 0, 2526000, P, C, 10292, true},
        {"only the hint", 2300000, "ps", 0, 0, 0, 10000, 10000, 0, 2300000, C, C, 2000, true},
        {"no references", 2300000, "", 0, 0, 0, 0, 0, 0, 2300000, C, C, 2000, true},
        {"only one reference", 0, "p", 2300000, 0, 0, 30, 0, 0, 2300000, P, P, 230, true},
        {"nothing", 0, "ps", 0, 0, 0, 10000, 10000, 0, 1000000, C, C, UINT32_MAX, true},
        {"too vague to confirm or to contradict", 2500000, "p", 2510000, 0, 0, 100000, 0, 0,
         2500000, C, P, 100200, true},
        {"vague beyond all bounds", 2500000, "s", 9, 0, 0, UINT32_MAX, 0, 0, 2500000, C, S,
         UINT32_MAX, true},
        {"a source does not confirm itself", 0, "pp", 2500000, 2500000, 0, 30, 30, 0, 2500000, P, P,
         230, true},
        {"a hint beyond any clock is none", UINT64_MAX, "p", 2500000, 0, 0, 30, 0, 0, 2500000, P, P,
         230, true},
        {"a rate beyond any clock is none", 2500000, "p", UINT64_MAX, 0, 0, 30, 0, 0, 2500000, C, C,
         2000, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_choice(&rows[i]);
}

static void a_trapped_or_wandering_clock_is_flagged(void **state)
{
    (void)state;
    struct clock_info clock = {.read_cost = CLOCK_TRAPPED_TICKS};
    assert_int_equal(clock_flags(&clock, true), 0);
    assert_int_equal(clock_flags(&clock, false), FLAG_CLOCK_NOT_INVARIANT); /* B1 */
    clock.read_cost++;
    assert_int_equal(clock_flags(&clock, true), FLAG_CLOCK_TRAPPED); /* B10 */
}

static void a_core_below_its_base_clock_is_flagged(void **state) /* B8 */
{
    (void)state;
    assert_int_equal(clock_core_flags(0), FLAG_CORE_CLOCK_UNKNOWN);
    assert_int_equal(clock_core_flags(500), FLAG_CORE_BELOW_BASE);
    assert_int_equal(clock_core_flags(CLOCK_CORE_BASE - 1), FLAG_CORE_BELOW_BASE);
    assert_int_equal(clock_core_flags(CLOCK_CORE_BASE), 0);
    assert_int_equal(clock_core_flags(1700), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_becomes_kilohertz),
        cmocka_unit_test(the_majority_that_lies_closest_gives_the_rate),
        cmocka_unit_test(the_step_is_what_small_differences_are_multiples_of),
        cmocka_unit_test(core_clock_is_aperf_over_mperf),
        cmocka_unit_test(the_most_exact_confirmed_rate_is_chosen),
        cmocka_unit_test(what_nothing_confirms_is_flagged_with_an_error_that_covers_it),
        cmocka_unit_test(a_trapped_or_wandering_clock_is_flagged),
        cmocka_unit_test(a_core_below_its_base_clock_is_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
