/* SPDX-License-Identifier: BSD-2-Clause */
/* The one thing taken from SMBIOS: the firmware version string of type 0, which Linux shows as
 * /sys/class/dmi/id/bios_version. DSP0134 3.7, 5.2 and 7.1. */
#ifndef LIB_SMBIOS_H
#define LIB_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_TABLE_MAX                                                                           \
    (1u << 20) /* bytes looked at: the newer entry point gives a limit, not a length, and some are \
                  absurd */

/* Copies the version string out of a structure table of `length` bytes, by smbios_text(). False if
 * there is none, it is blank, or the table is bad before it. */
bool smbios_firmware_version(const uint8_t *table, size_t length, char *text, size_t size);

/* Copies `length` bytes of a string up to a NUL or line end, cut to size - 1, trailing blanks cut,
 * and each byte that is not printable ASCII made a '?': what may go on a console and into the CRC
 * of the record. Who compares with what Linux shows passes that through here too. False if nothing
 * is left. */
bool smbios_text(const uint8_t *string, size_t length, char *text, size_t size);

/* Address and length of the structure table from an entry point of either form (32-bit "_SM_",
 * 64-bit "_SM3_"). `available` readable bytes are at entry. *ret_length is at most
 * SMBIOS_TABLE_MAX; the address is not 0. */
bool smbios_table(const uint8_t *entry, size_t available, uint64_t *ret_address,
                  size_t *ret_length);

#endif
