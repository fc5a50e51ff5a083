/* SPDX-License-Identifier: BSD-2-Clause */
/* Files on the volume that our image came from. The one file ever written is report.json, in place
 * into a file that was made beforehand: a torn update of the file system would hit the volume that
 * holds the boot loader (G8). */
#ifndef EFI_FILES_H
#define EFI_FILES_H

#include "efi.h"

#define REPORT_NAME "report.json" /* in the root folder */

enum file_status {
    FILE_OK = 0,
    FILE_NO_VOLUME, /* the image came from no file system */
    FILE_MISSING,   /* no such file, and it may not be made */
    FILE_TOO_SMALL, /* what is there is shorter than the report: it may not grow */
    FILE_FAILED     /* a call failed: *ret_status */
};

/* Writes length bytes of text into the report, and blanks up to the file's old end, so that its
 * size stays and it is still one JSON text. may_create: the volume is our own USB image, where the
 * file may be made, and may grow. One open, one write, one flush, one close. *ret_room is the size
 * of the file that was there, *ret_status what the failed call said. */
enum file_status files_write_report(const struct efi *efi, const char *text, size_t length,
                                    bool may_create, uint64_t *ret_room, EFI_STATUS *ret_status);

/* One clause for a message. */
const char *file_status_text(enum file_status status);

#endif
