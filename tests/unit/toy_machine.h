/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine of a few formulas behind the seam, for tests of the engine: costs are what the test
 * says, exactly, and every rule of the seam that the engine must keep is asserted. The real model
 * of caches is in tests/machine/. */
#ifndef TESTS_UNIT_TOY_MACHINE_H
#define TESTS_UNIT_TOY_MACHINE_H

#include "../../lib/machine.h"
#include <stdbool.h>
#include <stdint.h>

#define TOY_CPUS    64u
#define TOY_REGIONS 16u

struct toy {
    struct machine machine; /* give to the engine after toy_init() and the test's own changes */
    struct cpu_info cpu[TOY_CPUS];
    /* Picoseconds a line, by enum level of the pair: what moving a dirty line costs the target. */
    uint64_t transfer_ps[LEVELS];
    uint64_t hit_ps, memory_ps;
    uint64_t overlap[TOUCH_PATTERNS];   /* misses in flight, by pattern */
    uint64_t slower_permille[TOY_CPUS]; /* of every line of this CPU; 1000 normal */
    uint64_t first_visit_permille; /* of the first pass of each CPU over a region; 1000 normal */
    uint64_t
        lane_permille; /* of every line while more than one lane runs; 1000: lanes do not disturb */
    uint64_t noise_permille; /* uniform, up to this, on top of every pass */
    unsigned spike_every;    /* one pass in n takes 30 percent more; 0 never */
    unsigned smi_every;      /* one pass in n takes 150 us more and is reported; 0 never */
    uint64_t ramp_ns;        /* until then clocks are slow: passes take up to twice as long */
    unsigned lost_cpu,
        lost_after; /* this CPU answers that many jobs, then never; lost_cpu >= TOY_CPUS: none */
    uint64_t stop_after_ns; /* `between` says stop from then on; 0 never */
    uint64_t region_total;  /* bytes of memory in all */

    /* What happened. */
    uint64_t now_ns;
    unsigned passes, batches, widest; /* widest: lanes of the widest batch */
    unsigned releases;                /* no touch is asked for after one */
    uint64_t touched;
    /* Private. */
    uint64_t seed;
    unsigned jobs_of_lost;
    uint64_t brought[TOY_CPUS]; /* bytes that a CPU has touched in all */
    struct {
        bool used;
        uint64_t bytes;
        bool visited[TOY_CPUS];
        unsigned owner[1024]; /* of each 1/1024 of the region, 0 nobody, else cpu + 1 */
        uint64_t since[1024]; /* what its owner had brought when it began to touch it last */
    } region[TOY_REGIONS];
};

/* cores_per_llc CPUs (without SMT) share a last-level cache, packages hold `llcs` of them; L1 32
 * KiB, L2 1 MiB, L3 16 MiB per LLC; transfers 28, 115 and 230 ns for LLC, package and system. */
void toy_init(struct toy *toy, unsigned packages, unsigned llcs, unsigned cores_per_llc);

#endif
