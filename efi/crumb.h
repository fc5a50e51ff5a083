/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable MigrationRun: the breadcrumb that a run leaves before it starts other CPUs, and
 * takes away at its end (lib/breadcrumb.h). Two writes for each measurement, none for a boot that
 * measures nothing. */
#ifndef EFI_CRUMB_H
#define EFI_CRUMB_H

#include "../lib/breadcrumb.h"
#include "efi.h"

struct crumb {
    bool there;          /* something lies under our name .. */
    uint32_t attributes; /* .. with these */
    bool valid;          /* .. and it is a breadcrumb: found */
    struct breadcrumb found;
    EFI_STATUS status; /* of the last call that failed, else EFI_SUCCESS */
};

void crumb_read(const struct efi *efi, struct crumb *ret);
/* False where it cannot be written; crumb->status says why. */
bool crumb_leave(const struct efi *efi, struct crumb *crumb, const struct breadcrumb *next);
/* Deletes it, if something is there. */
bool crumb_take(const struct efi *efi, struct crumb *crumb);

#endif
