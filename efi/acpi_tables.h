/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI through the configuration tables: which CPUs, which nodes, which timer. */
#ifndef EFI_ACPI_TABLES_H
#define EFI_ACPI_TABLES_H

#include "../lib/acpi.h"
#include "efi.h"

struct acpi_facts {
    uint64_t rsdp;         /* 0: no ACPI */
    enum acpi_status madt; /* ACPI_TRUNCATED and ACPI_TOO_MANY: what is there counts */
    unsigned madt_cpus;    /* enabled; 0 where MADT cannot be read */
    struct pm_timer pm_timer;
};

/* Where the tables are: rsdp alone is filled. */
void acpi_tables_open(const struct efi *efi, struct acpi_facts *ret);
/* The rest. scratch is only used during the call. */
void acpi_tables_read(struct madt_cpus *scratch, struct acpi_facts *ret);

/* SRAT and SLIT: nodes of cpus[], ranges and distances. False: no SRAT that can be used, and *ret
 * holds no node. */
bool acpi_tables_numa(const struct acpi_facts *facts, struct cpu_info *cpus, unsigned cpu_count,
                      struct numa *ret);

#endif
