/* SPDX-License-Identifier: BSD-2-Clause */
/* What the hook images of the boot tests share. Each stands between the application and OVMF,
 * loaded by the shell before it; what is to stay is a driver, the others are applications. */
#ifndef HOOKS_HOOK_H
#define HOOKS_HOOK_H

#include "../../../efi/console.h"
#include "../../../efi/efi.h"

/* What watch.c counts and tell.c prints. */
struct watch {
    /* SetVariable() of a name under our GUID, with contents and without, and of all others. */
    UINT64 sets, deletes, other_sets;
    /* Calls of EFI_MP_SERVICES_PROTOCOL, by function. Of the starts: how many came without an
     * event, and how many failed. */
    UINT64 counts, infos, starts, blocking, refused, this_aps, switches, enables, whos;
    /* Other CPUs that ran the procedure, which of their control registers and tables it changed (a
     * bit for each, A10), and the most bytes of stack that one used (A25). */
    UINT64 aps, changed, stack;
    UINT64 watchdog; /* seconds, as it was set last */
    /* Address of the procedure that was started last: it tells where the image lies. */
    UINT64 procedure;
};

#define WATCH_GUID                                         \
    {                                                      \
        0x5b0f7a64, 0x1d0c, 0x4f4e,                        \
        {                                                  \
            0x8a, 0x6d, 0x0e, 0x63, 0x1f, 0x52, 0x90, 0xd7 \
        }                                                  \
    }

/* Each hook is an image of its own. */
EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

/* One pointer to be relocated: an image without any lacks the section that firmware and pe_finish
 * expect (H3). qemu.mk keeps the linker from dropping it. */
extern const VOID *const hook_pointer;
const VOID *const hook_pointer = &hook_pointer;

static const EFI_GUID hook_mp_guid = {
    0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

/* The MP services, or NULL. Their table can be written to: a hook takes a function's place. */
static inline struct mp_protocol *hook_mp(const struct efi *efi)
{
    EFI_GUID guid = hook_mp_guid;
    VOID *interface = NULL;

    return EFI_ERROR(efi->bs->LocateProtocol(&guid, NULL, &interface)) ? NULL : interface;
}

#endif
