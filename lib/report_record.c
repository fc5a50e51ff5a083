/* SPDX-License-Identifier: BSD-2-Clause */
/* A stored record for people: `--show` in firmware, `migcost show` on Linux. */
#include "report_parts.h"

struct stored {
    const struct record *record;
    const uint8_t *buffer;
    uint8_t costs[MAX_CPUS / 8]; /* bit i: some cell of CPU i is known */
};

static uint64_t distance(int64_t a, int64_t b)
{
    return (uint64_t)(a < b ? b - a : a - b);
}

/* A cell does not say which class it is of: the one with the nearest cost lends its spread. */
static const struct record_class *nearest_class(const struct record *record, int32_t ns)
{
    const struct record_class *nearest = NULL;
    for (unsigned i = 0; i < record->class_count; i++)
        if (!nearest || distance(ns, record->classes[i].cost_ns) < distance(ns, nearest->cost_ns))
            nearest = &record->classes[i];
    return nearest;
}

/* Where nothing was told from zero no cell was, however far the noise threw it. */
static bool all_zero(const struct record *record)
{
    for (unsigned i = 0; i < record->class_count; i++)
        if (!(record->classes[i].flags & CLASS_ZERO))
            return false;
    return true;
}

static bool stored_cell(const void *ctx, unsigned source, unsigned target, int64_t *ret_ns,
                        uint32_t *ret_spread, bool *ret_zero)
{
    const struct stored *stored = ctx;
    int32_t ns;
    bool exact;
    if (!stored->buffer ||
        !record_cell(stored->record, stored->buffer, source, target, &ns, &exact))
        return false;
    const struct record_class *class = nearest_class(stored->record, ns);
    *ret_ns = ns;
    *ret_spread = class ? class->spread_ns : UINT32_MAX;
    *ret_zero = class && class->flags & CLASS_ZERO &&
                (distance(ns, class->cost_ns) <= class->spread_ns || all_zero(stored->record));
    return true;
}

static bool stored_name(const void *ctx, unsigned i, uint32_t *ret_apic_id)
{
    const struct stored *stored = ctx;
    *ret_apic_id = stored->record->apic_ids[i];
    return stored->costs[i / 8] >> (i % 8) & 1;
}

static bool any_name(const void *ctx, unsigned i, uint32_t *ret_apic_id)
{
    *ret_apic_id = ((const struct stored *)ctx)->record->apic_ids[i];
    return true;
}

/* CPUs that took no part are in the list of ids, but have no cell: they get no row. */
static unsigned find_costs(struct stored *stored)
{
    unsigned count = 0, n = stored->record->cpu_count;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            int64_t ns;
            uint32_t spread;
            bool zero;
            if (i == j || (!stored_cell(stored, i, j, &ns, &spread, &zero) &&
                           !stored_cell(stored, j, i, &ns, &spread, &zero)))
                continue;
            stored->costs[i / 8] = (uint8_t)(stored->costs[i / 8] | 1u << (i % 8));
            count++;
            break;
        }
    return count;
}

static void identity_lines(const struct report_page *page, const struct record *record)
{
    const struct record_identity *identity = &record->identity;
    report_field(page, "machine", "CPU signature 0x%x, microcode 0x%x", identity->cpu_signature,
                 identity->microcode);
    report_field(page, "checksums",
                 "APIC\036ids\036%08x, caches\036%08x, NUMA\036%08x, "
                 "firmware\036%08x; method\036%u",
                 identity->apic_ids_crc, identity->caches_crc, identity->numa_crc,
                 identity->firmware_crc, identity->method);
}

static void cpu_line(const struct report_page *page, const struct stored *stored)
{
    const struct record *record = stored->record;
    const struct report_cells names = {.count = record->cpu_count, .ctx = stored, .name = any_name};
    struct report_wrap wrap;
    report_wrap_begin(&wrap, page, "CPUs");
    text_print(&wrap.sink, "%u; APIC ids", record->cpu_count);
    if (record->apic_ids_known)
        report_apic_ids(&wrap.sink, &names);
    else
        text_print(&wrap.sink, " did not fit the record");
    report_wrap_end(&wrap);
}

static void run_lines(const struct report_page *page, const struct record *record)
{
    char date[24], taken[24];
    report_date(date, sizeof date, record->started);
    report_field(page, "clock", "%u.%03u\036MHz", record->tsc_khz / 1000, record->tsc_khz % 1000);
    report_field(page, "measured", "%s/%s%s%s, in %s", report_pattern(record->pattern),
                 report_access(record->access), record->started ? ", " : "",
                 record->started ? report_solid(date) : "",
                 report_duration(taken, sizeof taken, (int64_t)record->duration_ms * 1000000));
}

