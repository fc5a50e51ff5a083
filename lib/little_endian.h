/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian numbers at any alignment, as foreign tables hold them. */
#ifndef LIB_LITTLE_ENDIAN_H
#define LIB_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint16_t le16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t le32(const uint8_t *at)
{
    return (uint32_t)le16(at) | (uint32_t)le16(at + 2) << 16;
}

static inline uint64_t le64(const uint8_t *at)
{
    return (uint64_t)le32(at) | (uint64_t)le32(at + 4) << 32;
}

#endif
