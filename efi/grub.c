/* SPDX-License-Identifier: BSD-2-Clause */
/* The result as a file that GRUB can source, for kernels without an EFI stub: it lies beside the
 * image and was made beforehand. */
#include "app.h"

#include "../lib/mem.h"
#include "files.h"

#define GRUB_NAME "migcost-grub.cfg" /* no name that GRUB or a distribution uses */
#define GRUB_MAX  512u               /* one sector, which a power cut does not tear */

static bool says_so_already(const struct app *app, const CHAR16 *path, const char *text,
                            size_t length)
{
    char there[GRUB_MAX];
    size_t got = 0;
    EFI_STATUS status;

    return files_read(&app->efi, path, there, sizeof(there), &got, &status) == FILE_OK &&
           got > length && memcmp(there, text, length) == 0 &&
           (there[length] == ' ' || there[length] == '\n');
}

enum outcome grub_write(struct app *app)
{
    char text[GRUB_MAX], handoff[GRUB_MAX];
    CHAR16 path[FILES_PATH_MAX];
    uint64_t room = 0;
    EFI_STATUS status = EFI_NOT_FOUND;
    enum file_status written = FILE_NO_VOLUME;

    if (!leave_handoff(app, HANDOFF_CMDLINE, handoff, sizeof(handoff)))
        return OUTCOME_STORED;
    size_t length = text_format(text, sizeof(text), "set migcost=\"%s\"", handoff);
    if (length >= sizeof(text))
        return OUTCOME_REPORT_FAILED;
    if (files_beside(&app->efi, L"" GRUB_NAME, path)) {
        if (says_so_already(app, path, text, length))
            return OUTCOME_STORED;
        written = files_write(&app->efi, path, text, length, false, &room, &status);
    }
    text_print(&app->console.sink, "hand-off: " GRUB_NAME ": %s%s%s\n", file_status_text(written),
               written == FILE_FAILED ? ": " : "",
               written == FILE_FAILED ? efi_status_text(status) : "");
    return written == FILE_OK ? OUTCOME_STORED : OUTCOME_REPORT_FAILED;
}
