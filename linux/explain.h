/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of a working set of any size, from a level's cost at one. */
#ifndef LINUX_EXPLAIN_H
#define LINUX_EXPLAIN_H

#include "../lib/record.h"
#include <stdbool.h>
#include <stdint.h>

struct explained {
    bool known;       /* false: the record has no working set for this level, nor figures here */
    bool zero;        /* the cost cannot be told from zero */
    bool beyond;      /* larger than the working set measured: the figures are those there */
    bool range_known; /* linear_ns and chase_ns are there */
    int32_t cost_ns, linear_ns, chase_ns;
    uint32_t spread_ns;
};

/* In proportion to bytes up to the class's working set, and constant beyond: that set was chosen
 * as the dearest, and of a larger one the rest is in no cache of the CPU it leaves. */
void explain_level(const struct record_class *class, uint64_t bytes, struct explained *ret);

#endif
