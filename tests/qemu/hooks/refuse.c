/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver: firmware that refuses the non-blocking start, as it may after READY_TO_BOOT (A36). OVMF
 * lets it through. */
#include "hook.h"

static struct mp_protocol original;

static EFI_STATUS EFIAPI on_start_all(struct mp_protocol *self, mp_procedure procedure,
                                      BOOLEAN in_turn, EFI_EVENT event, UINTN timeout_us,
                                      VOID *argument, UINTN **failed)
{
    if (event)
        return EFI_UNSUPPORTED;
    return original.startup_all_aps(self, procedure, in_turn, event, timeout_us, argument, failed);
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;

    efi_open(&efi, image, system_table);
    struct mp_protocol *mp = hook_mp(&efi);
    if (!mp)
        return EFI_NOT_FOUND;
    original = *mp;
    mp->startup_all_aps = on_start_all;
    return EFI_SUCCESS;
}
