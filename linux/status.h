/* SPDX-License-Identifier: BSD-2-Clause */
/* The exit statuses of the command: one table for code, --help and manual page. Numbers are an
 * interface: never renumber. */
#ifndef LINUX_STATUS_H
#define LINUX_STATUS_H

#include <stdio.h>

/* X(name, number, meaning). */
#define STATUS_TABLE(X)                                                                           \
    X(OK, 0, "done")                                                                              \
    X(FAILED, 1, "an error without a number of its own, such as output that cannot be written")   \
    X(USAGE, 2, "wrong command line")                                                             \
    X(NOT_EFI, 3, "no record: this system was not started by EFI")                                \
    X(RUNTIME_OFF, 4, "no record: the kernel has EFI runtime services switched off")              \
    X(NOT_MOUNTED, 5, "no record: efivarfs is not mounted")                                       \
    X(NO_RECORD, 6, "no record: the variable does not exist, nor a file instead of it")           \
    X(BAD_RECORD, 7, "a record that is damaged, foreign, or of a newer version")                  \
    X(UNREADABLE, 8, "a record that is there and cannot be read")                                 \
    X(FLAGGED, 9, "not applied, or checked: the result is flagged (--force)")                     \
    X(OTHER_MACHINE, 10, "not applied, or checked: the record is of another machine (--force)")   \
    X(VALUE, 11, "not applied: the value is outside the range allowed")                           \
    X(NO_KNOB, 12, "this kernel has no knob for the migration cost")                              \
    X(NO_DEBUGFS, 13, "the knob is in debugfs, which is not mounted")                             \
    X(LOCKED, 14, "kernel lockdown keeps the knob closed")                                        \
    X(DENIED, 15, "no permission for the knob, or for /run/migcost")                              \
    X(DIFFERS, 16, "the kernel did not keep what was written")                                    \
    X(NOTHING_KEPT, 17, "nothing to restore")                                                     \
    X(NOT_PINNED, 18, "not measured: threads cannot be pinned to CPUs")                           \
    X(NO_CPU, 19, "not measured: a CPU of --cpus does not exist, is offline, or may not be used") \
    X(NO_MEMORY, 20, "not measured: too little memory for --size, or at all")                     \
    X(STOPPED, 21, "measured in part: SIGINT or SIGTERM ended it")                                \
    X(LOST, 22, "measured in part: a CPU did not answer")                                         \
    X(ONE_CPU, 23, "measured, but one CPU alone makes no pair")                                   \
    X(CPUSET, 24, "measured, but without CPUs that this process may not use")                     \
    X(OFFLINE, 25, "measured, but without CPUs that are offline")                                 \
    X(NO_COSTS, 26, "nothing to explain or check: the result holds no costs by level")            \
    X(APART, 27, "checked: a cost measured here is not within 0.8 to 1.25 of firmware's")

enum status {
#define X(name, number, meaning) STATUS_##name = (number),
    STATUS_TABLE(X)
#undef X
};

/* One line for each: the number, two blanks, the meaning. */
void status_list(FILE *to);

#endif
