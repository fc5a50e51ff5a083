/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost status`: the value wanted, the value there, the value kept (I6: someone else may have
 * written the knob since). */
#include "command.h"
#include "flags_text.h"
#include "identity.h"
#include "kept.h"
#include "source.h"
#include <stdio.h>

static void show_wanted(const struct command *command)
{
    struct source source;
    struct message message;
    if (source_find(command->root, command->file, &source, &message) != STATUS_OK) {
        printf("wanted:  nothing (%s)\n", message.text);
        return;
    }
    printf("wanted:  %u ns (%s)\n", (unsigned)source.decay_ns, source.name);
    if (!source.has_record)
        return;
    char flags[FLAGS_TEXT];
    flags_list(source.record.flags, flags);
    printf("flags:   %s\n", flags[0] ? flags : "none");
    bool same = identity_same(command->root, &source.record, &message);
    printf("machine: %s\n", same ? "no difference to this one was found" : message.text);
}

enum status command_status(const struct command *command)
{
    struct knob knob;
    struct message message;
    show_wanted(command);
    enum status status = knob_find(command->root, &knob, &message);
    if (status)
        say_error(&message);
    else
        printf("now:     %u ns (%s)\n", (unsigned)knob.value, knob.path);
    if (kept_get(command->root, &knob, &message) == STATUS_OK)
        printf("before:  %u ns (kept for restore)\n", (unsigned)knob.value);
    return status;
}
