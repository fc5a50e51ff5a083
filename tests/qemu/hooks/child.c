/* SPDX-License-Identifier: BSD-2-Clause */
/* Application to be chain-loaded: prints how it was started (E9), and returns the status that its
 * first option says, "status=" and hexadecimal digits (E13). Where that is "exit" it takes the
 * machine over as a kernel does, says so on the serial line, and switches off (A11). */
#include "../../../lib/utf.h"
#include "hook.h"

#define SERIAL_PORT 0x3F8u

static void say_on_port(const char *text)
{
    for (; *text; text++)
        __asm__ volatile("outb %b0, %w1" ::"a"(*text), "Nd"(SERIAL_PORT));
}

static EFI_STATUS take_over(const struct efi *efi, EFI_HANDLE image)
{
    static UINT8 map[65536];
    EFI_STATUS status = EFI_INVALID_PARAMETER;

    for (unsigned tries = 0; tries < 4 && EFI_ERROR(status); tries++) {
        UINTN size = sizeof(map), key = 0, entry = 0;
        UINT32 version = 0;
        status = efi->bs->GetMemoryMap(&size, (EFI_MEMORY_DESCRIPTOR *)map, &key, &entry, &version);
        if (!EFI_ERROR(status))
            status = efi->bs->ExitBootServices(image, key);
    }
    if (EFI_ERROR(status))
        return status;
    say_on_port("\r\nchild: boot services have ended\r\n");
    efi->rt->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    return EFI_DEVICE_ERROR;
}

static bool begins(const char *text, const char *key)
{
    while (*key && *text == *key) {
        text++;
        key++;
    }
    return !*key;
}

static EFI_STATUS wanted(const char *options)
{
    static const char key[] = "status=";

    if (!begins(options, key))
        return EFI_SUCCESS;
    UINTN code = 0;
    for (const char *digit = options + sizeof(key) - 1; *digit && *digit != ' '; digit++)
        code = code * 16 + (UINTN)(*digit >= 'a' ? *digit - 'a' + 10 : *digit - '0');
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
    return begins(options, "exit") ? take_over(&efi, image) : wanted(options);
}
