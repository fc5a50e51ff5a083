/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options from where they came: arguments.h has the contract. */
#include "arguments.h"

#include "../lib/mem.h"
#include "../lib/utf.h"

static const EFI_GUID shell_parameters_guid = {
    0x752f3136, 0x4e16, 0x4fdc, {0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca}};
static const EFI_GUID global_variable_guid = {
    0x8BE4DF61, 0x93CA, 0x11d2, {0xAA, 0x0D, 0x00, 0xE0, 0x98, 0x03, 0x2B, 0x8C}};

static bool has_global_variable(const struct efi *efi, const CHAR16 *variable)
{
    EFI_GUID guid = global_variable_guid;
    CHAR16 name[16];
    UINT16 value = 0;
    UINTN size = sizeof(value);
    size_t units = 0;

    while (units + 1 < sizeof(name) / sizeof(name[0]) && variable[units]) {
        name[units] = variable[units];
        units++;
    }
    name[units] = 0;
    EFI_STATUS status = efi->rt->GetVariable(name, &guid, NULL, &size, &value);
    return !EFI_ERROR(status) || status == EFI_BUFFER_TOO_SMALL;
}

static enum start_mode mode_without_shell(const struct efi *efi)
{
    if (has_global_variable(efi, L"BootCurrent") || !has_global_variable(efi, L"SysPrepOrder"))
        return STARTED_BY_BOOT;
    return STARTED_BY_SYSPREP;
}

static void split(struct arguments *ret, bool name_first)
{
    char *tokens[OPTIONS_MAX_TOKENS];

    memcpy(ret->split, ret->text, sizeof(ret->split));
    int count = cmdline_split(ret->split, tokens, ret->offsets, OPTIONS_MAX_TOKENS);
    if (count < 0) {
        ret->status = ARGUMENTS_TOO_LONG;
        return;
    }
    /* Loaders differ on whether the program's name comes first (E1). */
    unsigned skip = count > 0 && (name_first || cmdline_is_program_name(tokens[0])) ? 1 : 0;
    for (unsigned i = skip; i < (unsigned)count; i++) {
        ret->tokens[i - skip] = tokens[i];
        ret->offsets[i - skip] = ret->offsets[i];
    }
    ret->count = (unsigned)count - skip;
}

static bool needs_quotes(const char *text)
{
    if (*text == '\0')
        return true;
    for (; *text; text++)
        if (*text == ' ' || *text == '\t')
            return true;
    return false;
}

/* The shell has split the words already. They become one text again, so that what follows --chain
 * can be passed on; a word with a blank gets quotes. The program's name is left out. */
static void read_shell(const struct shell_parameters_protocol *shell, struct arguments *ret)
{
    size_t used = 0, split_used = 0;

    ret->count = 0;
    for (UINTN i = 1; i < shell->argc; i++) {
        char *word = ret->split + split_used;
        size_t room = sizeof(ret->split) - split_used;
        size_t length = utf8_from_utf16(shell->argv[i], CMDLINE_MAX, word, room);
        if (length >= room || ret->count == OPTIONS_MAX_TOKENS) {
            ret->status = ARGUMENTS_TOO_LONG;
            return;
        }
        split_used += length + 1;
        if (used + length + 4 > sizeof(ret->text)) { /* blank, quotes, NUL */
            ret->status = ARGUMENTS_TOO_LONG;
            return;
        }
        bool quotes = needs_quotes(word);
        if (used > 0)
            ret->text[used++] = ' ';
        ret->tokens[ret->count] = word;
        ret->offsets[ret->count++] = used;
        if (quotes)
            ret->text[used++] = '"';
        memcpy(ret->text + used, word, length);
        used += length;
        if (quotes)
            ret->text[used++] = '"';
    }
    ret->text[used] = '\0';
}

void arguments_read(const struct efi *efi, struct arguments *ret)
{
    const struct shell_parameters_protocol *shell =
        efi_protocol(efi, efi->image, shell_parameters_guid);

    memset(ret, 0, sizeof(*ret));
    if (shell && shell->argv && shell->argc > 0) {
        ret->mode = STARTED_BY_SHELL;
        read_shell(shell, ret);
        return;
    }
    ret->mode = mode_without_shell(efi);
    if (!efi->self)
        return;
    switch (cmdline_decode(efi->self->LoadOptions, efi->self->LoadOptionsSize, ret->text,
                           sizeof(ret->text))) {
    case CMDLINE_OK:
        split(ret, false);
        break;
    case CMDLINE_NONE:
        break;
    case CMDLINE_GARBAGE:
        ret->status = ARGUMENTS_GARBAGE;
        ret->text[0] = '\0';
        break;
    case CMDLINE_TOO_LONG:
        ret->status = ARGUMENTS_TOO_LONG;
        break;
    }
}

const char *arguments_rest(const struct arguments *arguments, unsigned token)
{
    return token < arguments->count ? arguments->text + arguments->offsets[token] : "";
}
