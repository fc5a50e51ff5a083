/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: puts a MADT in the place of the firmware's that lists, beside the CPUs that are
 * there, some that are not (A15 to A17): enabled with ids of 8 and of 32 bits, one twice, the id of
 * nobody, and one that is only online capable. */
#include "hook.h"

static const EFI_GUID acpi_20_guid = {
    0x8868e871, 0xe4f1, 0x11d3, {0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

static const UINT8 more[] = {
    0, 8,  0xF0, 0x70, 1,    0, 0, 0,                         /* 112 */
    9, 16, 0,    0,    0x2C, 1, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, /* 300: not for xAPIC */
    9, 16, 0,    0,    0x70, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, /* 112 again */
    0, 8,  0xF1, 0xFF, 1,    0, 0, 0,                         /* nobody */
    0, 8,  0xF2, 0x71, 2,    0, 0, 0,                         /* 113, online capable */
};

static UINT32 length_of(const UINT8 *table)
{
    return *(const UINT32 *)(const VOID *)(table + 4);
}

static VOID mend(UINT8 *table)
{
    UINT8 sum = 0;

    table[9] = 0;
    for (UINT32 i = 0; i < length_of(table); i++)
        sum = (UINT8)(sum + table[i]);
    table[9] = (UINT8)-sum;
}

static UINT8 *longer(const struct efi *efi, const UINT8 *madt)
{
    UINT32 length = length_of(madt);
    UINT8 *copy = efi_allocate(efi, length + sizeof(more));

    if (!copy)
        return NULL;
    __builtin_memcpy(copy, madt, length);
    __builtin_memcpy(copy + length, more, sizeof(more));
    *(UINT32 *)(VOID *)(copy + 4) = (UINT32)(length + sizeof(more));
    mend(copy);
    return copy;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;

    efi_open(&efi, image, system_table);
    const UINT8 *rsdp = efi_configuration_table(&efi, &acpi_20_guid);
    if (!rsdp)
        return EFI_NOT_FOUND;
    UINT64 address;
    __builtin_memcpy(&address, rsdp + 24, sizeof(address));
    UINT8 *xsdt = (UINT8 *)(UINTN)address;
    for (UINT32 at = 36; at + 8 <= length_of(xsdt); at += 8) {
        __builtin_memcpy(&address, xsdt + at, sizeof(address));
        const UINT8 *table = (const UINT8 *)(UINTN)address;
        if (__builtin_memcmp(table, "APIC", 4) != 0)
            continue;
        UINT8 *copy = longer(&efi, table);
        if (!copy)
            return EFI_OUT_OF_RESOURCES;
        address = (UINTN)copy;
        __builtin_memcpy(xsdt + at, &address, sizeof(address));
        mend(xsdt);
        return EFI_SUCCESS;
    }
    return EFI_NOT_FOUND;
}
