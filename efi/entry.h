/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the application begins, after entry.c has relocated it. */
#ifndef EFI_ENTRY_H
#define EFI_ENTRY_H

#include <efi.h>

/* The application. What it returns goes back to whoever started the image. Called by entry.c with
 * the C calling convention of this program, not the firmware's. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

#endif
