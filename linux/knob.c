/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding, reading and writing the scheduler's knob. */
#include "knob.h"
#include "files.h"
#include <errno.h>
#include <string.h>

#define DEBUGFS_FOLDER "/sys/kernel/debug"

bool knob_path(const char *text, const char **ret_path)
{
    if (strcmp(text, KNOB_DEBUGFS) == 0)
        *ret_path = KNOB_DEBUGFS;
    else if (strcmp(text, KNOB_SYSCTL) == 0)
        *ret_path = KNOB_SYSCTL;
    else
        return false;
    return true;
}

static enum status explain(const char *root, const char *path, int error, struct message *message)
{
    char lockdown[128];
    bool locked =
        file_read_text(root, "/sys/kernel/security/lockdown", lockdown, sizeof lockdown) == 0 &&
        knob_locked_down(lockdown);
    enum status status = knob_cause(error, locked);
    if (status == STATUS_LOCKED)
        message_set(message, "%s: closed by kernel lockdown (%s), which Secure Boot switches on",
                    path, lockdown);
    else if (error == EPERM)
        message_set(message, "%s: %s; a kernel lockdown does this", path, strerror(error));
    else if (error == EACCES)
        message_set(message, "%s: %s; root may", path, strerror(error));
    else if (error == EINVAL)
        message_set(message, "%s: holds no number of 32 bits", path);
    else
        message_set(message, "%s: %s", path, strerror(error));
    return status;
}

/* Neither file is there (I2, I4). */
static enum status why_absent(const char *root, struct message *message)
{
    char release[128], filesystems[4096];
    if (file_read_text(root, "/proc/sys/kernel/osrelease", release, sizeof release))
        strcpy(release, "of unknown version");
    bool no_debugfs =
        file_read_text(root, "/proc/filesystems", filesystems, sizeof filesystems) == 0 &&
        strstr(filesystems, "debugfs") == NULL;
    if (!no_debugfs && !file_mounted(root, "debugfs", DEBUGFS_FOLDER)) {
        message_set(message, "debugfs is not mounted: mount -t debugfs debugfs " DEBUGFS_FOLDER);
        return STATUS_NO_DEBUGFS;
    }
    message_set(message,
                "kernel %s has no knob for the migration cost%s: before 6.15 that takes "
                "CONFIG_SCHED_DEBUG, and always CONFIG_SMP",
                release, no_debugfs ? ", and no debugfs" : "");
    return STATUS_NO_KNOB;
}

enum status knob_find(const char *root, struct knob *ret, struct message *message)
{
    static const char *const paths[] = {KNOB_DEBUGFS, KNOB_SYSCTL};
    for (size_t i = 0; i < 2; i++) {
        ret->path = paths[i];
        int error = file_read_u32(root, ret->path, &ret->value);
        if (!error)
            return STATUS_OK;
        /* Who may not look into debugfs has no business with what a sysctl of that name may do. */
        if (error != ENOENT && error != ENOTDIR)
            return explain(root, ret->path, error, message);
    }
    return why_absent(root, message);
}

enum status knob_write(const char *root, const char *path, uint32_t value, struct message *message)
{
    int error = file_write_u32(root, path, value);
    if (error)
        return explain(root, path, error, message);
    uint32_t kept = 0;
    error = file_read_u32(root, path, &kept);
    if (error)
        return explain(root, path, error, message);
    if (kept == value)
        return STATUS_OK;
    message_set(message, "%s: %u was written, %u is read back", path, (unsigned)value,
                (unsigned)kept);
    return STATUS_DIFFERS;
}
