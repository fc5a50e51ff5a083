/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable's bytes, read from the firmware once for each boot. */
#ifndef LINUX_VARIABLE_CACHE_H
#define LINUX_VARIABLE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#define CACHE_FILE "/run/migcost/variable"

/* Reads what efivarfs shows of the variable at path, attributes included, at most size bytes: from
 * CACHE_FILE where that is newer than the variable and its owner's, else from efivarfs, and then
 * keeps a copy where that is possible. Each read of efivarfs asks the firmware, in which some spend
 * milliseconds with interrupts off, and the kernel rations those of users (D11). 0, or the errno.
 */
int variable_read(const char *root, const char *path, void *buffer, size_t size,
                  size_t *ret_length);

#endif
