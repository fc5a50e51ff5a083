/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUID and ACPI say of a described machine: the truth, unless its [claims] say otherwise. */
#include "backend.h"
#include <string.h>

static uint32_t id_of(uint16_t group)
{
    return group == DESC_NONE ? SHARE_UNKNOWN : group;
}

/* Ids of caches count over all sections, so that equal ids mean one cache. */
static void claim_caches(const struct desc *desc, unsigned cpu, struct cpu_info *ret)
{
    unsigned before = 0;
    uint32_t last_level = 0;
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const struct desc_cache *cache = &desc->cache[i];
        if (cache->instance_of[cpu] != DESC_NONE) {
            uint32_t id = before + cache->instance_of[cpu];
            ret->cache_bytes[cache->level] = cache->bytes;
            ret->cache_ways[cache->level] = (uint16_t)cache->ways;
            if (cache->level == 2)
                ret->share[LEVEL_L2] = id;
            if (cache->level > last_level) {
                last_level = cache->level;
                ret->share[LEVEL_LLC] = id;
            }
        }
        before += cache->instances;
    }
    const struct desc_claims *claims = desc->claims;
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        if (claims->cache_bytes[level])
            ret->cache_bytes[level] = claims->cache_bytes[level];
        if (claims->no_cache_sizes) {
            ret->cache_bytes[level] = 0;
            ret->cache_ways[level] = 0;
        }
    }
}

static void claim_cpu(const struct desc *desc, unsigned cpu, struct cpu_info *ret)
{
    const struct desc_cpu *of = &desc->cpu[cpu];
    const struct desc_claims *claims = desc->claims;
    memset(ret, 0, sizeof *ret);
    ret->apic_id = of->apic_id;
    ret->flags = cpu == desc->boot_cpu ? CPU_BOOT : 0;
    ret->line_bytes = (uint16_t)desc->line_bytes;
    ret->core_kind = (uint8_t)desc->kind[of->kind].code;
    for (unsigned level = 0; level < LEVELS; level++)
        ret->share[level] = id_of(of->group[level]);
    if (of->group[LEVEL_CORE] == DESC_NONE)
        ret->share[LEVEL_CORE] = MAX_CPUS + cpu;
    if (of->group[LEVEL_PACKAGE] == DESC_NONE)
        ret->share[LEVEL_PACKAGE] = MAX_CPUS;
    claim_caches(desc, cpu, ret);
    ret->node = desc->has_nodes ? desc->node[of->node].id : NODE_UNKNOWN;
    if (claims->node_set)
        ret->node = claims->node[cpu];
    for (unsigned level = 0; level < LEVELS; level++)
        if (claims->set[level])
            ret->share[level] = id_of(claims->group[level][cpu]);
    ret->share[LEVEL_NODE] = ret->node == NODE_UNKNOWN ? SHARE_UNKNOWN : ret->node;
    ret->share[LEVEL_SYSTEM] = 0;
}

void claims_cpus(const struct desc *desc, struct cpu_info *ret)
{
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++)
        claim_cpu(desc, cpu, &ret[cpu]);
}

bool claims_numa(const struct desc *desc, struct numa *ret)
{
    if (!desc->has_nodes || (desc->claims->node_set && desc->claims->node[0] == NODE_UNKNOWN))
        return false;
    memset(ret, 0, sizeof *ret);
    ret->node_count = desc->node_count;
    for (unsigned i = 0; i < desc->node_count; i++) {
        ret->node_id[i] = desc->node[i].id;
        memcpy(ret->distance[i], desc->node[i].slit, desc->node_count);
        ret->range[i] =
            (struct memory_range){i * desc->memory_bytes, desc->memory_bytes, desc->node[i].id};
    }
    ret->range_count = desc->node_count;
    return true;
}
