/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: takes all memory below 1 MiB, as firmware has been seen to do for itself (C5). */
#include "hook.h"

#define LAST 0xFFFFFu

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    EFI_PHYSICAL_ADDRESS address;
    unsigned taken = 0;

    efi_open(&efi, image, system_table);
    do {
        address = LAST;
        taken++;
    } while (
        !EFI_ERROR(efi.bs->AllocatePages(AllocateMaxAddress, EfiBootServicesData, 1, &address)));
    return taken > 1 ? EFI_SUCCESS : EFI_NOT_FOUND;
}
