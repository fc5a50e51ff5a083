/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking things up in a CPUID dump: leaves, vendor, family, APIC id. */
#include "cpuid_internal.h"
#include <stddef.h>

const struct cpuid_leaf *cpuid_find(const struct cpuid_dump *dump, uint32_t leaf, uint32_t subleaf)
{
    for (uint32_t i = 0; i < dump->count && i < CPUID_LEAVES; i++) {
        if (dump->leaf[i].leaf == leaf && dump->leaf[i].subleaf == subleaf)
            return &dump->leaf[i];
    }
    return NULL;
}

const struct cpuid_leaf *cpuid_get(const struct cpuid_dump *dump, uint32_t leaf)
{
    static const struct cpuid_leaf none = {0};
    const struct cpuid_leaf *found = cpuid_find(dump, leaf, 0);

    return found ? found : &none;
}

enum cpuid_vendor cpuid_vendor(const struct cpuid_dump *dump)
{
    static const struct {
        uint32_t ebx, edx, ecx;
        enum cpuid_vendor vendor;
    } known[] = {
        {0x756E6547u, 0x49656E69u, 0x6C65746Eu, VENDOR_INTEL}, /* GenuineIntel */
        {0x68747541u, 0x69746E65u, 0x444D4163u, VENDOR_AMD},   /* AuthenticAMD */
        {0x6F677948u, 0x6E65476Eu, 0x656E6975u, VENDOR_AMD},   /* HygonGenuine */
    };
    const struct cpuid_leaf *leaf = cpuid_find(dump, 0, 0);

    for (unsigned i = 0; leaf && i < sizeof known / sizeof known[0]; i++) {
        if (leaf->ebx == known[i].ebx && leaf->edx == known[i].edx && leaf->ecx == known[i].ecx)
            return known[i].vendor;
    }
    return VENDOR_OTHER;
}

unsigned cpuid_family(uint32_t signature)
{
    unsigned family = signature >> 8 & 0xF;

    return family == 0xF ? family + (signature >> 20 & 0xFF) : family;
}

unsigned cpuid_model(uint32_t signature)
{
    unsigned family = signature >> 8 & 0xF, model = signature >> 4 & 0xF;

    return family == 0x6 || family == 0xF ? model | (signature >> 12 & 0xF0) : model;
}

unsigned cpuid_bits_for(uint32_t count)
{
    unsigned bits = 0;

    while (bits < 31 && (1u << bits) < count)
        bits++;
    return bits;
}

unsigned cpuid_level_type(const struct cpuid_leaf *leaf)
{
    return leaf->ecx >> 8 & 0xFF;
}

const struct cpuid_leaf *cpuid_topology_leaf(const struct cpuid_dump *dump)
{
    static const uint32_t order[] = {0x80000026u, 0x1Fu, 0xBu};

    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        const struct cpuid_leaf *leaf = cpuid_find(dump, order[i], 0);

        if (leaf && (leaf->ebx & 0xFFFF) != 0 && cpuid_level_type(leaf) == 1)
            return leaf;
    }
    return NULL;
}

const struct cpuid_leaf *cpuid_node_leaf(const struct cpuid_dump *dump)
{
    const struct cpuid_leaf *leaf = cpuid_find(dump, 0x8000001Eu, 0);
    bool announced = cpuid_get(dump, 0x80000001u)->ecx >> 22 & 1;

    return leaf && (announced || (leaf->eax | leaf->ebx | leaf->ecx) != 0) ? leaf : NULL;
}

uint32_t cpuid_apic_id(const struct cpuid_dump *dump)
{
    const struct cpuid_leaf *leaf = cpuid_topology_leaf(dump);

    if (leaf)
        return leaf->edx;
    leaf = cpuid_node_leaf(dump);
    if (leaf)
        return leaf->eax; /* boards lift APIC ids: leaf 1 keeps the one from before (A23) */
    return cpuid_get(dump, 1)->ebx >> 24;
}
