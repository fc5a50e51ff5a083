/* SPDX-License-Identifier: BSD-2-Clause */
/* The seam: all that the measurement engine knows of a machine. Back ends: firmware
 * (efi/backend.c), the machine model (tests/machine/), Linux threads (linux/), and a
 * recorder/replayer (lib/replay.h).
 *
 * A duration is always taken on one CPU with that CPU's own counter: ticks of two CPUs are never
 * subtracted (B2). */
#ifndef LIB_MACHINE_H
#define LIB_MACHINE_H

#include "topology.h"
#include "touch.h"
#include <stdbool.h>
#include <stdint.h>

#define REGION_NONE 0xFFFFu

/* One timed pass. Jobs of one lane run one after the other, in the order of the batch; lanes run at
 * the same time. A CPU and a region belong to at most one lane of a batch. */
struct touch_job {
    uint16_t cpu;    /* index into machine.cpus */
    uint16_t lane;   /* 0.. */
    uint16_t region; /* from region_get */
    uint8_t pattern; /* enum touch_pattern */
    uint8_t access;  /* enum touch_access */
    uint64_t offset; /* into the region; a multiple of the line size */
    uint64_t bytes;  /* as touch_round() gives them */
};

enum touch_status {
    TOUCH_DONE = 0, /* ticks is valid */
    TOUCH_LOST,    /* this CPU did not answer in time, now or before: not an error of the machine */
    TOUCH_SKIPPED, /* not run: an earlier job of its lane was lost, or the batch was stopped */
};

struct touch_result {
    uint64_t ticks; /* of the CPU's own counter, all included (the cost of the clock read too) */
    uint32_t noise; /* disturbances known to have hit this pass (SMIs, preemptions); 0 where none or
                       not counted */
    uint32_t status; /* enum touch_status */
};

/* What `between` is told: shown as progress. */
struct progress {
    const char *step; /* "warm-up", "curves", ... */
    unsigned done, total;
};

struct machine_ops {
    /* Runs a batch. Always returns, with every result filled. False: the back end can run no more
     * (the user stopped, or all other CPUs are lost); results hold what was done. */
    bool (*run)(void *ctx, const struct touch_job *jobs, struct touch_result *ret_results,
                unsigned count);

    /* Zeroed, contiguous memory whose home is `node` (NODE_UNKNOWN: anywhere), never touched by a
     * touch before. Returns false where that size is not to be had now. *ret_home is the node where
     * it really is, NODE_UNKNOWN if not known. */
    bool (*region_get)(void *ctx, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                       uint32_t *ret_home);
    void (*region_put)(void *ctx, uint16_t region);

    uint64_t (*now)(void *ctx); /* ns since some start, for budgets only */

    /* Called between batches, never inside: the back end serves console, keys, watchdog. False:
     * stop now. */
    bool (*between)(void *ctx, const struct progress *progress);

    /* No touch will be asked for any more: other CPUs may go, while what was measured is summed up.
     * May be NULL. */
    void (*release)(void *ctx);
};

enum clock_source {
    CLOCK_CPUID = 0,
    CLOCK_PM_TIMER = 1,
    CLOCK_STALL = 2,
    CLOCK_OS = 3,
    CLOCK_MODEL = 4
};

struct clock_info {
    uint64_t khz;           /* ticks per millisecond; never 0 in a machine given to the engine */
    uint32_t resolution;    /* smallest step seen between two different reads, ticks; at least 1 */
    uint32_t read_cost;     /* ticks of one back-to-back read */
    uint32_t error_ppm;     /* half-width of what khz may be off */
    uint32_t core_permille; /* APERF/MPERF * 1000 under load; 0 not known (B8) */
    uint8_t source, second; /* enum clock_source: the rate's, and what it was checked against
                               (equal: not checked) */
};

struct machine {
    const struct machine_ops *ops;
    void *ctx;
    const struct cpu_info *cpus; /* all CPUs, also those that cannot be used */
    unsigned cpu_count;
    const struct numa *numa; /* NULL without SRAT */
    struct clock_info clock;
    uint64_t region_max; /* the largest region that region_get can give, bytes */
    uint32_t flags;      /* FLAG_... that the back end knows already */
};

/* value * 1000000 / divisor, rounded down; saturates instead of wrapping. UINT64_MAX for a divisor
 * of 0, unless value is 0. */
uint64_t machine_million(uint64_t value, uint64_t divisor);

/* Ticks to nanoseconds; saturates instead of wrapping. */
uint64_t machine_ns(const struct machine *machine, uint64_t ticks);

/* True if this CPU takes part: none of CPU_LOST, CPU_DISABLED, CPU_NOT_CHOSEN. */
bool machine_cpu_usable(const struct machine *machine, unsigned cpu);
unsigned machine_usable_count(const struct machine *machine);

#endif
