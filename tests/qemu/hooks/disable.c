/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: disables CPUs as a firmware setting does (A8). Its option is a list of their
 * numbers, one digit each; "look" disables none. Prints what each CPU then is. */
#include "../../../efi/arguments.h"
#include "hook.h"

typedef EFI_STATUS(EFIAPI *enable_disable)(struct mp_protocol *self, UINTN number, BOOLEAN enable,
                                           UINT32 *health);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    static struct arguments arguments;
    struct efi efi;
    struct console console;
    UINTN total = 0, enabled = 0;

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    arguments_read(&efi, &arguments);
    struct mp_protocol *mp = hook_mp(&efi);
    if (!mp || arguments.count == 0)
        return EFI_NOT_FOUND;
    for (const char *digit = arguments.tokens[0]; *digit >= '0' && *digit <= '9'; digit++) {
        EFI_STATUS status =
            ((enable_disable)mp->enable_disable_ap)(mp, (UINTN)(*digit - '0'), FALSE, NULL);
        if (EFI_ERROR(status))
            return status;
    }
    EFI_STATUS status = mp->get_number_of_processors(mp, &total, &enabled);
    for (UINTN i = 0; !EFI_ERROR(status) && i < total; i++) {
        struct mp_processor_info info = {0};
        status = mp->get_processor_info(mp, i, &info);
        text_print(&console.sink, "cpu: %u %s\n", (unsigned)i,
                   info.status & MP_STATUS_ENABLED ? "enabled" : "disabled");
    }
    return status;
}
