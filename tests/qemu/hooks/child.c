/* SPDX-License-Identifier: BSD-2-Clause */
/* Application to be chain-loaded: prints how it was started (E9), and returns the status that its
 * first option says, "status=" and one hexadecimal digit (E13). */
#include "../../../lib/utf.h"
#include "hook.h"

static EFI_STATUS wanted(const char *options)
{
    static const char key[] = "status=";

    for (UINTN i = 0; i < sizeof(key) - 1; i++)
        if (options[i] != key[i])
            return EFI_SUCCESS;
    char digit = options[sizeof(key) - 1];
    UINTN code = (UINTN)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
    return code == 0 ? EFI_SUCCESS : EFIERR(code);
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    struct console console;
    char options[1024] = "";

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    if (!efi.self)
        return EFI_LOAD_ERROR;
    if (efi.self->LoadOptionsSize > 0)
        (void)utf8_from_utf16(efi.self->LoadOptions, efi.self->LoadOptionsSize / sizeof(CHAR16),
                              options, sizeof(options));
    text_print(&console.sink, "child: options [%s]\n", options);
    text_print(&console.sink, "child: %s device, %s path\n", efi.self->DeviceHandle ? "a" : "no",
               efi.self->FilePath ? "a" : "no");
    return wanted(options);
}
