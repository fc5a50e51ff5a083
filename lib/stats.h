/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer statistics that survive outliers: medians, MAD and order-statistic intervals; no floating
 * point, no allocation.
 *
 * Sorting is in place, so every function that takes "values" leaves them ascending. */
#ifndef LIB_STATS_H
#define LIB_STATS_H

#include <stddef.h>
#include <stdint.h>

void stats_sort(int64_t *values, size_t count); /* ascending, in place; O(n log n), no recursion */

/* Median of an ascending array; the mean of the two middle ones, rounded to zero, for an even
 * count. 0 for count 0. */
int64_t stats_median_sorted(const int64_t *sorted, size_t count);

int64_t stats_median(int64_t *values, size_t count); /* sorts them first */

uint64_t stats_isqrt(uint64_t value); /* floor of the square root */

struct stats_summary {
    int64_t median;
    uint64_t sigma; /* standard deviation of one sample: MAD x 1.4826, small-sample corrected */
    uint64_t standard_error; /* of the median: 1.2533 x sigma / sqrt(count) */
    uint64_t half_width; /* of an interval around the median that holds the true one in 95 of 100
                            cases, from order statistics: no assumption about the noise's shape
                            (skewed, heavy-tailed). Widened where fewer than 6 samples cannot give
                            95 percent; INT64_MAX for fewer than 2 */
    unsigned count;
};

/* Summary of count values, which are sorted in place; scratch has room for count more. All zero for
 * count 0. */
struct stats_summary stats_summarize(int64_t *values, size_t count, int64_t *scratch);

#endif
