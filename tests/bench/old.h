/* SPDX-License-Identifier: BSD-2-Clause */
/* How Linux measured migration costs from 2004 to 2007, written anew from descriptions and run on
 * the machine model. V1 and V2 are the two patches of 2004-10-06 (the matrices in
 * tests/data/published-2004), V5 is what 2.6.16 to 2.6.22 ran at boot. Their faults are part of
 * them and are kept: README.md lists what is. */
#ifndef TESTS_BENCH_OLD_H
#define TESTS_BENCH_OLD_H

#include "../machine/model.h"
#include "../machine/noise.h"
#include "v5.h"

#define OLD_LEVELS 8u /* distances between CPUs, in scheduling domains */

/* What all of them run on. */
struct old {
    const struct desc *desc;
    struct model *model;
    struct noise noise;
    uint64_t now_ps;        /* of the model's time, for noise */
    uint32_t long_bytes;    /* of the kernel: 4 or 8 */
    uint64_t touched_lines; /* by passes, timed or not */
    uint64_t asked_bytes;   /* working sets of these passes, as the algorithm believes */
    uint64_t touches;
};

/* One pass, on a quiet machine. */
struct old_pass {
    uint64_t ps;
    uint32_t lines;
};

/* old_touch.c. Buffers begin at a line of the model's memory; a line is counted once for each
 * stream that comes to it.
 * clear: ascending stores, as memset(). fill: the four streams of 2004. thirds: the six streams of
 * 2.6.16, which reach two thirds of the lines where a line has eight longs. */
struct old_pass old_clear(struct old *old, unsigned cpu, uint32_t first, uint64_t bytes);
struct old_pass old_fill(struct old *old, unsigned cpu, uint32_t first, uint64_t bytes);
struct old_pass old_thirds(struct old *old, unsigned cpu, uint32_t first, uint64_t bytes);
/* Accounts for a pass, and returns what the kernel's clock says of it: nanoseconds, with noise. */
uint64_t old_account(struct old *old, unsigned cpu, uint64_t bytes, struct old_pass pass);

/* The kernel's max_cache_size where it knew one: the boot CPU's last cache. */
uint64_t old_cache_bytes(const struct desc *desc);

/* old_matrix.c: V1 and V2. */
struct old_matrix_rule {
    uint64_t bytes;  /* of each of the two buffers */
    unsigned factor; /* of the result */
};
struct old_matrix_rule old_v1(uint64_t cache_bytes);
struct old_matrix_rule old_v2(uint64_t cache_bytes);
/* Fills ns[s * n + d], diagonal included. */
void old_matrix(struct old *old, struct old_matrix_rule rule, uint64_t *ret_ns);

/* old_search.c: V5. The passes of one pair up to the largest size do not depend on noise, but how
 * many of them are run does: they are kept here, and extended as needed. */
struct old_step {
    struct old_pass first, second; /* on the source, then on the target */
};
struct old_search {
    struct old *old;
    unsigned a, b;
    struct v5_range range;
    unsigned on; /* where the boot task is */
    struct old_step *step;
    size_t count, room;
    size_t next;            /* of the steps, in the running search */
    bool failed;            /* out of memory */
    struct old_step last;   /* what the caches were like before and after it, so that a repeated */
    uint64_t before, after; /* measurement need not be simulated twice */
    unsigned last_source, last_target;
    uint32_t last_size;
};
void old_search_init(struct old_search *search, struct old *old, unsigned a, unsigned b,
                     uint32_t max_cache);
void old_search_free(struct old_search *search);
/* Another run over the same pair draws other noise. False: out of memory. */
bool old_search_run(struct old_search *search, struct v5_found *ret);

/* old_distance.c: scheduling domains of 2.6.18 (threads of a core, cores that share the last cache,
 * a node's CPUs, all), and at which of them a pair meets, counted without the domains that have no
 * more CPUs than the one before. */
unsigned old_distance(const struct desc *desc, unsigned a, unsigned b);
/* The last cache of a CPU's path: a number that only those who share it have. */
unsigned old_last_cache(const struct desc *desc, unsigned cpu);

#endif
