/* SPDX-License-Identifier: BSD-2-Clause */
/* The one thing taken from SMBIOS: the firmware version string of type 0, which Linux shows as
 * /sys/class/dmi/id/bios_version. DSP0134 3.7, 5.2 and 7.1. */
#ifndef LIB_SMBIOS_H
#define LIB_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies the version string out of a structure table of `length` bytes. False if there is none or
 * the table is bad. */
bool smbios_firmware_version(const uint8_t *table, size_t length, char *text, size_t size);

/* Address and length of the structure table from an entry point of either form (32-bit "_SM_",
 * 64-bit "_SM3_"). `available` readable bytes are at entry. */
bool smbios_table(const uint8_t *entry, size_t available, uint64_t *ret_address,
                  size_t *ret_length);

#endif
