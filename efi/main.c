/* SPDX-License-Identifier: BSD-2-Clause */
/* The application: so far it only says that it runs. */
#include "entry.h"

/* A table of pointers, so that a wrong relocation shows at once. */
static CHAR16 *const volatile words[] = {L"migcost ", L"runs\r\n"};

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    (void)image;
    for (UINTN i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        system_table->ConOut->OutputString(system_table->ConOut, words[i]);
    return EFI_SUCCESS;
}
