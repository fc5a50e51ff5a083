/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer statistics: medians, roots, spreads and intervals. */
#include "../../lib/stats.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t random_state = 42;

static uint64_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

static void sorts_any_length_and_keeps_every_value(void **state)
{
    (void)state;
    for (size_t count = 0; count < 200; count++) {
        int64_t values[200], sum = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = (int64_t)next_random() - (1 << 30);
            sum += values[i];
        }
        stats_sort(values, count);
        for (size_t i = 0; i < count; i++) {
            sum -= values[i];
            if (i > 0)
                assert_true(values[i - 1] <= values[i]);
        }
        assert_int_equal(sum, 0);
    }
}

static void median_of_two_middles_does_not_overflow(void **state)
{
    (void)state;
    const int64_t large[] = {INT64_MAX - 1, INT64_MAX};
    const int64_t wide[] = {INT64_MIN, INT64_MAX};
    const int64_t odd[] = {-3, 0, 7};
    const int64_t even[] = {3, 4};
    assert_int_equal(stats_median_sorted(large, 2), INT64_MAX - 1);
    assert_int_equal(stats_median_sorted(wide, 2), 0);
    assert_int_equal(stats_median_sorted(odd, 3), 0);
    assert_int_equal(stats_median_sorted(even, 2), 3);
    assert_int_equal(stats_median_sorted(even, 0), 0);
}

static void root_is_the_floor(void **state)
{
    (void)state;
    const uint64_t roots[] = {0, 1, 2, 3, 1000, 65535, 65536, 4294967295u};
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        uint64_t square = roots[i] * roots[i];
        assert_int_equal(stats_isqrt(square), roots[i]);
        if (square > 0)
            assert_int_equal(stats_isqrt(square - 1), roots[i] - 1);
    }
    assert_int_equal(stats_isqrt(UINT64_MAX), 4294967295u);
}

static void outliers_do_not_move_the_summary(void **state)
{
    (void)state;
    int64_t clean[20], dirty[20], scratch[20];
    for (int i = 0; i < 20; i++)
        clean[i] = dirty[i] = 1000 + i;
    dirty[3] = 1000000;
    dirty[7] = 5000000;
    struct stats_summary a = stats_summarize(clean, 20, scratch);
    struct stats_summary b = stats_summarize(dirty, 20, scratch);
    assert_in_range(b.median, a.median - 2, a.median + 2);
    assert_in_range(b.sigma, 0, a.sigma * 2);
    assert_in_range(b.half_width, 0, a.half_width * 2);
}

/* The sum of twelve uniform numbers, nearly normal, with a standard deviation of 1000. */
static int64_t normal(void)
{
    int64_t sum = -6000;
    for (int i = 0; i < 12; i++)
        sum += (int64_t)(next_random() % 1001);
    return sum;
}

static void sigma_of_normal_noise_is_found_for_few_and_for_many_samples(void **state)
{
    (void)state;
    for (size_t count = 4; count <= 40; count += 4) {
        uint64_t sum = 0;
        for (int run = 0; run < 2000; run++) {
            int64_t values[40], scratch[40];
            for (size_t i = 0; i < count; i++)
                values[i] = normal();
            sum += stats_summarize(values, count, scratch).sigma;
        }
        assert_in_range(sum / 2000, 900, 1100);
    }
}

/* The interval must hold the true median in 95 of 100 cases, whatever the noise looks like. */
static void interval_covers_the_median_with_skewed_noise(void **state)
{
    (void)state;
    for (size_t count = 2; count <= 45; count++) {
        unsigned held_normal = 0, held_skewed = 0;
        for (int run = 0; run < 2000; run++) {
            int64_t values[45], scratch[45];
            for (size_t i = 0; i < count; i++)
                values[i] = normal();
            struct stats_summary s = stats_summarize(values, count, scratch);
            held_normal += s.median <= (int64_t)s.half_width && -s.median <= (int64_t)s.half_width;

            /* Half of the samples at or below 0; above it a long tail. */
            for (size_t i = 0; i < count; i++) {
                int64_t x = normal();
                values[i] = x > 0 ? x * x / 500 : x;
            }
            s = stats_summarize(values, count, scratch);
            held_skewed += s.median <= (int64_t)s.half_width && -s.median <= (int64_t)s.half_width;
        }
        assert_in_range(held_normal, count < 6 ? 1800 : 1880, 2000);
        if (count >= 6)
            assert_in_range(held_skewed, 1880, 2000);
    }
}

static void one_sample_claims_nothing(void **state)
{
    (void)state;
    int64_t value[] = {5}, scratch[1];
    struct stats_summary one = stats_summarize(value, 1, scratch);
    assert_int_equal(one.median, 5);
    assert_true(one.half_width == INT64_MAX);
    struct stats_summary none = stats_summarize(value, 0, scratch);
    assert_int_equal(none.count, 0);
    assert_int_equal(none.half_width, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_any_length_and_keeps_every_value),
        cmocka_unit_test(median_of_two_middles_does_not_overflow),
        cmocka_unit_test(root_is_the_floor),
        cmocka_unit_test(outliers_do_not_move_the_summary),
        cmocka_unit_test(sigma_of_normal_noise_is_found_for_few_and_for_many_samples),
        cmocka_unit_test(interval_covers_the_median_with_skewed_noise),
        cmocka_unit_test(one_sample_claims_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
