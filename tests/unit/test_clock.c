/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock against references that stand, wrap, lie and shake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../arch/x86/clock.h"
#include "../../lib/flags.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- PM timer ---- */

static void pm_timer_differences_are_modular(void **state)
{
    (void)state;
    static const struct {
        uint32_t start, end;
        unsigned bits;
        uint64_t ns;
    } rows[] = {
        {0, 0, 24, 0},
        {0, 3579545, 24, 1000000000},
        {0xFFFFF0, 0x000010, 24, 32 * 1000000000ull / 3579545}, /* B4 */
        {0xFFFFF0, 0x000010, 32, (0x10 - 0xFFFFF0ull + 0x100000000) * 1000000000 / 3579545},
        {0xFFFFFFF0, 0x00000010, 32, 32 * 1000000000ull / 3579545},
        {0xFFFFFFF0, 0x00000010, 24, 32 * 1000000000ull / 3579545}, /* upper byte is noise */
        {0x12000000, 0x34000001, 24, 279},
        {0, UINT32_MAX, 32, UINT32_MAX * 1000000000ull / 3579545},
        {5, 4, 24, 0xFFFFFF * 1000000000ull / 3579545},
        {5, 4, 0, 0},
        {5, 4, 64, UINT32_MAX * 1000000000ull / 3579545},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(clock_pm_timer_ns(rows[i].start, rows[i].end, rows[i].bits), rows[i].ns);
}

struct fake_timer {
    uint32_t value, step;
    uint32_t reads_per_step; /* the timer moves at every n-th read */
    uint32_t upper_bits;     /* what a 24-bit timer may show in bits 31..24 */
    uint64_t reads;
};

static uint32_t fake_timer_read(void *ctx)
{
    struct fake_timer *timer = ctx;
    if (++timer->reads % timer->reads_per_step == 0)
        timer->value += timer->step;
    return timer->value | timer->upper_bits;
}

static uint64_t wait_on(struct fake_timer *fake, uint8_t bits, uint32_t us)
{
    struct clock_pm_timer timer = {.read = fake_timer_read, .ctx = fake, .bits = bits};
    return clock_pm_timer_wait(&timer, us);
}

static void pm_timer_waits_across_wraps(void **state)
{
    (void)state;
    static const struct {
        uint32_t start, step, reads_per_step;
        uint8_t bits;
        uint32_t us;
    } rows[] = {
        {0, 1, 1, 24, 1000},
        {0xFFFFF0, 1, 1, 24, 1000}, /* B4 */
        {0xFFFFFFF0, 3, 1, 32, 1000},
        {0xFFFFF0, 4, 2, 24, 10000},  /* two quick reads see the same value (B4) */
        {0, 1000000, 1, 24, 1000000}, /* polled rarely: three reads to a wrap */
        {0, 16000000, 1, 24, 1000000},
        {0xFFFFFF00, 0xF0000000, 1, 32, 1000000},
        {7, 1, 1, 24, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake_timer fake = {
            .value = rows[i].start, .step = rows[i].step, .reads_per_step = rows[i].reads_per_step};
        uint64_t ns = wait_on(&fake, rows[i].bits, rows[i].us);
        uint64_t step_ns = rows[i].step * 1000000000ull / 3579545;
        assert_true(ns >= rows[i].us * 1000ull);
        assert_true(ns <= rows[i].us * 1000ull + step_ns + 1000);
    }
}

static void pm_timer_that_shows_noise_above_24_bits_is_read_right(void **state)
{
    (void)state;
    struct fake_timer fake = {.value = 0xFFF000, .step = 1, .reads_per_step = 1};
    fake.upper_bits = 0xAB000000;
    assert_in_range(wait_on(&fake, 24, 5000), 5000000, 5001000);
}

static void pm_timer_that_stands_or_creeps_ends_the_wait(void **state)
{
    (void)state;
    static const struct {
        uint32_t step, reads_per_step;
    } rows[] = {
        {0, 1},                        /* stopped */
        {1, PM_TIMER_STILL_READS + 1}, /* as good as stopped */
        {1, PM_TIMER_STILL_READS - 1}, /* creeps: the bound on all reads ends it */
        {1, 1000},
        {0x01000000, 1}, /* moves by whole wraps of 24 bits only */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake_timer fake = {.step = rows[i].step, .reads_per_step = rows[i].reads_per_step};
        assert_int_equal(wait_on(&fake, 24, CLOCK_WINDOW_US), 0);
        assert_true(fake.reads <=
                    CLOCK_WINDOW_US * PM_TIMER_READS_PER_US + PM_TIMER_STILL_READS + 1);
    }
    struct fake_timer fake = {.step = 1, .reads_per_step = 1};
    assert_true(wait_on(&fake, 32, UINT32_MAX) >= 1000000000); /* a second, not 71 minutes */
    assert_true(fake.reads <= 3600000);
}

/* ---- Calibration, on this processor's counter ---- */

/* A reference that holds this processor's counter to run at RATE_KHZ, whatever it really does. */
#define RATE_KHZ 200000u
struct fake_reference {
    int32_t lie_ppm[CLOCK_RUNS]; /* by window */
    unsigned window;
    bool stands;
    uint64_t claim_ns; /* if not 0 */
};

static uint64_t fake_wait(void *ctx, uint32_t us)
{
    struct fake_reference *fake = ctx;
    if (fake->stands)
        return fake->window++, 0;
    uint64_t start = clock_read(), wanted = us * (RATE_KHZ / 1000), ticks;
    while ((ticks = clock_read() - start) < wanted)
        ;
    int64_t lie = fake->lie_ppm[fake->window++ % CLOCK_RUNS];
    if (fake->claim_ns != 0)
        return fake->claim_ns;
    return (uint64_t)((int64_t)(ticks * 1000000 / RATE_KHZ) * (1000000 + lie) / 1000000);
}

static const struct cpuid_features steady = {.tsc = true, .invariant_tsc = true};

static void calibration_finds_the_rate(void **state)
{
    (void)state;
    struct fake_reference pm = {.window = 0}, stall = {.window = 0};
    struct clock_reference references[] = {{fake_wait, &pm, CLOCK_PM_TIMER, 200},
                                           {fake_wait, &stall, CLOCK_STALL, 20000}};
    struct clock_info info;
    uint32_t flags;
    clock_calibrate(&steady, references, 2, &info, &flags);
    assert_in_range(info.khz, RATE_KHZ * 99 / 100, RATE_KHZ * 101 / 100);
    assert_int_equal(info.source, CLOCK_PM_TIMER);
    assert_int_equal(info.second, CLOCK_STALL);
    assert_int_equal(flags & (FLAG_CLOCK_DISAGREES | FLAG_CLOCK_NOT_INVARIANT), 0);
    assert_int_equal(pm.window, CLOCK_RUNS);
    assert_true(info.resolution >= 1);
    assert_true(info.read_cost >= 1);
    assert_int_equal(info.core_permille, 0);
}

static void calibration_outlives_two_bad_windows(void **state)
{
    (void)state;
    struct fake_reference pm = {.lie_ppm = {0, 20000, 0, -500000, 0}};
    struct clock_reference references[] = {{fake_wait, &pm, CLOCK_PM_TIMER, 200}};
    struct cpuid_features hinted = steady;
    hinted.tsc_khz_hint = RATE_KHZ;
    struct clock_info info;
    uint32_t flags;
    clock_calibrate(&hinted, references, 1, &info, &flags);
    assert_in_range(info.khz, RATE_KHZ * 99 / 100, RATE_KHZ * 101 / 100);
    assert_int_equal(flags & FLAG_CLOCK_DISAGREES, 0);
}

static void calibration_flags_a_reference_that_lies_by_10_percent(void **state)
{
    (void)state;
    struct fake_reference pm = {.lie_ppm = {100000, 100000, 100000, 100000, 100000}};
    struct clock_reference references[] = {{fake_wait, &pm, CLOCK_PM_TIMER, 200}};
    struct cpuid_features hinted = steady;
    hinted.tsc_khz_hint = RATE_KHZ;
    struct clock_info info;
    uint32_t flags;
    clock_calibrate(&hinted, references, 1, &info, &flags);
    assert_true(flags & FLAG_CLOCK_DISAGREES);
    assert_true(info.error_ppm > 80000);
}

/* B1, B4: not invariant, and nothing that confirms it. */
static void calibration_leaves_references_that_stand(void **state)
{
    (void)state;
    struct fake_reference pm = {.stands = true}, good = {.window = 0};
    struct clock_reference references[] = {{fake_wait, &pm, CLOCK_PM_TIMER, 200},
                                           {fake_wait, &good, CLOCK_STALL, 20000}};
    struct clock_info info;
    uint32_t flags;
    clock_calibrate(&steady, references, 2, &info, &flags);
    assert_int_equal(pm.window, 2);
    assert_int_equal(info.source, CLOCK_STALL);
    assert_int_equal(info.second, CLOCK_STALL);
    assert_true(flags & FLAG_CLOCK_DISAGREES);

    /* Nothing to go by: still a rate to divide by, and the flag. */
    struct cpuid_features nothing = {.tsc = true};
    clock_calibrate(&nothing, references, 1, &info, &flags);
    assert_int_equal(info.khz, 1000000);
    assert_true(flags & FLAG_CLOCK_DISAGREES);
    assert_true(flags & FLAG_CLOCK_NOT_INVARIANT);
    clock_calibrate(&nothing, NULL, 0, &info, &flags);
    assert_int_equal(info.khz, 1000000);
}

static void calibration_discards_windows_of_more_than_a_second(void **state)
{
    (void)state;
    struct fake_reference wrapped = {.claim_ns = 4687000000};
    struct clock_reference references[] = {{fake_wait, &wrapped, CLOCK_PM_TIMER, 200}};
    struct cpuid_features hinted = steady;
    hinted.tsc_khz_hint = RATE_KHZ;
    struct clock_info info;
    uint32_t flags;
    clock_calibrate(&hinted, references, 1, &info, &flags); /* B12 */
    assert_int_equal(info.khz, RATE_KHZ);
    assert_int_equal(info.source, CLOCK_CPUID);
}

static void more_references_than_are_looked_at_do_no_harm(void **state)
{
    (void)state;
    struct fake_reference fake[CLOCK_REFERENCES + 3];
    struct clock_reference references[CLOCK_REFERENCES + 3];
    for (unsigned i = 0; i < CLOCK_REFERENCES + 3; i++) {
        fake[i] = (struct fake_reference){.stands = true};
        references[i] = (struct clock_reference){fake_wait, &fake[i], CLOCK_STALL, 0};
    }
    struct clock_info info;
    uint32_t flags;
    clock_calibrate(&steady, references, CLOCK_REFERENCES + 3, &info, &flags);
    for (unsigned i = 0; i < CLOCK_REFERENCES + 3; i++)
        assert_int_equal(fake[i].window, i < CLOCK_REFERENCES ? 2 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pm_timer_differences_are_modular),
        cmocka_unit_test(pm_timer_waits_across_wraps),
        cmocka_unit_test(pm_timer_that_shows_noise_above_24_bits_is_read_right),
        cmocka_unit_test(pm_timer_that_stands_or_creeps_ends_the_wait),
        cmocka_unit_test(calibration_finds_the_rate),
        cmocka_unit_test(calibration_outlives_two_bad_windows),
        cmocka_unit_test(calibration_flags_a_reference_that_lies_by_10_percent),
        cmocka_unit_test(calibration_leaves_references_that_stand),
        cmocka_unit_test(calibration_discards_windows_of_more_than_a_second),
        cmocka_unit_test(more_references_than_are_looked_at_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
