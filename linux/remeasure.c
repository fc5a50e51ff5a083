/* SPDX-License-Identifier: BSD-2-Clause */
/* Ratios of costs, firmware to Linux. */
#include "remeasure.h"
#include <stddef.h>

#define PERMILLE_MOST 1000000u

/* Two figures are compared at one working set only: the cost grows with it. */
static int64_t scaled(const struct record_class *from, uint32_t working_set)
{
    if (from->working_set == 0 || working_set == 0)
        return from->cost_ns;
    return (int64_t)from->cost_ns * working_set / from->working_set;
}

static const struct record_class *find(const struct record_class *firmware,
                                       const struct record *here)
{
    const struct record_class *near = NULL;
    for (unsigned i = 0; i < here->class_count; i++) {
        const struct record_class *which = &here->classes[i];
        if (which->level != firmware->level || which->kind_low != firmware->kind_low ||
            which->kind_high != firmware->kind_high)
            continue;
        if (which->distance == firmware->distance)
            return which;
        near = which;
    }
    return near;
}

void remeasure_ratio(const struct record_class *firmware, const struct record *here,
                     struct ratio *ret)
{
    *ret = (struct ratio){0};
    const struct record_class *which = find(firmware, here);
    if (!which || (firmware->flags & CLASS_ZERO) || (which->flags & CLASS_ZERO) ||
        firmware->cost_ns <= 0 || which->cost_ns <= 0)
        return;
    int64_t here_ns = scaled(which, firmware->working_set);
    if (here_ns <= 0)
        return;
    int64_t permille = (int64_t)firmware->cost_ns * 1000 / here_ns;
    ret->known = true;
    ret->permille = permille > PERMILLE_MOST ? PERMILLE_MOST : (uint32_t)permille;
    ret->apart = ret->permille < RATIO_LEAST || ret->permille > RATIO_MOST;
    ret->here_ns = here_ns > INT32_MAX ? INT32_MAX : (int32_t)here_ns;
}
