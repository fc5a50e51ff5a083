/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer statistics that survive outliers: medians and MAD, no floating point, no allocation. */
#ifndef LIB_STATS_H
#define LIB_STATS_H

#include <stddef.h>
#include <stdint.h>

void stats_sort(int64_t *values, size_t count); /* ascending, in place; O(n log n), no recursion */

/* Median of an ascending array; the mean of the two middle ones, rounded to zero, for an even
 * count. 0 for count 0. */
int64_t stats_median_sorted(const int64_t *sorted, size_t count);

/* Value at permille (0..1000) of an ascending array, linear between neighbours. 0 for count 0. */
int64_t stats_quantile_sorted(const int64_t *sorted, size_t count, unsigned permille);

uint64_t stats_isqrt(uint64_t value); /* floor of the square root */

struct stats_summary {
    int64_t median;
    uint64_t sigma; /* standard deviation of one sample, from the MAD (x 1.4826, small-sample
                       corrected) */
    uint64_t standard_error; /* of the median: 1.2533 * sigma / sqrt(count) */
    unsigned count;
};

/* Summary of count values, which are sorted in place; scratch has room for count more. */
struct stats_summary stats_summarize(int64_t *values, size_t count, int64_t *scratch);

#endif
