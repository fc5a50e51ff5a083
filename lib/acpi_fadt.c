/* SPDX-License-Identifier: BSD-2-Clause */
/* FADT: where the power management timer is. ACPI 6.5, 5.2.9 and 4.8.3.3. */
#include "acpi_private.h"

#define FADT_LEAST       116u /* revision 1: up to and with the flags */
#define PM_TMR_BLK       76u
#define PM_TMR_LEN       91u
#define FLAGS            112u
#define X_PM_TMR_BLK     208u /* address space, width, offset, access size, address at +4 */
#define X_PM_TMR_END     220u
#define FLAG_TMR_VAL_EXT (1u << 8)
#define FLAG_HW_REDUCED  (1u << 20)
#define ADDRESS_SPACE_IO 1u
#define PORT_MAX         0xFFFCu /* the last that 4 bytes can be read from */

enum acpi_status acpi_read_fadt(const uint8_t *table, size_t length, struct pm_timer *ret)
{
    *ret = (struct pm_timer){0, 0};
    enum acpi_status status = acpi_check(table, length, "FACP", FADT_LEAST, &length);
    if (status != ACPI_OK)
        return status;
    const uint32_t flags = get32(table + FLAGS);
    if ((flags & FLAG_HW_REDUCED) != 0)
        return ACPI_OK;

    uint64_t address = table[PM_TMR_LEN] == 4 ? get32(table + PM_TMR_BLK) : 0;
    const uint64_t extended = length >= X_PM_TMR_END ? get64(table + X_PM_TMR_BLK + 4) : 0;
    if (extended != 0) /* it stands instead of the old one, also where we cannot use it (B4) */
        address = table[X_PM_TMR_BLK] == ADDRESS_SPACE_IO ? extended : 0;
    if (address == 0 || address > PORT_MAX)
        return ACPI_OK;
    ret->port = (uint16_t)address;
    ret->bits = (flags & FLAG_TMR_VAL_EXT) != 0 ? 32 : 24;
    return ACPI_OK;
}
