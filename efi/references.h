/* SPDX-License-Identifier: BSD-2-Clause */
/* Second sources of time, against which the time stamp counter is checked. */
#ifndef EFI_REFERENCES_H
#define EFI_REFERENCES_H

#include "../arch/x86/clock.h"
#include "../lib/acpi.h"
#include "efi.h"

#define REFERENCES_MAX 2u

struct references {
    const struct efi *efi;
    struct clock_pm_timer pm_timer;
    struct clock_reference list[REFERENCES_MAX]; /* best first */
    unsigned count;
};

/* The ACPI timer where it lies in I/O space and moves, then Stall() (B4, B5: the HPET is left
 * alone). *references must stay where it is. */
void references_open(struct references *references, const struct efi *efi,
                     struct pm_timer pm_timer);

#endif
