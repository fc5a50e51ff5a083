/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: starts what \steps.txt says, one image a line, where there is no shell: OVMF does
 * not start its own under Secure Boot. A line is LABEL PATH OPTIONS..; it is told as the boot tests
 * have it from the shell, with the number of images in memory behind each. Then the machine is
 * switched off. */
#include "../../../efi/chain.h"
#include "../../../efi/files.h"
#include "hook.h"

static UINTN images_loaded(const struct efi *efi)
{
    UINTN count = 0;
    EFI_HANDLE *handles = NULL;

    if (EFI_ERROR(efi->bs->LocateHandleBuffer(ByProtocol, EFI_CONST(&efi_loaded_image_guid), NULL,
                                              &count, &handles)))
        return 0;
    (void)efi->bs->FreePool(handles);
    return count;
}

/* Cuts the first word off a line. */
static char *word(char **line)
{
    char *start = *line, *end = start;

    while (*end && *end != ' ')
        end++;
    *line = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

static void step(const struct efi *efi, const struct text_sink *sink, char *line)
{
    const char *label = word(&line);
    struct chain_request request = {.path = word(&line), .options = line, .handoff = ""};
    struct chain_image image;
    EFI_STATUS status = EFI_SUCCESS;

    text_print(sink, "= begin %s =\n", label);
    if (chain_load(efi, &request, &image, &status) == CHAIN_OK)
        (void)chain_start(efi, &image, &status);
    text_print(sink, "steps: images %u\n", (unsigned)images_loaded(efi));
    text_print(sink, "= end %s 0x%x =\n", label, (unsigned)(status & 0xFFFF));
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    static char text[4096];
    struct efi efi;
    struct console console;
    size_t length = 0;
    EFI_STATUS status = EFI_SUCCESS;

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    if (files_read(&efi, L"\\steps.txt", text, sizeof(text) - 1, &length, &status) == FILE_OK)
        for (char *line = text; *line;) {
            char *end = line;
            while (*end && *end != '\n')
                end++;
            bool last = !*end;
            *end = '\0';
            step(&efi, &console.sink, line);
            line = last ? end : end + 1;
        }
    efi.rt->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    return EFI_DEVICE_ERROR;
}
