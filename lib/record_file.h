/* SPDX-License-Identifier: BSD-2-Clause */
/* The file MigrationCost.bin, for machines whose variables are not to be trusted: record and
 * breadcrumb in a file of fixed size that was made beforehand, so that firmware only ever writes
 * over data that is there, and the file system itself never changes (G8). docs/record.md has its
 * bytes. */
#ifndef LIB_RECORD_FILE_H
#define LIB_RECORD_FILE_H

#include "breadcrumb.h"
#include "record.h"

#define RECORD_FILE_BYTES       4096u
#define RECORD_FILE_CRUMB       512u  /* a sector of its own: written without the record .. */
#define RECORD_FILE_CRUMB_ROOM  512u  /* .. */
#define RECORD_FILE_RECORD      1024u /* .. which has two */
#define RECORD_FILE_RECORD_ROOM 1024u

enum record_file_status {
    RECORD_FILE_OK = 0,
    RECORD_FILE_BLANK,   /* zeros, as it was made: nothing is stored yet */
    RECORD_FILE_FOREIGN, /* another size, or something else in it */
};
enum record_file_status record_file_check(const uint8_t *bytes, size_t length);

/* Makes a blank one: a head, and nothing else. */
void record_file_format(uint8_t bytes[RECORD_FILE_BYTES]);

/* What stands in the place of the record, not looked at: give it to record_decode(). 0 bytes where
 * there is none. */
const uint8_t *record_file_record(const uint8_t *bytes, size_t *ret_length);
/* Puts a record there; length 0: none. */
void record_file_put(uint8_t *bytes, const uint8_t *record, size_t length);

#endif
