/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line asked for, and the subcommands that do it. */
#ifndef LINUX_COMMAND_H
#define LINUX_COMMAND_H

#include "status.h"
#include <stdbool.h>
#include <stdint.h>

enum show_format { SHOW_TEXT, SHOW_JSON, SHOW_CMDLINE };

struct command {
    const char *root; /* in front of every path of the system; "" but in tests */
    const char *file; /* --file; NULL: look where the result is */
    enum show_format format;
    bool force, dry_run, remeasure;
    bool by_hand; /* --value */
    uint32_t value_ns;
    uint64_t wss; /* --wss: bytes; 0: not given */
};

/* Each says on standard error why it failed, and returns the exit status. */
enum status command_show(const struct command *command);
enum status command_apply(const struct command *command);
enum status command_restore(const struct command *command);
enum status command_status(const struct command *command);
enum status command_explain(const struct command *command);
enum status command_check(const struct command *command);

/* `migcost measure`: it has the options of migcost.efi, and so takes its words as they are. */
enum status command_measure(const char *root, const char *const *words, unsigned count);

#endif
