/* SPDX-License-Identifier: BSD-2-Clause */
/* The file MigrationCost.bin: record_file.h has the contract. */
#include "record_file.h"
#include "crc32.h"
#include "little_endian.h"
#include "mem.h"

#define MAGIC      0x4647494Du /* "MIGF" */
#define VERSION    1u
#define HEAD_BYTES 16u
#define AT_VERSION 4u
#define AT_HEAD    6u
#define AT_SIZE    8u
#define AT_CRC     12u
#define AT_LENGTH  8u /* of a record, in its own head */

static void put_head(uint8_t *bytes)
{
    put32(bytes, MAGIC);
    put16(bytes + AT_VERSION, VERSION);
    put16(bytes + AT_HEAD, HEAD_BYTES);
    put32(bytes + AT_SIZE, RECORD_FILE_BYTES);
    put32(bytes + AT_CRC, crc32_update(0, bytes, AT_CRC));
}

enum record_file_status record_file_check(const uint8_t *bytes, size_t length)
{
    uint8_t head[HEAD_BYTES];

    if (length != RECORD_FILE_BYTES)
        return RECORD_FILE_FOREIGN;
    put_head(head);
    if (memcmp(bytes, head, sizeof head) == 0)
        return RECORD_FILE_OK;
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != 0)
            return RECORD_FILE_FOREIGN;
    return RECORD_FILE_BLANK;
}

void record_file_format(uint8_t bytes[RECORD_FILE_BYTES])
{
    memset(bytes, 0, RECORD_FILE_BYTES);
    put_head(bytes);
}

const uint8_t *record_file_record(const uint8_t *bytes, size_t *ret_length)
{
    const uint8_t *record = bytes + RECORD_FILE_RECORD;

    *ret_length = 0;
    if (get32(record) != 0) {
        size_t length = get16(record + AT_LENGTH);
        *ret_length = length <= RECORD_MAX_BYTES ? length : RECORD_MAX_BYTES;
    }
    return record;
}

void record_file_put(uint8_t *bytes, const uint8_t *record, size_t length)
{
    memset(bytes + RECORD_FILE_RECORD, 0, RECORD_FILE_RECORD_ROOM);
    if (length > 0)
        memcpy(bytes + RECORD_FILE_RECORD, record, length);
}
