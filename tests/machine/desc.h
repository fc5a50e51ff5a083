/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine as a machine file describes it: plain numbers, before any cache is built.
 * README.md says what each key of the file means; the names here follow the keys. */
#ifndef TESTS_MACHINE_DESC_H
#define TESTS_MACHINE_DESC_H

#include "../../lib/topology.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DESC_NAME      64u /* bytes of a name, NUL included */
#define DESC_CACHES    32u /* [cache] sections */
#define DESC_DISTANCES 32u /* [distance] sections */
#define DESC_KINDS     8u  /* [kind] sections and the default one */
#define DESC_LINKS     64u /* [link] sections */
#define DESC_WAYS      32u /* a set is scanned as a whole: more would need another layout */
#define DESC_NONE      0xFFFFu
#define DESC_PAGE      4096u /* visits are remembered by page of this size */

/* How replacement picks a victim. */
enum desc_policy { POLICY_LRU = 0, POLICY_TREE_PLRU, POLICY_RRIP, POLICY_RANDOM };

/* How a cache relates to the caches nearer to the core. */
enum desc_relation {
    RELATION_INCLUSIVE = 0, /* filled on a miss; what it evicts leaves the nearer ones too */
    RELATION_NON_INCLUSIVE, /* filled on a miss; what it evicts may stay nearer */
    RELATION_EXCLUSIVE,     /* filled by what the nearer evict; a hit moves the line out */
    RELATION_VICTIM         /* the same, but a hit that only reads leaves the copy */
};

/* Orders of visiting, as far as they differ in how many misses overlap. The first three are
 * enum touch_pattern. */
enum desc_overlap {
    OVERLAP_LINEAR = 0,
    OVERLAP_SCATTER,
    OVERLAP_CHASE,   /* always 1: an address depends on the value before */
    OVERLAP_STREAMS, /* several linear streams at once, as the measurement of 2004 did */
    OVERLAP_RMW,     /* linear read-modify-write with gaps, as 2.6.16 did */
    OVERLAPS
};

struct desc_cache {
    char name[DESC_NAME];
    unsigned long file_line;
    uint32_t level; /* as CPUID counts: 1, 2, 3 */
    uint64_t bytes;
    uint32_t ways;
    uint32_t policy;   /* enum desc_policy */
    uint32_t relation; /* enum desc_relation; of no meaning for the nearest cache */
    bool hashed;
    uint32_t way_mask; /* ways that may be filled; 0 all */
    uint64_t hit_ps;
    uint64_t evict_ps;     /* added when this cache takes a dirty line from a nearer one */
    uint64_t filter_bytes; /* lines that its snoop filter can follow, as bytes; 0 no filter */
    uint32_t filter_ways;
    uint32_t instances;
    uint16_t instance_of[MAX_CPUS]; /* which instance holds this CPU; DESC_NONE: none */
};

struct desc_distance {
    char name[DESC_NAME];
    uint64_t transfer_ps;
};

struct desc_kind {
    char name[DESC_NAME];
    uint32_t code;              /* as CPUID.1A says */
    uint32_t speed_permille;    /* of the whole pass: 500 takes twice as long */
    uint32_t overlap[OVERLAPS]; /* permille */
};

struct desc_link {
    uint32_t node_a, node_b; /* positions */
    uint64_t bytes_per_us;
};

struct desc_node {
    uint32_t id; /* ACPI proximity domain */
    unsigned long file_line;
    uint8_t slit[MAX_NODES];
    uint64_t latency_ps[MAX_NODES]; /* from this node's CPUs to each node's memory */
    uint64_t bytes_per_us;          /* memory bandwidth; 0 no limit */
};

struct desc_cpu {
    uint32_t apic_id;
    uint32_t kind; /* index into kinds */
    uint32_t node; /* position in node[]; 0 without nodes */
    uint32_t speed_permille;
    uint32_t way_mask;      /* of the last cache of its path; 0 all */
    uint16_t group[LEVELS]; /* true group by level, DESC_NONE: none */
};

