/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a machine file: where each value goes, and within which limits. */
#include "machine_sets.h"
#include <string.h>

enum kind_of_value { NUMBER, SIGNED, FLAG, WORD, NAME, SPECIAL };

struct key {
    enum section section;
    const char *name;
    enum kind_of_value kind;
    bool required;
    size_t offset;
    unsigned size; /* of the field: 2, 4 or 8 bytes */
    enum value_unit unit;
    int64_t min;
    uint64_t max;
    const char *const *words; /* WORD: its values from 0, NULL behind the last */
    bool (*set)(struct reader *reader, const char *value); /* SPECIAL */
};

static const char *const policy_words[] = {"lru", "tree-plru", "rrip", "random", NULL};
static const char *const relation_words[] = {"inclusive", "non-inclusive", "exclusive", "victim",
                                             NULL};

#define FIELD(type, member) offsetof(type, member), sizeof(((type *)0)->member)

#define K_NUMBER(section, name, required, type, member, unit, min, max)                  \
    {                                                                                    \
        section, name, NUMBER, required, FIELD(type, member), unit, min, max, NULL, NULL \
    }
#define K_SIGNED(section, name, type, member, unit, min, max)                         \
    {                                                                                 \
        section, name, SIGNED, false, FIELD(type, member), unit, min, max, NULL, NULL \
    }
#define K_FLAG(section, name, type, member)                                          \
    {                                                                                \
        section, name, FLAG, false, FIELD(type, member), UNIT_NONE, 0, 0, NULL, NULL \
    }
#define K_WORD(section, name, required, type, member, words)                             \
    {                                                                                    \
        section, name, WORD, required, FIELD(type, member), UNIT_NONE, 0, 0, words, NULL \
    }
#define K_NAME(section, name, required, type, member)                                   \
    {                                                                                   \
        section, name, NAME, required, FIELD(type, member), UNIT_NONE, 0, 0, NULL, NULL \
    }
#define K_SPECIAL(section, name, required, set)                            \
    {                                                                      \
        section, name, SPECIAL, required, 0, 0, UNIT_NONE, 0, 0, NULL, set \
    }

#define LATENCY_MAX (SECOND_PS / 1000) /* 1 ms for a line is no memory any more */
#define BYTES_MAX   (1ull << 32)
#define RATE_MAX    10000000u /* 10 TB/s */

