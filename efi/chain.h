/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts another image from our volume, by its device path, so that its own loader finds the volume
 * again (E9). Only LoadImage and StartImage are used, which a shim hooks (E12). */
#ifndef EFI_CHAIN_H
#define EFI_CHAIN_H

#include "../lib/cmdline.h"
#include "efi.h"

enum chain_status {
    CHAIN_OK = 0,        /* loaded; or it ran and came back: *ret_status is what it said */
    CHAIN_NO_VOLUME,     /* the device that this image came from is not known */
    CHAIN_MISSING,       /* no such file */
    CHAIN_REFUSED,       /* Secure Boot or another policy forbids it (E11) */
    CHAIN_FAILED,        /* not an image, no memory, ..: *ret_status */
    CHAIN_LINE_TOO_LONG, /* its options and the hand-off do not fit, or a newline in them would end
                            the kernel's reading: nothing was started (E8) */
};

struct chain_request {
    const char *path;    /* UTF-8, from the root of the volume; / stands for \ too */
    const char *options; /* passed on byte for byte */
    const char *handoff; /* appended behind a blank; "" nothing */
};

/* Whether there is such a file, before anything else is done. CHAIN_OK as well where that cannot be
 * told, since the volume has no file system (a network). */
enum chain_status chain_look(const struct efi *efi, const char *path, EFI_STATUS *ret_status);

/* Loads the image and its options: all that can fail before it runs. Nothing is started. */
struct chain_image {
    EFI_HANDLE handle;
    CHAR16 *options; /* must stay while the image runs (E13) */
    size_t options_bytes;
    EFI_DEVICE_PATH *device_path;
    size_t device_path_bytes;
};
enum chain_status chain_load(const struct efi *efi, const struct chain_request *chain,
                             struct chain_image *ret, EFI_STATUS *ret_status);

/* Starts it, with the watchdog at its default (E14). Does not return where an OS takes over. */
enum chain_status chain_start(const struct efi *efi, struct chain_image *image,
                              EFI_STATUS *ret_status);

/* Gives back what chain_load() took; for an image that is not to be started after all. */
void chain_unload(const struct efi *efi, struct chain_image *image);

#endif
