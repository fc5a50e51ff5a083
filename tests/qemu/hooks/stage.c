/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver: stops the application at a named stage and says so, for the power to be cut there. The
 * stage is the first letter of the variable Stage, made by the shell under the watch's GUID:
 *   b  before the breadcrumb is written
 *   a  after that
 *   w  while the record is written: it is written for ever, in turn with the one before. */
#include "../../../lib/mem.h"
#include "../../../lib/record.h"
#include "hook.h"

static EFI_SET_VARIABLE set_variable;
static struct console console;
static const struct efi *services;
static UINT8 stage;

static void stop_here(const char *where)
{
    text_print(&console.sink, "stage: %s\n", where);
    for (;;)
        (void)services->bs->Stall(1000000);
}

/* Flash is written in this loop and in nothing else of the machine. */
static void write_for_ever(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                           VOID *data)
{
    static UINT8 old[RECORD_MAX_BYTES];
    UINTN old_size = sizeof(old);
    UINT32 old_attributes = 0;
    EFI_STATUS status = services->rt->GetVariable(name, vendor, &old_attributes, &old_size, old);

    text_print(&console.sink, "stage: while the record is written\n");
    for (;;) {
        (void)set_variable(name, vendor, attributes, size, data);
        if (!EFI_ERROR(status))
            (void)set_variable(name, vendor, old_attributes, old_size, old);
    }
}

static EFI_STATUS EFIAPI on_set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes,
                                         UINTN size, VOID *data)
{
    bool crumb = name[0] == 'M' && name[9] == 'R' && size > 0;
    bool record = name[0] == 'M' && name[9] == 'C' && size > 0;

    if (crumb && stage == 'b')
        stop_here("before the breadcrumb");
    if (record && stage == 'w')
        write_for_ever(name, vendor, attributes, size, data);
    EFI_STATUS status = set_variable(name, vendor, attributes, size, data);
    if (crumb && stage == 'a')
        stop_here("after the breadcrumb");
    return status;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    static struct efi efi;
    EFI_GUID guid = WATCH_GUID;
    UINTN size = sizeof(stage);

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    services = &efi;
    EFI_STATUS status = efi.rt->GetVariable(EFI_CONST(L"Stage"), &guid, NULL, &size, &stage);
    if (EFI_ERROR(status))
        return status;
    set_variable = efi.rt->SetVariable;
    efi.rt->SetVariable = on_set_variable;
    return EFI_SUCCESS;
}
