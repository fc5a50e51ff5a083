/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer statistics that survive outliers. */
#include "stats.h"

static void sift_down(int64_t *values, size_t root, size_t count)
{
    while (2 * root + 1 < count) {
        size_t child = 2 * root + 1;
        if (child + 1 < count && values[child] < values[child + 1])
            child++;
        if (values[root] >= values[child])
            return;
        int64_t swap = values[root];
        values[root] = values[child];
        values[child] = swap;
        root = child;
    }
}

void stats_sort(int64_t *values, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(values, root, count);
    for (size_t end = count; end-- > 1;) {
        int64_t swap = values[0];
        values[0] = values[end];
        values[end] = swap;
        sift_down(values, 0, end);
    }
}

int64_t stats_median_sorted(const int64_t *sorted, size_t count)
{
    if (count == 0)
        return 0;
    if (count % 2 == 1)
        return sorted[count / 2];
    int64_t low = sorted[count / 2 - 1], high = sorted[count / 2];
    if (low >= 0)
        return low + (high - low) / 2;
    return high < 0 ? high - (high - low) / 2 : (low + high) / 2;
}

int64_t stats_median(int64_t *values, size_t count)
{
    stats_sort(values, count);
    return stats_median_sorted(values, count);
}

uint64_t stats_isqrt(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = 1ull << 62; bit != 0; bit >>= 2) {
        if (value >= root + bit) {
            value -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* value * numerator / denominator without overflow for the small factors used here. */
static uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    return value / denominator * numerator + value % denominator * numerator / denominator;
}

/* The MAD underestimates the spread of few samples; factors in permille for 2..9 samples from Croux
 * and Rousseeuw, "Time- efficient algorithms for two highly robust estimators of scale" (1992),
 * beyond that n / (n - 0.8). */
static uint64_t mad_correction(size_t count)
{
    static const uint16_t permille[] = {1000, 1000, 1196, 1495, 1363, 1206, 1200, 1140, 1129, 1107};
    if (count < sizeof(permille) / sizeof(permille[0]))
        return permille[count];
    return count * 10000 / (count * 10 - 8);
}

/* Rank (from 0) of the lower end of the shortest symmetric order-statistic interval that covers the
 * median with at least 95 percent: the binomial distribution with p = 1/2 summed; beyond the table
 * the normal approximation, rounded outwards. */
static size_t interval_rank(size_t count)
{
    static const uint8_t rank[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5};
    if (count < sizeof(rank))
        return rank[count];
    uint64_t reach = stats_isqrt(count * 38416) / 100 + 1; /* 1.96 * sqrt(count), rounded up */
    return (count - reach) / 2 - 1;
}

/* Fewer than 6 samples reach 50 to 94 percent with their whole range; the factors (in tenths) bring
 * normal noise to 95. */
static uint64_t few_samples_tenths(size_t count)
{
    static const uint8_t tenths[] = {0, 0, 90, 30, 18, 13};
    return count < sizeof(tenths) ? tenths[count] : 10;
}

struct stats_summary stats_summarize(int64_t *values, size_t count, int64_t *scratch)
{
    struct stats_summary summary = {0};
    if (count == 0)
        return summary;
    summary.count = (unsigned)count;
    summary.median = stats_median(values, count);
    if (count < 2) {
        summary.sigma = summary.standard_error = summary.half_width = INT64_MAX;
        return summary;
    }

    for (size_t i = 0; i < count; i++) {
        uint64_t off = distance(values[i], summary.median);
        scratch[i] = off > INT64_MAX ? INT64_MAX : (int64_t)off;
    }
    uint64_t mad = (uint64_t)stats_median(scratch, count);
    summary.sigma = scale(scale(mad, 14826, 10000), mad_correction(count), 1000);
    /* 1.2533 / sqrt(n), with the root taken of n scaled by 10^6 */
    summary.standard_error =
        scale(summary.sigma, 12533, stats_isqrt((uint64_t)count * 1000000) * 10);

    size_t low = interval_rank(count);
    uint64_t below = distance(summary.median, values[low]);
    uint64_t above = distance(values[count - 1 - low], summary.median);
    summary.half_width = scale(below > above ? below : above, few_samples_tenths(count), 10);
    return summary;
}
