/* SPDX-License-Identifier: BSD-2-Clause */
/* What one CPU shares with whom: puts caches and topology leaves together into a cpu_info. */
#include "cpuid_internal.h"

#define FAMILY_ZEN 0x17u
#define LINE_MIN   16u
#define LINE_MAX   512u

/* The id of the group of CPUs whose APIC ids are equal from bit `shift` up: unlike that of every
 * other group of any size, since hybrids have small and large ones of one level. Twice the first
 * APIC id of the group plus its size says both. No CPU has an APIC id too large for that. */
static uint32_t group(uint32_t apic_id, unsigned shift)
{
    if (shift > 31 || apic_id >= 0x7FFFFFFFu)
        return SHARE_UNKNOWN;
    return (apic_id >> shift << shift << 1) | 1u << shift;
}

/* AMD says a node number, which need not be a part of the APIC id (Opteron 6238: six cores each).
 * Such ids are compared among themselves only. */
static uint32_t node_group(uint32_t apic_id, const struct cpuid_domains *domains)
{
    uint32_t package = apic_id >> domains->package;

    return package < 0xFFFFFFu ? (package << 8 | domains->node) + 1 : SHARE_UNKNOWN;
}

static uint32_t die_group(uint32_t apic_id, const struct cpuid_domains *domains)
{
    if (domains->die != SHIFT_NONE) /* one die is no level of its own beside its package */
        return domains->die < domains->package ? group(apic_id, domains->die) : SHARE_UNKNOWN;
    if (domains->nodes > 1 && domains->package != SHIFT_NONE)
        return node_group(apic_id, domains);
    return SHARE_UNKNOWN;
}

static unsigned outermost(const struct cpuid_caches *caches)
{
    unsigned level = CACHE_LEVELS - 1;

    while (level > 0 && caches->level[level].bytes == 0 && caches->level[level].shift == SHIFT_NONE)
        level--;
    return level;
}

/* Who shares the outermost cache, where its own leaf does not say or is known to be wrong. */
static uint32_t llc_group(const struct cpuid_dump *dump, uint32_t apic_id,
                          const struct cpuid_caches *caches, const struct cpuid_domains *domains,
                          uint32_t die)
{
    unsigned level = outermost(caches);
    unsigned family = cpuid_family(cpuid_get(dump, 1)->eax);
    bool old_amd = cpuid_vendor(dump) == VENDOR_AMD && family < FAMILY_ZEN;

    if (level == 0)
        return SHARE_UNKNOWN;
    /* Before Zen an L3 serves a node. Its count of sharers is no power of two there, and nodes do
     * not begin at multiples of one, so that shifting by it would be wrong. */
    if (level == 3 && old_amd && die != SHARE_UNKNOWN)
        return die;
    if (caches->level[level].shift != SHIFT_NONE)
        return group(apic_id, caches->level[level].shift);
    if (level < 3)
        return group(apic_id, domains->core); /* CPUs that do not say have private ones */
    if (domains->complex != SHIFT_NONE)
        return group(apic_id, domains->complex);
    /* 0x80000006 is all that was there: true of K10, and of a VM with who knows what below it. */
    return old_amd && family > 0xF ? group(apic_id, domains->package) : SHARE_UNKNOWN;
}

static uint32_t l2_group(uint32_t apic_id, const struct cpuid_caches *caches,
                         const struct cpuid_domains *domains)
{
    const struct cpuid_cache *l2 = &caches->level[2];

    if (l2->shift != SHIFT_NONE)
        return group(apic_id, l2->shift);
    return l2->bytes ? group(apic_id, domains->core) : SHARE_UNKNOWN;
}

/* A module is a level of ours only where it is none of the others under another name. */
static uint32_t module_group(uint32_t apic_id, const struct cpuid_caches *caches,
                             const struct cpuid_domains *domains)
{
    unsigned module = domains->module;

    if (module == domains->core || module == domains->die || module == domains->package ||
        module == caches->level[2].shift || module == caches->level[3].shift)
        return SHARE_UNKNOWN;
    return group(apic_id, module);
}

