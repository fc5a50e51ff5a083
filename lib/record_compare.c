/* SPDX-License-Identifier: BSD-2-Clause */
/* Two records: of the same machine, and saying the same. */
#include "record.h"
#include <stddef.h>

/* Figures that have no spread of their own: a quarter is more than noise. */
#define LOOSE_PERCENT 25u

/* Each of these returns what differs, or NULL. */

static const char *machine_difference(const struct record_identity *a,
                                      const struct record_identity *b)
{
    if (a->method != b->method)
        return "method";
    if (a->cpu_signature != b->cpu_signature)
        return "CPU signature";
    if (a->apic_ids_crc != b->apic_ids_crc)
        return "APIC ids";
    if (a->caches_crc != b->caches_crc)
        return "caches";
    if (a->numa_crc != b->numa_crc)
        return "NUMA ranges and distances";
    return a->firmware_crc != b->firmware_crc ? "firmware version" : NULL;
}

static uint64_t magnitude(int64_t value)
{
    return (uint64_t)(value < 0 ? -value : value);
}

static bool within(int64_t stored, int64_t fresh, uint64_t tolerance)
{
    return magnitude(fresh - stored) <= tolerance;
}

/* The class's spread as a part of its cost, applied to a figure that follows from it. */
static uint64_t same_part(const struct record_class *class, uint64_t figure)
{
    if (class->flags & CLASS_ZERO || !class->cost_ns)
        return 0;
    /* 32-bit factors: no overflow. One more for what rounding took on the way. */
    return figure * class->spread_ns / magnitude(class->cost_ns) + 1;
}

static uint64_t loose(int32_t figure, uint32_t spread)
{
    uint64_t quarter = magnitude(figure) * LOOSE_PERCENT / 100;
    return quarter > spread ? quarter : spread;
}

static bool range_unchanged(const struct record_class *a, const struct record_class *b)
{
    return (a->linear_ns == 0) == (b->linear_ns == 0) && (a->chase_ns == 0) == (b->chase_ns == 0) &&
           within(a->linear_ns, b->linear_ns, loose(a->linear_ns, a->spread_ns)) &&
           within(a->chase_ns, b->chase_ns, loose(a->chase_ns, a->spread_ns));
}

/* One step of the ladder either way, and the time that follows from it. */
static bool eviction_unchanged(const struct record_class *a, const struct record_class *b)
{
    return a->evict_bytes / 2 <= b->evict_bytes && b->evict_bytes / 2 <= a->evict_bytes;
}

static const char *class_difference(const struct record_class *a, const struct record_class *b)
{
    if (a->level != b->level || a->distance != b->distance || a->kind_low != b->kind_low ||
        a->kind_high != b->kind_high || a->pairs != b->pairs)
        return "classes";
    if (a->flags != b->flags)
        return "class flags";
    if (!(a->flags & CLASS_ZERO)) { /* else both say the same, however wide the noise was */
        if (!within(a->cost_ns, b->cost_ns, a->spread_ns))
            return "cost";
        if (!range_unchanged(a, b))
            return "range";
    }
    return within(a->decay_ns, b->decay_ns, same_part(a, a->decay_ns)) ? NULL : "decay of a level";
}

/* The one number follows from some class's cost: it may move as the least certain of them. */
static uint64_t decay_tolerance(const struct record *record)
{
    uint64_t most = 0;
    if (record->basis == BASIS_BY_HAND || record->basis == BASIS_KERNEL_DEFAULT)
        return 0;
    for (unsigned i = 0; i < record->class_count; i++) {
        uint64_t part = same_part(&record->classes[i], record->decay_ns);
        most = part > most ? part : most;
    }
    return most;
}

static const char *difference(const struct record *stored, const struct record *fresh)
{
    const char *machine = machine_difference(&stored->identity, &fresh->identity);
    if (machine)
        return machine;
    if (stored->flags != fresh->flags)
        return "flags";
    if (stored->policy != fresh->policy || stored->factor_percent != fresh->factor_percent ||
        stored->basis != fresh->basis)
        return "policy";
    if (stored->pattern != fresh->pattern || stored->access != fresh->access)
        return "pattern or access";
    if (stored->cpu_count != fresh->cpu_count)
        return "CPUs";
    if (stored->class_count != fresh->class_count)
        return "classes";
    for (unsigned i = 0; i < stored->class_count; i++) {
        const struct record_class *a = &stored->classes[i], *b = &fresh->classes[i];
        const char *what = class_difference(a, b);
        if (what)
            return what;
        if (stored->evictions_known != fresh->evictions_known ||
            (stored->evictions_known && !eviction_unchanged(a, b)))
            return "what evicts a footprint";
        /* Chosen by search, a working set moves with the noise; given by hand, it is a question. */
        if (stored->flags & FLAG_CAPACITY_BY_HAND && a->working_set != b->working_set)
            return "working set";
    }
    return within(stored->decay_ns, fresh->decay_ns, decay_tolerance(stored)) ? NULL : "decay";
}

static bool tell(const char *difference, const char **ret)
{
    if (difference && ret)
        *ret = difference;
    return !difference;
}

bool record_same_machine(const struct record_identity *a, const struct record_identity *b,
                         const char **ret_field)
{
    return tell(machine_difference(a, b), ret_field);
}

bool record_unchanged(const struct record *stored, const struct record *fresh,
                      const char **ret_reason)
{
    return tell(difference(stored, fresh), ret_reason);
}
