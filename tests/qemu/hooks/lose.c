/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver: a CPU that neither does what it is started for nor comes back (A6, A11): the first one
 * that arrives stays in a loop until the firmware takes it back by force. */
#include "hook.h"

static struct mp_protocol original;
static mp_procedure procedure;
static VOID *procedure_argument;
static UINT32 arrived;

static VOID EFIAPI on_ap(VOID *argument)
{
    (void)argument;
    if (__atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED) == 0)
        for (;;)
            __asm__ volatile("pause" ::: "memory");
    procedure(procedure_argument);
}

static EFI_STATUS EFIAPI on_start_all(struct mp_protocol *self, mp_procedure what, BOOLEAN in_turn,
                                      EFI_EVENT event, UINTN timeout_us, VOID *argument,
                                      UINTN **failed)
{
    procedure = what;
    procedure_argument = argument;
    arrived = 0;
    return original.startup_all_aps(self, on_ap, in_turn, event, timeout_us, argument, failed);
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
