/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds ACPI's tables and has lib/ read them. */
#include "acpi_tables.h"

#include "../lib/mem.h"

static const EFI_GUID acpi_20_guid = {
    0x8868e871, 0xe4f1, 0x11d3, {0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};
static const EFI_GUID acpi_10_guid = {
    0xeb9d2d30, 0x2d88, 0x11d3, {0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};

#define ADDRESS_LIMIT \
    (1ull << 52) /* physical addresses end here at the latest (Intel SDM 3A, 4.1) */

/* Firmware maps all memory one to one (UEFI 2.10, 2.3.4). */
static const void *read_physical(void *ctx, uint64_t address, size_t length)
{
    (void)ctx;
    if (address == 0 || address >= ADDRESS_LIMIT || length > ADDRESS_LIMIT - address)
        return NULL;
    return (const void *)(uintptr_t)address;
}

static const struct acpi_memory physical = {read_physical, NULL};

void acpi_tables_open(const struct efi *efi, struct acpi_facts *ret)
{
    const void *rsdp = efi_configuration_table(efi, &acpi_20_guid);

    if (!rsdp)
        rsdp = efi_configuration_table(efi, &acpi_10_guid);
    *ret = (struct acpi_facts){.madt = ACPI_ABSENT, .rsdp = (uintptr_t)rsdp};
}

void acpi_tables_read(struct madt_cpus *scratch, struct acpi_facts *ret)
{
    const uint8_t *table = NULL;
    size_t length = 0;

    if (ret->rsdp == 0)
        return;
    ret->madt = acpi_find(&physical, ret->rsdp, "APIC", &table, &length);
    if (ret->madt == ACPI_OK) {
        ret->madt = acpi_read_madt(table, length, scratch);
        if (ret->madt == ACPI_OK || ret->madt == ACPI_TRUNCATED || ret->madt == ACPI_TOO_MANY)
            ret->madt_cpus = scratch->count;
    }
    if (acpi_find(&physical, ret->rsdp, "FACP", &table, &length) != ACPI_OK ||
        acpi_read_fadt(table, length, &ret->pm_timer) != ACPI_OK)
        ret->pm_timer.port = 0;
}

bool acpi_tables_numa(const struct acpi_facts *facts, struct cpu_info *cpus, unsigned cpu_count,
                      struct numa *ret)
{
    const uint8_t *table = NULL;
    size_t length = 0;

    memset(ret, 0, sizeof(*ret));
    if (facts->rsdp == 0 || acpi_find(&physical, facts->rsdp, "SRAT", &table, &length) != ACPI_OK)
        return false;
    enum acpi_status status = acpi_read_srat(table, length, cpus, cpu_count, ret);
    if (status != ACPI_OK && status != ACPI_TRUNCATED && status != ACPI_TOO_MANY)
        return false;
    /* A bad SLIT leaves the distances that SRAT alone gives. */
    if (acpi_find(&physical, facts->rsdp, "SLIT", &table, &length) == ACPI_OK)
        (void)acpi_read_slit(table, length, ret);
    return ret->node_count > 0;
}
