/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of the engine share: the run in hand. Private to lib/engine*.c. */
#ifndef LIB_ENGINE_STATE_H
#define LIB_ENGINE_STATE_H

#include "chain.h"
#include "engine.h"

#define ENGINE_SCRATCH   192u /* samples of a block of warm-up */
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

/* What later steps need of a class besides its class_result. */
struct class_work {
    struct figure directed[2]; /* cost a to b, b to a at the working set */
    struct figure stay[2];     /* T(b after b), T(a after a) there */
    int32_t screen_ns; /* median of its pairs at the screening working set, directions averaged */
    /* Its pair at a small part of the working set, where samples are cheap; base_bytes 0: none. */
    uint64_t base_bytes;
    unsigned base_periods;
    struct chain_legs base;
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
    struct chain_samples samples, base_samples;
    int64_t scratch[ENGINE_SCRATCH];
};

/* Runs a batch: asks `between`, looks at the budget, counts touches. False when the run has to end;
 * results are then not to be used. */
bool engine_batch(struct engine *engine, unsigned count);

/* No more batches from here on: the machine may let its other CPUs go. */
void engine_release(struct engine *engine);

void engine_samples_reset(struct engine *engine);
/* chain_collect() with the engine's limit. */
bool engine_collect(struct engine *engine, const struct touch_result *results,
                    const struct chain *chain, unsigned periods, bool disturbed_too,
                    struct chain_samples *samples);
/* Adds `periods` periods of a chain to samples, whose legs are then *ret_legs. False when the run
 * has to end. */
bool engine_chain(struct engine *engine, const struct chain *chain, unsigned periods,
                  struct chain_samples *samples, struct chain_legs *ret_legs);
/* The same with engine->samples; *ret_figures are those of all samples since the last reset. */
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

/* A working set that is surely beyond a capacity of `bytes`. */
static inline uint64_t engine_beyond(uint64_t bytes)
{
    return bytes / 4 * 5;
}

/* A time at `from` bytes as it would be at `bytes` if it grew with them; ns are below 2^31, bytes
 * 2^36. */
static inline int64_t engine_in_proportion(int64_t ns, uint64_t from, uint64_t bytes)
{
    return ns * (int64_t)(bytes / 16) / (int64_t)(from / 16 + (from < 16));
}

/* engine_cost.c: the part of a working set at which samples are cheap: an eighth, or as much more
 * as keeps it out of inner caches; 0 where nothing does. */
uint64_t engine_base_bytes(const struct engine *engine, unsigned cpu_a, unsigned cpu_b,
                           uint64_t bytes);
/* Adds periods to the base of a class's pair at work->base_bytes. False when the run has to end. */
bool engine_base(struct engine *engine, const struct class_result *of, struct class_work *work,
                 unsigned periods);
/* Figures at `bytes` from samples there and from the base, where that has a part in them. */
void engine_with_base(const struct engine *engine, const struct class_result *of,
                      const struct class_work *work, uint64_t bytes, struct chain_samples *samples,
                      struct chain_figures *ret);
/* The cost at into->working_set, from the base and from samples there: those in engine->samples,
 * `periods` of them, or fresh ones where that is 0. Takes more until the spread is small or says
 * zero. False when the run has to end. */
bool engine_settle(struct engine *engine, struct class_result *into, struct class_work *work,
                   unsigned periods);
/* Marks a class whose cost cannot be told from zero. */
void engine_mark_zero(struct class_result *class, int32_t stay_ns);

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

/* True if the two differ in neither: then both directions are expected to cost the same. */
static inline bool engine_alike(const struct engine *engine, unsigned cpu_a, unsigned cpu_b)
{
    return topology_compare(&engine->machine->cpus[cpu_a], &engine->machine->cpus[cpu_b]) == 0;
}

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
