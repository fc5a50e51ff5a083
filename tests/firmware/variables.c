/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable store of the firmware for tests, with edk2's rules, and its clock and reset. */
#include "private.h"

#include <string.h>

#define ROOM    60000u /* bytes left, as it says */
#define LARGEST 1000u

static bool named(const CHAR16 *name, const char *wanted)
{
    while (*wanted && *name == (unsigned char)*wanted) {
        name++;
        wanted++;
    }
    return *name == 0 && *wanted == '\0';
}

static struct fw_variable *ours(const CHAR16 *name, const EFI_GUID *vendor)
{
    if (vendor->Data1 != 0x947a949a)
        return NULL;
    if (named(name, "MigrationCost"))
        return &fw_state.fw->record;
    return named(name, "MigrationRun") ? &fw_state.fw->crumb : NULL;
}

static EFI_STATUS read_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes, UINTN *size,
                                VOID *data)
{
    const struct fw_variable *variable = ours(name, vendor);
    bool sysprep = fw_state.fw->sysprep, by_shell = fw_state.fw->by_shell;
    UINTN room = *size;

    if (!variable) { /* the boot manager's */
        bool there = named(name, "BootCurrent") ? !sysprep && !by_shell
                                                : sysprep && named(name, "SysPrepOrder");
        *size = sizeof(UINT16);
        if (there)
            memset(data, 0, sizeof(UINT16));
        return there ? EFI_SUCCESS : EFI_NOT_FOUND;
    }
    if (!variable->present)
        return EFI_NOT_FOUND;
    *size = variable->length;
    if (attributes)
        *attributes = variable->attributes;
    if (room < variable->length)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(data, variable->bytes, variable->length);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *data)
{
    FW_ENTER(FW_GET_VARIABLE);
    FW_LEAVE(read_variable(name, vendor, attributes, size, data));
}

static EFI_STATUS write_variable(struct fw_variable *variable, UINT32 attributes, UINTN size,
                                 const VOID *data)
{
    if (size == 0 || attributes == 0) {
        bool was = variable->present;
        variable->present = false;
        return was ? EFI_SUCCESS : EFI_NOT_FOUND;
    }
    if (size > LARGEST || (variable->present && variable->attributes != attributes))
        return EFI_INVALID_PARAMETER;
    variable->present = true;
    variable->attributes = attributes;
    variable->length = size;
    memcpy(variable->bytes, data, size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    struct fw *fw = fw_state.fw;
    struct fw_variable *variable = ours(name, vendor);

    if (!variable) {
        fw_misuse(FW_SET_VARIABLE, "of a name that is not ours");
        return EFI_UNSUPPORTED;
    }
    if (size == 0)
        fw->deletes++;
    else
        fw->sets++;
    FW_ENTER(FW_SET_VARIABLE);
    if (fate == FW_DIES_TORN)
        variable->present = false;
    else if (!EFI_ERROR(write_variable(variable, attributes, size, data)))
        FW_LEAVE(EFI_SUCCESS);
    FW_LEAVE(size == 0 ? EFI_NOT_FOUND : EFI_INVALID_PARAMETER);
}

static EFI_STATUS EFIAPI query(UINT32 attributes, UINT64 *total, UINT64 *remaining, UINT64 *largest)
{
    FW_ENTER(FW_QUERY_VARIABLE_INFO);
    (void)attributes;
    *total = *remaining = ROOM;
    *largest = LARGEST;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
    FW_ENTER(FW_GET_TIME);
    (void)capabilities;
    *time = (EFI_TIME){.Year = 2026, .Month = 2, .Day = 3};
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI reset(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size, CHAR16 *data)
{
    (void)type, (void)status, (void)size, (void)data;
    if (fw_enter(FW_RESET) != FW_RETURNS)
        fw_power_off(FW_RESET_END);
    return EFI_DEVICE_ERROR;
}

void fw_variables_open(void)
{
    EFI_RUNTIME_SERVICES *runtime = &fw_state.runtime;

    runtime->GetVariable = get_variable;
    runtime->SetVariable = set_variable;
    runtime->QueryVariableInfo = query;
    runtime->GetTime = get_time;
    runtime->ResetSystem = (VOID *)reset; /* VOID in some versions of gnu-efi */
}
