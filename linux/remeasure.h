/* SPDX-License-Identifier: BSD-2-Clause */
/* Two records of one machine, level by level: what firmware measured against what was measured
 * here. */
#ifndef LINUX_REMEASURE_H
#define LINUX_REMEASURE_H

#include "../lib/record.h"
#include <stdbool.h>

/* Ratios firmware to Linux within these, in permille, are no difference: an OS below, another
 * clock and scattered pages alone make that much. */
#define RATIO_LEAST 800u
#define RATIO_MOST  1250u

struct ratio {
    bool known;        /* both have a cost for this class that can be told from zero */
    uint32_t permille; /* firmware's cost to the one measured here; at most 1,000,000 */
    bool apart;        /* beyond RATIO_LEAST to RATIO_MOST */
    int32_t here_ns;
};

/* The class of `here` with the same level, distance and core kinds as this one of firmware's.
 * Where the nodes of an OS have no distances of their own any distance does. */
void remeasure_ratio(const struct record_class *firmware, const struct record *here,
                     struct ratio *ret);

#endif
