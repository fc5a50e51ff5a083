/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of the engine share: the run in hand. Private to lib/engine*.c. */
#ifndef LIB_ENGINE_STATE_H
#define LIB_ENGINE_STATE_H

#include "chain.h"
#include "engine.h"

#define SCREEN_LANES_MAX 32u
#define SCREEN_PERIODS   2u
#define ENGINE_JOBS_MAX \
    (SCREEN_LANES_MAX * (1u + 4u * SCREEN_PERIODS)) /* also above CHAIN_JOBS_MAX */

/* A pair's cost at the screening working set, in ns, directed as the matrices are: [s*n+d];
 * COST_UNKNOWN. */
struct screen {
    int32_t *cost_ns;
    uint64_t bytes;
    int32_t equal_ns;     /* differences below this are none: a tenth of a stay, as ZERO_SHARE */
    int32_t near_zero_ns; /* costs below this are one group: NEAR_ZERO_SHARE of a stay */
};

/* What the matrix needs of a class besides its class_result. */
struct class_work {
    struct figure directed[2]; /* cost a to b, b to a at the working set */
    int32_t move_ns;           /* T(b after a) there */
    int32_t screen_ns; /* median of its pairs at the screening working set, directions averaged */
};

struct engine {
    const struct machine *machine;
    const struct engine_options *options;
    struct result *result;
    struct screen screen;
    uint32_t line; /* bytes, the largest of all CPUs */
    uint64_t start_ns, deadline_ns;
    uint32_t noise_ppm; /* relative noise of one touch, from the warm-up */
    bool ended;         /* budget or user, or all is done: no more batches */
    bool released;      /* and the machine knows */
    uint16_t region;    /* the main region: region_bytes long */
    uint64_t region_bytes;
    struct progress progress; /* each step sets it */
    uint8_t purpose;          /* enum touch_purpose; engine_run() sets it */
    int64_t *values;          /* 2 * cpu_count^2 + 2: sorting room */
    struct touch_job jobs[ENGINE_JOBS_MAX];
    struct touch_result results[ENGINE_JOBS_MAX];
    struct class_work work[MAX_CLASSES];
    struct chain_samples samples;
    int64_t scratch[4 * CHAIN_SAMPLES_MAX];
};

/* Runs a batch: asks `between`, looks at the budget, counts touches. False when the run has to end;
 * results are then not to be used. */
bool engine_batch(struct engine *engine, unsigned count);

/* No more batches from here on: the machine may let its other CPUs go. */
void engine_release(struct engine *engine);

/* Adds `periods` periods of a chain to engine->samples. False when the run has to end. */
bool engine_chain(struct engine *engine, const struct chain *chain, unsigned periods);
void engine_samples_reset(struct engine *engine);
/* The same; *ret_figures are those of all samples since the last reset. */
bool engine_figures(struct engine *engine, const struct chain *chain, unsigned periods,
                    struct chain_figures *ret_figures);

/* A chain over the start of the main region with the run's pattern and access. */
struct chain engine_pair(const struct engine *engine, unsigned cpu_a, unsigned cpu_b,
                         uint64_t bytes);

/* The capacity of one CPU at a CPUID level: 0 unknown. */
uint64_t engine_capacity(const struct engine *engine, unsigned cpu, unsigned level);

/* The largest cache that a pair at this level does not share, in bytes, over both CPUs; 0 unknown
 * or none. */
uint64_t engine_unshared_capacity(const struct engine *engine, unsigned cpu_a, unsigned cpu_b);

/* A cost that is less than a tenth of staying, or whose interval holds zero, cannot be told from
 * zero: the legs differ in more than the caches by a few percent (an emulator's own tables, page
 * walks). */
#define ZERO_SHARE      10
/* Under an emulator, costs up to a third of staying come from its own tables. Nothing that small
 * makes a group of its own: the nearest real transfer costs over twice a stay (docs/method.md). */
#define NEAR_ZERO_SHARE 3

/* Mean of both directions of a pair at the screening working set; COST_UNKNOWN where not screened.
 */
int32_t screen_pair_ns(const struct engine *engine, unsigned a, unsigned b);

/* Screens one pair alone with that many periods, replacing its entry; *ret_cost is the mean of both
 * directions. False when the run has to end. */
bool screen_one(struct engine *engine, unsigned a, unsigned b, unsigned periods,
                struct chain_figures *ret_figures);

/* Which way a cell goes where the two CPUs differ in kind or capacity: 1 against the order of
 * topology_compare(), else 0. */
unsigned engine_way(const struct engine *engine, unsigned source, unsigned target);

/* Median of the screened cells of a class that go one way, ns; 0 where there are none. */
int64_t engine_cells_median(const struct engine *engine, unsigned which, unsigned way);

/* The steps, in their order. Each leaves the result in a state that can be shown, whenever the run
 * ends. */
void engine_warm_up(struct engine *engine); /* engine_warmup.c */
void engine_screen(
    struct engine *engine); /* engine_screen.c: every pair at one small working set */
void engine_classes(
    struct engine *engine); /* engine_classes.c: keys, then what the matrix itself says */
void engine_curves(
    struct engine *engine); /* engine_curve.c: the working set and the cost of each class */
void engine_controls(struct engine *engine); /* engine_controls.c: linear to chase, first visit */
void engine_stays(struct engine *engine);    /* engine_stay.c: pure dirtying cost of each CPU */
void engine_matrix(struct engine *engine);   /* engine_matrix.c: cells from classes and screening */
void engine_decay(struct engine *engine);    /* engine_decay.c: what evicts a footprint; without the
                                                main region */

#endif
