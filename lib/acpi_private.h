/* SPDX-License-Identifier: BSD-2-Clause */
/* What acpi*.c share: checks of a table, and the walk over entries that tell their own length. */
#ifndef LIB_ACPI_PRIVATE_H
#define LIB_ACPI_PRIVATE_H

#include "acpi.h"
#include "little_endian.h"

#define ACPI_HEADER 36u /* signature 0, length 4, revision 8, checksum 9; ACPI 6.5, 5.2.6 */

/* Checks a table of which `available` bytes may be read: at least `least` long, its length within
 * what is there and within ACPI_TABLE_MAX, its signature, its checksum. *ret_length is its length,
 * only on ACPI_OK. */
enum acpi_status acpi_check(const uint8_t *table, size_t available, const char *signature,
                            size_t least, size_t *ret_length);

/* Entries with type and length in their first two bytes (MADT, SRAT). */
struct acpi_entries {
    const uint8_t *at;
    size_t left;
    enum acpi_status status; /* ACPI_TRUNCATED once a bad entry ended the walk (A18) */
};

/* The next entry, or NULL at the end; its length is entry[1]. */
const uint8_t *acpi_entry_next(struct acpi_entries *entries);

/* True if the entry is at least that long; else the walk ends here. */
bool acpi_entry_holds(struct acpi_entries *entries, const uint8_t *entry, size_t bytes);

#endif
