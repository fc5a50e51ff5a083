/* SPDX-License-Identifier: BSD-2-Clause */
/* Proportion, and where it ends: explain.h has the contract. */
#include "explain.h"

static int32_t scale(int32_t value, uint64_t bytes, uint32_t working_set)
{
    if (bytes >= working_set)
        return value;
    /* 32 by 32 bits: no overflow. */
    int64_t product = (int64_t)value * (int64_t)bytes;
    return (int32_t)(product / (int64_t)working_set);
}

void explain_level(const struct record_class *class, uint64_t bytes, struct explained *ret)
{
    uint32_t set = class->working_set;
    *ret = (struct explained){.zero = (class->flags & CLASS_ZERO) != 0};
    if (set == 0)
        return;
    ret->known = true;
    ret->beyond = bytes > set;
    ret->cost_ns = scale(class->cost_ns, bytes, set);
    ret->spread_ns =
        (uint32_t)(bytes >= set ? class->spread_ns : (uint64_t) class->spread_ns * bytes / set);
    ret->linear_ns = scale(class->linear_ns, bytes, set);
    ret->chase_ns = scale(class->chase_ns, bytes, set);
    ret->range_known = class->linear_ns != 0 && class->chase_ns != 0;
}
