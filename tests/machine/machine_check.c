/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine file may not say although each of its lines may; and what it may leave out. */
#include "machine_file.h"
#include <string.h>

static bool power_of_two(uint64_t value)
{
    return value && (value & (value - 1)) == 0;
}

static bool check_cache(const struct desc *desc, const struct desc_cache *cache,
                        struct value_error *error)
{
    const char *name = cache->name;
    uint64_t set_bytes = (uint64_t)cache->ways * desc->line_bytes;
    if (cache->bytes % set_bytes != 0)
        return value_fail(error, "[cache %s] size is no multiple of ways x line", name);
    if (cache->policy == POLICY_TREE_PLRU && !power_of_two(cache->ways))
        return value_fail(error, "[cache %s] tree-plru needs 1, 2, 4, 8, 16 or 32 ways", name);
    uint32_t all = cache->ways == 32 ? 0xFFFFFFFFu : (1u << cache->ways) - 1;
    if (cache->way_mask & ~all)
        return value_fail(error, "[cache %s] way-mask names ways that are not there", name);
    if (!cache->filter_bytes != !cache->filter_ways)
        return value_fail(error, "[cache %s] filter-size and filter-ways go together", name);
    if (cache->filter_bytes &&
        cache->filter_bytes % ((uint64_t)cache->filter_ways * desc->line_bytes) != 0)
        return value_fail(error, "[cache %s] filter-size is no multiple of filter-ways x line",
                          name);
    if (cache->filter_bytes && cache->relation == RELATION_INCLUSIVE)
        return value_fail(error, "[cache %s] an inclusive cache is its own snoop filter", name);
    return true;
}

/* For messages about what stands in that line. */
static bool at_line(struct value_error *error, unsigned long line)
{
    error->line = line;
    return false;
}

/* The cache section of each level on a CPU's path. */
static bool find_path(const struct desc *desc, unsigned cpu, int ret_path[CACHE_LEVELS],
                      struct value_error *error)
{
    bool any = false;
    for (unsigned level = 0; level < CACHE_LEVELS; level++)
        ret_path[level] = -1;
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const struct desc_cache *cache = &desc->cache[i];
        if (cache->instance_of[cpu] == DESC_NONE)
            continue;
        if (ret_path[cache->level] >= 0) {
            value_fail(error, "CPU %u has two caches of level %u", cpu, cache->level);
            return at_line(error, cache->file_line);
        }
        ret_path[cache->level] = (int)i;
        any = true;
    }
    if (any)
        return true;
    value_fail(error, "CPU %u has no cache", cpu);
    return at_line(error, desc->at.cpus);
}

/* Next level out on a path, 0 behind the last. */
static unsigned next_level(const int path[CACHE_LEVELS], unsigned level)
{
    for (level++; level < CACHE_LEVELS; level++)
        if (path[level] >= 0)
            return level;
    return 0;
}

/* CPUs that share a cache share every farther one. */
static bool check_nesting(const struct desc *desc, struct value_error *error)
{
    int path[CACHE_LEVELS], first_path[CACHE_LEVELS];
    int first_of[MAX_CPUS];
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const struct desc_cache *cache = &desc->cache[i];
        for (unsigned group = 0; group < cache->instances; group++)
            first_of[group] = -1;
        for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
            unsigned group = cache->instance_of[cpu];
            if (group == DESC_NONE)
                continue;
            if (!find_path(desc, cpu, path, error))
                return false;
            unsigned out = next_level(path, cache->level);
            if (first_of[group] < 0) {
                first_of[group] = (int)cpu;
                continue;
            }
            unsigned first = (unsigned)first_of[group];
            if (!find_path(desc, first, first_path, error))
                return false;
            if (next_level(first_path, cache->level) != out ||
                (out &&
                 (first_path[out] != path[out] || desc->cache[path[out]].instance_of[cpu] !=
                                                      desc->cache[path[out]].instance_of[first]))) {
                value_fail(error, "CPUs %u and %u share [cache %s] but not what lies behind", first,
                           cpu, cache->name);
                return at_line(error, cache->file_line);
            }
        }
    }
    return true;
}

