/* SPDX-License-Identifier: BSD-2-Clause */
/* MADT: which CPUs firmware says there are. ACPI 6.5, 5.2.12. */
#include "acpi_private.h"

#define MADT_HEADER  44u
#define LOCAL_APIC   0u /* 8 bytes: id at 3, flags at 4; 5.2.12.2 */
#define LOCAL_X2APIC 9u /* 16 bytes: id at 4, flags at 8; 5.2.12.12 */
#define FLAG_ENABLED 1u

static bool known(const struct madt_cpus *cpus, uint32_t apic_id)
{
    for (unsigned i = 0; i < cpus->count; i++) {
        if (cpus->apic_id[i] == apic_id)
            return true;
    }
    return false;
}

/* Returns false if it does not fit. */
static bool add(struct madt_cpus *cpus, uint32_t apic_id, uint32_t nobody, uint32_t flags)
{
    if ((flags & FLAG_ENABLED) == 0) {
        cpus->disabled++;
        return true;
    }
    if (apic_id == nobody || known(cpus, apic_id)) {
        cpus->dropped++;
        return true;
    }
    if (cpus->count == MAX_CPUS)
        return false;
    cpus->apic_id[cpus->count++] = apic_id;
    return true;
}

enum acpi_status acpi_read_madt(const uint8_t *table, size_t length, struct madt_cpus *ret)
{
    ret->count = ret->disabled = ret->dropped = 0;
    enum acpi_status status = acpi_check(table, length, "APIC", MADT_HEADER, &length);
    if (status != ACPI_OK)
        return status;

    struct acpi_entries entries = {table + MADT_HEADER, length - MADT_HEADER, ACPI_OK};
    bool fits = true;
    for (const uint8_t *entry; (entry = acpi_entry_next(&entries)) != NULL;) {
        if (entry[0] == LOCAL_APIC && acpi_entry_holds(&entries, entry, 8))
            fits &= add(ret, entry[3], 0xFF, get32(entry + 4));
        if (entry[0] == LOCAL_X2APIC && acpi_entry_holds(&entries, entry, 16))
            fits &= add(ret, get32(entry + 4), 0xFFFFFFFF, get32(entry + 8));
    }
    return fits ? entries.status : ACPI_TOO_MANY;
}
