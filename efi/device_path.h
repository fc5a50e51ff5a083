/* SPDX-License-Identifier: BSD-2-Clause */
/* Device paths, as far as this program reads and makes them: a volume, and a file on it (UEFI 2.10,
 * 10.2 and 10.3.5.4). Nodes lie at any address and come from outside: bytes, not structs. */
#ifndef EFI_DEVICE_PATH_H
#define EFI_DEVICE_PATH_H

#include "efi.h"

#define NODE_HEADER     4u
#define NODE_MEDIA      4u
#define NODE_FILE_PATH  4u
#define NODE_END        0x7Fu
#define NODE_END_ENTIRE 0xFFu

/* Bytes of a device path before its end node; 0 where it is not well formed. */
size_t device_path_length(const uint8_t *path);

/* The folder in which the file of that path lies, with a backslash at both ends: "\", "\EFI\x\".
 * Loaders put the names into one node or into several, with or without a NUL. False, and *ret
 * unspecified, where no file is named, or its name does not fit into that many units. */
bool device_path_folder(const uint8_t *path, CHAR16 *ret, size_t units);

#endif
