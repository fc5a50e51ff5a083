/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver: a variable store that says that it is empty, whatever lies in it (D3). */
#include "hook.h"

#define ROOM    (1u << 20)
#define LARGEST 32768u

static EFI_STATUS EFIAPI on_query(UINT32 attributes, UINT64 *total, UINT64 *remaining,
                                  UINT64 *largest)
{
    (void)attributes;
    *total = *remaining = ROOM;
    *largest = LARGEST;
    return EFI_SUCCESS;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    (void)image;
    system_table->RuntimeServices->QueryVariableInfo = on_query;
    return EFI_SUCCESS;
}
