/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: prints what the driver watch.c has counted, and sets it back to zero. */
#include "hook.h"

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    struct console console;
    EFI_GUID guid = WATCH_GUID;
    VOID *interface = NULL;

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    EFI_STATUS status = efi.bs->LocateProtocol(&guid, NULL, &interface);
    if (EFI_ERROR(status))
        return status;

    struct watch *watch = interface;
    const struct {
        const char *name;
        UINT64 value;
    } lines[] = {
        {"sets", watch->sets},
        {"deletes", watch->deletes},
        {"other-sets", watch->other_sets},
        {"counts", watch->counts},
        {"infos", watch->infos},
        {"starts", watch->starts},
        {"blocking", watch->blocking},
        {"refused", watch->refused},
        {"this-aps", watch->this_aps},
        {"switches", watch->switches},
        {"enables", watch->enables},
        {"whos", watch->whos},
        {"aps", watch->aps},
        {"changed", watch->changed},
        {"stack", watch->stack},
        {"watchdog", watch->watchdog},
        {"procedure", watch->procedure},
    };
    for (UINTN i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        text_print(&console.sink, "watch: %s %llu\n", lines[i].name,
                   (unsigned long long)lines[i].value);
    *watch = (struct watch){0};
    return EFI_SUCCESS;
}
