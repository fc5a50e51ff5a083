/* SPDX-License-Identifier: BSD-2-Clause */
/* Second sources of time: the ACPI power management timer by its port, and Stall(). */
#include "references.h"

#define STALL_ERROR_PPM 20000u /* firmware's own calibration: a wide bar (B5) */

static uint64_t stall_wait(void *ctx, uint32_t us)
{
    const struct references *references = ctx;
    return EFI_ERROR(references->efi->bs->Stall(us)) ? 0 : us * 1000ull;
}

void references_open(struct references *references, const struct efi *efi, struct pm_timer pm_timer)
{
    *references =
        (struct references){.efi = efi, .pm_timer = {.port = pm_timer.port, .bits = pm_timer.bits}};
    if (pm_timer.port != 0)
        references->list[references->count++] = (struct clock_reference){
            clock_pm_timer_wait, &references->pm_timer, CLOCK_PM_TIMER, CLOCK_PM_TIMER_ERROR_PPM};
    references->list[references->count++] =
        (struct clock_reference){stall_wait, references, CLOCK_STALL, STALL_ERROR_PPM};
}