/* What firmware claims where it does not tell the truth. */
struct desc_claims {
    bool set[LEVELS];
    uint16_t group[LEVELS][MAX_CPUS];
    bool node_set;
    uint32_t node[MAX_CPUS];
    uint64_t cache_bytes[CACHE_LEVELS]; /* 0: the truth */
    bool no_cache_sizes;                /* CPUID says nothing of caches */
    bool hypervisor;
};

struct desc_clock {
    uint64_t khz;
    uint64_t step_ps; /* smallest step; 0: one tick */
    uint64_t read_ps; /* cost of the two reads in a pass */
};

/* Disturbances, all off when zero. noise.c applies them. */
struct desc_noise {
    uint32_t jitter_ppm;                 /* standard deviation of a pass */
    uint32_t slow_one_in, slow_permille; /* one pass in so many takes so much longer */
    uint64_t smi_ps, smi_period_ps;      /* length; mean distance, 0 none */
    bool smi_silent;                     /* not in the SMI counter */
    uint64_t ramp_ps;                    /* clocks rise for so long: .. */
    bool ramp_each;         /* .. each CPU while it works; else all at the start of the run */
    uint32_t ramp_permille; /* the clock at the start */
    uint32_t offset_bits;   /* counters start apart by up to 2^bits ticks */
    uint16_t drift_cpu, jump_cpu, late_cpu, dead_cpu, busy_cpu; /* DESC_NONE: none */
    int32_t drift_ppm;
    int64_t jump_ticks;  /* once, .. */
    uint64_t jump_at_ps; /* .. at this time */
    uint64_t late_ps;
    uint64_t dead_after_ps;           /* answers until then */
    uint64_t busy_ps, busy_period_ps; /* other work on busy_cpu: how long, once in; 0 always */
};

/* Where in the file some keys stand, for messages; 0: not there. */
struct desc_lines {
    unsigned long line, cpus, boot, apic, size;
};

struct desc {
    char name[DESC_NAME];
    struct desc_lines at;
    uint32_t line_bytes;
    uint64_t seed; /* of page placement and random replacement, not of noise */
    uint32_t cpu_count;
    uint32_t boot_cpu;
    struct desc_cpu *cpu;  /* [cpu_count] */
    uint32_t smt_permille; /* how much longer a pass takes while a sibling works */
    uint32_t cache_count;
    struct desc_cache *cache; /* [DESC_CACHES] */
    uint32_t distance_count;
    struct desc_distance distance[DESC_DISTANCES];
    uint8_t *distance_of; /* [cpu_count * cpu_count], row = who reads, column = who holds */
    uint32_t kind_count;
    struct desc_kind kind[DESC_KINDS];
    uint32_t node_count;    /* at least 1 */
    bool has_nodes;         /* false: no SRAT */
    struct desc_node *node; /* [MAX_NODES] */
    uint32_t link_count;
    struct desc_link link[DESC_LINKS];
    uint64_t memory_bytes;           /* of each node, a power of two */
    uint64_t memory_ps, memory_rate; /* latency and bandwidth of a node that has none of its own */
    uint64_t writeback_ps;
    uint64_t page_bytes;   /* 0 contiguous, else the size of the pages scattered at random */
    uint64_t evict_per_us; /* bytes that other work brings into last-level caches */
    uint32_t stream_permille, stream_after; /* cost of a miss in a linear run, once so long */
    uint32_t adjacent_permille;             /* cost of the second line of a pair */
    uint32_t revisit_permille[OVERLAPS];    /* cost of a miss in a page visited before */
    struct desc_claims *claims;
    struct desc_clock clock;
    struct desc_noise noise;
};

/* What was wrong with a machine file, and where. */
struct desc_error {
    unsigned long line; /* 0: the file as a whole */
    char text[160];
};

/* Reads a machine file. NULL on failure, then *ret_error says why. desc_free() takes NULL. */
struct desc *desc_parse(const char *text, size_t length, struct desc_error *ret_error);
struct desc *desc_load(const char *path, struct desc_error *ret_error);
void desc_free(struct desc *desc);

#endif
