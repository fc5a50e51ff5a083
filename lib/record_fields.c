/* SPDX-License-Identifier: BSD-2-Clause */
/* Which member of a record lies where in its bytes: one table for both directions. Both are
 * little-endian (little_endian.h), so that a copy is all it takes. */
#include "mem.h"
#include "record_format.h"

struct field {
    uint16_t member; /* offset in the struct */
    uint8_t at;      /* offset in the encoded form */
    uint8_t bytes;   /* in both */
};
#define FIELD(type, member, at)                                               \
    {                                                                         \
        offsetof(struct type, member), at, sizeof(((struct type *)0)->member) \
    }
#define HEAD(member, at)  FIELD(record, member, at)
#define CLASS(member, at) FIELD(record_class, member, at)

static const struct field head_fields[] = {
    HEAD(cpu_count, HEAD_CPU_COUNT),
    HEAD(flags, HEAD_FLAGS),
    HEAD(decay_ns, HEAD_DECAY),
    HEAD(policy, HEAD_POLICY),
    HEAD(basis, HEAD_BASIS),
    HEAD(pattern, HEAD_PATTERN),
    HEAD(access, HEAD_ACCESS),
    HEAD(factor_percent, HEAD_FACTOR),
    HEAD(started, HEAD_STARTED),
    HEAD(duration_ms, HEAD_DURATION),
    HEAD(tsc_khz, HEAD_TSC_KHZ),
    HEAD(identity.cpu_signature, HEAD_SIGNATURE),
    HEAD(identity.microcode, HEAD_MICROCODE),
    HEAD(identity.apic_ids_crc, HEAD_APIC_IDS_CRC),
    HEAD(identity.caches_crc, HEAD_CACHES_CRC),
    HEAD(identity.numa_crc, HEAD_NUMA_CRC),
    HEAD(identity.firmware_crc, HEAD_FIRMWARE_CRC),
    HEAD(identity.method, HEAD_METHOD),
    HEAD(class_count, HEAD_CLASS_COUNT),
    HEAD(cells, HEAD_CELLS),
    HEAD(bound_permille, HEAD_BOUND),
};

static const struct field class_fields[] = {
    CLASS(level, CLASS_LEVEL),       CLASS(distance, CLASS_DISTANCE),
    CLASS(kind_low, CLASS_KIND_LOW), CLASS(kind_high, CLASS_KIND_HIGH),
    CLASS(flags, CLASS_FLAGS),       CLASS(first_visit_percent, CLASS_FIRST_VISIT_AT),
    CLASS(pairs, CLASS_PAIRS),       CLASS(working_set, CLASS_WORKING_SET),
    CLASS(cost_ns, CLASS_COST),      CLASS(spread_ns, CLASS_SPREAD),
    CLASS(linear_ns, CLASS_LINEAR),  CLASS(chase_ns, CLASS_CHASE),
    CLASS(decay_ns, CLASS_DECAY),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void put(const struct field *fields, size_t count, const void *from, uint8_t *to)
{
    for (; count-- > 0; fields++)
        memcpy(to + fields->at, (const uint8_t *)from + fields->member, fields->bytes);
}

static void get(const struct field *fields, size_t count, const uint8_t *from, void *to)
{
    for (; count-- > 0; fields++)
        memcpy((uint8_t *)to + fields->member, from + fields->at, fields->bytes);
}

void record_put_head(const struct record *record, uint8_t *to)
{
    put(head_fields, COUNT(head_fields), record, to);
}

void record_get_head(const uint8_t *from, struct record *ret)
{
    get(head_fields, COUNT(head_fields), from, ret);
}

void record_put_class(const struct record_class *class, uint8_t *to)
{
    put(class_fields, COUNT(class_fields), class, to);
}

void record_get_class(const uint8_t *from, struct record_class *ret)
{
    get(class_fields, COUNT(class_fields), from, ret);
}
