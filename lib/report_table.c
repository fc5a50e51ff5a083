/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole report for people: machine, matrix, levels, recommendation, flags, time taken. */
#include "report_parts.h"

struct view {
    const struct result *result;
    bool raw;
};

static bool view_name(const void *ctx, unsigned i, uint32_t *ret_apic_id)
{
    const struct result *result = ((const struct view *)ctx)->result;
    *ret_apic_id = result->cpus[i].apic_id;
    return report_takes_part(&result->cpus[i]);
}

static const struct class_result *class_at(const struct result *result, unsigned cell)
{
    if (!result->class_of || result->class_of[cell] >= result->class_count)
        return NULL;
    return &result->classes[result->class_of[cell]];
}

static bool view_cell(const void *ctx, unsigned source, unsigned target, int64_t *ret_ns,
                      uint32_t *ret_spread, bool *ret_zero)
{
    const struct view *view = ctx;
    const struct result *result = view->result;
    unsigned cell = result_cell(result, source, target);
    const struct class_result *class = class_at(result, cell);
    *ret_spread = class ? class->cost.spread_ns : 0;
    *ret_zero = false;
    if (view->raw) {
        if (!result->raw_ns || !result->raw_ns[cell])
            return false;
        if (source == target && result->stay)
            *ret_spread = result->stay[source].stay[0].spread_ns;
        *ret_ns = result->raw_ns[cell];
        return true;
    }
    if (!result->cost_ns || result->cost_ns[cell] == COST_UNKNOWN)
        return false;
    *ret_zero = class && class->flags & CLASS_ZERO;
    *ret_ns = result->cost_ns[cell];
    return true;
}

/* How many cells were measured themselves, said only where not all were. */
static void cell_sources(const struct report_page *page, const struct result *result)
{
    unsigned count[CELL_CLASS + 1] = {0};
    if (!result->source)
        return;
    for (unsigned s = 0; s < result->cpu_count; s++)
        for (unsigned d = 0; d < result->cpu_count; d++) {
            unsigned source = result->source[result_cell(result, s, d)];
            if (s != d && source <= CELL_CLASS)
                count[source]++;
        }
    if (!count[CELL_SCREENED] && !count[CELL_CLASS])
        return;
    struct report_wrap wrap;
    report_wrap_begin(&wrap, page, "cells");
    text_print(&wrap.sink, "%u measured in full", count[CELL_MEASURED]);
    if (count[CELL_SCREENED])
        text_print(&wrap.sink, ", %u at a small working set and scaled", count[CELL_SCREENED]);
    if (count[CELL_CLASS])
        text_print(&wrap.sink, ", %u as their class", count[CELL_CLASS]);
    report_wrap_end(&wrap);
}

static void matrices(const struct report_page *page, const struct result *result)
{
    struct view cost = {.result = result}, raw = {.result = result, .raw = true};
    struct report_cells cells = {
        .count = result->cpu_count, .ctx = &cost, .name = view_name, .cell = view_cell};
    unsigned used = 0;
    for (unsigned i = 0; i < result->cpu_count; i++)
        used += report_takes_part(&result->cpus[i]);
    text_print(page->sink, "\n");
    if (used < 2) {
        report_field(page, "matrix", "one CPU makes no pair: nothing can be moved");
    } else {
        report_square(page, &cells);
        cell_sources(page, result);
    }

    cells.ctx = &raw;
    cells.diagonal = true;
    if (!result->raw_ns || !report_cells_fit(page, &cells))
        return;
    char bytes[24];
    text_bytes(bytes, sizeof bytes, result->raw_working_set);
    text_print(page->sink, "\n");
    report_title(page, "whole touch of %s in us (diagonal: the pure dirtying cost)", bytes);
    report_cells(page, &cells);
}

static const struct level_decay *decay_of(const struct recommendation *recommendation,
                                          struct class_key key)
{
    for (unsigned i = 0; i < recommendation->level_count; i++)
        if (recommendation->level[i].level == key.level &&
            recommendation->level[i].distance == key.distance)
            return &recommendation->level[i];
    return NULL;
}

static unsigned collect(const struct result *result, const struct recommendation *recommendation,
                        struct report_class *classes)
{
    unsigned count = result->class_count < MAX_CLASSES ? result->class_count : MAX_CLASSES;
    for (unsigned i = 0; i < count; i++) {
        const struct class_result *class = &result->classes[i];
        classes[i] = (struct report_class){
            .key = class->key,
            .flags = class->flags,
            .measured = class->cost.samples > 0,
            .range_known = class->max_ns > class->min_ns,
            .pairs = class->pairs,
            .working_set = class->working_set,
            .cost_ns = class->cost.ns,
            .spread_ns = class->cost.spread_ns,
            .samples = class->cost.samples,
            .linear = class->linear,
            .chase = class->chase,
            .min_ns = class->min_ns,
            .max_ns = class->max_ns,
            .first_visit_percent = class->first_visit_percent,
            .evict_bytes = class->evict_bytes,
            .evict_ns = class->evict_ns,
            .decay = decay_of(recommendation, class->key),
        };
    }
    report_name_classes(classes, count);
    return count;
}

void report_table(const struct text_sink *sink, const struct result *result,
                  const struct recommendation *recommendation, const struct report_machine *machine,
                  unsigned columns)
{
    struct report_page page = report_page(sink, columns);
    struct report_class classes[MAX_CLASSES];
    unsigned count = collect(result, recommendation, classes);
    report_machine_fields(&page, result, machine);
    matrices(&page, result);
    if (count)
        text_print(sink, "\n");
    report_classes(&page, classes, count, recommendation->basis == BASIS_KERNEL_DEFAULT);
    report_remarks(&page, result, classes);
    text_print(sink, "\n");
    report_advice(&page, recommendation, result->pattern, result->access,
                  report_arch_estimate(result, machine));
    text_print(sink, "\n");
    report_flag_lines(&page, result->flags);
    report_effort(&page, result);
}
