/* SPDX-License-Identifier: BSD-2-Clause */
/* The four memory functions: all that the compiler, and lib/, may take for granted. In the firmware
 * image they come from mem.c, on a host from its libc. They behave as <string.h> says. */
#ifndef LIB_MEM_H
#define LIB_MEM_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
