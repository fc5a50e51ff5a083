/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ideal measurement would find on a described machine: the chain of the design, run on the
 * model without noise, without a clock and without the engine. truth.c holds this against closed
 * formulas. */
#ifndef TESTS_MACHINE_SIM_TRUTH_H
#define TESTS_MACHINE_SIM_TRUTH_H

#include "memo.h"

#define TRUTH_CLASSES 64u
#define TRUTH_NONE    0xFFu

/* Pairs that cost the same because all that matters is alike: distances, caches, kinds, speeds. */
struct truth_class {
    char name[160];
    unsigned a, b; /* the first such pair */
    unsigned pairs;
    uint64_t forward; /* signature of a to b: tells the direction of other pairs */
};

/* The four legs of a chain between s and d, picoseconds. */
struct truth_legs {
    uint64_t move_ps, stay_ps;           /* T(d after s), T(d after d) */
    uint64_t move_back_ps, stay_back_ps; /* T(s after d), T(s after s) */
};

struct truth_known {
    unsigned class_index;
    uint64_t bytes;
    unsigned pattern, access, home;
    struct truth_legs legs;
};

/* What evicts a footprint from caches of one kind. */
struct truth_gone {
    uint64_t stake, footprint, bytes;
    unsigned kind, pattern, access;
};

struct truth {
    struct memo *memo;
    const struct desc *desc;
    unsigned class_count;
    struct truth_class classes[TRUTH_CLASSES];
    uint8_t *class_of; /* [s * n + d], symmetric; TRUTH_NONE on the diagonal */
    struct truth_known *known;
    unsigned known_count, known_room;
    struct truth_gone gone[TRUTH_CLASSES];
    unsigned gone_count; /* beyond the room for them nothing is remembered */
};

/* False: out of memory, or more than TRUTH_CLASSES classes. */
bool truth_init(struct truth *truth, struct memo *memo);
void truth_free(struct truth *truth);

/* One pass of the chain that all costs are about. home: position of the node of the memory. */
struct truth_work {
    uint64_t bytes; /* as touch_round() gives them */
    unsigned pattern, access, home;
};

/* Legs between two CPUs; s == d gives their stay in all four. False: out of memory. The memo is
 * reset. */
bool truth_legs(struct truth *truth, unsigned s, unsigned d, struct truth_work work,
                struct truth_legs *ret);

/* Cost of a class, both directions together: the mean of the two (move - stay). */
bool truth_cost(struct truth *truth, unsigned class_index, struct truth_work work, int64_t *ret_ps);

/* The largest cost of a class over the working sets at which it can be largest, and where. */
bool truth_largest(struct truth *truth, unsigned class_index, struct truth_work work,
                   int64_t *ret_ps, uint64_t *ret_bytes);

/* Bytes of other data, to the nearest working set above, that `cpu` touches until a footprint of
 * work.bytes is gone from the caches that it does not share with `other`: coming back costs at
 * least nine tenths more, of what it costs more after twice as much as they hold. 0: that much
 * memory there is not, or nothing is ever gone. */
bool truth_eviction(struct truth *truth, unsigned cpu, unsigned other, struct truth_work work,
                    uint64_t *ret_bytes);

/* How much the caches hold together that only `cpu` uses of the two. */
uint64_t truth_stake(const struct truth *truth, unsigned cpu, unsigned other);

#endif
