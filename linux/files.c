/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing small files of the system. */
#define _GNU_SOURCE
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_under(const char *root, const char *path, char ret[PATH_SIZE])
{
    int length = snprintf(ret, PATH_SIZE, "%s%s", root, path);
    return length >= 0 && (size_t)length < PATH_SIZE;
}

static int open_under(const char *root, const char *path, int flags, int *ret_fd)
{
    char full[PATH_SIZE];
    if (!path_under(root, path, full))
        return ENAMETOOLONG;
    *ret_fd = open(full, flags | O_CLOEXEC);
    return *ret_fd < 0 ? errno : 0;
}

static int read_all(int fd, void *buffer, size_t size, size_t *ret_length)
{
    struct stat facts;
    size_t whole = 0, length = 0;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode))
        whole = (size_t)facts.st_size;
    for (unsigned interrupted = 0; length < size;) {
        ssize_t got = read(fd, (char *)buffer + length, size - length);
        if (got < 0 && errno == EINTR && ++interrupted <= READ_RETRIES)
            continue;
        if (got < 0)
            return errno;
        length += (size_t)got;
        if (got == 0 || (whole && length >= whole))
            break;
    }
    *ret_length = length;
    return 0;
}

int file_read(const char *root, const char *path, void *buffer, size_t size, size_t *ret_length)
{
    int fd, error = open_under(root, path, O_RDONLY, &fd);
    if (error)
        return error;
    error = read_all(fd, buffer, size, ret_length);
    close(fd);
    return error;
}

int file_read_text(const char *root, const char *path, char *text, size_t size)
{
    size_t length = 0;
    int error = file_read(root, path, text, size - 1, &length);
    if (error)
        return error;
    if (length && text[length - 1] == '\n')
        length--;
    text[length] = '\0';
    return 0;
}

bool text_take_u32(const char **text, uint32_t *ret)
{
    const char *at = *text;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (unsigned)(*at - '0');
        if (value > UINT32_MAX)
            return false;
    }
    if (at == *text)
        return false;
    *text = at;
    *ret = (uint32_t)value;
    return true;
}

bool text_to_u32(const char *text, uint32_t *ret)
{
    uint32_t value;
    if (!text_take_u32(&text, &value) || *text != '\0')
        return false;
    *ret = value;
    return true;
}

int file_read_u32(const char *root, const char *path, uint32_t *ret)
{
    char text[32];
    int error = file_read_text(root, path, text, sizeof text);
    if (error)
        return error;
    return text_to_u32(text, ret) ? 0 : EINVAL;
}

int file_write_u32(const char *root, const char *path, uint32_t value)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%u\n", (unsigned)value);
    int fd, error = open_under(root, path, O_WRONLY | O_TRUNC, &fd);
    if (error)
        return error;
    ssize_t put = write(fd, text, (size_t)length);
    if (put < 0)
        error = errno;
    else if (put != length)
        error = EIO;
    if (close(fd) != 0 && !error)
        error = errno;
    return error;
}

bool file_exists(const char *root, const char *path)
{
    char full[PATH_SIZE];
    return path_under(root, path, full) && access(full, F_OK) == 0;
}

bool file_mounted(const char *root, const char *type, const char *place)
{
    char full[PATH_SIZE];
    if (!path_under(root, "/proc/mounts", full))
        return false;
    FILE *mounts = setmntent(full, "re");
    if (!mounts)
        return false;
    bool found = false;
    for (struct mntent *entry; !found && (entry = getmntent(mounts)) != NULL;)
        found = strcmp(entry->mnt_type, type) == 0 && strcmp(entry->mnt_dir, place) == 0;
    endmntent(mounts);
    return found;
}
