/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options from where they came: arguments.h has the contract. */
#include "arguments.h"

#include "../lib/mem.h"

static const EFI_GUID shell_parameters_guid = {
    0x752f3136, 0x4e16, 0x4fdc, {0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca}};
static const EFI_GUID global_variable_guid = {
    0x8BE4DF61, 0x93CA, 0x11d2, {0xAA, 0x0D, 0x00, 0xE0, 0x98, 0x03, 0x2B, 0x8C}};

static bool has_global_variable(const struct efi *efi, const CHAR16 *name)
{
    UINT16 value = 0;
    UINTN size = sizeof(value);
    EFI_STATUS status = efi->rt->GetVariable(EFI_CONST(name), EFI_CONST(&global_variable_guid),
                                             NULL, &size, &value);
    return !EFI_ERROR(status) || status == EFI_BUFFER_TOO_SMALL;
}

static enum start_mode mode_without_shell(const struct efi *efi)
{
    if (has_global_variable(efi, L"BootCurrent") || !has_global_variable(efi, L"SysPrepOrder"))
        return STARTED_BY_BOOT;
    return STARTED_BY_SYSPREP;
}

static enum arguments_status status_of(enum cmdline_status status)
{
    switch (status) {
    case CMDLINE_GARBAGE:
        return ARGUMENTS_GARBAGE;
    case CMDLINE_TOO_LONG:
        return ARGUMENTS_TOO_LONG;
    default:
        return ARGUMENTS_OK;
    }
}

void arguments_read(const struct efi *efi, struct arguments *ret)
{
    const struct shell_parameters_protocol *shell =
        efi_protocol(efi, efi->image, &shell_parameters_guid);
    const void *options = efi->self ? efi->self->LoadOptions : NULL;
    const size_t size = efi->self ? efi->self->LoadOptionsSize : 0;

    memset(ret, 0, sizeof(*ret));
    if (shell && shell->argv && shell->argc > 0) {
        ret->mode = STARTED_BY_SHELL;
        ret->status = status_of(cmdline_from_argv(&ret->line, (const uint16_t *const *)shell->argv,
                                                  shell->argc, options, size));
        /* All of it fits, so any part of it will. */
        if (!cmdline_rest(&ret->line, 0, ret->rest, sizeof(ret->rest)))
            ret->status = ARGUMENTS_TOO_LONG;
    } else {
        ret->mode = mode_without_shell(efi);
        ret->status =
            status_of(cmdline_from_load_options(&ret->line, options, size, "migcost.efi"));
    }
    ret->count = ret->line.count;
    ret->tokens = ret->line.tokens;
}

const char *arguments_rest(struct arguments *arguments, unsigned token)
{
    if (!cmdline_rest(&arguments->line, token, arguments->rest, sizeof(arguments->rest)))
        return "";
    return arguments->rest;
}