static const struct key keys[] = {
    K_NAME(SECTION_TOP, "machine", true, struct desc, name),
    K_NUMBER(SECTION_TOP, "line", true, struct desc, line_bytes, UNIT_NONE, 16, 256),
    K_NUMBER(SECTION_TOP, "cpus", true, struct desc, cpu_count, UNIT_NONE, 1, MAX_CPUS),
    K_NUMBER(SECTION_TOP, "boot", false, struct desc, boot_cpu, UNIT_NONE, 0, MAX_CPUS - 1),
    K_NUMBER(SECTION_TOP, "seed", false, struct desc, seed, UNIT_NONE, 0, UINT64_MAX),
    K_SPECIAL(SECTION_TOP, "apic", false, machine_set_apic),
    K_NUMBER(SECTION_TOP, "smt-slowdown", false, struct desc, smt_permille, UNIT_RATIO, 1000,
             10000),

    K_NUMBER(SECTION_OVERLAP, "linear", false, struct desc_kind, overlap[OVERLAP_LINEAR],
             UNIT_RATIO, 1000, 200000),
    K_NUMBER(SECTION_OVERLAP, "scatter", false, struct desc_kind, overlap[OVERLAP_SCATTER],
             UNIT_RATIO, 1000, 200000),
    K_NUMBER(SECTION_OVERLAP, "streams", false, struct desc_kind, overlap[OVERLAP_STREAMS],
             UNIT_RATIO, 1000, 200000),
    K_NUMBER(SECTION_OVERLAP, "rmw", false, struct desc_kind, overlap[OVERLAP_RMW], UNIT_RATIO,
             1000, 200000),

    K_SPECIAL(SECTION_KIND, "cpus", true, machine_set_kind_cpus),
    K_NUMBER(SECTION_KIND, "code", true, struct desc_kind, code, UNIT_NONE, 1, 255),
    K_NUMBER(SECTION_KIND, "speed", false, struct desc_kind, speed_permille, UNIT_PERCENT, 10,
             10000),
    K_NUMBER(SECTION_KIND, "overlap.linear", false, struct desc_kind, overlap[OVERLAP_LINEAR],
             UNIT_RATIO, 1000, 200000),
    K_NUMBER(SECTION_KIND, "overlap.scatter", false, struct desc_kind, overlap[OVERLAP_SCATTER],
             UNIT_RATIO, 1000, 200000),
    K_NUMBER(SECTION_KIND, "overlap.streams", false, struct desc_kind, overlap[OVERLAP_STREAMS],
             UNIT_RATIO, 1000, 200000),
    K_NUMBER(SECTION_KIND, "overlap.rmw", false, struct desc_kind, overlap[OVERLAP_RMW], UNIT_RATIO,
             1000, 200000),

    K_SPECIAL(SECTION_CPU, "speed", false, machine_set_cpu_speed),
    K_SPECIAL(SECTION_CPU, "way-mask", false, machine_set_cpu_way_mask),

    K_SPECIAL(SECTION_TOPOLOGY, "core", false, machine_set_core),
    K_SPECIAL(SECTION_TOPOLOGY, "module", false, machine_set_module),
    K_SPECIAL(SECTION_TOPOLOGY, "die", false, machine_set_die),
    K_SPECIAL(SECTION_TOPOLOGY, "package", false, machine_set_package),

    K_NUMBER(SECTION_CACHE, "level", true, struct desc_cache, level, UNIT_NONE, 1,
             CACHE_LEVELS - 1),
    K_NUMBER(SECTION_CACHE, "size", true, struct desc_cache, bytes, UNIT_SIZE, 1024, BYTES_MAX),
    K_NUMBER(SECTION_CACHE, "ways", true, struct desc_cache, ways, UNIT_NONE, 1, DESC_WAYS),
    K_NUMBER(SECTION_CACHE, "hit", true, struct desc_cache, hit_ps, UNIT_TIME, 1, LATENCY_MAX),
    K_SPECIAL(SECTION_CACHE, "groups", true, machine_set_cache_groups),
    K_WORD(SECTION_CACHE, "replacement", false, struct desc_cache, policy, policy_words),
    K_WORD(SECTION_CACHE, "relation", false, struct desc_cache, relation, relation_words),
    K_FLAG(SECTION_CACHE, "hashed", struct desc_cache, hashed),
    K_NUMBER(SECTION_CACHE, "way-mask", false, struct desc_cache, way_mask, UNIT_NONE, 1,
             UINT32_MAX),
    K_NUMBER(SECTION_CACHE, "evict", false, struct desc_cache, evict_ps, UNIT_TIME, 0, LATENCY_MAX),
    K_NUMBER(SECTION_CACHE, "filter-size", false, struct desc_cache, filter_bytes, UNIT_SIZE, 1024,
             BYTES_MAX),
    K_NUMBER(SECTION_CACHE, "filter-ways", false, struct desc_cache, filter_ways, UNIT_NONE, 1,
             DESC_WAYS),

    K_NUMBER(SECTION_DISTANCE, "transfer", true, struct desc_distance, transfer_ps, UNIT_TIME, 1,
             LATENCY_MAX),
    K_SPECIAL(SECTION_DISTANCE, "groups", false, machine_set_distance_groups),
    K_SPECIAL(SECTION_DISTANCE, "between", false, machine_set_distance_between),

    K_NUMBER(SECTION_MEMORY, "size", true, struct desc, memory_bytes, UNIT_SIZE, 1u << 20,
             BYTES_MAX),
    K_NUMBER(SECTION_MEMORY, "latency", false, struct desc, memory_ps, UNIT_TIME, 1, LATENCY_MAX),
    K_NUMBER(SECTION_MEMORY, "write-back", false, struct desc, writeback_ps, UNIT_TIME, 0,
             LATENCY_MAX),
    K_NUMBER(SECTION_MEMORY, "bandwidth", false, struct desc, memory_rate, UNIT_RATE, 1, RATE_MAX),
    K_SPECIAL(SECTION_MEMORY, "pages", false, machine_set_pages),

    K_SPECIAL(SECTION_NODE, "cpus", true, machine_set_node_cpus),
    K_SPECIAL(SECTION_NODE, "distances", true, machine_set_node_slit),
    K_SPECIAL(SECTION_NODE, "latency", true, machine_set_node_latency),
    K_NUMBER(SECTION_NODE, "bandwidth", false, struct desc_node, bytes_per_us, UNIT_RATE, 1,
             RATE_MAX),

    K_NUMBER(SECTION_LINK, "bandwidth", true, struct desc_link, bytes_per_us, UNIT_RATE, 1,
             RATE_MAX),

    K_NUMBER(SECTION_PREFETCH, "stream", false, struct desc, stream_permille, UNIT_PERCENT, 1,
             1000),
    K_NUMBER(SECTION_PREFETCH, "stream-after", false, struct desc, stream_after, UNIT_NONE, 1,
             1000),
    K_NUMBER(SECTION_PREFETCH, "adjacent", false, struct desc, adjacent_permille, UNIT_PERCENT, 1,
             1000),
    K_NUMBER(SECTION_PREFETCH, "revisit.linear", false, struct desc,
             revisit_permille[OVERLAP_LINEAR], UNIT_PERCENT, 1, 1000),
    K_NUMBER(SECTION_PREFETCH, "revisit.scatter", false, struct desc,
             revisit_permille[OVERLAP_SCATTER], UNIT_PERCENT, 1, 1000),
    K_NUMBER(SECTION_PREFETCH, "revisit.chase", false, struct desc, revisit_permille[OVERLAP_CHASE],
             UNIT_PERCENT, 1, 1000),

    K_NUMBER(SECTION_OTHERS, "evict", false, struct desc, evict_per_us, UNIT_RATE, 1, RATE_MAX),

    K_SPECIAL(SECTION_CLAIMS, "core", false, machine_claim_core),
    K_SPECIAL(SECTION_CLAIMS, "l2", false, machine_claim_l2),
    K_SPECIAL(SECTION_CLAIMS, "module", false, machine_claim_module),
    K_SPECIAL(SECTION_CLAIMS, "llc", false, machine_claim_llc),
    K_SPECIAL(SECTION_CLAIMS, "die", false, machine_claim_die),
    K_SPECIAL(SECTION_CLAIMS, "package", false, machine_claim_package),
    K_SPECIAL(SECTION_CLAIMS, "node", false, machine_claim_node),
    K_NUMBER(SECTION_CLAIMS, "size.1", false, struct desc_claims, cache_bytes[1], UNIT_SIZE, 1024,
             BYTES_MAX),
    K_NUMBER(SECTION_CLAIMS, "size.2", false, struct desc_claims, cache_bytes[2], UNIT_SIZE, 1024,
             BYTES_MAX),
    K_NUMBER(SECTION_CLAIMS, "size.3", false, struct desc_claims, cache_bytes[3], UNIT_SIZE, 1024,
             BYTES_MAX),
    K_FLAG(SECTION_CLAIMS, "no-sizes", struct desc_claims, no_cache_sizes),
    K_FLAG(SECTION_CLAIMS, "hypervisor", struct desc_claims, hypervisor),

    K_NUMBER(SECTION_CLOCK, "rate", true, struct desc_clock, khz, UNIT_CLOCK, 1000, 10000000),
    K_NUMBER(SECTION_CLOCK, "step", false, struct desc_clock, step_ps, UNIT_TIME, 1, LATENCY_MAX),
    K_NUMBER(SECTION_CLOCK, "read", false, struct desc_clock, read_ps, UNIT_TIME, 0, LATENCY_MAX),

    K_NUMBER(SECTION_NOISE, "jitter", false, struct desc_noise, jitter_ppm, UNIT_PPM, 0, 100000),
    K_NUMBER(SECTION_NOISE, "slow-one-in", false, struct desc_noise, slow_one_in, UNIT_NONE, 0,
             1000000),
    K_NUMBER(SECTION_NOISE, "slow-by", false, struct desc_noise, slow_permille, UNIT_PERCENT, 0,
             100000),
    K_NUMBER(SECTION_NOISE, "smi-length", false, struct desc_noise, smi_ps, UNIT_TIME, 0,
             SECOND_PS),
    K_NUMBER(SECTION_NOISE, "smi-every", false, struct desc_noise, smi_period_ps, UNIT_TIME, 0,
             1000ull * SECOND_PS),
    K_FLAG(SECTION_NOISE, "smi-silent", struct desc_noise, smi_silent),
    K_NUMBER(SECTION_NOISE, "ramp", false, struct desc_noise, ramp_ps, UNIT_TIME, 0,
             10ull * SECOND_PS),
    K_FLAG(SECTION_NOISE, "ramp-each", struct desc_noise, ramp_each),
    K_NUMBER(SECTION_NOISE, "ramp-from", false, struct desc_noise, ramp_permille, UNIT_PERCENT, 10,
             1000),
    K_NUMBER(SECTION_NOISE, "offset-bits", false, struct desc_noise, offset_bits, UNIT_NONE, 0, 60),
    K_NUMBER(SECTION_NOISE, "drift-cpu", false, struct desc_noise, drift_cpu, UNIT_NONE, 0,
             MAX_CPUS - 1),
    K_SIGNED(SECTION_NOISE, "drift", struct desc_noise, drift_ppm, UNIT_PPM, -500000, 500000),
    K_NUMBER(SECTION_NOISE, "jump-cpu", false, struct desc_noise, jump_cpu, UNIT_NONE, 0,
             MAX_CPUS - 1),
    K_SIGNED(SECTION_NOISE, "jump-ticks", struct desc_noise, jump_ticks, UNIT_NONE, -(1ll << 60),
             1ull << 60),
    K_NUMBER(SECTION_NOISE, "jump-at", false, struct desc_noise, jump_at_ps, UNIT_TIME, 0,
             1000ull * SECOND_PS),
    K_NUMBER(SECTION_NOISE, "late-cpu", false, struct desc_noise, late_cpu, UNIT_NONE, 0,
             MAX_CPUS - 1),
    K_NUMBER(SECTION_NOISE, "late-by", false, struct desc_noise, late_ps, UNIT_TIME, 0,
             1000ull * SECOND_PS),
    K_NUMBER(SECTION_NOISE, "dead-cpu", false, struct desc_noise, dead_cpu, UNIT_NONE, 0,
             MAX_CPUS - 1),
    K_NUMBER(SECTION_NOISE, "dead-after", false, struct desc_noise, dead_after_ps, UNIT_TIME, 0,
             1000ull * SECOND_PS),
    K_NUMBER(SECTION_NOISE, "busy-cpu", false, struct desc_noise, busy_cpu, UNIT_NONE, 0,
             MAX_CPUS - 1),
    K_NUMBER(SECTION_NOISE, "busy-for", false, struct desc_noise, busy_ps, UNIT_TIME, 0,
             1000ull * SECOND_PS),
    K_NUMBER(SECTION_NOISE, "busy-every", false, struct desc_noise, busy_period_ps, UNIT_TIME,
             10000000, 1000ull * SECOND_PS),
};

