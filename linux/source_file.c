/* SPDX-License-Identifier: BSD-2-Clause */
/* A record out of a file. */
#include "source.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum status source_file(const char *root, const char *path, struct source *ret,
                        struct message *message)
{
    /* One byte more than any record has, so that a longer file is seen as one. */
    uint8_t bytes[ATTRIBUTE_BYTES + RECORD_MAX_BYTES + 1];
    size_t length = 0;
    int error = file_read(root, path, bytes, sizeof bytes, &length);
    if (error) {
        message_set(message, "%s: %s", path, strerror(error));
        return error == ENOENT ? STATUS_NO_RECORD : STATUS_UNREADABLE;
    }

    memset(ret, 0, sizeof *ret);
    size_t skip = 0;
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
