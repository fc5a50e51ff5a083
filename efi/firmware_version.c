/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's version and vendor. */
#include "firmware_version.h"

#include "../lib/smbios.h"

static const EFI_GUID smbios_guid = {
    0xeb9d2d31, 0x2d88, 0x11d3, {0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};
static const EFI_GUID smbios3_guid = {
    0xf2fd1544, 0x9794, 0x4a2c, {0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94}};

#define ENTRY_BYTES      31u /* of the older form; the newer has 24 (DSP0134 3.7, 5.2) */
#define EFI_2_00         0x00020000u
#define VENDOR_UNITS_MAX 64u

static bool read_version(const void *entry, char *text, size_t size)
{
    uint64_t address = 0;
    size_t length = 0;
    return entry && smbios_table(entry, ENTRY_BYTES, &address, &length) && address != 0 &&
           smbios_firmware_version((const uint8_t *)(uintptr_t)address, length, text, size);
}

bool firmware_version(const struct efi *efi, char *text, size_t size)
{
    if (read_version(efi_configuration_table(efi, &smbios3_guid), text, size) ||
        read_version(efi_configuration_table(efi, &smbios_guid), text, size))
        return true;
    text[0] = '\0';
    return false;
}

bool firmware_nvram_unsafe(const struct efi *efi)
{
    const CHAR16 *vendor = efi->st->FirmwareVendor;

    if (efi->st->Hdr.Revision < EFI_2_00)
        return true;
    if (!vendor)
        return false;
    for (unsigned i = 0; i < VENDOR_UNITS_MAX && vendor[i]; i++)
        if (vendor[i] == 'A' && vendor[i + 1] == 'p' && vendor[i + 2] == 'p' &&
            vendor[i + 3] == 'l' && vendor[i + 4] == 'e')
            return true;
    return false;
}