#define KEYS (sizeof keys / sizeof keys[0])

static void store(const struct key *key, void *target, uint64_t value)
{
    unsigned char *to = (unsigned char *)target + key->offset;
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    if (key->size == sizeof two)
        memcpy(to, &two, sizeof two);
    else if (key->size == sizeof four)
        memcpy(to, &four, sizeof four);
    else
        memcpy(to, &value, sizeof value);
}

static bool set_plain(struct reader *reader, const struct key *key, const char *value)
{
    unsigned char *to = (unsigned char *)reader->target + key->offset;
    uint64_t number;
    int64_t either;
    unsigned word = 0, words = 0;
    switch (key->kind) {
    case NUMBER:
        if (!value_number(value, key->unit, (uint64_t)key->min, key->max, &number, &reader->error))
            return false;
        store(key, reader->target, number);
        return true;
    case SIGNED:
        if (!value_signed(value, key->unit, key->min, (int64_t)key->max, &either, &reader->error))
            return false;
        store(key, reader->target, (uint64_t)either);
        return true;
    case FLAG: {
        bool flag;
        if (!value_flag(value, &flag, &reader->error))
            return false;
        *(bool *)to = flag;
        return true;
    }
    case WORD:
        while (key->words[words])
            words++;
        if (!value_word(value, key->words, words, &word, &reader->error))
            return false;
        store(key, reader->target, word);
        return true;
    case NAME:
        if (strlen(value) >= key->size)
            return value_fail(&reader->error, "longer than %u characters", key->size - 1);
        memset(to, 0, key->size);
        memcpy(to, value, strlen(value));
        return true;
    default:
        return key->set(reader, value);
    }
}

bool machine_file_set(struct reader *reader, const char *name, const char *value)
{
    unsigned bit = 0;
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].section != reader->section)
            continue;
        if (strcmp(keys[i].name, name) == 0) {
            if (reader->seen >> bit & 1)
                return value_fail(&reader->error, "'%s' a second time", name);
            reader->seen |= 1ull << bit;
            if (!*value)
                return value_fail(&reader->error, "'%s' has no value", name);
            return set_plain(reader, &keys[i], value);
        }
        bit++;
    }
    return value_fail(&reader->error, "no such key here: '%.40s'", name);
}

bool machine_file_complete(struct reader *reader)
{
    unsigned bit = 0;
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].section != reader->section)
            continue;
        if (keys[i].required && !(reader->seen >> bit & 1))
            return value_fail(&reader->error, "'%s' is missing%s", keys[i].name,
                              reader->section == SECTION_TOP ? "" : " in the section above");
        bit++;
    }
    return true;
}
