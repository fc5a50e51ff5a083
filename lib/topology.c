/* SPDX-License-Identifier: BSD-2-Clause */
/* Which level holds a pair of CPUs, and whether the claims about a machine fit together. Pure
 * bookkeeping over ids: where they come from is not its business. */
#include "topology.h"
#include "mem.h"

void topology_cpu_init(struct cpu_info *ret, uint32_t apic_id)
{
    *ret = (struct cpu_info){.apic_id = apic_id, .node = NODE_UNKNOWN, .line_bytes = LINE_DEFAULT};
    for (unsigned level = 0; level < LEVEL_SYSTEM; level++)
        ret->share[level] = SHARE_UNKNOWN;
}

/* The id of the group of that level which holds the CPU. A proximity domain is such an id itself,
 * so that whoever fills `node` need not fill share[LEVEL_NODE] too. */
static uint32_t group_of(const struct cpu_info *cpu, unsigned level)
{
    if (level == LEVEL_NODE && cpu->share[level] == SHARE_UNKNOWN)
        return cpu->node;
    return cpu->share[level];
}

_Static_assert(NODE_UNKNOWN == SHARE_UNKNOWN, "an unknown node is an unknown group");

static bool same_group(const struct cpu_info *a, const struct cpu_info *b, unsigned level)
{
    uint32_t group = group_of(a, level);

    return group != SHARE_UNKNOWN && group == group_of(b, level);
}

/* Both said, and not the same: a claim against. One that is unknown claims nothing. */
static bool other_group(const struct cpu_info *a, const struct cpu_info *b, unsigned level)
{
    uint32_t group_a = group_of(a, level), group_b = group_of(b, level);

    return group_a != SHARE_UNKNOWN && group_b != SHARE_UNKNOWN && group_a != group_b;
}

enum level topology_level(const struct cpu_info *a, const struct cpu_info *b)
{
    for (unsigned level = LEVEL_CORE; level < LEVEL_SYSTEM; level++) {
        if (same_group(a, b, level))
            return (enum level)level;
    }
    return LEVEL_SYSTEM;
}

static bool node_position(const struct numa *numa, uint32_t node, unsigned *ret_position)
{
    for (unsigned i = 0; i < numa->node_count && i < MAX_NODES; i++) {
        if (numa->node_id[i] == node) {
            *ret_position = i;
            return true;
        }
    }
    return false;
}

unsigned topology_distance(const struct numa *numa, uint32_t node_a, uint32_t node_b)
{
    unsigned a, b;

    if (!numa || node_a == node_b)
        return DISTANCE_LOCAL;
    if (!node_position(numa, node_a, &a) || !node_position(numa, node_b, &b))
        return DISTANCE_LOCAL;
    return numa->distance[a][b] > numa->distance[b][a] ? numa->distance[a][b]
                                                       : numa->distance[b][a];
}

unsigned topology_unshared_cache(const struct cpu_info *a, const struct cpu_info *b)
{
    enum level shared = topology_level(a, b);
    bool same_llc =
        a->share[LEVEL_LLC] == b->share[LEVEL_LLC] && a->share[LEVEL_LLC] != SHARE_UNKNOWN;
    unsigned level = same_llc ? 2 : CACHE_LEVELS - 1;
    if (shared == LEVEL_CORE)
        return 0;
    if (shared == LEVEL_L2)
        level = 1;
    while (level > 0 && a->cache_bytes[level] == 0 && b->cache_bytes[level] == 0)
        level--;
    return level;
}

/* What a CPU has to itself against another one, in 16 KiB. */
static uint16_t unshared_size(const struct cpu_info *cpu, unsigned level)
{
    uint64_t size = level == 0 ? 0 : cpu->cache_bytes[level] >> 14;
    return size > UINT16_MAX ? UINT16_MAX : (uint16_t)size;
}

int topology_compare(const struct cpu_info *a, const struct cpu_info *b)
{
    if (a->core_kind != b->core_kind)
        return a->core_kind < b->core_kind ? -1 : 1;
    unsigned level = topology_unshared_cache(a, b);
    return (int)unshared_size(a, level) - (int)unshared_size(b, level);
}

