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
    ACPI_TOO_MANY   /* more entries than fit; the first ones are kept */
};
const char *acpi_status_text(enum acpi_status status);

/* Memory as the firmware maps it. read returns a pointer to length readable bytes at a physical
 * address, or NULL. */
struct acpi_memory {
    const void *(*read)(void *ctx, uint64_t address, size_t length);
    void *ctx;
};

/* Finds the table with that 4-letter signature from the RSDP: XSDT where revision >= 2 and there,
 * else RSDT. *ret_table points into firmware memory, *ret_length is its checked length. */
enum acpi_status acpi_find(const struct acpi_memory *memory, uint64_t rsdp, const char *signature,
                           const uint8_t **ret_table, size_t *ret_length);

struct madt_cpus {
    unsigned count;    /* enabled, deduplicated, without 0xFF / 0xFFFFFFFF (A16, A17) */
    unsigned disabled; /* entries not enabled */
    unsigned dropped;  /* duplicates and impossible ids */
    uint32_t apic_id[MAX_CPUS];
};

/* Types 0 and 9 (A15). table is a whole MADT as acpi_find() gave it, or any bytes: checked again.
 */
enum acpi_status acpi_read_madt(const uint8_t *table, size_t length, struct madt_cpus *ret);

/* SRAT types 0, 1, 2; unknown types are skipped. Sets cpus[].node by APIC id and fills nodes and
 * ranges of *numa. Without SLIT distances are 10 and 20. */
enum acpi_status acpi_read_srat(const uint8_t *table, size_t length, struct cpu_info *cpus,
                                unsigned cpu_count, struct numa *numa);

/* SLIT on top of nodes from SRAT: distances of proximity domains 0..n-1. Values below 10 are
 * refused. */
enum acpi_status acpi_read_slit(const uint8_t *table, size_t length, struct numa *numa);

struct pm_timer {
    uint16_t port; /* I/O port; 0: none that can be used (absent, or in memory space; B4) */
    uint8_t bits;  /* 24 or 32 */
};
enum acpi_status acpi_read_fadt(const uint8_t *table, size_t length, struct pm_timer *ret);

#endif
