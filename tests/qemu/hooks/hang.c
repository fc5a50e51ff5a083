/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver: firmware that never comes back from starting the other CPUs (A3). */
#include "hook.h"

static EFI_STATUS EFIAPI on_start_all(struct mp_protocol *self, mp_procedure procedure,
                                      BOOLEAN in_turn, EFI_EVENT event, UINTN timeout_us,
                                      VOID *argument, UINTN **failed)
{
    (void)self, (void)procedure, (void)in_turn, (void)event, (void)timeout_us, (void)argument;
    (void)failed;
    for (;;)
        __asm__ volatile("hlt"); /* interrupts are on: the firmware's watchdog can bite */
    return EFI_DEVICE_ERROR;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;

    efi_open(&efi, image, system_table);
    struct mp_protocol *mp = hook_mp(&efi);
    if (!mp)
        return EFI_NOT_FOUND;
    mp->startup_all_aps = on_start_all;
    return EFI_SUCCESS;
}