static void cells(const struct report_page *page, struct stored *stored)
{
    const struct record *record = stored->record;
    const struct report_cells square = {
        .count = record->cpu_count, .ctx = stored, .name = stored_name, .cell = stored_cell};
    text_print(page->sink, "\n");
    if (record->cells == CELLS_NONE || find_costs(stored) < 2) {
        report_field(page, "matrix", "%s",
                     record->class_count ? "not in the record, its classes only" : "no pair");
        return;
    }
    report_square(page, &square);
    if (record->cells == CELLS_EXACT)
        return;
    if (record->bound_permille == RECORD_NO_BOUND)
        report_field(page, "cells", "the figures of classes; how far a pair is off is not known");
    else
        report_field(page, "cells",
                     "the figures of classes; no pair is off by more than its spread or %u.%u "
                     "percent",
                     record->bound_permille / 10, record->bound_permille % 10);
}

/* The level decays as the record's classes carry them. */
static void restore_recommendation(const struct record *record, struct recommendation *ret)
{
    *ret = (struct recommendation){.policy = record->policy,
                                   .basis = record->basis,
                                   .factor_percent = record->factor_percent,
                                   .decay_ns = record->decay_ns};
    for (unsigned i = 0; i < record->class_count; i++) {
        const struct record_class *class = &record->classes[i];
        struct level_decay *last = ret->level_count ? &ret->level[ret->level_count - 1] : NULL;
        bool zero = class->flags & CLASS_ZERO || class->cost_ns <= 0;
        if (last && last->level == class->level && last->distance == class->distance) {
            last->zero = last->zero && zero;
            continue;
        }
        ret->level[ret->level_count++] = (struct level_decay){.level = class->level,
                                                              .distance = class->distance,
                                                              .zero = zero,
                                                              .decay_ns = class->decay_ns};
    }
}

/* A figure that kept no spread: two digits of it are shown. */
static struct figure bare_figure(int32_t ns)
{
    uint32_t size = ns < 0 ? 0u - (uint32_t)ns : (uint32_t)ns;
    return (struct figure){.ns = ns, .spread_ns = size / 2, .samples = ns ? 1 : 0};
}

static void levels(const struct report_page *page, const struct record *record,
                   const struct recommendation *recommendation)
{
    struct report_class classes[RECORD_MAX_CLASSES];
    struct level_decay decays[RECORD_MAX_CLASSES];
    if (!record->class_count)
        return;
    for (unsigned i = 0; i < record->class_count; i++) {
        const struct record_class *class = &record->classes[i];
        decays[i] = (struct level_decay){.decay_ns = class->decay_ns};
        classes[i] = (struct report_class){
            .key = {.level = class->level,
                    .distance = class->distance,
                    .kind_low = class->kind_low,
                    .kind_high = class->kind_high},
            .flags = class->flags,
            .measured = true,
            .pairs = class->pairs,
            .working_set = class->working_set,
            .cost_ns = class->cost_ns,
            .spread_ns = class->spread_ns,
            .linear = bare_figure(class->linear_ns),
            .chase = bare_figure(class->chase_ns),
            .first_visit_percent = class->first_visit_percent,
            .evict_bytes = class->evict_bytes,
            .evict_ns = class->evict_ns,
            .decay = &decays[i],
        };
    }
    report_name_classes(classes, record->class_count);
    text_print(page->sink, "\n");
    report_classes(page, classes, record->class_count,
                   recommendation->basis == BASIS_KERNEL_DEFAULT);
}

void report_record(const struct text_sink *sink, const struct record *record, const uint8_t *buffer,
                   unsigned columns)
{
    struct report_page page = report_page(sink, columns);
    struct stored stored = {.record = record, .buffer = buffer};
    struct recommendation recommendation;
    restore_recommendation(record, &recommendation);
    identity_lines(&page, record);
    cpu_line(&page, &stored);
    run_lines(&page, record);
    cells(&page, &stored);
    levels(&page, record, &recommendation);
    text_print(sink, "\n");
    report_advice(&page, &recommendation, record->pattern, record->access, 0);
    text_print(sink, "\n");
    report_flag_lines(&page, record->flags);
}
