/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy of the variable in /run, which ends with the boot. */
#define _GNU_SOURCE
#include "variable_cache.h"
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_FOLDER "/run/migcost"

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* efivarfs changes the time of a file with its content; asking for it asks no firmware. */
static bool is_current(const char *root, const char *path)
{
    char at[PATH_SIZE];
    struct stat variable, copy;
    return path_under(root, path, at) && stat(at, &variable) == 0 && S_ISREG(variable.st_mode) &&
           path_under(root, CACHE_FILE, at) && lstat(at, &copy) == 0 && S_ISREG(copy.st_mode) &&
           copy.st_uid == variable.st_uid && is_later(&copy.st_mtim, &variable.st_mtim);
}

/* Comes whole or not at all. That it cannot be kept is no matter: the next one reads again. */
static void keep(const char *root, const void *buffer, size_t length)
{
    char folder[PATH_SIZE], file[PATH_SIZE], fresh[PATH_SIZE];
    if (!path_under(root, CACHE_FOLDER, folder) || !path_under(root, CACHE_FILE, file) ||
        (size_t)snprintf(fresh, sizeof fresh, "%s.%d", file, (int)getpid()) >= sizeof fresh)
        return;
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return;
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    bool whole = write(fd, buffer, length) == (ssize_t)length;
    if (close(fd) != 0 || !whole || rename(fresh, file) != 0)
        unlink(fresh);
}

int variable_read(const char *root, const char *path, void *buffer, size_t size, size_t *ret_length)
{
    if (is_current(root, path) && file_read(root, CACHE_FILE, buffer, size, ret_length) == 0 &&
        *ret_length > 0)
        return 0;
    int error = file_read(root, path, buffer, size, ret_length);
    if (!error && *ret_length > 0)
        keep(root, buffer, *ret_length);
    return error;
}
