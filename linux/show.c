/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost show`: the result as text, JSON, or kernel parameters. */
#include "../lib/json.h"
#include "../lib/report.h"
#include "boot_lines.h"
#include "command.h"
#include "source.h"
#include "terminal.h"
#include <stdio.h>

/* A command line without a record behind it: the numbers that it has. */
static void show_numbers(const struct text_sink *sink, const struct source *source)
{
    char duration[32];
    text_duration(duration, sizeof duration, source->decay_ns);
    text_print(sink, "decay: %u ns (%s)\n", (unsigned)source->decay_ns, duration);
    for (unsigned i = 0; i < source->level_count; i++)
        text_print(sink, "  %s: %u ns\n", level_name(source->level[i].level),
                   (unsigned)source->level[i].decay_ns);
}

static void show_numbers_json(const struct text_sink *sink, const struct source *source)
{
    struct json json;
    json_begin(&json, sink);
    json_object(&json, NULL);
    json_string(&json, "source", source->name);
    json_uint(&json, "decay_ns", source->decay_ns);
    json_array(&json, "levels");
    for (unsigned i = 0; i < source->level_count; i++) {
        json_object_row(&json, NULL);
        json_string(&json, "level", level_name(source->level[i].level));
        json_uint(&json, "decay_ns", source->level[i].decay_ns);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

static void show_text(const struct text_sink *sink, const struct source *source)
{
    text_print(sink, "source: %s\n", source->name);
    if (source->has_record)
        report_record(sink, &source->record, source->buffer, terminal_columns());
    else
        show_numbers(sink, source);
}

enum status command_show(const struct command *command)
{
    struct source source;
    struct message message;
    enum status status = source_find(command->root, command->file, &source, &message);
    if (status) {
        say_error(&message);
        return status;
    }
    const struct text_sink sink = stdout_sink();
    if (command->format == SHOW_CMDLINE)
        boot_lines(stdout, &source);
    else if (command->format == SHOW_TEXT)
        show_text(&sink, &source);
    else if (source.has_record)
        report_record_json(&sink, &source.record, source.buffer);
    else
        show_numbers_json(&sink, &source);
    return STATUS_OK;
}
