/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost explain`: what moving a working set of a given size costs at each level of a record. */
#include "explain.h"
#include "../lib/report_json.h"
#include "command.h"
#include "source.h"
#include "terminal.h"

static const char *put_duration(char *text, size_t size, int64_t ns)
{
    text_duration(text, size, ns);
    return text;
}

static void print_level(const struct text_sink *sink, const struct record_class *class,
                        const struct explained *is)
{
    struct class_key key = {.level = class->level,
                            .distance = class->distance,
                            .kind_low = class->kind_low,
                            .kind_high = class->kind_high};
    char name[48], cost[24], spread[24], low[24], high[24], set[24], other[24], time[24];

    report_class_name(name, sizeof name, key, class->flags);
    text_print(sink, "%-12s ", name);
    if (!is->known) {
        text_print(sink, "not measured\n");
        return;
    }
    text_bytes(set, sizeof set, class->working_set);
    if (is->zero)
        text_print(sink, "cannot be told from zero");
    else
        text_print(sink, "%s +- %s", put_duration(cost, sizeof cost, is->cost_ns),
                   put_duration(spread, sizeof spread, is->spread_ns));
    if (is->range_known)
        text_print(sink, ", linear %s to chase %s", put_duration(low, sizeof low, is->linear_ns),
                   put_duration(high, sizeof high, is->chase_ns));
    if (is->beyond)
        text_print(sink, "; beyond %s%s", set,
                   (class->flags & CLASS_EDGE) ? ", the largest that was tried: may be more"
                                               : ": that is the cost there");
    text_bytes(other, sizeof other, class->evict_bytes);
    if (class->evict_bytes)
        text_print(sink, "; nothing to lose after %s of other data (%s)", other,
                   put_duration(time, sizeof time, class->evict_ns));
    text_print(sink, "\n");
}

static void explain_text(const struct text_sink *sink, const struct source *source, uint64_t bytes)
{
    const struct record *record = &source->record;
    char size[24];
    bool any_beyond = false;

    text_bytes(size, sizeof size, bytes);
    text_print(sink, "source: %s\n", source->name);
    text_print(sink, "moving a working set of %s, %s/%s:\n", size, report_pattern(record->pattern),
               report_access(record->access));
    for (unsigned i = 0; i < record->class_count; i++) {
        struct explained is;
        explain_level(&record->classes[i], bytes, &is);
        print_level(sink, &record->classes[i], &is);
        any_beyond |= is.beyond;
    }
    text_print(sink, "In proportion to the cost at the working set that was measured.\n");
    if (any_beyond)
        text_print(sink, "Beyond it, what its CPU's caches cannot hold comes from elsewhere on any "
                         "CPU, and\nmoving it costs no more.\n");
    if (record->flags)
        report_flags(sink, record->flags);
}

static void explain_json(const struct text_sink *sink, const struct source *source, uint64_t bytes)
{
    const struct record *record = &source->record;
    struct json json;

    json_begin(&json, sink);
    json_object(&json, NULL);
    json_string(&json, "source", source->name);
    json_uint(&json, "wss_bytes", bytes);
    json_string(&json, "pattern", report_pattern(record->pattern));
    json_string(&json, "access", report_access(record->access));
    json_flags(&json, record->flags);
    json_array(&json, "levels");
    for (unsigned i = 0; i < record->class_count; i++) {
        const struct record_class *class = &record->classes[i];
        struct explained is;
        explain_level(class, bytes, &is);
        json_object_row(&json, NULL);
        json_string(&json, "level", level_name(class->level));
        json_uint(&json, "distance", class->distance);
        json_string(&json, "kind_low", core_kind_name(class->kind_low));
        json_string(&json, "kind_high", core_kind_name(class->kind_high));
        json_known(&json, "working_set_bytes", class->working_set);
        if (is.known) {
            json_int(&json, "cost_ns", is.cost_ns);
            json_uint(&json, "spread_ns", is.spread_ns);
        }
        if (is.range_known) {
            json_int(&json, "linear_ns", is.linear_ns);
            json_int(&json, "chase_ns", is.chase_ns);
        }
        json_bool(&json, "zero", is.zero);
        json_bool(&json, "beyond", is.beyond);
        json_known(&json, "evict_bytes", class->evict_bytes);
        json_known(&json, "evict_ns", class->evict_ns);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

enum status command_explain(const struct command *command)
{
    struct source source;
    struct message message = {""};
    enum status status = source_find(command->root, command->file, &source, &message);

    if (status == STATUS_OK && (!source.has_record || source.record.class_count == 0)) {
        status = STATUS_NO_COSTS;
        message_set(&message, "%.80s holds no costs by level", source.name);
    }
    if (status != STATUS_OK) {
        say_error(&message);
        return status;
    }
    const struct text_sink sink = stdout_sink();
    if (command->format == SHOW_JSON)
        explain_json(&sink, &source, command->wss);
    else
        explain_text(&sink, &source, command->wss);
    return STATUS_OK;
}
