/* SPDX-License-Identifier: BSD-2-Clause */
/* A record out of a file. */
#include "../lib/record_file.h"
#include "source.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum status source_file(const char *root, const char *path, struct source *ret,
                        struct message *message)
{
    /* One byte more than what has a record, so that a longer file is seen as one. */
    uint8_t bytes[RECORD_FILE_BYTES + 1];
    size_t length = 0;
    int error = file_read(root, path, bytes, sizeof bytes, &length);
    if (error) {
        message_set(message, "%s: %s", path, strerror(error));
        return error == ENOENT ? STATUS_NO_RECORD : STATUS_UNREADABLE;
    }

    memset(ret, 0, sizeof *ret);
    size_t skip = 0;
    if (length == RECORD_FILE_BYTES) {
        enum record_file_status file = record_file_check(bytes, length);
        const uint8_t *record = record_file_record(bytes, &length);
        if (file == RECORD_FILE_BLANK || (file == RECORD_FILE_OK && length == 0)) {
            message_set(message, "%s: made for a record, and still without one", path);
            return STATUS_NO_RECORD;
        }
        if (file == RECORD_FILE_OK)
            memmove(bytes, record, length);
        else
            length = RECORD_FILE_BYTES;
    }
    enum record_error bad = record_decode(bytes, length, &ret->record);
    /* A file of 4 or more foreign bytes may be one of efivarfs. */
    if (bad == RECORD_FOREIGN && length > ATTRIBUTE_BYTES) {
        enum record_error behind =
            record_decode(bytes + ATTRIBUTE_BYTES, length - ATTRIBUTE_BYTES, &ret->record);
        if (behind != RECORD_FOREIGN && behind != RECORD_TOO_SHORT) {
            bad = behind;
            skip = ATTRIBUTE_BYTES;
        }
    }
    if (bad) {
        message_set(message, "%s: %s", path, record_error_text(bad));
        return STATUS_BAD_RECORD;
    }
    memcpy(ret->buffer, bytes + skip, length - skip);
    ret->kind = SOURCE_FILE;
    snprintf(ret->name, sizeof ret->name, "file %s", path);
    ret->has_record = true;
    ret->decay_ns = ret->record.decay_ns;
    return STATUS_OK;
}
