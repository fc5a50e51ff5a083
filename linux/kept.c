/* SPDX-License-Identifier: BSD-2-Clause */
/* One line in /run/migcost/knob: the knob's path, a blank, its value. */
#define _GNU_SOURCE
#include "kept.h"
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_FILE KEPT_FILE ".new"

static enum status failed(const char *what, int error, struct message *message)
{
    message_set(message, "%s: %s: the old value cannot be kept", what, strerror(error));
    return error == EACCES || error == EPERM || error == EROFS ? STATUS_DENIED : STATUS_FAILED;
}

static int write_new(const char *path, const struct knob *knob)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s %u\n", knob->path, (unsigned)knob->value);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return errno;
    ssize_t put = write(fd, line, (size_t)length);
    int error = put == length ? 0 : put < 0 ? errno : EIO;
    if (close(fd) != 0 && !error)
        error = errno;
    return error;
}

enum status kept_put(const char *root, const struct knob *knob, bool *ret_new,
                     struct message *message)
{
    char folder[PATH_SIZE], file[PATH_SIZE], fresh[PATH_SIZE];
    if (ret_new)
        *ret_new = false;
    if (!path_under(root, KEPT_FOLDER, folder) || !path_under(root, KEPT_FILE, file) ||
        !path_under(root, NEW_FILE, fresh))
        return failed(KEPT_FOLDER, ENAMETOOLONG, message);
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return failed(KEPT_FOLDER, errno, message);

    int error = write_new(fresh, knob);
    if (error)
        return failed(KEPT_FILE, error, message);
    /* A link, since it comes whole or not at all, and never in the place of an older one. */
    bool there = false;
    if (link(fresh, file) != 0) {
        error = errno;
        there = error == EEXIST;
    }
    unlink(fresh);
    if (error && !there)
        return failed(KEPT_FILE, error, message);
    if (ret_new)
        *ret_new = !there;
    return STATUS_OK;
}

enum status kept_get(const char *root, struct knob *ret, struct message *message)
{
    char line[128];
    int error = file_read_text(root, KEPT_FILE, line, sizeof line);
    if (error == ENOENT || error == ENOTDIR) {
        message_set(message, "nothing to restore: no value was applied since this system started");
        return STATUS_NOTHING_KEPT;
    }
    if (error) {
        message_set(message, "%s: %s", KEPT_FILE, strerror(error));
        return error == EACCES ? STATUS_DENIED : STATUS_FAILED;
    }
    char *blank = strchr(line, ' ');
    if (blank)
        *blank = '\0';
    if (!blank || !knob_path(line, &ret->path) || !text_to_u32(blank + 1, &ret->value)) {
        message_set(message, "%s: is not what `apply` wrote", KEPT_FILE);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

void kept_drop(const char *root)
{
    char path[PATH_SIZE];
    if (path_under(root, KEPT_FILE, path))
        unlink(path);
    if (path_under(root, KEPT_FOLDER, path))
        rmdir(path); /* fails, as it should, where something else lies in it */
}
