/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost apply`: the result into the scheduler's knob, if it may be trusted here (I5, I7, I8). */
#include "command.h"
#include "flags_text.h"
#include "identity.h"
#include "kept.h"
#include "source.h"
#include <stdio.h>

/* What --force overrides: said in either case. */
static enum status refuse(const struct command *command, enum status status,
                          struct message *message)
{
    if (!command->force)
        return status;
    say_note("%s (forced)", message->text);
    return STATUS_OK;
}

static enum status check_trust(const struct command *command, const struct source *source,
                               struct message *message)
{
    if (!source->has_record) {
        say_note("the kernel command line carries no flags and no identity: nothing to check");
        return STATUS_OK;
    }
    const struct record *record = &source->record;
    if (record->flags) {
        char names[FLAGS_TEXT];
        flags_list(record->flags, names);
        message_set(message, "the result is flagged: %s", names);
        enum status status = refuse(command, STATUS_FLAGGED, message);
        if (status)
            return status;
    }
    if (!identity_same(command->root, record, message))
        return refuse(command, STATUS_OTHER_MACHINE, message);
    return STATUS_OK;
}

/* One range whatever the number comes from. 0 and 4294967295 have meanings of their own in the
 * kernel (never hot, always hot) and are never written. */
static enum status check_range(const struct command *command, uint32_t ns, struct message *message)
{
    if (ns >= DECAY_MIN_NS && ns <= KNOB_USUAL_NS)
        return STATUS_OK;
    if (ns < DECAY_MIN_NS || ns > DECAY_MAX_NS) {
        message_set(message, "%u ns is not from %u to %u ns", (unsigned)ns, DECAY_MIN_NS,
                    DECAY_MAX_NS);
        return STATUS_VALUE;
    }
    message_set(message, "%u ns is above %u ns", (unsigned)ns, KNOB_USUAL_NS);
    return refuse(command, STATUS_VALUE, message);
}

static enum status find_value(const struct command *command, uint32_t *ret_ns,
                              struct message *message)
{
    if (command->by_hand) {
        *ret_ns = command->value_ns;
        return STATUS_OK;
    }
    struct source source;
    enum status status = source_find(command->root, command->file, &source, message);
    if (status)
        return status;
    *ret_ns = source.decay_ns;
    return check_trust(command, &source, message);
}

static enum status write_value(const struct command *command, const struct knob *knob, uint32_t ns,
                               struct message *message)
{
    bool kept_now;
    enum status status = kept_put(command->root, knob, &kept_now, message);
    if (status)
        return status;
    status = knob_write(command->root, knob->path, ns, message);
    /* Nothing was changed: there is nothing to restore. */
    if (status && status != STATUS_DIFFERS && kept_now)
        kept_drop(command->root);
    return status;
}

static enum status set_knob(const struct command *command, uint32_t ns, struct message *message)
{
    struct knob knob;
    enum status status = knob_find(command->root, &knob, message);
    if (status)
        return status;
    if (knob.value == ns) {
        printf("%s: %u already\n", knob.path, (unsigned)ns);
        return STATUS_OK;
    }
    if (!command->dry_run) {
        status = write_value(command, &knob, ns, message);
        if (status)
            return status;
    }
    printf("%s: %u -> %u%s\n", knob.path, (unsigned)knob.value, (unsigned)ns,
           command->dry_run ? " (not done: --dry-run)" : "");
    return STATUS_OK;
}

enum status command_apply(const struct command *command)
{
    struct message message;
    uint32_t ns = 0;
    enum status status = find_value(command, &ns, &message);
    if (!status)
        status = check_range(command, ns, &message);
    if (!status)
        status = set_knob(command, ns, &message);
    if (status)
        say_error(&message);
    return status;
}
