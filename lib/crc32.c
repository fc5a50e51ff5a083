/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32, bit by bit: a record is 900 bytes, a table would be longer than what it saves. */
#include "crc32.h"

#define CRC32_POLYNOMIAL 0xEDB88320u /* 0x04C11DB7 with its bits reversed */

uint32_t crc32_update(uint32_t crc, const void *data, size_t length)
{
    const uint8_t *bytes = data;
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? CRC32_POLYNOMIAL : 0);
    }
    return ~crc;
}
