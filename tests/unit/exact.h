/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of exactly their size, so that ASan sees every read beyond an input. */
#ifndef TESTS_EXACT_H
#define TESTS_EXACT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void *exact_copy(const void *bytes, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1); /* never NULL, which may mean another thing */
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

#endif
