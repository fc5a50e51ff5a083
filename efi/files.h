/* SPDX-License-Identifier: BSD-2-Clause */
/* Files on the volume that our image came from. What is written, is written in place into a file
 * that was made beforehand: a torn update of the file system would hit the volume that holds the
 * boot loader (G8). */
#ifndef EFI_FILES_H
#define EFI_FILES_H

#include "efi.h"

#define FILES_PATH_MAX 512u /* units of a path, NUL included */

enum file_status {
    FILE_OK = 0,
    FILE_NO_VOLUME, /* the image came from no file system */
    FILE_MISSING,   /* no such file, and it may not be made */
    FILE_TOO_SMALL, /* what is there is shorter than the text: it may not grow; or not as long as it
                       has to be */
    FILE_FAILED     /* a call failed: *ret_status */
};

/* Reads at most room bytes of the file with that path from the root of the volume. One open, one
 * read, one close. Where *ret_length comes out as room there may be more. */
enum file_status files_read(const struct efi *efi, const CHAR16 *path, void *bytes, size_t room,
                            size_t *ret_length, EFI_STATUS *ret_status);

/* Writes length bytes of text into the file, and blanks up to its old end, so that its size stays.
 * may_create: the volume is our own USB image, where the file may be made, and may grow. One open,
 * one write, one flush, one close. *ret_room is the size of the file that was there, *ret_status
 * what the failed call said. */
enum file_status files_write(const struct efi *efi, const CHAR16 *path, const char *text,
                             size_t length, bool may_create, uint64_t *ret_room,
                             EFI_STATUS *ret_status);

/* Writes length bytes at that offset of a file of exactly `size` bytes, which is FILE_TOO_SMALL
 * otherwise. One open, one write, one flush, one close. */
enum file_status files_patch(const struct efi *efi, const CHAR16 *path, uint64_t size,
                             uint64_t offset, const void *bytes, size_t length,
                             EFI_STATUS *ret_status);

/* The path of a file in the folder that our image came from. False where the firmware does not say
 * which that is (E9). */
bool files_beside(const struct efi *efi, const CHAR16 *name, CHAR16 *ret);

/* One clause for a message. */
const char *file_status_text(enum file_status status);

#endif