struct class_key topology_key(const struct cpu_info *a, const struct cpu_info *b,
                              const struct numa *numa)
{
    const struct cpu_info *low = topology_compare(a, b) <= 0 ? a : b;
    const struct cpu_info *high = low == a ? b : a;
    unsigned level = topology_unshared_cache(a, b);

    return (struct class_key){
        .level = (uint8_t)topology_level(a, b),
        .distance = (uint8_t)topology_distance(numa, a->node, b->node),
        .kind_low = low->core_kind,
        .kind_high = high->core_kind,
        .size_low = unshared_size(low, level),
        .size_high = unshared_size(high, level),
    };
}

_Static_assert(sizeof(struct class_key) == 8, "no padding: keys are compared as bytes");

bool topology_key_equal(struct class_key a, struct class_key b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Which groups must lie in which. Where `either` is set the larger may be either of the two, but
 * they must not cross: firmware cuts packages into nodes and puts packages together into nodes, an
 * L3 may span dies (Granite Rapids) or be a part of one (Zen). */
struct nesting {
    uint8_t inner, outer;
    bool either;
};
static const struct nesting nestings[] = {
    {LEVEL_CORE, LEVEL_L2, false},      {LEVEL_CORE, LEVEL_MODULE, false},
    {LEVEL_CORE, LEVEL_LLC, false},     {LEVEL_CORE, LEVEL_DIE, false},
    {LEVEL_CORE, LEVEL_PACKAGE, false}, {LEVEL_CORE, LEVEL_NODE, false},
    {LEVEL_L2, LEVEL_MODULE, true},     {LEVEL_L2, LEVEL_LLC, false},
    {LEVEL_L2, LEVEL_DIE, false},       {LEVEL_L2, LEVEL_PACKAGE, false},
    {LEVEL_L2, LEVEL_NODE, true},       {LEVEL_MODULE, LEVEL_LLC, true},
    {LEVEL_MODULE, LEVEL_DIE, true},    {LEVEL_MODULE, LEVEL_PACKAGE, false},
    {LEVEL_MODULE, LEVEL_NODE, true},   {LEVEL_LLC, LEVEL_DIE, true},
    {LEVEL_LLC, LEVEL_PACKAGE, false},  {LEVEL_LLC, LEVEL_NODE, true},
    {LEVEL_DIE, LEVEL_PACKAGE, false},  {LEVEL_DIE, LEVEL_NODE, true},
    {LEVEL_PACKAGE, LEVEL_NODE, true},
};

/* A CPU that never spoke has no ids of its own: nothing can be concluded from it. */
static bool silent(const struct cpu_info *cpu)
{
    return (cpu->flags & (CPU_LOST | CPU_DISABLED)) != 0;
}

/* Does the group `level` of cpus[i] reach outside its group `of`? */
static bool reaches_outside(const struct cpu_info *cpus, unsigned count, unsigned i, unsigned level,
                            unsigned of)
{
    for (unsigned j = 0; j < count; j++) {
        if (!silent(&cpus[j]) && same_group(&cpus[i], &cpus[j], level) &&
            other_group(&cpus[i], &cpus[j], of))
            return true;
    }
    return false;
}

/* Two groups cross if and only if a CPU that is in both is seen to reach outside each of them from
 * the other: so one look per CPU is enough, and the work grows with N^2, not N^3. */
static bool breaks(const struct cpu_info *cpus, unsigned count, struct nesting nesting)
{
    for (unsigned i = 0; i < count; i++) {
        if (silent(&cpus[i]) || !reaches_outside(cpus, count, i, nesting.inner, nesting.outer))
            continue;
        if (!nesting.either || reaches_outside(cpus, count, i, nesting.outer, nesting.inner))
            return true;
    }
    return false;
}

bool topology_contradicts(const struct cpu_info *cpus, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = i + 1; j < count; j++) {
            if (cpus[i].apic_id == cpus[j].apic_id)
                return true;
        }
    }
    for (unsigned n = 0; n < sizeof nestings / sizeof nestings[0]; n++) {
        if (breaks(cpus, count, nestings[n]))
            return true;
    }
    return false;
}

const char *level_name(unsigned level)
{
    static const char names[LEVELS][8] = {"core", "L2",      "module", "LLC",
                                          "die",  "package", "node",   "system"};

    return level < LEVELS ? names[level] : "?";
}

const char *core_kind_name(uint8_t kind)
{
    switch (kind) {
    case CORE_KIND_P:
        return "P";
    case CORE_KIND_E:
        return "E";
    case CORE_KIND_LP_E:
        return "LP-E";
    case CORE_KIND_NONE:
        return "";
    default:
        return "?";
    }
}
