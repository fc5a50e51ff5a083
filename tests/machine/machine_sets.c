/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a machine file whose values are more than a number or a word. */
#include "machine_sets.h"
#include <string.h>

bool machine_set_pages(struct reader *reader, const char *value)
{
    reader->desc->page_bytes = 0;
    if (strcmp(value, "contiguous") == 0)
        return true;
    if (strcmp(value, "4K") == 0)
        reader->desc->page_bytes = 4096;
    else if (strcmp(value, "16K") == 0)
        reader->desc->page_bytes = 16384;
    else
        return value_fail(&reader->error, "'%.30s' is none of: contiguous, 4K, 16K", value);
    return true;
}

bool machine_set_apic(struct reader *reader, const char *value)
{
    struct desc *desc = reader->desc;
    uint64_t id[MAX_CPUS];
    unsigned count;
    if (!value_list(value, UNIT_NONE, 0, 0xFFFFFFFE, MAX_CPUS, id, &count, &reader->error))
        return false;
    if (count != desc->cpu_count)
        return value_fail(&reader->error, "%u APIC ids for %u CPUs", count, desc->cpu_count);
    for (unsigned cpu = 0; cpu < count; cpu++)
        desc->cpu[cpu].apic_id = (uint32_t)id[cpu];
    return true;
}

bool machine_set_kind_cpus(struct reader *reader, const char *value)
{
    struct desc *desc = reader->desc;
    bool in[MAX_CPUS];
    const char *rest;
    if (!value_cpus(value, "", desc->cpu_count, in, &rest, &reader->error))
        return false;
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
        if (!in[cpu])
            continue;
        if (desc->cpu[cpu].kind)
            return value_fail(&reader->error, "CPU %u is of two kinds", cpu);
        desc->cpu[cpu].kind = desc->kind_count - 1;
    }
    return true;
}

bool machine_set_node_cpus(struct reader *reader, const char *value)
{
    struct desc *desc = reader->desc;
    bool in[MAX_CPUS];
    const char *rest;
    if (strcmp(value, "none") == 0)
        return true;
    if (!value_cpus(value, "", desc->cpu_count, in, &rest, &reader->error))
        return false;
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
        if (!in[cpu])
            continue;
        if (desc->cpu[cpu].node != NODE_UNKNOWN)
            return value_fail(&reader->error, "CPU %u is in two nodes", cpu);
        desc->cpu[cpu].node = desc->node_count - 1;
    }
    return true;
}

bool machine_set_node_slit(struct reader *reader, const char *value)
{
    struct desc_node *node = reader->target;
    uint64_t slit[MAX_NODES];
    unsigned count;
    if (!value_list(value, UNIT_NONE, 10, 255, MAX_NODES, slit, &count, &reader->error))
        return false;
    memset(node->slit, 0, sizeof node->slit);
    for (unsigned i = 0; i < count; i++)
        node->slit[i] = (uint8_t)slit[i];
    return true;
}

bool machine_set_node_latency(struct reader *reader, const char *value)
{
    struct desc_node *node = reader->target;
    unsigned count;
    memset(node->latency_ps, 0, sizeof node->latency_ps);
    return value_list(value, UNIT_TIME, 1, SECOND_PS / 1000, MAX_NODES, node->latency_ps, &count,
                      &reader->error);
}

bool machine_set_cpu_speed(struct reader *reader, const char *value)
{
    uint64_t speed;
    if (!value_number(value, UNIT_PERCENT, 10, 10000, &speed, &reader->error))
        return false;
    for (unsigned cpu = 0; cpu < reader->desc->cpu_count; cpu++)
        if (reader->chosen[cpu])
            reader->desc->cpu[cpu].speed_permille = (uint32_t)speed;
    return true;
}

bool machine_set_cpu_way_mask(struct reader *reader, const char *value)
{
    uint64_t mask;
    if (!value_number(value, UNIT_NONE, 1, UINT32_MAX, &mask, &reader->error))
        return false;
    for (unsigned cpu = 0; cpu < reader->desc->cpu_count; cpu++)
        if (reader->chosen[cpu])
            reader->desc->cpu[cpu].way_mask = (uint32_t)mask;
    return true;
}

static bool set_groups(struct reader *reader, enum level level, const char *value)
{
    struct desc *desc = reader->desc;
    uint16_t group[MAX_CPUS];
    unsigned groups;
    if (!value_groups(value, desc->cpu_count, group, &groups, &reader->error))
        return false;
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++)
        desc->cpu[cpu].group[level] = group[cpu];
    return true;
}

bool machine_set_core(struct reader *reader, const char *value)
{
    return set_groups(reader, LEVEL_CORE, value);
}

