/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain b, a, a, b, b, a, a, b, b, ...: every touch is a sample of one of four legs, and
 * prepares the next. The migration cost is move minus stay, on the same CPU and the same memory, so
 * that a slower core and the place of the memory cancel. Neighbours in the chain are subtracted, so
 * that a clock that still ramps cancels too, and a sample hit by a disturbance is as likely to
 * raise a difference as to lower it. */
#ifndef LIB_CHAIN_H
#define LIB_CHAIN_H

#include "machine.h"
#include "result.h"
#include <stdbool.h>
#include <stdint.h>

#define CHAIN_PERIODS_MAX 8u /* of one batch */
#define CHAIN_JOBS_MAX    (1u + 4u * CHAIN_PERIODS_MAX)
#define CHAIN_SAMPLES_MAX 48u /* per direction, over all batches */

struct chain {
    uint16_t cpu_a, cpu_b, region;
    uint8_t pattern, access;
    uint64_t offset, bytes;
};

/* What the chain found so far, in ticks. cost[0]: a to b, cost[1]: b to a, each T(d after s) - T(d
 * after d). stay[i] and move[i] are the two legs of cost[i]. */
struct chain_samples {
    unsigned count[2];
    int64_t cost[2][CHAIN_SAMPLES_MAX];
    int64_t stay[2][CHAIN_SAMPLES_MAX];
    int64_t move[2][CHAIN_SAMPLES_MAX];
    bool noisy; /* some samples were discarded because the machine said that they were disturbed */
    bool lost;  /* one of the two CPUs does not answer any more */
};

/* Jobs of `periods` (1..CHAIN_PERIODS_MAX) periods in one lane; returns their number, 1 + 4 *
 * periods. */
unsigned chain_jobs(const struct chain *chain, unsigned periods, uint16_t lane,
                    struct touch_job *jobs);

/* Adds the results of these jobs. Samples that were disturbed (noise, B7) or longer than ticks_max
 * (B12) are left out; samples beyond CHAIN_SAMPLES_MAX too. */
void chain_collect(struct chain_samples *samples, const struct touch_result *results,
                   unsigned periods, uint64_t ticks_max);

/* What fits a figure: larger numbers become the largest, never COST_UNKNOWN. */
int32_t chain_saturate(int64_t ns);
struct figure chain_figure(int64_t ns, uint64_t spread_ns, unsigned samples);
/* Ticks, which may be negative, in ns; saturated too. */
int32_t chain_ns(const struct machine *machine, int64_t ticks);

/* Figures in ns from all samples. */
struct chain_figures {
    struct figure cost[2]; /* per direction */
    struct figure
        both; /* the mean of the directions; the samples are pooled where they do not differ */
    struct figure stay[2]; /* T(d after d): [0] of b, [1] of a */
    struct figure move[2];
    uint32_t noise_ppm; /* standard deviation of one touch, relative to its length, from the
                           differences' MAD; 0 with fewer than 2 samples a direction */
    uint64_t length_ns; /* of a move and a stay, added as errors are: sqrt(move^2 + stay^2) */
};

/* scratch holds 4 * CHAIN_SAMPLES_MAX. samples is sorted by this. All zero without samples.
 *
 * The spread of each figure is the narrower of the order-statistic interval and of 3 standard
 * errors from the MAD, but at least 2 standard errors of a touch that is noisy by noise_ppm (what
 * the run saw elsewhere): few samples can agree by luck, and one of six that was disturbed must not
 * speak for all. In simulation (normal noise, with and without one touch in ten 15 deviations
 * longer, 4 to 18 samples) it holds the true value in 98.6 of 100 cases or more. */
void chain_figures(const struct machine *machine, struct chain_samples *samples, uint32_t noise_ppm,
                   int64_t *scratch, struct chain_figures *ret);

/* Lower confidence bound of figures->both, ns: less 2.5 standard errors (docs/method.md) of a
 * touch that is noisy by noise_ppm. The noise is given because the MAD of a handful of samples can
 * be small, or large, by luck, and a choice must not rest on luck. INT64_MIN without samples. */
int64_t chain_lower(const struct chain_figures *figures, uint32_t noise_ppm);

#endif
