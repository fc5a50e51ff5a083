/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds ACPI tables byte by byte, for tests. */
#ifndef TESTS_ACPI_BUILD_H
#define TESTS_ACPI_BUILD_H

#include "exact.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct build {
    uint8_t bytes[65536];
    size_t size;
};

static inline void put(struct build *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->bytes[b->size++] = (uint8_t)(value >> 8 * i);
}

static inline void put_zeros(struct build *b, size_t count)
{
    memset(b->bytes + b->size, 0, count);
    b->size += count;
}

/* The byte at `at` makes the first `length` bytes sum to zero. */
static inline void put_sum(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;
    bytes[at] = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[at] = (uint8_t)-sum;
}

static inline void begin_table(struct build *b, const char *signature, unsigned revision)
{
    b->size = 0;
    put_zeros(b, 36);
    memcpy(b->bytes, signature, 4);
    b->bytes[8] = (uint8_t)revision;
}

/* Length and checksum, as they must be. */
static inline void end_table(struct build *b)
{
    for (unsigned i = 0; i < 4; i++)
        b->bytes[4 + i] = (uint8_t)(b->size >> 8 * i);
    put_sum(b->bytes, b->size, 9);
}

#endif