bool machine_set_module(struct reader *reader, const char *value)
{
    return set_groups(reader, LEVEL_MODULE, value);
}

bool machine_set_die(struct reader *reader, const char *value)
{
    return set_groups(reader, LEVEL_DIE, value);
}

bool machine_set_package(struct reader *reader, const char *value)
{
    return set_groups(reader, LEVEL_PACKAGE, value);
}

bool machine_set_cache_groups(struct reader *reader, const char *value)
{
    struct desc_cache *cache = reader->target;
    return value_groups(value, reader->desc->cpu_count, cache->instance_of, &cache->instances,
                        &reader->error);
}

/* One directed pair gets the section's distance unless an earlier section had it. */
static void set_pair(struct desc *desc, unsigned reader_cpu, unsigned holder)
{
    uint8_t *at = &desc->distance_of[(size_t)reader_cpu * desc->cpu_count + holder];
    if (reader_cpu != holder && *at == DESC_DISTANCES)
        *at = (uint8_t)(desc->distance_count - 1);
}

bool machine_set_distance_groups(struct reader *reader, const char *value)
{
    struct desc *desc = reader->desc;
    uint16_t group[MAX_CPUS];
    unsigned groups;
    if (!value_groups(value, desc->cpu_count, group, &groups, &reader->error))
        return false;
    for (unsigned a = 0; a < desc->cpu_count; a++)
        for (unsigned b = 0; b < desc->cpu_count; b++)
            if (group[a] == group[b] && group[a] != VALUE_NO_GROUP)
                set_pair(desc, a, b);
    return true;
}

/* "0-3 | 4-7" both ways, "0-3 > 4-7" for lines that 0-3 hold and 4-7 fetch. */
bool machine_set_distance_between(struct reader *reader, const char *value)
{
    struct desc *desc = reader->desc;
    bool from[MAX_CPUS], to[MAX_CPUS];
    for (;;) {
        if (!value_cpus(value, "|>", desc->cpu_count, from, &value, &reader->error))
            return false;
        if (!*value)
            return value_fail(&reader->error, "'|' or '>' is missing between two sets of CPUs");
        bool both = *value++ == '|';
        if (!value_cpus(value, ";", desc->cpu_count, to, &value, &reader->error))
            return false;
        for (unsigned a = 0; a < desc->cpu_count; a++) {
            for (unsigned b = 0; b < desc->cpu_count; b++) {
                if (!from[a] || !to[b])
                    continue;
                set_pair(desc, b, a);
                if (both)
                    set_pair(desc, a, b);
            }
        }
        if (!*value)
            return true;
        value++;
    }
}

static bool claim_groups(struct reader *reader, enum level level, const char *value)
{
    struct desc_claims *claims = reader->desc->claims;
    unsigned groups;
    claims->set[level] = true;
    memset(claims->group[level], 0xFF, sizeof claims->group[level]);
    if (strcmp(value, "none") == 0)
        return true;
    return value_groups(value, reader->desc->cpu_count, claims->group[level], &groups,
                        &reader->error);
}

bool machine_claim_core(struct reader *reader, const char *value)
{
    return claim_groups(reader, LEVEL_CORE, value);
}

bool machine_claim_l2(struct reader *reader, const char *value)
{
    return claim_groups(reader, LEVEL_L2, value);
}

bool machine_claim_module(struct reader *reader, const char *value)
{
    return claim_groups(reader, LEVEL_MODULE, value);
}

bool machine_claim_llc(struct reader *reader, const char *value)
{
    return claim_groups(reader, LEVEL_LLC, value);
}

bool machine_claim_die(struct reader *reader, const char *value)
{
    return claim_groups(reader, LEVEL_DIE, value);
}

bool machine_claim_package(struct reader *reader, const char *value)
{
    return claim_groups(reader, LEVEL_PACKAGE, value);
}

bool machine_claim_node(struct reader *reader, const char *value)
{
    struct desc_claims *claims = reader->desc->claims;
    uint64_t node[MAX_CPUS];
    unsigned count;
    claims->node_set = true;
    if (strcmp(value, "none") == 0) {
        for (unsigned cpu = 0; cpu < reader->desc->cpu_count; cpu++)
            claims->node[cpu] = NODE_UNKNOWN;
        return true;
    }
    if (!value_list(value, UNIT_NONE, 0, 0xFFFFFFFE, MAX_CPUS, node, &count, &reader->error))
        return false;
    if (count != reader->desc->cpu_count)
        return value_fail(&reader->error, "%u nodes for %u CPUs", count, reader->desc->cpu_count);
    for (unsigned cpu = 0; cpu < count; cpu++)
        claims->node[cpu] = (uint32_t)node[cpu];
    return true;
}