/* The line of the L1 is what the touch kernel steps by; CLFLUSH's is the coherence line of CPUs
 * that tell of no cache. */
static uint16_t line_bytes(const struct cpuid_dump *dump, const struct cpuid_caches *caches)
{
    const struct cpuid_leaf *basic = cpuid_get(dump, 1);
    uint32_t flush = basic->edx >> 19 & 1 ? (basic->ebx >> 8 & 0xFF) * 8 : 0;
    uint32_t candidates[] = {caches->level[1].line, flush};

    for (unsigned i = 0; i < 2; i++) {
        uint32_t line = candidates[i];

        if (line >= LINE_MIN && line <= LINE_MAX && (line & (line - 1)) == 0)
            return (uint16_t)line;
    }
    return LINE_DEFAULT;
}

static uint8_t core_kind(const struct cpuid_dump *dump, const struct cpuid_caches *caches)
{
    const struct cpuid_leaf *amd = cpuid_find(dump, 0x80000026u, 0);
    uint8_t kind = (uint8_t)(cpuid_get(dump, 0x1A)->eax >> 24);
    bool hybrid = cpuid_get(dump, 7)->edx >> 15 & 1;

    if (amd && cpuid_topology_leaf(dump) == amd && (amd->eax >> 30 & 1)) {
        unsigned type = amd->ebx >> 28;

        return type == 0 ? CORE_KIND_P : type == 1 ? CORE_KIND_E : (uint8_t)type;
    }
    if (kind == CORE_KIND_E && hybrid && outermost(caches) == 2)
        return CORE_KIND_LP_E; /* A24 */
    return kind;
}

static void fill_caches(const struct cpuid_dump *dump, const struct cpuid_caches *caches,
                        struct cpu_info *ret)
{
    for (unsigned level = 0; level < CACHE_LEVELS; level++) {
        ret->cache_bytes[level] = caches->level[level].bytes;
        ret->cache_ways[level] = caches->level[level].ways;
    }
    ret->line_bytes = line_bytes(dump, caches);
}

void cpuid_describe_caches(const struct cpuid_dump *dump, struct cpu_info *ret)
{
    struct cpuid_caches caches;

    cpuid_read_caches(dump, &caches);
    fill_caches(dump, &caches, ret);
}

bool cpuid_describe(const struct cpuid_dump *dump, uint32_t apic_id, struct cpu_info *ret)
{
    struct cpuid_caches caches;
    struct cpuid_domains domains;
    const struct cpuid_leaf *leaf = cpuid_topology_leaf(dump);
    uint32_t mask = leaf || cpuid_node_leaf(dump) ? 0xFFFFFFFFu : 0xFF; /* leaf 1 has 8 bits */

    cpuid_read_caches(dump, &caches);
    cpuid_read_domains(dump, &domains);
    ret->apic_id = apic_id;
    ret->share[LEVEL_CORE] = group(apic_id, domains.core);
    ret->share[LEVEL_L2] = l2_group(apic_id, &caches, &domains);
    ret->share[LEVEL_MODULE] = module_group(apic_id, &caches, &domains);
    ret->share[LEVEL_DIE] = die_group(apic_id, &domains);
    ret->share[LEVEL_LLC] = llc_group(dump, apic_id, &caches, &domains, ret->share[LEVEL_DIE]);
    ret->share[LEVEL_PACKAGE] = group(apic_id, domains.package);
    ret->share[LEVEL_NODE] = SHARE_UNKNOWN;
    ret->share[LEVEL_SYSTEM] = 0;
    fill_caches(dump, &caches, ret);
    ret->core_kind = core_kind(dump, &caches);
    return caches.consistent && domains.consistent &&
           (cpuid_apic_id(dump) & mask) == (apic_id & mask);
}
