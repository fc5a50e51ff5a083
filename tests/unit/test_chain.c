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
    struct chain_legs legs;
    struct chain_figures figures;
    struct touch_result results[5];
    for (int i = 0; i < 8; i++) {
        period(results, 1500, 1000, 900,
               600); /* a is slower than b: that is placement, not migration */
        chain_collect(&samples, results, &pair, 1, UINT64_MAX, false);
    }
    chain_legs(&gigahertz, &samples, 0, &legs);
    chain_figures(&gigahertz, &legs, &figures);
    assert_int_equal(figures.cost[0].ns, 300);
    assert_int_equal(figures.cost[1].ns, 500);
    assert_int_equal(figures.both.ns, 400); /* the directions differ: their mean */
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
    assert_false(chain_collect(&samples, results, &pair, 1, UINT64_MAX, false));
    assert_int_equal(samples.count[LEG_MOVE][1], 0);
    assert_int_equal(samples.count[LEG_MOVE][0], 0);
    assert_int_equal(samples.count[LEG_STAY][0], 1);
    assert_int_equal(samples.count[LEG_STAY][1], 1);
    assert_true(samples.noisy);
    assert_false(samples.lost);

    period(results, UINT64_MAX, 1000, 900, 600); /* B12 */
    results[4].status = TOUCH_LOST;
    chain_collect(&samples, results, &pair, 1, 1000000, false);
    assert_int_equal(samples.count[LEG_MOVE][1], 0);
    assert_int_equal(samples.count[LEG_MOVE][0], 1);
    assert_true(samples.lost);
}

static void more_samples_than_fit_are_dropped(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct touch_result results[5];
    period(results, 1500, 1000, 900, 600);
    for (unsigned i = 0; i < CHAIN_SAMPLES_MAX + 5; i++)
        chain_collect(&samples, results, &pair, 1, UINT64_MAX, false);
    for (unsigned kind = 0; kind < LEG_KINDS; kind++) {
        assert_int_equal(samples.count[kind][0], CHAIN_SAMPLES_MAX);
        assert_int_equal(samples.count[kind][1], CHAIN_SAMPLES_MAX);
    }
}

static void agreement_by_luck_does_not_make_a_small_spread(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct chain_legs legs;
    struct chain_figures figures;
    struct touch_result results[5];
    for (int i = 0; i < 2; i++) {
        period(results, 100000, 20000, 100000, 20000);
        chain_collect(&samples, results, &pair, 1, UINT64_MAX, false);
    }
    chain_legs(&gigahertz, &samples, 20000, &legs);
    chain_figures(&gigahertz, &legs, &figures);
    /* 2 percent of sqrt(100^2 + 20^2) us, a half of it is one standard error of four samples */
    assert_in_range(figures.both.spread_ns, 2400, 2700);
    assert_in_range(chain_lower(&figures, 20000), 80000 - 2700, 80000 - 2400);
}

/* B7: SMIs in every touch leave no sample; then they have to outvote each other. */
static void disturbed_samples_are_taken_where_there_are_no_others(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct touch_result results[5];
    period(results, 1500, 1000, 900, 600);
    for (unsigned i = 1; i < 5; i++)
        results[i].noise = 1;
    assert_false(chain_collect(&samples, results, &pair, 1, UINT64_MAX, false));
    assert_int_equal(samples.count[LEG_MOVE][0], 0);
    assert_true(chain_collect(&samples, results, &pair, 1, UINT64_MAX, true));
    assert_int_equal(samples.count[LEG_MOVE][0], 1);
}

static void a_primed_chain_goes_on_without_its_first_touch(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct touch_job jobs[CHAIN_JOBS_MAX];
    struct touch_result results[5];
    struct chain primed = pair;
    primed.primed = true;
    assert_int_equal(chain_jobs(&primed, 1, 0, jobs), 4);
    assert_int_equal(jobs[0].cpu, 3);
    period(results, 1500, 1000, 900, 600);
    chain_collect(&samples, results + 1, &primed, 1, UINT64_MAX, false);
    assert_int_equal(samples.ticks[LEG_MOVE][1][0], 1500);
    assert_int_equal(samples.ticks[LEG_STAY][0][0], 600);
}

static void longer_samples_are_outvoted_while_fewer_than_half(void **state)
{
    (void)state;
    int64_t few[] = {1300, 1000}, some[] = {1310, 1005, 1300, 995},
            low[] = {-99999, 1000, 1002, 998};
    struct chain_leg leg = chain_leg(few, 2, 20000, 1);
    assert_int_equal(leg.ticks, 1000);
    assert_int_equal(leg.count, 1);
    leg = chain_leg(some, 4, 20000, 1);
    assert_int_equal(leg.ticks, 1000);
    assert_int_equal(leg.count, 2);
    leg = chain_leg(low, 4, 20000, 1); /* a clock that stepped back (B3) */
    assert_in_range(leg.count, 3, 4);
    assert_int_equal(chain_leg(some, 0, 20000, 1).count, 0);
}

static void legs_are_merged_by_their_errors(void **state)
{
    (void)state;
    struct chain_leg a = {.ticks = 1000, .error = 10, .count = 2};
    struct chain_leg b = {.ticks = 1100, .error = 1000, .count = 3}, none = {0};
    assert_in_range(chain_merge(a, b).ticks, 1000, 1001);
    assert_in_range(chain_merge(b, a).ticks, 1000, 1001);
    assert_int_equal(chain_merge(a, b).count, 5);
    assert_int_equal(chain_merge(a, none).ticks, 1000);
    assert_int_equal(chain_merge(none, a).ticks, 1000);
    b.error = 10;
    assert_in_range(chain_merge(a, b).ticks, 1049, 1051);
    assert_in_range(chain_merge(a, b).error, 6, 8);
}

static void no_samples_give_no_figures(void **state)
{
    (void)state;
    struct chain_samples samples = {0};
    struct chain_legs legs;
    struct chain_figures figures;
    chain_legs(&gigahertz, &samples, 20000, &legs);
    chain_figures(&gigahertz, &legs, &figures);
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
        cmocka_unit_test(disturbed_samples_are_taken_where_there_are_no_others),
        cmocka_unit_test(a_primed_chain_goes_on_without_its_first_touch),
        cmocka_unit_test(longer_samples_are_outvoted_while_fewer_than_half),
        cmocka_unit_test(legs_are_merged_by_their_errors),
        cmocka_unit_test(no_samples_give_no_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
