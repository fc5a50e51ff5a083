/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory functions of the firmware image, small and plain. The Makefile compiles this file so
 * that the compiler does not turn its loops into calls of themselves. Host programs do not link it.
 */
#include "mem.h"
#include <stdint.h>

/* Eight bytes at any address: clearing a buffer of megabytes byte by byte would take seconds under
 * emulation. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *d = to;
    const unsigned char *s = from;

    for (; size >= sizeof(word); size -= sizeof(word), d += sizeof(word), s += sizeof(word))
        *(word *)d = *(const word *)s;
    while (size--)
        *d++ = *s++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *d = to;
    const unsigned char *s = from;

    if ((uintptr_t)d - (uintptr_t)s >= size) /* to lies below from, or behind its end */
        for (size_t i = 0; i < size; i++)
            d[i] = s[i];
    else
        while (size--)
            d[size] = s[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *d = to;
    uint64_t pattern = (uint8_t)value * UINT64_C(0x0101010101010101);

    for (; size >= sizeof(word); size -= sizeof(word), d += sizeof(word))
        *(word *)d = pattern;
    while (size--)
        *d++ = (unsigned char)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;

    for (; size; size--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}
