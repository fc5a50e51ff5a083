/* SPDX-License-Identifier: BSD-2-Clause */
/* What this run shall do: the defaults of the image, the configuration file beside it, and what
 * came with the start, each on top of the one before. */
#include "app.h"

#include "files.h"
#include "tcg2.h"

#ifndef MIGCOST_USB
#define MIGCOST_USB false /* the image for a USB stick is built with true */
#endif

_Static_assert(AS_BOOT - AS_SHELL == STARTED_BY_BOOT && AS_SYSPREP - AS_SHELL == STARTED_BY_SYSPREP,
               "--mode has the same order");

static void set_defaults(struct options *options)
{
    options_default(options);
    options->usb = MIGCOST_USB;
}

/* One open and one read: a boot that has nothing to do pays for it too (F6). */
static bool read_file(struct app *app, size_t *ret_length)
{
    CHAR16 path[FILES_PATH_MAX];
    EFI_STATUS status;

    return files_beside(&app->efi, L"" CONFIG_NAME, path) &&
           files_read(&app->efi, path, app->config.raw, sizeof(app->config.raw), ret_length,
                      &status) == FILE_OK;
}

/* Before anything is done with them. */
static void tell_tpm(struct app *app, const char *name, const void *bytes, size_t length)
{
    EFI_STATUS status = tcg2_measure(&app->efi, name, bytes, length);
    if (EFI_ERROR(status))
        app->tpm_status = status;
}

static bool parse(struct app *app, char *message, size_t message_size)
{
    if (options_parse(&app->options, app->arguments.tokens, app->arguments.count, message,
                      message_size) == OPTIONS_OK)
        return true;
    set_defaults(&app->options);
    return false;
}

bool settings_read(struct app *app, char *message, size_t message_size)
{
    struct options *options = &app->options;
    size_t length = 0;

    if (app->efi.self && app->efi.self->LoadOptions)
        tell_tpm(app, "migcost LoadOptions", app->efi.self->LoadOptions,
                 app->efi.self->LoadOptionsSize);
    arguments_read(&app->efi, &app->arguments);
    set_defaults(options);
    if (app->arguments.status == ARGUMENTS_TOO_LONG) {
        text_format(message, message_size, "the options are longer than %u bytes or %u words",
                    CMDLINE_MAX, OPTIONS_MAX_TOKENS);
        return false;
    }
    if (!parse(app, message, message_size))
        return false;
    if (options->action == ACTION_MEASURE && !options->no_conf && read_file(app, &length)) {
        tell_tpm(app, CONFIG_NAME, app->config.raw, length);
        set_defaults(options);
        config_apply(&app->config, length, options);
        if (!parse(app, message, message_size))
            return false;
    }
    if (options->usb)
        options->no_store = options->report = true;
    if (options->mode != AS_FOUND)
        app->arguments.mode = (enum start_mode)(options->mode - AS_SHELL);
    if (app->arguments.mode == STARTED_BY_SYSPREP)
        options->quiet = true; /* (G4) */
    return true;
}

void settings_tell(const struct app *app)
{
    if (EFI_ERROR(app->tpm_status))
        app_tell(app, "the TPM did not take the options into PCR %u: %s", TCG2_PCR,
                 efi_status_text(app->tpm_status));
    if (app->arguments.status == ARGUMENTS_GARBAGE)
        app_tell(app, "the options are no text and are ignored");
    if (app->config.taken > 0)
        app_tell(app, "taken from " CONFIG_NAME ": %u lines", app->config.taken);
    text_print(&app->console.sink, "%s", app->config.notes);
}
