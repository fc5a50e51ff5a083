/* SPDX-License-Identifier: BSD-2-Clause */
/* Scheduling domains as Linux 2.6.18 built them, as far as distances need them. */
#include "old.h"

unsigned old_last_cache(const struct desc *desc, unsigned cpu)
{
    unsigned level = 0, id = 0;
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const struct desc_cache *cache = &desc->cache[i];
        if (cache->instance_of[cpu] == DESC_NONE || cache->level < level)
            continue;
        level = cache->level;
        id = 1 + i * MAX_CPUS + cache->instance_of[cpu];
    }
    return id;
}

enum { SPAN_CORE, SPAN_CACHE, SPAN_NODE, SPAN_ALL };

static bool within(const struct desc *desc, unsigned span, unsigned a, unsigned b)
{
    uint16_t core = desc->cpu[a].group[LEVEL_CORE];
    if (a == b || span == SPAN_ALL)
        return true;
    if (span == SPAN_CORE)
        return core != DESC_NONE && core == desc->cpu[b].group[LEVEL_CORE];
    if (span == SPAN_CACHE)
        return old_last_cache(desc, a) == old_last_cache(desc, b);
    return desc->cpu[a].node == desc->cpu[b].node;
}

unsigned old_distance(const struct desc *desc, unsigned a, unsigned b)
{
    unsigned distance = 0, before = 1;
    for (unsigned span = SPAN_CORE; span < SPAN_ALL && !within(desc, span, a, b); span++) {
        unsigned count = 0;
        for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++)
            count += within(desc, span, a, cpu);
        distance += count > before;
        before = count > before ? count : before;
    }
    return distance;
}
