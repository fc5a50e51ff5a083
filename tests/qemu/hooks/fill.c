/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: fills the variable store until not even the smallest variable fits (D1). */
#include "hook.h"

static const EFI_GUID fill_guid = {
    0x0d6c1f4b, 0x7a0f, 0x4c8d, {0x9b, 0x21, 0x65, 0x7f, 0x3c, 0x9e, 0x11, 0x42}};

#define LARGEST    32768u
#define SMALLEST   16u
#define ATTRIBUTES 7u /* NV, BS, RT: the store that the record goes to */

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    struct console console;
    EFI_GUID guid = fill_guid;
    UINT64 total = 0, remaining = 0, largest = 0;
    UINTN size = LARGEST;

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    UINT8 *bytes = efi_allocate(&efi, LARGEST);
    if (!bytes)
        return EFI_OUT_OF_RESOURCES;
    for (unsigned count = 0; size >= SMALLEST; count++) {
        CHAR16 name[] = {'F', (CHAR16)('A' + count / 26 % 26), (CHAR16)('A' + count % 26), 0};
        if (EFI_ERROR(efi.rt->SetVariable(name, &guid, ATTRIBUTES, size, bytes)))
            size /= 2;
    }
    efi_free(&efi, bytes, LARGEST);
    EFI_STATUS status = efi.rt->QueryVariableInfo(ATTRIBUTES, &total, &remaining, &largest);
    text_print(&console.sink, "fill: %llu of %llu bytes left\n", (unsigned long long)remaining,
               (unsigned long long)total);
    return status;
}
