/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 (IEEE 802.3, reflected, as zlib and the UEFI specification use it). */
#ifndef LIB_CRC32_H
#define LIB_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from crc (0 to start) over length bytes. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t length);

#endif
