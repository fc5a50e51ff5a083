/* SPDX-License-Identifier: BSD-2-Clause */
/* A few states of the caches kept whole, so that one that has to be built again can be built from
 * near by. */
#ifndef TESTS_MACHINE_SNAPSHOTS_H
#define TESTS_MACHINE_SNAPSHOTS_H

#include "model.h"

#define SNAPSHOTS       32u
#define SNAPSHOTS_BYTES (256ull << 20) /* all together at most */

struct snapshot {
    uint64_t state; /* 0: free */
    uint64_t used;  /* when, by the clock below */
    uint64_t caches_sum, foreign_fp;
    struct cache *caches; /* [2 * cache_count]: caches, then filters */
};

struct snapshots {
    struct snapshot slot[SNAPSHOTS];
    unsigned count; /* slots that fit into SNAPSHOTS_BYTES; 0 for very large machines */
    uint64_t clock;
};

void snapshots_init(struct snapshots *snapshots, const struct model *model);
void snapshots_free(struct snapshots *snapshots, const struct model *model);

bool snapshots_has(const struct snapshots *snapshots, uint64_t state);
/* Keeps the model's state under that number, in place of the one used least lately. Where memory
 * does not suffice nothing is kept. */
void snapshots_save(struct snapshots *snapshots, const struct model *model, uint64_t state);
/* The model as it was; the state must be there. Visits stay as they are. */
void snapshots_restore(struct snapshots *snapshots, struct model *model, uint64_t state);

#endif
