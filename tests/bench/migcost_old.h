/* SPDX-License-Identifier: BSD-2-Clause */
/* migcost-old: what its parts share. */
#ifndef TESTS_BENCH_MIGCOST_OLD_H
#define TESTS_BENCH_MIGCOST_OLD_H

#include "../machine/sim_truth.h"
#include "old.h"

/* Exit statuses, those of migcost-sim. */
enum { OLD_OK = 0, OLD_USAGE = 2, OLD_MACHINE = 3, OLD_FAILED = 4 };

enum old_algorithm { ALGORITHM_V1 = 0, ALGORITHM_V2, ALGORITHM_V5, ALGORITHMS };
enum old_pairs { PAIRS_CLASSES = 0, PAIRS_DISTANCES };

struct old_options {
    const char *path, *noise;
    uint64_t seed;
    uint64_t cache_bytes; /* what the kernel believes; 0: not given */
    uint32_t runs;
    unsigned algorithm, pairs;
    uint32_t bits; /* 32 or 64 */
    bool cache_known, json, help;
};

/* False: a message was printed. */
bool old_read_options(int argc, char **argv, struct old_options *ret);
void old_usage(void);

/* A pair that V5 measures, and what came out over the runs. */
struct old_pair {
    char name[160];
    unsigned a, b;
    struct v5_found found;               /* of the first run */
    uint64_t touched_bytes, asked_bytes; /* mean of the runs */
    uint64_t median_ns, low_ns, high_ns; /* of the maximum; 5th and 95th percentile */
};

/* old_print.c */
void old_print_matrix(const struct old *old, const struct old_options *options, uint64_t *ns);
void old_print_search(const struct old *old, const struct old_options *options,
                      const struct old_pair *pairs, unsigned count);

#endif
