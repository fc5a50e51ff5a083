/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID, first kept as it was read on each CPU, then decoded by pure code: topology, caches,
 * features. */
#ifndef ARCH_X86_CPUID_H
#define ARCH_X86_CPUID_H

#include "../../lib/topology.h"
#include <stdbool.h>
#include <stdint.h>

#define CPUID_LEAVES 64u /* entries of a dump: all leaves and subleaves that the decoder reads */

struct cpuid_leaf {
    uint32_t leaf, subleaf;
    uint32_t eax, ebx, ecx, edx;
};
/* What one CPU said. Written on that CPU by cpuid_collect(): no firmware call, no fault, small
 * stack (A25, A26). */
struct cpuid_dump {
    uint32_t count;
    struct cpuid_leaf leaf[CPUID_LEAVES];
};

void cpuid_collect(struct cpuid_dump *ret);

/* The leaf, or NULL where it was not there. */
const struct cpuid_leaf *cpuid_find(const struct cpuid_dump *dump, uint32_t leaf, uint32_t subleaf);

/* APIC id as CPUID says: AMD 0x80000026, 0x1F, 0xB, AMD 0x8000001E, else leaf 1 (8 bits). */
uint32_t cpuid_apic_id(const struct cpuid_dump *dump);

/* Fills APIC id, share ids, caches, line size and core kind of one CPU from its own dump and from
 * its APIC id `apic_id`, which is MADT's or MP's (A21). Order AMD 0x80000026, 0x1F, 0xB,
 * 0x8000001E, legacy (A20, A23). Returns false where CPUID's APIC id is another or a leaf
 * contradicts itself: topology untrusted, what could be read is filled. flags and node stay
 * untouched, share[LEVEL_NODE] becomes unknown (then `node` is the id). Any dump will do, also one
 * of random bits.
 *
 * Ids are unique machine-wide and never 0. A family 0x15 compute unit is no core but an L2; a
 * module that is the same as an L2 or L3 group is told as that only; one die is not told beside its
 * package; an E-core without L3 in a hybrid machine is CORE_KIND_LP_E (A24). */
bool cpuid_describe(const struct cpuid_dump *dump, uint32_t apic_id, struct cpu_info *ret);

/* The part of it that tells one machine from another: caches and line size, nothing else. */
void cpuid_describe_caches(const struct cpuid_dump *dump, struct cpu_info *ret);

/* Where the capacities came from: "CPUID leaf 4", "CPUID leaf 0x8000001D", "CPUID leaves 0x80000005
 * and 6", or "none". */
const char *cpuid_cache_source(const struct cpuid_dump *dump);

struct cpuid_features {
    bool tsc, msr, mtrr, invariant_tsc, aperf_mperf, monitor, monitor_break, hypervisor, intel, amd,
        smi_counter;
    bool tsc_adjust, apic, x2apic, pat, tdx;
    bool
        sev; /* may be a guest under SEV: then MSR 0xC0010131 is there and says for certain (A32) */
    uint32_t signature;            /* leaf 1 EAX */
    uint32_t monitor_line_largest; /* bytes */
    uint64_t tsc_khz_hint; /* a hypervisor's leaf 0x40000010, leaf 0x15 (with the crystal table), or
                              0x16; 0 where nothing usable (B3) */
    uint32_t base_mhz;     /* leaf 0x16, 0 unknown */
    char vendor[13];
    char brand[49]; /* blanks at both ends cut; here and above unprintable ones are '?' */
};
/* monitor_break: MWAIT can be ended by a masked interrupt (leaf 5 ECX[1:0] = 3). smi_counter: MSR
 * 0x34 may be read: Intel, family 6, known models, no hypervisor (A27, B7). */
void cpuid_features(const struct cpuid_dump *dump, struct cpuid_features *ret);

#endif
