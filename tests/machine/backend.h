/* SPDX-License-Identifier: BSD-2-Clause */
/* The seam's back end over the machine model: an engine that runs on it sees that machine.
 * Time is the model's; nothing waits. */
#ifndef TESTS_MACHINE_BACKEND_H
#define TESTS_MACHINE_BACKEND_H

#include "../../lib/machine.h"
#include "memo.h"
#include "noise.h"

#define BACKEND_REGIONS 64u

struct backend_region {
    bool used;
    uint32_t node; /* position */
    uint32_t first, lines;
};

struct backend {
    struct machine machine; /* give &machine to the engine */
    const struct desc *desc;
    struct memo *memo;
    struct noise noise;
    struct cpu_info *cpus;
    struct numa numa;
    struct backend_region region[BACKEND_REGIONS];
    uint64_t now_ps;
    uint64_t stop_at_ps;     /* between() says stop from then on; 0 never */
    uint32_t scale_permille; /* of every duration; 1000. Others are for controls that must fail */
    bool fresh; /* caches are emptied when a batch is for other CPUs or memory than the last one */
    uint64_t last_subject;
    uint64_t touches, touched_bytes;
    uint64_t misuses;          /* calls against the contract of lib/machine.h */
    char misuse[100];          /* the first one */
    struct backend_lane *lane; /* working space of a batch */
    unsigned lane_room;
};

/* The memo, and the model in it, may serve many back ends one after the other; backend_init()
 * resets it. False: out of memory. */
bool backend_init(struct backend *backend, struct memo *memo, const struct desc_noise *noise,
                  uint64_t seed);
void backend_free(struct backend *backend);

/* claims.c: what CPUID and ACPI say of the described machine. numa is left alone and false returned
 * where they speak of no nodes. */
void claims_cpus(const struct desc *desc, struct cpu_info *ret);
bool claims_numa(const struct desc *desc, struct numa *ret);

#endif
