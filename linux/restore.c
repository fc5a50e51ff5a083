/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost restore`: the value from before the first `apply`. It was the system's own, so no range
 * is asked of it. */
#include "command.h"
#include "kept.h"
#include <stdio.h>

static enum status put_back(const struct command *command, struct message *message)
{
    struct knob kept, now;
    enum status status = kept_get(command->root, &kept, message);
    if (status)
        return status;
    status = knob_find(command->root, &now, message);
    if (status)
        return status;
    if (!command->dry_run) {
        status = knob_write(command->root, kept.path, kept.value, message);
        if (status)
            return status;
        kept_drop(command->root);
    }
    printf("%s: %u -> %u%s\n", kept.path, (unsigned)now.value, (unsigned)kept.value,
           command->dry_run ? " (not done: --dry-run)" : "");
    return STATUS_OK;
}

enum status command_restore(const struct command *command)
{
    struct message message;
    enum status status = put_back(command, &message);
    if (status)
        say_error(&message);
    return status;
}
