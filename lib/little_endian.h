/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian numbers at any alignment, as foreign tables and the record hold them: a plain copy,
 * since all that this runs on is little-endian itself. __builtin_memcpy: in freestanding code the
 * compiler takes memcpy() for any function, and calls it. */
#ifndef LIB_LITTLE_ENDIAN_H
#define LIB_LITTLE_ENDIAN_H

#include <stdint.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are copied as they lie");

static inline uint16_t get16(const uint8_t *from)
{
    uint16_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

static inline uint32_t get32(const uint8_t *from)
{
    uint32_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

static inline uint64_t get64(const uint8_t *from)
{
    uint64_t value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

static inline void put16(uint8_t *to, uint32_t number)
{
    uint16_t value = (uint16_t)number;
    __builtin_memcpy(to, &value, sizeof value);
}

static inline void put32(uint8_t *to, uint32_t value)
{
    __builtin_memcpy(to, &value, sizeof value);
}

static inline void put64(uint8_t *to, uint64_t value)
{
    __builtin_memcpy(to, &value, sizeof value);
}

#endif
