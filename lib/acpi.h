/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers for the ACPI tables that matter: MADT (CPUs), SRAT and SLIT (nodes), FADT (PM timer).
 * Every table is foreign: lengths and checksums are looked at, a bad entry ends that table's
 * reading cleanly (A18). ACPI 6.5, chapter 5. */
#ifndef LIB_ACPI_H
#define LIB_ACPI_H

#include "topology.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum acpi_status {
    ACPI_OK = 0,
    ACPI_ABSENT,
    ACPI_BAD_LENGTH,
    ACPI_BAD_SIGNATURE,
    ACPI_BAD_CHECKSUM,
    ACPI_TRUNCATED, /* what was read up to the bad entry is kept */
    ACPI_TOO_MANY,  /* more entries than fit; the first ones are kept */
    ACPI_BAD_VALUE  /* a figure that cannot be; nothing of the table is used */
};
const char *acpi_status_text(enum acpi_status status);

#define ACPI_TABLE_MAX                                                                            \
    (1u << 20) /* bytes; a longer one is refused: real ones stay far below, and a length out of a \
                  broken table must not lead us through memory that nobody mapped */

/* Memory as the firmware maps it. read returns a pointer to length readable bytes at a physical
 * address, or NULL. */
struct acpi_memory {
    const void *(*read)(void *ctx, uint64_t address, size_t length);
    void *ctx;
};

/* Finds the table with that 4-letter signature from the RSDP: XSDT where revision >= 2 and there,
 * else RSDT, also where the XSDT is broken. *ret_table points into firmware memory, *ret_length is
 * its checked length. A table that fails its checks is passed over for a good one of the same
 * signature; if there is none, its failure is returned. Entries that memory does not give are
 * skipped. */
enum acpi_status acpi_find(const struct acpi_memory *memory, uint64_t rsdp, const char *signature,
                           const uint8_t **ret_table, size_t *ret_length);

struct madt_cpus {
    unsigned count;             /* enabled, deduplicated, without 0xFF / 0xFFFFFFFF (A16, A17) */
    unsigned disabled;          /* entries not enabled, with or without "online capable" (A17) */
    unsigned dropped;           /* enabled ones: duplicates and impossible ids */
    uint32_t apic_id[MAX_CPUS]; /* in the table's order, which says nothing about the boot CPU */
};

/* Types 0 and 9 (A15); others are skipped. table is a whole MADT as acpi_find() gave it, or any
 * bytes: checked again. Counts are 0 unless ACPI_OK, ACPI_TRUNCATED or ACPI_TOO_MANY. */
enum acpi_status acpi_read_madt(const uint8_t *table, size_t length, struct madt_cpus *ret);

/* SRAT types 0, 1, 2; unknown types are skipped. Sets cpus[].node by APIC id, NODE_UNKNOWN for
 * those that it does not name, and fills nodes, by rising number, and ranges of *numa. In revision
 * 1 only the low 8 bits of a proximity domain count. Without SLIT distances are 10 and 20. Nothing
 * is changed unless ACPI_OK, ACPI_TRUNCATED or ACPI_TOO_MANY. */
enum acpi_status acpi_read_srat(const uint8_t *table, size_t length, struct cpu_info *cpus,
                                unsigned cpu_count, struct numa *numa);

/* SLIT on top of nodes from SRAT: distances of proximity domains 0..n-1; others keep theirs. With
 * any value below 10 all of it is refused (ACPI_BAD_VALUE). Nothing is changed unless ACPI_OK. */
enum acpi_status acpi_read_slit(const uint8_t *table, size_t length, struct numa *numa);

struct pm_timer {
    uint16_t port; /* I/O port; 0: none that can be used (absent, or in memory space; B4) */
    uint8_t bits;  /* 24 or 32 */
};

/* The PM timer as FADT describes it: the extended block where it is set, else the old one. None on
 * hardware-reduced ACPI. *ret is {0, 0} unless ACPI_OK. */
enum acpi_status acpi_read_fadt(const uint8_t *table, size_t length, struct pm_timer *ret);

#endif
