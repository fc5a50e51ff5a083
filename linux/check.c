/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost check`: is the stored result of this machine, is it sound, and with --remeasure, does
 * this machine still measure so. */
#include "../lib/json.h"
#include "../lib/report.h"
#include "../lib/report_json.h"
#include "../lib/topology.h"
#include "command.h"
#include "flags_text.h"
#include "identity.h"
#include "measure.h"
#include "remeasure.h"
#include "source.h"
#include "terminal.h"
#include <stdio.h>

struct check {
    struct source source;
    bool same;                /* of this machine, as far as can be told */
    struct message different; /* what differs, where it is not */
    bool remeasured;
    struct ratio ratio[RECORD_MAX_CLASSES];
};

static bool any_apart(const struct check *check)
{
    for (unsigned i = 0; check->remeasured && i < check->source.record.class_count; i++)
        if (check->ratio[i].apart)
            return true;
    return false;
}

/* The worst that was found: another machine's flags and ratios say nothing. */
static enum status judge(const struct check *check)
{
    if (!check->same)
        return STATUS_OTHER_MACHINE;
    if (check->source.record.flags)
        return STATUS_FLAGGED;
    return any_apart(check) ? STATUS_APART : STATUS_OK;
}

static void print_ratio(const struct record_class *which, const struct ratio *ratio)
{
    printf("%s", level_name(which->level));
    if (which->distance > 10)
        printf(" d%u", which->distance);
    if (!ratio->known) {
        printf(": not to be compared\n");
        return;
    }
    printf(": firmware %d.%d us, here %d.%d us, ratio %u.%02u%s\n", which->cost_ns / 1000,
           which->cost_ns % 1000 / 100, ratio->here_ns / 1000, ratio->here_ns % 1000 / 100,
           (unsigned)(ratio->permille / 1000), (unsigned)(ratio->permille % 1000 / 10),
           ratio->apart ? ", apart" : "");
}

static void print_text(const struct check *check)
{
    const struct record *record = &check->source.record;
    char flags[FLAGS_TEXT];
    flags_list(record->flags, flags);
    printf("source:  %s\n", check->source.name);
    printf("machine: %s\n",
           check->same ? "no difference to this one was found" : check->different.text);
    printf("flags:   %s\n", flags[0] ? flags : "none");
    for (unsigned i = 0; check->remeasured && i < record->class_count; i++)
        print_ratio(&record->classes[i], &check->ratio[i]);
}

static void print_json(const struct check *check)
{
    const struct text_sink sink = stdout_sink();
    const struct record *record = &check->source.record;
    struct json json;

    json_begin(&json, &sink);
    json_object(&json, NULL);
    json_string(&json, "source", check->source.name);
    json_bool(&json, "same_machine", check->same);
    if (!check->same)
        json_string(&json, "difference", check->different.text);
    json_flags(&json, record->flags);
    if (check->remeasured) {
        json_array(&json, "levels");
        for (unsigned i = 0; i < record->class_count; i++) {
            const struct record_class *which = &record->classes[i];
            json_object_row(&json, NULL);
            json_string(&json, "level", level_name(which->level));
            json_uint(&json, "distance", which->distance);
            json_int(&json, "firmware_ns", which->cost_ns);
            if (check->ratio[i].known) {
                json_int(&json, "here_ns", check->ratio[i].here_ns);
                json_uint(&json, "ratio_permille", check->ratio[i].permille);
            }
            json_bool(&json, "apart", check->ratio[i].apart);
            json_close(&json);
        }
        json_close(&json);
    }
    json_close(&json);
}

static enum status remeasure(const struct command *command, struct check *check)
{
    const struct record *record = &check->source.record;
    char pattern[32], access[32];
    snprintf(pattern, sizeof pattern, "--pattern=%s", report_pattern(record->pattern));
    snprintf(access, sizeof access, "--access=%s", report_access(record->access));
    const char *const words[] = {"--quiet", pattern, access};
    struct record here;
    enum status status = measure_quietly(command->root, words, 3, &here);
    /* A part of the CPUs still has pairs of every class that it has. */
    if (status != STATUS_OK && status != STATUS_CPUSET && status != STATUS_OFFLINE)
        return status;
    for (unsigned i = 0; i < record->class_count; i++)
        remeasure_ratio(&record->classes[i], &here, &check->ratio[i]);
    check->remeasured = true;
    return STATUS_OK;
}

enum status command_check(const struct command *command)
{
    struct check check = {.remeasured = false};
    struct message message = {""};
    enum status status = source_find(command->root, command->file, &check.source, &message);

    if (status == STATUS_OK && !check.source.has_record) {
        status = STATUS_NO_COSTS;
        message_set(&message, "%.80s is a number alone: there is nothing to check",
                    check.source.name);
    }
    if (status) {
        say_error(&message);
        return status;
    }
    check.same = identity_same(command->root, &check.source.record, &check.different);
    if (command->remeasure && check.same) {
        status = remeasure(command, &check);
        if (status) {
            message_set(&message, "--remeasure: not the whole machine could be measured here");
            say_error(&message);
            return status;
        }
    }
    if (command->format == SHOW_JSON)
        print_json(&check);
    else
        print_text(&check);

    status = judge(&check);
    if (status == STATUS_OTHER_MACHINE)
        message_set(&message, "the record is of another machine");
    else if (status == STATUS_FLAGGED)
        message_set(&message, "the result is flagged");
    else if (status == STATUS_APART)
        message_set(&message, "what was measured here is not what firmware measured");
    if (status)
        say_error(&message);
    return status;
}
