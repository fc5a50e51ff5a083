/* SPDX-License-Identifier: BSD-2-Clause */
/* V5's rules, apart from what touches memory and moves the task: shared by the modelled machine and
 * the real one. */
#ifndef TESTS_BENCH_V5_H
#define TESTS_BENCH_V5_H

#include <stdbool.h>
#include <stdint.h>

/* Flushes, touches on the source, moves, touches on the target, flushes: nanoseconds of the two
 * touches. */
struct v5_machine {
    uint64_t (*measure_one)(void *ctx, uint32_t size, unsigned source, unsigned target);
    void *ctx;
};

/* Sizes searched. max_cache 0: not known, as on x86-64, then from 64 KiB to 10 MiB; else from half
 * to twice of it. */
struct v5_range {
    uint32_t least, most;
};
struct v5_range v5_range(uint32_t max_cache);

/* Moving less staying at one size, both directions: a dry run and one that counts, each way. */
int64_t v5_cost(const struct v5_machine *machine, unsigned a, unsigned b, uint32_t size);

struct v5_found {
    uint64_t cost_ns; /* twice the maximum, as used by the scheduler; 0 where none was positive */
    uint64_t max_ns;
    uint32_t size; /* at which it was found */
    uint32_t last; /* the last one tried */
    bool early;    /* stopped before the end */
};
void v5_search(const struct v5_machine *machine, struct v5_range range, unsigned a, unsigned b,
               struct v5_found *ret);

#endif
