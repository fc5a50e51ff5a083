/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of 1 to 32 bits packed one after the other, lowest bit of a byte first. */
#ifndef LIB_RECORD_BITS_H
#define LIB_RECORD_BITS_H

#include <stddef.h>
#include <stdint.h>

/* Bits that values 0..largest need; 0 for 0. */
static inline unsigned bits_needed(uint64_t largest)
{
    unsigned width = 0;
    for (; largest; largest >>= 1)
        width++;
    return width;
}

static inline size_t bits_bytes(size_t count, unsigned width)
{
    return (count * width + 7) / 8;
}

/* Puts number `index` into bytes that were zero before. */
static inline void bits_put(uint8_t *bytes, size_t index, unsigned width, uint32_t value)
{
    size_t at = index * width;
    for (unsigned i = 0; i < width; i++, at++)
        bytes[at / 8] |= (uint8_t)((value >> i & 1) << at % 8);
}

static inline uint32_t bits_get(const uint8_t *bytes, size_t index, unsigned width)
{
    size_t at = index * width;
    uint32_t value = 0;
    for (unsigned i = 0; i < width; i++, at++)
        value |= (uint32_t)(bytes[at / 8] >> at % 8 & 1) << i;
    return value;
}

#endif
