/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of machines that never were, for tests of the record: topologies of any size, costs that
 * follow from what two CPUs share plus a repeatable jitter. */
#ifndef TESTS_RECORD_MACHINE_H
#define TESTS_RECORD_MACHINE_H

#include "../../lib/recommend.h"
#include "../../lib/record.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Counts from the outside in; ids are laid out in fields of whole bits, as x2APIC ids are, so that
 * counts which are no powers of two leave holes. */
struct shape {
    const char *name;
    unsigned sockets, clusters, cores, threads;
    unsigned cpus;         /* only the first so many of them; 0: all */
    unsigned scatter_ids;  /* not 0: ids are pseudo-random instead */
    unsigned jitter;       /* permille of a cell's cost */
    unsigned random_class; /* not 0: classes do not follow the ids, and there are that many */
};

struct fixture {
    struct result result;
    struct recommendation recommendation;
    struct record_identity identity;
    struct cpu_info *cpus;
};

static inline uint32_t fixture_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline unsigned field_bits(unsigned count)
{
    unsigned bits = 0;
    while (1u << bits < count)
        bits++;
    return bits;
}

static inline void fixture_ids(struct fixture *f, const struct shape *shape)
{
    unsigned thread_bits = field_bits(shape->threads), core_bits = field_bits(shape->cores);
    unsigned cluster_bits = field_bits(shape->clusters), i = 0;
    uint32_t random = 1, id = 0;
    for (unsigned s = 0; s < shape->sockets; s++)
        for (unsigned l = 0; l < shape->clusters; l++)
            for (unsigned c = 0; c < shape->cores; c++)
                for (unsigned t = 0; t < shape->threads; t++, i++) {
                    if (i >= f->result.cpu_count)
                        return;
                    struct cpu_info *cpu = &f->cpus[i];
                    uint32_t core = ((s << cluster_bits | l) << core_bits) | c;
                    id += 1 + fixture_random(&random) % 3000;
                    cpu->apic_id = shape->scatter_ids ? id : core << thread_bits | t;
                    for (unsigned level = 0; level < LEVELS; level++)
                        cpu->share[level] = SHARE_UNKNOWN;
                    cpu->share[LEVEL_CORE] = core;
                    cpu->share[LEVEL_LLC] = core >> core_bits;
                    cpu->share[LEVEL_PACKAGE] = s;
                    cpu->share[LEVEL_SYSTEM] = 0;
                    cpu->node = NODE_UNKNOWN;
                    cpu->line_bytes = 64;
                    cpu->cache_bytes[1] = 32768;
                    cpu->cache_bytes[2] = 1 << 20;
                    cpu->cache_ways[1] = cpu->cache_ways[2] = 8;
                }
}

static inline uint8_t fixture_level(const struct cpu_info *a, const struct cpu_info *b)
{
    if (a->share[LEVEL_CORE] == b->share[LEVEL_CORE])
        return LEVEL_CORE;
    if (a->share[LEVEL_LLC] == b->share[LEVEL_LLC])
        return LEVEL_LLC;
    return a->share[LEVEL_PACKAGE] == b->share[LEVEL_PACKAGE] ? LEVEL_PACKAGE : LEVEL_SYSTEM;
}

static inline unsigned fixture_class(struct result *result, uint8_t level, uint8_t distance)
{
    for (unsigned i = 0; i < result->class_count; i++)
        if (result->classes[i].key.level == level && result->classes[i].key.distance == distance)
            return i;
    struct class_result *class = &result->classes[result->class_count];
    int32_t cost = 1200 + level * 21000 + (distance - 10) * 700;
    *class = (struct class_result){
        .key = {.level = level, .distance = distance},
        .working_set = 786432,
        .cost = {cost, (uint32_t)cost / 50, 40},
        .linear = {cost / 5, 10, 8},
        .chase = {cost * 9, 100, 8},
        .first_visit_percent = 112,
    };
    return result->class_count++;
}

static inline void fixture_cells(struct fixture *f, const struct shape *shape)
{
    struct result *result = &f->result;
    uint32_t random = 7;
    /* Innermost class first, as the engine lists them. */
    if (!shape->random_class)
        for (uint8_t level = 0; level < LEVELS; level++)
            for (unsigned i = 1; i < result->cpu_count; i++)
                if (fixture_level(&f->cpus[0], &f->cpus[i]) == level)
                    fixture_class(result, level, DISTANCE_LOCAL);
    for (unsigned k = 0; k < shape->random_class; k++)
        fixture_class(result, LEVEL_SYSTEM, (uint8_t)(DISTANCE_LOCAL + k));

    for (unsigned s = 0; s < result->cpu_count; s++)
        for (unsigned d = 0; d < result->cpu_count; d++) {
            unsigned cell = result_cell(result, s, d), back = result_cell(result, d, s);
            result->cost_ns[cell] = COST_UNKNOWN;
            result->class_of[cell] = CLASS_NONE;
            if (s == d)
                continue;
            unsigned k = shape->random_class
                             ? (d < s ? result->class_of[back]
                                      : fixture_random(&random) % shape->random_class)
                             : fixture_class(result, fixture_level(&f->cpus[s], &f->cpus[d]),
                                             DISTANCE_LOCAL);
            struct class_result *class = &result->classes[k];
            int32_t cost = class->cost.ns;
            if (shape->jitter)
                cost += (int32_t)(fixture_random(&random) % (2 * shape->jitter + 1)) * cost / 1000 -
                        cost * (int32_t)shape->jitter / 1000;
            result->class_of[cell] = (uint8_t)k;
            result->cost_ns[cell] = cost;
            class->pairs += s < d;
        }
}

static inline void fixture_identity(struct fixture *f)
{
    f->identity = (struct record_identity){
        .cpu_signature = 0x806F8,
        .microcode = 0x2B000461,
        .apic_ids_crc = record_apic_ids_crc(f->cpus, f->result.cpu_count),
        .caches_crc = record_caches_crc(&f->cpus[0]),
        .numa_crc = 0,
        .firmware_crc = record_firmware_crc("1.2.3"),
        .method = RECORD_METHOD,
    };
}

static inline void fixture_make(struct fixture *f, const struct shape *shape)
{
    memset(f, 0, sizeof *f);
    struct result *result = &f->result;
    unsigned all = shape->sockets * shape->clusters * shape->cores * shape->threads;
    result->cpu_count = shape->cpus ? shape->cpus : all;
    assert(result->cpu_count <= all && result->cpu_count <= MAX_CPUS);
    size_t cells = (size_t)result->cpu_count * result->cpu_count;
    f->cpus = calloc(result->cpu_count, sizeof *f->cpus);
    result->cost_ns = calloc(cells, sizeof *result->cost_ns);
    result->class_of = calloc(cells, 1);
    assert(f->cpus && result->cost_ns && result->class_of);
    result->cpus = f->cpus;
    result->flags = FLAG_CORE_CLOCK_UNKNOWN;
    result->pattern = TOUCH_SCATTER;
    result->access = TOUCH_UPDATE;
    result->clock.khz = 2000000;
    result->started = 1700000000;
    result->duration_ns = 12345678901;
    fixture_ids(f, shape);
    fixture_cells(f, shape);
    recommend(result, POLICY_LEVELS, 0, 0, &f->recommendation);
    fixture_identity(f);
}

static inline void fixture_free(struct fixture *f)
{
    free(f->cpus);
    free(f->result.cost_ns);
    free(f->result.class_of);
}

#endif
