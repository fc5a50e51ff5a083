/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the CPUID decoder share among themselves. Everyone else includes cpuid.h. */
#ifndef ARCH_X86_CPUID_INTERNAL_H
#define ARCH_X86_CPUID_INTERNAL_H

#include "cpuid.h"
#include <stdbool.h>
#include <stdint.h>

#define SUBLEAVES  8u    /* the most that is kept, and looked at, of one leaf */
#define SHIFT_NONE 0xFFu /* no shift: nobody said how far such a group reaches */

enum cpuid_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD /* and Hygon, which is Zen */ };
enum cpuid_vendor cpuid_vendor(const struct cpuid_dump *dump);

/* Display family and model of leaf 1 (Intel SDM volume 2A, CPUID; AMD APM volume 3, Fn0000_0001).
 */
unsigned cpuid_family(uint32_t signature);
unsigned cpuid_model(uint32_t signature);

/* Subleaf 0 of a leaf; all registers are 0 where the leaf was not there. */
const struct cpuid_leaf *cpuid_get(const struct cpuid_dump *dump, uint32_t leaf);

/* The smallest shift with 1 << shift >= count: bits of an APIC id that count members need. count 0
 * needs none. */
unsigned cpuid_bits_for(uint32_t count);

/* Level type of a subleaf of 0xB, 0x1F or 0x80000026. */
unsigned cpuid_level_type(const struct cpuid_leaf *leaf);
/* First subleaf of the extended topology leaf to go by, NULL where no valid one is there:
 * 0x80000026, 0x1F, 0xB, each only if EBX != 0 and its first level is of type 1 (A20, A23). */
const struct cpuid_leaf *cpuid_topology_leaf(const struct cpuid_dump *dump);
/* 0x8000001E, or NULL where it is absent or an all-zero leftover with TOPOEXT off. */
const struct cpuid_leaf *cpuid_node_leaf(const struct cpuid_dump *dump);

/* Data and unified caches by level. A level is there if bytes != 0 or shift != SHIFT_NONE. */
struct cpuid_cache {
    uint64_t bytes;
    uint16_t ways, line;
    uint8_t shift; /* CPUs with equal APIC id >> shift share it */
};
enum cpuid_cache_leaf { CACHES_NONE, CACHES_LEAF_4, CACHES_LEAF_1D, CACHES_LEGACY };
struct cpuid_caches {
    enum cpuid_cache_leaf source;
    bool consistent; /* no impossible size, no level told twice */
    struct cpuid_cache level[CACHE_LEVELS];
};
void cpuid_read_caches(const struct cpuid_dump *dump, struct cpuid_caches *ret);

/* Groups that are no caches: CPUs with equal APIC id >> shift are in one. */
struct cpuid_domains {
    bool consistent; /* shifts never shrink, no level twice, counts fit their shifts */
    uint8_t core, module, complex, die, package; /* SHIFT_NONE where unknown */
    uint8_t nodes;                               /* AMD: nodes per package, 1 where unknown */
    uint8_t node;                                /* AMD: number of this CPU's node */
};
void cpuid_read_domains(const struct cpuid_dump *dump, struct cpuid_domains *ret);

#endif
