/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler's knob: sched_migration_cost in ns, in debugfs since 5.13, a sysctl before (I1). */
#ifndef LINUX_KNOB_H
#define LINUX_KNOB_H

#include "say.h"
#include "status.h"
#include <stdbool.h>
#include <stdint.h>

#define KNOB_DEBUGFS  "/sys/kernel/debug/sched/migration_cost_ns"
#define KNOB_SYSCTL   "/proc/sys/kernel/sched_migration_cost_ns"
#define KNOB_USUAL_NS 10000000u /* above this only with --force (I5) */

struct knob {
    const char *path; /* one of the two above */
    uint32_t value;   /* as it stands, any 32 bits */
};

/* True for the path of either knob: what was remembered may be written nowhere else. *ret_path is
 * the constant. */
bool knob_path(const char *text, const char **ret_path);

/* Finds the knob and reads it. On failure *message says why. */
enum status knob_find(const char *root, struct knob *ret, struct message *message);

/* Writes, reads back and compares. */
enum status knob_write(const char *root, const char *path, uint32_t value, struct message *message);

/* Why opening, reading or writing a knob failed, by errno and whether the kernel is locked down: a
 * lockdown answers EPERM (I3). */
enum status knob_cause(int error, bool locked_down);

/* True if `text`, the content of /sys/kernel/security/lockdown, says that a lockdown is on. */
bool knob_locked_down(const char *text);

#endif
