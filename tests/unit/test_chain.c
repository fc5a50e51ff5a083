/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of touches that measures one pair: its order, its legs, what it leaves out. */
#include "../../lib/chain.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct machine gigahertz = {.clock = {.khz = 1000000, .resolution = 1}};
static const struct chain pair = {.cpu_a = 3, .cpu_b = 5, .region = 2, .bytes = 4096};

static void every_touch_is_a_leg_and_prepares_the_next(void **state)
{
    (void)state;
    struct touch_job jobs[CHAIN_JOBS_MAX];
    const uint16_t order[] = {5, 3, 3, 5, 5, 3, 3, 5, 5};
    assert_int_equal(chain_jobs(&pair, 2, 7, jobs), 9);
    for (unsigned i = 0; i < 9; i++) {
        assert_int_equal(jobs[i].cpu, order[i]);
        assert_int_equal(jobs[i].lane, 7);
        assert_int_equal(jobs[i].bytes, 4096);
    }
    assert_int_equal(chain_jobs(&pair, CHAIN_PERIODS_MAX, 0, jobs), CHAIN_JOBS_MAX);
}

/* Results of one period: b, a after b, a, b after a, b. */
static void period(struct touch_result *results, uint64_t to_a, uint64_t on_a, uint64_t to_b,
                   uint64_t on_b)
{
    const uint64_t ticks[] = {999, to_a, on_a, to_b, on_b};
    memset(results, 0, 5 * sizeof(*results));
    for (unsigned i = 0; i < 5; i++)
        results[i].ticks = ticks[i];
}

static void cost_is_move_less_stay_on_the_same_cpu(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct chain_figures figures;
    struct touch_result results[5];
    int64_t scratch[4 * CHAIN_SAMPLES_MAX];
    for (int i = 0; i < 8; i++) {
        period(results, 1500, 1000, 900,
               600); /* a is slower than b: that is placement, not migration */
        chain_collect(&samples, results, 1, UINT64_MAX);
    }
    chain_figures(&gigahertz, &samples, 0, scratch, &figures);
    assert_int_equal(figures.cost[0].ns, 300);
    assert_int_equal(figures.cost[1].ns, 500);
    assert_int_equal(figures.both.ns,
                     400); /* the directions differ: their mean, no median of two peaks */
    assert_int_equal(figures.stay[0].ns, 600);
    assert_int_equal(figures.stay[1].ns, 1000);
    assert_int_equal(figures.both.samples, 16);
}

static void disturbed_skipped_and_absurd_samples_are_left_out(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct touch_result results[5];
    period(results, 1500, 1000, 900, 600);
    results[1].noise = 1; /* B7 */
    results[3].status = TOUCH_SKIPPED;
    chain_collect(&samples, results, 1, UINT64_MAX);
    assert_int_equal(samples.count[0], 0);
    assert_int_equal(samples.count[1], 0);
    assert_true(samples.noisy);
    assert_false(samples.lost);

    period(results, UINT64_MAX, 1000, 900, 600); /* B12 */
    results[4].status = TOUCH_LOST;
    chain_collect(&samples, results, 1, 1000000);
    assert_int_equal(samples.count[0] + samples.count[1], 0);
    assert_true(samples.lost);
}

static void more_samples_than_fit_are_dropped(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct touch_result results[5];
    period(results, 1500, 1000, 900, 600);
    for (unsigned i = 0; i < CHAIN_SAMPLES_MAX + 5; i++)
        chain_collect(&samples, results, 1, UINT64_MAX);
    assert_int_equal(samples.count[0], CHAIN_SAMPLES_MAX);
    assert_int_equal(samples.count[1], CHAIN_SAMPLES_MAX);
}

static void agreement_by_luck_does_not_make_a_small_spread(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct chain_figures figures;
    struct touch_result results[5];
    int64_t scratch[4 * CHAIN_SAMPLES_MAX];
    for (int i = 0; i < 2; i++) {
        period(results, 100000, 20000, 100000, 20000);
        chain_collect(&samples, results, 1, UINT64_MAX);
    }
    chain_figures(&gigahertz, &samples, 20000, scratch, &figures);
    /* 2 percent of sqrt(100^2 + 20^2) us, 1.2533 / sqrt(4) of it is one standard error */
    assert_in_range(figures.both.spread_ns, 2400, 2700);
    assert_in_range(chain_lower(&figures, 20000), 80000 - 3400, 80000 - 3000);
}

static void no_samples_give_no_figures(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct chain_figures figures;
    int64_t scratch[4 * CHAIN_SAMPLES_MAX];
    chain_figures(&gigahertz, &samples, 20000, scratch, &figures);
    assert_int_equal(figures.both.samples, 0);
    assert_true(chain_lower(&figures, 20000) == INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_touch_is_a_leg_and_prepares_the_next),
        cmocka_unit_test(cost_is_move_less_stay_on_the_same_cpu),
        cmocka_unit_test(disturbed_skipped_and_absurd_samples_are_left_out),
        cmocka_unit_test(more_samples_than_fit_are_dropped),
        cmocka_unit_test(agreement_by_luck_does_not_make_a_small_spread),
        cmocka_unit_test(no_samples_give_no_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
