/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: starts \migcost.efi as firmware does at a boot, without the shell's parameters. Its
 * first option says as what, "boot" or "sysprep" (then BootCurrent is not there, SysPrepOrder is);
 * the others go to the application. Prints what it returned, how long it took by this guest's
 * clock, and how often it called console and keyboard meanwhile. */
#include "../../../arch/x86/clock.h"
#include "../../../efi/arguments.h"
#include "../../../efi/chain.h"
#include "../../../lib/mem.h"
#include "hook.h"

#define CALIBRATION_US 20000u

static struct {
    EFI_GET_VARIABLE get_variable;
    EFI_SET_WATCHDOG_TIMER set_watchdog;
    EFI_TEXT_OUTPUT_STRING output_string;
    EFI_TEXT_QUERY_MODE query_mode;
    EFI_INPUT_READ_KEY read_key;
    unsigned prints, keys, gets;
    uint64_t last; /* ticks, when the watchdog was set last */
    UINTN watchdog_s;
    bool sysprep;
} seen;

static bool named(const CHAR16 *name, const CHAR16 *wanted)
{
    while (*name && *name == *wanted) {
        name++;
        wanted++;
    }
    return *name == *wanted;
}

static EFI_STATUS EFIAPI on_get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                         UINTN *size, VOID *data)
{
    seen.gets++;
    if (seen.sysprep && named(name, L"BootCurrent"))
        return EFI_NOT_FOUND;
    if (seen.sysprep && named(name, L"SysPrepOrder")) {
        *size = sizeof(UINT16);
        memset(data, 0, sizeof(UINT16));
        return EFI_SUCCESS;
    }
    return seen.get_variable(name, vendor, attributes, size, data);
}

static EFI_STATUS EFIAPI on_watchdog(UINTN seconds, UINT64 code, UINTN size, CHAR16 *data)
{
    EFI_STATUS status = seen.set_watchdog(seconds, code, size, data);
    seen.watchdog_s = seconds;
    seen.last = clock_read();
    return status;
}

static EFI_STATUS EFIAPI on_output(SIMPLE_TEXT_OUTPUT_INTERFACE *self, CHAR16 *text)
{
    seen.prints++;
    return seen.output_string(self, text);
}

static EFI_STATUS EFIAPI on_query_mode(SIMPLE_TEXT_OUTPUT_INTERFACE *self, UINTN mode,
                                       UINTN *columns, UINTN *rows)
{
    seen.prints++;
    return seen.query_mode(self, mode, columns, rows);
}

static EFI_STATUS EFIAPI on_key(SIMPLE_INPUT_INTERFACE *self, EFI_INPUT_KEY *key)
{
    seen.keys++;
    return seen.read_key(self, key);
}

static void stand_between(const struct efi *efi)
{
    seen.get_variable = efi->rt->GetVariable;
    seen.set_watchdog = efi->bs->SetWatchdogTimer;
    seen.output_string = efi->st->ConOut->OutputString;
    seen.query_mode = efi->st->ConOut->QueryMode;
    seen.read_key = efi->st->ConIn->ReadKeyStroke;
    efi->rt->GetVariable = on_get_variable;
    efi->bs->SetWatchdogTimer = on_watchdog;
    efi->st->ConOut->OutputString = on_output;
    efi->st->ConOut->QueryMode = on_query_mode;
    efi->st->ConIn->ReadKeyStroke = on_key;
}

static void stand_aside(const struct efi *efi)
{
    efi->rt->GetVariable = seen.get_variable;
    efi->bs->SetWatchdogTimer = seen.set_watchdog;
    efi->st->ConOut->OutputString = seen.output_string;
    efi->st->ConOut->QueryMode = seen.query_mode;
    efi->st->ConIn->ReadKeyStroke = seen.read_key;
}

static uint64_t ticks_per_ms(const struct efi *efi)
{
    uint64_t start = clock_read();
    (void)efi->bs->Stall(CALIBRATION_US);
    return (clock_read() - start) * 1000 / CALIBRATION_US;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    struct console console;
    struct chain_image child;
    EFI_STATUS status = EFI_SUCCESS, started = EFI_SUCCESS;

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    struct arguments *arguments = efi_allocate(&efi, sizeof(*arguments));
    if (!arguments)
        return EFI_OUT_OF_RESOURCES;
    arguments_read(&efi, arguments);
    if (arguments->count == 0)
        return EFI_INVALID_PARAMETER;
    seen.sysprep = arguments->tokens[0][0] == 's';

    const struct chain_request request = {
        .path = "\\migcost.efi",
        .options = arguments_rest(arguments, 1),
        .handoff = "",
    };
    if (chain_load(&efi, &request, &child, &status) != CHAIN_OK)
        return status;
    uint64_t per_ms = ticks_per_ms(&efi);
    stand_between(&efi);
    uint64_t entered = clock_read();
    enum chain_status chain = chain_start(&efi, &child, &started);
    uint64_t ticks = seen.last - entered;
    stand_aside(&efi);
    if (chain != CHAIN_OK)
        return EFI_LOAD_ERROR;
    text_print(&console.sink, "launch: status 0x%x\n", (unsigned)(started & 0xFF));
    text_print(&console.sink, "launch: us %llu\nlaunch: watchdog %u\n",
               (unsigned long long)(ticks * 1000 / per_ms), (unsigned)seen.watchdog_s);
    text_print(&console.sink, "launch: prints %u\nlaunch: keys %u\nlaunch: gets %u\n", seen.prints,
               seen.keys, seen.gets);
    return EFI_SUCCESS;
}
