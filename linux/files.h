/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files of the system, under a root that tests put in front of every path. */
#ifndef LINUX_FILES_H
#define LINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_SIZE 4096u
#define READ_RETRIES                                                            \
    20u /* of a read that was interrupted, as old efivarfs does for 50 ms (D11) \
         */

/* root and path in one; false if that is too long. */
bool path_under(const char *root, const char *path, char ret[PATH_SIZE]);

/* Reads at most size bytes with one open and, where the file says its size, one read: each read of
 * efivarfs asks the firmware anew. Short reads are gone on with. 0, or the errno. */
int file_read(const char *root, const char *path, void *buffer, size_t size, size_t *ret_length);

/* The same as text: NUL-terminated, cut to size - 1 bytes, one newline at the end taken off. */
int file_read_text(const char *root, const char *path, char *text, size_t size);

/* A decimal number of 32 bits in a file that holds nothing else. 0, or the errno; EINVAL: no
 * number. */
int file_read_u32(const char *root, const char *path, uint32_t *ret);

/* Writes the number and a newline with one write. 0, or the errno. */
int file_write_u32(const char *root, const char *path, uint32_t value);

bool file_exists(const char *root, const char *path);

/* True if /proc/mounts has a file system of that type at that place. */
bool file_mounted(const char *root, const char *type, const char *place);

/* Decimal digits at *text, which moves behind them; 0..4294967295. */
bool text_take_u32(const char **text, uint32_t *ret);

/* The same with nothing behind them. */
bool text_to_u32(const char *text, uint32_t *ret);

#endif
