/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known about each CPU, and what two CPUs share: the key of a distance class. */
#ifndef LIB_TOPOLOGY_H
#define LIB_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_CPUS \
    1024u /* matrices are N*N; the record's CPU count is 16 bit; MADT readers stop here (A15) */
#define MAX_NODES         64u  /* SLIT is nodes*nodes bytes in struct numa */
#define MAX_MEMORY_RANGES 128u /* SRAT type 1 entries kept */
#define CACHE_LEVELS      4u /* [1] L1 data, [2] L2, [3] L3, [0] unused: index is the CPUID level */
#define SHARE_UNKNOWN     0xFFFFFFFFu
#define NODE_UNKNOWN      0xFFFFFFFFu
#define DISTANCE_LOCAL    10u /* ACPI SLIT: distance of a node to itself */
#define LINE_DEFAULT      64u /* coherence line where nobody says */

/* Core kinds. Intel's numbers, and one of ours: an E-core of a hybrid machine that has no L3, on
 * another die (Meteor Lake, Lunar Lake; A24). CPUID calls it an E-core, its costs are others. */
#define CORE_KIND_NONE 0u
#define CORE_KIND_E    0x20u
#define CORE_KIND_LP_E 0x21u
#define CORE_KIND_P    0x40u

/* The smallest thing that holds both CPUs of a pair, innermost first. Numbers are part of the
 * record. A level is keyed by what is shared, not by a kernel's domain name. A machine may lack any
 * of them. */
enum level {
    LEVEL_CORE = 0,   /* SMT siblings */
    LEVEL_L2 = 1,     /* cores with a common L2 (Intel E-core modules) */
    LEVEL_MODULE = 2, /* CPUID module/tile/cluster that shares no cache of its own */
    LEVEL_LLC = 3,    /* a common last-level cache (CCX) */
    LEVEL_DIE = 4,
    LEVEL_PACKAGE = 5,
    LEVEL_NODE = 6,   /* one NUMA node with several packages */
    LEVEL_SYSTEM = 7, /* nothing but the machine */
    LEVELS
};

#define CPU_BOOT        (1u << 0) /* the CPU that firmware runs on */
#define CPU_LOST        (1u << 1) /* was started and never answered, or stopped answering */
#define CPU_DISABLED    (1u << 2) /* disabled or unhealthy as firmware says; never started (A8) */
#define CPU_CACHE_STATE (1u << 3) /* CR0.CD or MTRRdefType unlike the boot CPU's (A31) */
#define CPU_NOT_CHOSEN  (1u << 4) /* left out by --cpus */

/* One CPU. share[l] is the id of the group of level l that holds this CPU: equal ids mean shared,
 * machine-wide, at LEVEL_CORE to LEVEL_NODE; SHARE_UNKNOWN means that nobody said, and is shared
 * with none. An id says nothing else, and ids of two levels are not comparable. LEVEL_LLC is the
 * outermost cache there is: without an L3 its groups are those of LEVEL_L2, and pairs are then
 * found at LEVEL_L2. LEVEL_NODE: where share is unknown, `node` is the id. share[LEVEL_SYSTEM] is
 * 0. */
struct cpu_info {
    uint32_t apic_id; /* the name of a CPU in everything that leaves the program */
    uint32_t flags;   /* CPU_... */
    uint32_t share[LEVELS];
    uint32_t node;                      /* ACPI proximity domain, NODE_UNKNOWN without SRAT */
    uint64_t cache_bytes[CACHE_LEVELS]; /* data or unified capacity by level; 0 unknown or absent */
    uint16_t cache_ways[CACHE_LEVELS];  /* 0 unknown, 0xFFFF fully associative */
    uint16_t line_bytes;                /* coherence line; 64 where CPUID does not say */
    uint8_t core_kind; /* CORE_KIND_...; 0 where CPUID says no kind; other numbers: as CPUID.1A has
                          it */
};

/* A CPU of which nothing is known yet but its name: groups and node unknown, default line. */
void topology_cpu_init(struct cpu_info *ret, uint32_t apic_id);

/* Nodes as SRAT and SLIT tell them. distance[a][b] by position in node_id[]; 10 local, 20 remote
 * where no SLIT is. */
struct memory_range {
    uint64_t base, bytes;
    uint32_t node;
};
struct numa {
    unsigned node_count;
    uint32_t node_id[MAX_NODES];
    uint8_t distance[MAX_NODES][MAX_NODES];
    unsigned range_count;
    struct memory_range range[MAX_MEMORY_RANGES];
};

/* Key of a distance class. Two pairs with equal keys are expected to cost the same. */
struct class_key {
    uint8_t level;    /* enum level: the innermost thing shared */
    uint8_t distance; /* larger of the two SLIT distances of the pair's nodes; DISTANCE_LOCAL on the
                         same node */
    uint8_t kind_low, kind_high;  /* core kinds of the two, in the order of topology_compare() .. */
    uint16_t size_low, size_high; /* .. and of what their outermost cache that the other does not
                                     share holds, in 16 KiB; 65535 for more, 0 unknown */
};

/* Innermost level whose group holds both; LEVEL_SYSTEM where no known group does. */
enum level topology_level(const struct cpu_info *a, const struct cpu_info *b);

/* The key of a pair. numa may be NULL (no SRAT). */
struct class_key topology_key(const struct cpu_info *a, const struct cpu_info *b,
                              const struct numa *numa);
/* The CPUID level of the outermost cache that the two do not share, where either has it; 0: none.
 */
unsigned topology_unshared_cache(const struct cpu_info *a, const struct cpu_info *b);

/* Which of the two comes first in a class's key: below 0 for a, above 0 for b, 0 where they are
 * alike in core kind and capacity, so that both directions are expected to cost the same. */
int topology_compare(const struct cpu_info *a, const struct cpu_info *b);
bool topology_key_equal(struct class_key a, struct class_key b);

/* SLIT distance between two proximity domains, the larger direction; DISTANCE_LOCAL when equal or
 * unknown. */
unsigned topology_distance(const struct numa *numa, uint32_t node_a, uint32_t node_b);

/* True if the claims contradict each other: APIC ids not unique, or a smaller group reaching
 * outside a larger one that must hold it (SMT siblings in two L2 groups, an LLC over two packages;
 * A21, A22). Nodes and packages may nest either way, but not cross. Groups of CPUs that are lost or
 * disabled are not looked at. Time grows with count^2: for the boot CPU, once. */
bool topology_contradicts(const struct cpu_info *cpus, unsigned count);

/* "core", "L2", "module", "LLC", "die", "package", "node", "system"; "?" for other numbers. */
const char *level_name(unsigned level);

/* "P", "E", "LP-E"; "" where there is no kind, "?" for a number that we do not know. */
const char *core_kind_name(uint8_t kind);

#endif
