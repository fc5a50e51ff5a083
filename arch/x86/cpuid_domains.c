/* SPDX-License-Identifier: BSD-2-Clause */
/* How far the groups of a CPU reach that are no caches (core, module, die, package), as shifts of
 * its APIC id. Sources, best first: AMD 0x80000026, 0x1F, 0xB, AMD 0x8000001E, leaves 1 and 4
 * (A20, A23). Intel SDM volume 3A, "Detecting Hardware Multi-Threading Support and Topology"; AMD
 * APM volume 3, appendix E. */
#include "cpuid_internal.h"

/* Level types of leaves 0xB and 0x1F. Each names what a subleaf's shift leads out of: the group of
 * a type is made by the shift of the subleaf before it. 6 (die group) has no level of ours. */
enum intel_type { INTEL_THREAD = 1, INTEL_CORE, INTEL_MODULE, INTEL_TILE, INTEL_DIE };
/* Level types of leaf 0x80000026. Each names the group that its own shift makes. */
enum amd_type { AMD_CORE = 1, AMD_COMPLEX, AMD_DIE, AMD_SOCKET };

static void set_once(uint8_t *shift, unsigned value)
{
    if (*shift == SHIFT_NONE)
        *shift = (uint8_t)value;
}

static void intel_level(struct cpuid_domains *ret, unsigned type, unsigned before, unsigned shift)
{
    if (type == INTEL_THREAD)
        set_once(&ret->core, shift);
    else if (type == INTEL_MODULE || type == INTEL_TILE)
        set_once(&ret->module, before); /* a module lies in a tile: the inner one comes first */
    else if (type == INTEL_DIE)
        set_once(&ret->die, before);
    ret->package = (uint8_t)shift; /* whatever the last level is, its shift leads to the package */
}

static void amd_level(struct cpuid_domains *ret, unsigned type, unsigned shift)
{
    if (type == AMD_CORE)
        set_once(&ret->core, shift);
    else if (type == AMD_COMPLEX)
        set_once(&ret->complex, shift);
    else if (type == AMD_DIE)
        set_once(&ret->die, shift);
    else if (type == AMD_SOCKET)
        set_once(&ret->package, shift);
}

/* Shifts never shrink, no group is larger than its shift allows, and all subleaves name the same
 * CPU (cloud-hypervisor had it wrong in all but the first, A21). */
static bool fits(const struct cpuid_leaf *leaf, const struct cpuid_leaf *first, unsigned before)
{
    unsigned shift = leaf->eax & 0x1F;

    return shift >= before && (leaf->ebx & 0xFFFF) <= 1u << shift && leaf->edx == first->edx;
}

static void read_levels(const struct cpuid_dump *dump, const struct cpuid_leaf *first,
                        struct cpuid_domains *ret)
{
    unsigned before = 0;
    uint32_t seen = 0; /* types below 32; there are six */

    for (uint32_t sub = 0; sub < SUBLEAVES; sub++) {
        const struct cpuid_leaf *leaf = cpuid_find(dump, first->leaf, sub);
        unsigned type = leaf ? cpuid_level_type(leaf) : 0;

        if (type == 0)
            break;
        if (!fits(leaf, first, before) || (type < 32 && (seen >> type & 1)))
            ret->consistent = false;
        if (type < 32)
            seen |= 1u << type;
        if (first->leaf == 0x80000026u)
            amd_level(ret, type, leaf->eax & 0x1F);
        else
            intel_level(ret, type, before, leaf->eax & 0x1F);
        before = leaf->eax & 0x1F;
    }
}

/* Bits of an APIC id below the package, as 0x80000008 says; SHIFT_NONE without that leaf. */
static unsigned amd_package_shift(const struct cpuid_dump *dump)
{
    const struct cpuid_leaf *leaf = cpuid_find(dump, 0x80000008u, 0);
    unsigned size = leaf ? leaf->ecx >> 12 & 0xF : 0;

    if (!leaf)
        return SHIFT_NONE;
    return size ? size : cpuid_bits_for((leaf->ecx & 0xFF) + 1);
}

static void read_node_leaf(const struct cpuid_dump *dump, const struct cpuid_leaf *leaf,
                           struct cpuid_domains *ret)
{
    unsigned family = cpuid_family(cpuid_get(dump, 1)->eax);
    unsigned package = amd_package_shift(dump);

    /* Family 0x15 counts the cores of a compute unit here. They have an L1 each and share the L2:
     * two cores that meet at LEVEL_L2, not threads of one. */
    ret->core = family == 0x15 ? 0 : (uint8_t)cpuid_bits_for((leaf->ebx >> 8 & 0xFF) + 1);
    ret->package = package == SHIFT_NONE ? ret->core : (uint8_t)package;
}

/* Leaf 1 counts ids per package, leaf 4 the cores among them: the rest are threads. HTT in leaf 1
 * only says that the count is valid, not that there are threads (A20). */
static void read_legacy(const struct cpuid_dump *dump, struct cpuid_domains *ret)
{
    const struct cpuid_leaf *cache = cpuid_find(dump, 4, 0);
    const struct cpuid_leaf *basic = cpuid_get(dump, 1);
    unsigned ids = basic->edx >> 28 & 1 ? basic->ebx >> 16 & 0xFF : 1;
    unsigned package = cpuid_bits_for(ids), core_bits;

    if (cpuid_vendor(dump) == VENDOR_AMD && amd_package_shift(dump) != SHIFT_NONE) {
        ret->package = (uint8_t)amd_package_shift(dump);
        ret->core = 0; /* no AMD CPU without 0x8000001E has threads */
        return;
    }
    ret->package = (uint8_t)package;
    if (cache && (cache->eax & 0x1F) != 0) {
        core_bits = package ? cpuid_bits_for((cache->eax >> 26) + 1) : 0;
        ret->consistent = core_bits <= package;
        ret->core = (uint8_t)(core_bits <= package ? package - core_bits : 0);
    } else if (package == 0) {
        ret->core = 0;
    } else if (cpuid_family(basic->eax) == 0xF) {
        ret->core = (uint8_t)package; /* Pentium 4: HTT before there were cores to count */
    }
}

void cpuid_read_domains(const struct cpuid_dump *dump, struct cpuid_domains *ret)
{
    const struct cpuid_leaf *levels = cpuid_topology_leaf(dump), *node = cpuid_node_leaf(dump);

    *ret = (struct cpuid_domains){
        .consistent = true,
        .core = SHIFT_NONE,
        .module = SHIFT_NONE,
        .complex = SHIFT_NONE,
        .die = SHIFT_NONE,
        .package = SHIFT_NONE,
        .nodes = 1,
    };
    if (levels)
        read_levels(dump, levels, ret);
    else if (node)
        read_node_leaf(dump, node, ret);
    else
        read_legacy(dump, ret);
    if (levels && ret->package == SHIFT_NONE) { /* 0x80000026 without a socket */
        unsigned package = amd_package_shift(dump);

        ret->package = package == SHIFT_NONE ? ret->die : (uint8_t)package;
    }
    if (node) {
        ret->nodes = (uint8_t)((node->ecx >> 8 & 7) + 1);
        ret->node = (uint8_t)(node->ecx & 0xFF);
    }
}
