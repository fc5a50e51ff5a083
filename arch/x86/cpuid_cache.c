/* SPDX-License-Identifier: BSD-2-Clause */
/* Cache sizes, and who shares them, from leaf 4 (Intel), 0x8000001D (AMD), or 0x80000005 and
 * 0x80000006 (AMD before, sizes only). Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E. */
#include "cpuid_internal.h"

#define CACHE_BYTES_MAX (1ull << 36) /* no cache is larger, a claim above it is garbage */
#define WAYS_FULL       0xFFFFu

enum cache_type { CACHE_END = 0, CACHE_DATA = 1, CACHE_CODE = 2, CACHE_UNIFIED = 3 };

static bool is_there(const struct cpuid_cache *cache)
{
    return cache->bytes != 0 || cache->shift != SHIFT_NONE;
}

/* set_bytes: line times partitions times ways, 1 to 2^32; sets 1 to 2^32. 0 if impossible. */
static uint64_t geometry_bytes(uint64_t set_bytes, uint64_t sets)
{
    return sets <= CACHE_BYTES_MAX / set_bytes ? sets * set_bytes : 0;
}

/* One subleaf of leaf 4 or 0x8000001D: both have the same form. */
static void read_geometry(const struct cpuid_leaf *leaf, struct cpuid_caches *ret)
{
    unsigned type = leaf->eax & 0x1F, level = leaf->eax >> 5 & 7;
    uint32_t line = (leaf->ebx & 0xFFF) + 1, partitions = (leaf->ebx >> 12 & 0x3FF) + 1;
    uint32_t ways = (leaf->ebx >> 22 & 0x3FF) + 1, sharers = (leaf->eax >> 14 & 0xFFF) + 1;
    struct cpuid_cache *cache;

    if ((type != CACHE_DATA && type != CACHE_UNIFIED) || level == 0 || level >= CACHE_LEVELS)
        return; /* a level 4 sits before the memory and is shared by all: no home of a working set
                 */
    cache = &ret->level[level];
    if (is_there(cache)) {
        ret->consistent = false;
        return;
    }
    cache->bytes = geometry_bytes((uint64_t)line * partitions * ways, (uint64_t)leaf->ecx + 1);
    cache->ways = leaf->eax >> 9 & 1 ? WAYS_FULL : (uint16_t)ways;
    cache->line = (uint16_t)line;
    cache->shift = (uint8_t)cpuid_bits_for(sharers);
    if (cache->bytes == 0)
        ret->consistent = false;
}

static bool read_geometries(const struct cpuid_dump *dump, uint32_t number,
                            struct cpuid_caches *ret)
{
    bool any = false;

    for (uint32_t sub = 0; sub < SUBLEAVES; sub++) {
        const struct cpuid_leaf *leaf = cpuid_find(dump, number, sub);

        if (!leaf || (leaf->eax & 0x1F) == CACHE_END)
            break;
        read_geometry(leaf, ret);
    }
    for (unsigned level = 1; level < CACHE_LEVELS; level++)
        any = any || is_there(&ret->level[level]);
    return any;
}

/* The four-bit associativity code of 0x80000006. 0: the cache is off. */
static uint16_t ways_of_code(unsigned code)
{
    static const uint16_t ways[16] = {0,  1, 2,  3,  4,  6,  8,   0,
                                      16, 0, 32, 48, 64, 96, 128, WAYS_FULL};

    return ways[code & 0xF];
}

static void read_legacy(const struct cpuid_dump *dump, struct cpuid_caches *ret)
{
    const struct cpuid_leaf *outer = cpuid_get(dump, 0x80000006u);
    uint32_t l1 = cpuid_get(dump, 0x80000005u)->ecx, l2 = outer->ecx, l3 = outer->edx;

    ret->level[1] = (struct cpuid_cache){(uint64_t)(l1 >> 24) << 10, (uint16_t)(l1 >> 16 & 0xFF),
                                         (uint16_t)(l1 & 0xFF), SHIFT_NONE};
    if (ret->level[1].ways == 0xFF)
        ret->level[1].ways = WAYS_FULL;
    if (l2 >> 12 & 0xF)
        ret->level[2] = (struct cpuid_cache){(uint64_t)(l2 >> 16) << 10, ways_of_code(l2 >> 12),
                                             (uint16_t)(l2 & 0xFF), SHIFT_NONE};
    if (l3 >> 12 & 0xF)
        ret->level[3] = (struct cpuid_cache){(uint64_t)(l3 >> 18) << 19, ways_of_code(l3 >> 12),
                                             (uint16_t)(l3 & 0xFF), SHIFT_NONE};
}

void cpuid_read_caches(const struct cpuid_dump *dump, struct cpuid_caches *ret)
{
    bool amd = cpuid_vendor(dump) == VENDOR_AMD;
    uint32_t first = amd ? 0x8000001Du : 4, second = amd ? 4 : 0x8000001Du;

    *ret = (struct cpuid_caches){.consistent = true};
    for (unsigned level = 0; level < CACHE_LEVELS; level++)
        ret->level[level].shift = SHIFT_NONE;
    if (read_geometries(dump, first, ret)) {
        ret->source = amd ? CACHES_LEAF_1D : CACHES_LEAF_4;
        return;
    }
    if (read_geometries(dump, second, ret)) {
        ret->source = amd ? CACHES_LEAF_4 : CACHES_LEAF_1D;
        return;
    }
    read_legacy(dump, ret);
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        if (is_there(&ret->level[level]))
            ret->source = CACHES_LEGACY;
    }
}

const char *cpuid_cache_source(const struct cpuid_dump *dump)
{
    struct cpuid_caches caches;

    cpuid_read_caches(dump, &caches);
    switch (caches.source) {
    case CACHES_LEAF_4:
        return "CPUID leaf 4";
    case CACHES_LEAF_1D:
        return "CPUID leaf 0x8000001D";
    case CACHES_LEGACY:
        return "CPUID leaves 0x80000005 and 6";
    default:
        return "none";
    }
}