static bool check_paths(const struct desc *desc, struct value_error *error)
{
    int path[CACHE_LEVELS];
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
        if (!find_path(desc, cpu, path, error))
            return false;
        unsigned level = next_level(path, 0), last = level;
        for (; level; level = next_level(path, level))
            last = level;
        const struct desc_cache *cache = &desc->cache[path[last]];
        uint32_t mask = desc->cpu[cpu].way_mask;
        uint32_t all = cache->ways == 32 ? 0xFFFFFFFFu : (1u << cache->ways) - 1;
        if (mask & ~all) {
            value_fail(error, "[cpu] way-mask of CPU %u names ways that [cache %s] has not", cpu,
                       cache->name);
            return at_line(error, cache->file_line);
        }
        if (mask && cache->way_mask && !(mask & cache->way_mask)) {
            value_fail(error, "CPU %u may fill no way of [cache %s]", cpu, cache->name);
            return at_line(error, cache->file_line);
        }
    }
    return true;
}

static bool check_distances(const struct desc *desc, struct value_error *error)
{
    for (unsigned a = 0; a < desc->cpu_count; a++)
        for (unsigned b = 0; b < desc->cpu_count; b++)
            if (a != b && desc->distance_of[(size_t)a * desc->cpu_count + b] == DESC_DISTANCES) {
                value_fail(error, "no [distance] says what CPU %u pays for lines of CPU %u", a, b);
                return at_line(error, desc->at.cpus);
            }
    return true;
}

static bool check_nodes(struct desc *desc, struct value_error *error)
{
    if (!desc->has_nodes) {
        if (!desc->memory_ps)
            return value_fail(error, "[memory] latency is missing, and there is no [node]");
        desc->node[0].slit[0] = DISTANCE_LOCAL;
        desc->node[0].latency_ps[0] = desc->memory_ps;
        for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++)
            desc->cpu[cpu].node = 0;
    }
    for (unsigned i = 0; i < desc->node_count; i++) {
        struct desc_node *node = &desc->node[i];
        if (!node->bytes_per_us)
            node->bytes_per_us = desc->memory_rate;
        for (unsigned j = 0; j < MAX_NODES; j++) {
            bool needed = j < desc->node_count;
            if (needed != (node->slit[j] != 0) || needed != (node->latency_ps[j] != 0)) {
                value_fail(error, "[node %u] needs one distance and one latency per node",
                           node->id);
                return at_line(error, node->file_line);
            }
        }
    }
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
        if (desc->cpu[cpu].node != NODE_UNKNOWN)
            continue;
        value_fail(error, "CPU %u is in no [node]", cpu);
        return at_line(error, desc->at.cpus);
    }
    uint64_t lines = desc->memory_bytes / desc->line_bytes;
    if (lines * desc->node_count <= 1u << 27)
        return true;
    value_fail(error, "more memory than the model keeps a directory for (2^27 lines)");
    return at_line(error, desc->at.size);
}

static bool check_apic(const struct desc *desc, struct value_error *error)
{
    for (unsigned a = 0; a < desc->cpu_count; a++)
        for (unsigned b = 0; b < a; b++)
            if (desc->cpu[a].apic_id == desc->cpu[b].apic_id) {
                value_fail(error, "APIC id %u twice", desc->cpu[a].apic_id);
                return at_line(error, desc->at.apic);
            }
    return true;
}

static bool check_noise(const struct desc *desc, struct value_error *error)
{
    const struct desc_noise *noise = &desc->noise;
    const uint16_t cpus[] = {noise->drift_cpu, noise->jump_cpu, noise->late_cpu, noise->dead_cpu,
                             noise->busy_cpu};
    for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++)
        if (cpus[i] != DESC_NONE && cpus[i] >= desc->cpu_count)
            return value_fail(error, "noise on CPU %u, which is not there", cpus[i]);
    if (noise->busy_period_ps && noise->busy_ps > noise->busy_period_ps)
        return value_fail(error, "busy-for is longer than busy-every");
    return true;
}

bool machine_check(struct desc *desc, struct value_error *error)
{
    error->line = desc->at.line;
    if (!power_of_two(desc->line_bytes))
        return value_fail(error, "line is no power of two");
    error->line = desc->at.size;
    if (!power_of_two(desc->memory_bytes))
        return value_fail(error, "[memory] size is no power of two");
    error->line = desc->at.boot;
    if (desc->boot_cpu >= desc->cpu_count)
        return value_fail(error, "the boot CPU %u is not there", desc->boot_cpu);
    for (unsigned i = 0; i < desc->cache_count; i++) {
        error->line = desc->cache[i].file_line;
        if (!check_cache(desc, &desc->cache[i], error))
            return false;
    }
    error->line = 0;
    return check_paths(desc, error) && check_nesting(desc, error) && check_distances(desc, error) &&
           check_nodes(desc, error) && check_apic(desc, error) && check_noise(desc, error);
}
