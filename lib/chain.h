/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain b, a, a, b, b, a, a, b, b, ...: every touch is a sample of one of four legs, and
 * prepares the next. The migration cost is move minus stay, on the same CPU and the same memory, so
 * that a slower core and the place of the memory cancel. The legs alternate, so that a clock that
 * still ramps lengthens all of them alike. */
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
    bool primed; /* b touched all of it last: its first touch, which only prepares, is left out */
};

enum chain_leg_kind { LEG_MOVE, LEG_STAY, LEG_KINDS };

/* What the chain found so far, in ticks: [0] of b (moves a to b), [1] of a. */
struct chain_samples {
    unsigned count[LEG_KINDS][2];
    int64_t ticks[LEG_KINDS][2][CHAIN_SAMPLES_MAX];
    bool noisy; /* some samples were discarded because the machine said that they were disturbed */
    bool lost;  /* one of the two CPUs does not answer any more */
};

/* Jobs of `periods` (1..CHAIN_PERIODS_MAX) periods in one lane; returns their number, 1 + 4 *
 * periods, or one less where the chain is primed. */
unsigned chain_jobs(const struct chain *chain, unsigned periods, uint16_t lane,
                    struct touch_job *jobs);

/* Adds the results of these jobs. Samples that were disturbed (noise, B7) or longer than ticks_max
 * (B12) are left out; samples beyond CHAIN_SAMPLES_MAX too. With disturbed_too, a leg that has no
 * sample takes disturbed ones, for each other to outvote. False where a leg has none because of
 * that. */
bool chain_collect(struct chain_samples *samples, const struct touch_result *results,
                   const struct chain *chain, unsigned periods, uint64_t ticks_max,
                   bool disturbed_too);

/* How long a leg is, from its samples: a disturbance lengthens, so what lies far above the lower
 * half is left out, and the rest is averaged. */
struct chain_leg {
    int64_t ticks;
    uint64_t error;     /* standard error, ticks */
    uint32_t noise_ppm; /* of one sample, relative; 0 with fewer than 3 kept */
    uint16_t count;     /* samples kept; 0: there are none */
};

/* Sorts the samples. noise_ppm is what one touch is known to be noisy by, from elsewhere: few
 * samples can agree by luck. resolution: smallest step of the clock, ticks. */
struct chain_leg chain_leg(int64_t *ticks, unsigned count, uint32_t noise_ppm, uint32_t resolution);

/* The legs of a chain, [kind][direction]. */
struct chain_legs {
    struct chain_leg leg[LEG_KINDS][2];
};
void chain_legs(const struct machine *machine, struct chain_samples *samples, uint32_t noise_ppm,
                struct chain_legs *ret);

/* sqrt(a^2 + b^2), as independent errors add; to one part in 1,000, for values below 2^41. */
uint64_t chain_hypotenuse(uint64_t a, uint64_t b);

/* The same leg measured twice, weighed by their errors. */
struct chain_leg chain_merge(struct chain_leg a, struct chain_leg b);

/* What fits a figure: larger numbers become the largest, never COST_UNKNOWN. */
int32_t chain_saturate(int64_t ns);
struct figure chain_figure(int64_t ns, uint64_t spread_ns, unsigned samples);
/* Ticks, which may be negative, in ns; saturated too. */
int32_t chain_ns(const struct machine *machine, int64_t ticks);

/* Figures in ns from all samples. */
struct chain_figures {
    struct figure cost[2]; /* per direction */
    struct figure both;    /* the mean of the directions */
    struct figure stay[2]; /* T(d after d): [0] of b, [1] of a */
    struct figure move[2];
    uint32_t noise_ppm; /* standard deviation of one touch, relative to its length; 0 with fewer
                           than 3 samples a leg */
    uint64_t length_ns; /* of a move and a stay, added as errors are: sqrt(move^2 + stay^2) */
};

/* All zero where one direction has no samples. The spread is CHAIN_SPREAD_TENTHS standard errors, a
 * step of the clock, and what its rate may be off. */
#define CHAIN_SPREAD_TENTHS 25u
void chain_figures(const struct machine *machine, const struct chain_legs *legs,
                   struct chain_figures *ret);

/* Lower confidence bound of figures->both, ns: less 2.5 standard errors (docs/method.md) of a
 * touch that is noisy by noise_ppm. The noise is given because the MAD of a handful of samples can
 * be small, or large, by luck, and a choice must not rest on luck. INT64_MIN without samples. */
int64_t chain_lower(const struct chain_figures *figures, uint32_t noise_ppm);

#endif
