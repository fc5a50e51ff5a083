/* SPDX-License-Identifier: BSD-2-Clause */
/* One boot of the firmware for tests: what every call goes through, and how a boot ends. */
#include "private.h"

#include <string.h>

#define CALLS_WITHOUT_END 300000u /* somebody waits in a service that does not */

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

struct fw_state fw_state;

const char *fw_service_name(enum fw_service service)
{
    static const char *const names[FW_SERVICES] = {
        "AllocatePages",
        "FreePages",
        "FreePool",
        "HandleProtocol",
        "LocateProtocol",
        "CreateEvent",
        "CloseEvent",
        "CheckEvent",
        "SetTimer",
        "LoadImage",
        "StartImage",
        "UnloadImage",
        "SetWatchdogTimer",
        "Stall",
        "RaiseTPL",
        "RestoreTPL",
        "GetVariable",
        "SetVariable",
        "QueryVariableInfo",
        "GetTime",
        "ResetSystem",
        "OutputString",
        "QueryMode",
        "ReadKeyStroke",
        "GetNumberOfProcessors",
        "GetProcessorInfo",
        "StartupAllAPs",
        "WhoAmI",
        "OpenVolume",
        "Open",
        "Read",
        "Write",
        "Flush",
        "SetPosition",
        "GetPosition",
        "Close",
        "a service that is never called",
    };
    return names[service];
}

/* docs/architecture.md, "Rules": what may be called while other CPUs are out. CheckEvent and Stall
 * are the wait for them, SetTimer is the callback's other look; and a reset is for the lost. */
static bool allowed_while_out(enum fw_service service)
{
    switch (service) {
    case FW_OUTPUT:
    case FW_READ_KEY:
    case FW_STALL:
    case FW_RAISE_TPL:
    case FW_RESTORE_TPL:
    case FW_CHECK_EVENT:
    case FW_SET_TIMER:
    case FW_RESET:
        return true;
    default:
        return false;
    }
}

void fw_misuse(enum fw_service service, const char *what)
{
    struct fw *fw = fw_state.fw;
    if (fw->misuse)
        return;
    fw->misuse = what;
    fw->misused = service;
}

void fw_power_off(enum fw_end end)
{
    longjmp(fw_state.power, (int)end);
}

static enum fw_fate fate_of(struct fw *fw, enum fw_service service, unsigned call)
{
    if (fw->fault == FW_FAILS_ALWAYS && service == fw_state.failing)
        return FW_RETURNS;
    if (fw->fault == FW_NO_FAULT || call != fw->fault_call)
        return FW_GOES_WELL;
    switch (fw->fault) {
    case FW_FAILS_ALWAYS:
        fw_state.failing = service;
        return FW_RETURNS;
    case FW_FAILS:
        return FW_RETURNS;
    case FW_CUT_BEFORE:
        fw_power_off(FW_POWER_CUT);
    case FW_CUT_TORN:
        return FW_DIES_TORN;
    case FW_CUT_AFTER:
    case FW_NO_FAULT:
        break;
    }
    return FW_DIES_AFTER;
}

enum fw_fate fw_enter(enum fw_service service)
{
    struct fw *fw = fw_state.fw;

    if (!pthread_equal(pthread_self(), fw_state.boot_cpu)) {
        fw_misuse(service, "called by another CPU (A28)");
        return FW_GOES_WELL;
    }
    if (fw_state.aps_out && !allowed_while_out(service))
        fw_misuse(service, "called while other CPUs are out");
    if (fw_state.level == TPL_HIGH_LEVEL && service != FW_RAISE_TPL && service != FW_RESTORE_TPL)
        fw_misuse(service, "called at TPL_HIGH_LEVEL");
    unsigned call = fw->calls++;
    if (call < FW_CALLS_MAX)
        fw->service_of[call] = (uint8_t)service;
    if (call >= CALLS_WITHOUT_END) /* the watchdog, in the end */
        fw_power_off(FW_RESET_END);
    return fate_of(fw, service, call);
}

static EFI_STATUS EFIAPI never(VOID)
{
    fw_misuse(FW_NEVER, "is never to be called");
    return EFI_UNSUPPORTED;
}

static void fill_table(void *table, size_t bytes)
{
    VOID **entry = table;
    for (size_t i = sizeof(EFI_TABLE_HEADER) / sizeof(*entry); i < bytes / sizeof(*entry); i++)
        entry[i] = (VOID *)never;
}

void fw_init(struct fw *fw)
{
    memset(fw, 0, sizeof(*fw));
    fw->options = "";
    fw->signature = 0x806F8;
}

static void open_all(struct fw *fw)
{
    memset(&fw_state, 0, sizeof(fw_state));
    fw_state.fw = fw;
    fw_state.boot_cpu = pthread_self();
    fw_state.level = TPL_APPLICATION;
    fw_state.failing = FW_SERVICES;
    fill_table(&fw_state.boot, sizeof(fw_state.boot));
    fill_table(&fw_state.runtime, sizeof(fw_state.runtime));
    fw_state.table.Hdr.Revision = 0x00020046;
    fw_state.table.BootServices = &fw_state.boot;
    fw_state.table.RuntimeServices = &fw_state.runtime;
    fw->end = FW_RETURNED;
    fw->status = EFI_SUCCESS;
    fw->calls = fw->starts = fw->sets = fw->deletes = fw->children = 0;
    fw->pages_out = fw->pools_out = fw->events_open = fw->images_loaded = fw->files_open = 0;
    fw->watchdog = fw->watchdog_at_child = 300; /* as a boot manager leaves it */
    fw->misuse = NULL;
    fw_memory_open();
    fw_images_open();
    fw_variables_open();
    fw_console_open();
    fw_cpus_open();
    fw_files_open();
}

void fw_boot(struct fw *fw)
{
    open_all(fw);
    int end = setjmp(fw_state.power);
    if (end == 0)
        fw_state.fw->status = efi_main(&fw_state.self, &fw_state.table);
    fw = fw_state.fw; /* not what longjmp() may have left in a register */
    fw->end = (enum fw_end)end;
    if (end == FW_RETURNED && fw_state.aps_out)
        fw_misuse(FW_NEVER, "returned while other CPUs are out (A11)");
    if (end == FW_RETURNED && fw_state.level != TPL_APPLICATION)
        fw_misuse(FW_RESTORE_TPL, "was not called before the end");
    fw_cpus_close();
    fw_memory_close();
    fw_images_close();
    fw_files_close();
}

void fw_done(void)
{
    fw_memory_done();
    fw_engine_done();
}
