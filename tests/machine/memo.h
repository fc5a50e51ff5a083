/* SPDX-License-Identifier: BSD-2-Clause */
/* The model with a memory: a pass that begins in a state seen before is answered from a table
 * instead of being simulated again. Exact, since the answer and the next state depend on the state
 * and the pass alone. Runs with many seeds differ in noise, not in these. */
#ifndef TESTS_MACHINE_MEMO_H
#define TESTS_MACHINE_MEMO_H

#include "snapshots.h"

/* What one pass took, before noise. */
struct memo_answer {
    uint64_t ps;
    const uint32_t *resource_lines; /* [memo->resources]; valid until the next call */
};

struct memo_entry {
    uint64_t key; /* 0: free */
    uint64_t next;
    uint64_t ps;
};

struct memo_step {
    struct model_job job;
    uint64_t state; /* before it */
};

struct memo {
    struct model *model;
    uint64_t initial, state; /* of the machine as its users see it */
    struct visits visits;    /* as those users see them */
    uint64_t built;          /* of the model's caches: behind `state` by the pending steps */
    bool reset_pending;      /* the caches are still those from before memo_reset() */
    struct memo_step *pending;
    size_t pending_count, pending_room;
    struct snapshots snapshots;
    struct memo_entry *table;
    size_t table_size, used;          /* size: a power of two */
    unsigned resources;               /* nodes, then links */
    uint32_t *resource_lines;         /* [entry * resources] */
    uint64_t passes, simulated_lines; /* for those who ask what a run cost */
};

#define MEMO_FORGET 0xFFu /* as pattern: model_forget() of that range */

bool memo_init(struct memo *memo, struct model *model);
void memo_free(struct memo *memo);  /* not the model */
void memo_reset(struct memo *memo); /* the machine as at first; keeps what was learned */
void memo_empty(struct memo *memo); /* its caches as at first, not what CPUs remember of visits */
/* False: out of memory. */
bool memo_run(struct memo *memo, const struct model_job *job, struct memo_answer *ret);

#endif
