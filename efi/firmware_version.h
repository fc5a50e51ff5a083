/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's version as SMBIOS tells it. */
#ifndef EFI_FIRMWARE_VERSION_H
#define EFI_FIRMWARE_VERSION_H

#include "efi.h"

/* False, and text empty, where there is none. */
bool firmware_version(const struct efi *efi, char *text, size_t size);

/* True for firmware whose variable calls are known to hang: EFI before 2.0, and Apple's (D3). */
bool firmware_nvram_unsafe(const struct efi *efi);

#endif
