/* SPDX-License-Identifier: BSD-2-Clause */
/* From a result to the figures that a record keeps. */
#include "mem.h"
#include "record_format.h"

unsigned record_class_map(const struct result *result, uint8_t ret_map[MAX_CLASSES])
{
    unsigned count = result->class_count > MAX_CLASSES ? MAX_CLASSES : result->class_count;
    memset(ret_map, CLASS_NONE, MAX_CLASSES);

    unsigned measured = 0;
    for (unsigned i = 0; i < count; i++)
        measured += result->classes[i].cost.samples != 0;
    unsigned left_out = measured > RECORD_MAX_CLASSES ? measured - RECORD_MAX_CLASSES : 0;

    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!result->classes[i].cost.samples)
            continue;
        if (left_out)
            left_out--;
        else
            ret_map[i] = (uint8_t)kept++;
    }
    return kept;
}

static uint32_t level_decay(const struct recommendation *recommendation, struct class_key key)
{
    for (unsigned i = 0; i < recommendation->level_count && i < MAX_CLASSES; i++) {
        const struct level_decay *level = &recommendation->level[i];
        if (level->level == key.level && level->distance == key.distance)
            return level->decay_ns;
    }
    return 0;
}

/* A cost that fell out of its range below must not look like one that is not known. */
static int32_t known(int32_t ns)
{
    return ns == COST_UNKNOWN ? COST_UNKNOWN + 1 : ns;
}

static int32_t figure_or_none(const struct figure *figure)
{
    return figure->samples ? known(figure->ns) : 0;
}

static uint32_t saturate(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void fill_class(struct record_class *ret, const struct class_result *from,
                       const struct recommendation *recommendation)
{
    *ret = (struct record_class){
        .level = from->key.level,
        .distance = from->key.distance,
        .kind_low = from->key.kind_low,
        .kind_high = from->key.kind_high,
        .flags = from->flags,
        .first_visit_percent = from->first_visit_percent,
        .pairs = from->pairs,
        .working_set = saturate(from->working_set),
        .cost_ns = known(from->cost.ns),
        .spread_ns = from->cost.spread_ns,
        .linear_ns = figure_or_none(&from->linear),
        .chase_ns = figure_or_none(&from->chase),
        .decay_ns = level_decay(recommendation, from->key),
    };
    if (from->evict_bytes == 0 || from->evict_ns == 0)
        return;
    ret->evict_bytes = saturate(from->evict_bytes);
    ret->evict_ns = from->evict_ns;
}

static void fill_ids(const struct result *result, struct record *ret)
{
    uint16_t order[MAX_CPUS];
    ret->apic_ids_known = record_order(result->cpus, ret->cpu_count, order);
    for (unsigned i = 0; i < ret->cpu_count; i++)
        ret->apic_ids[i] = result->cpus[order[i]].apic_id;
}

void record_from_result(const struct result *result, const struct recommendation *recommendation,
                        const struct record_identity *identity, struct record *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->flags = result->flags;
    ret->decay_ns = recommendation->decay_ns;
    ret->policy = recommendation->policy;
    ret->basis = recommendation->basis;
    ret->factor_percent = recommendation->factor_percent;
    ret->pattern = result->pattern;
    ret->access = result->access;
    /* A firmware clock that was never set, or that runs wild, is no time at all. */
    ret->started = result->started <= RECORD_STARTED_MAX ? result->started : 0;
    uint64_t ms = result->duration_ns / 1000000;
    ret->duration_ms = saturate(ms);
    ret->tsc_khz = saturate(result->clock.khz);
    ret->identity = *identity;

    ret->cpu_count = (uint16_t)(result->cpu_count > MAX_CPUS ? MAX_CPUS : result->cpu_count);
    fill_ids(result, ret);

    uint8_t map[MAX_CLASSES];
    ret->class_count = (uint8_t)record_class_map(result, map);
    for (unsigned i = 0; i < MAX_CLASSES; i++)
        if (map[i] != CLASS_NONE)
            fill_class(&ret->classes[map[i]], &result->classes[i], recommendation);
}

void record_recommendation(const struct record *record, struct recommendation *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->policy = record->policy;
    ret->basis = record->basis;
    ret->factor_percent = record->factor_percent;
    ret->decay_ns = record->decay_ns;
    ret->level_count = record->class_count;
    for (unsigned i = 0; i < record->class_count; i++) {
        const struct record_class *class = &record->classes[i];
        bool zero = (class->flags & CLASS_ZERO) != 0 || class->cost_ns < 0;
        ret->level[i] = (struct level_decay){
            .level = class->level,
            .distance = class->distance,
            .zero = zero,
            .cost_ns = zero ? 0 : (uint32_t) class->cost_ns,
            .decay_ns = class->decay_ns,
        };
    }
}
