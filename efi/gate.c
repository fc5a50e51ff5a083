/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether to measure at all: what may end a run before another CPU is started. */
#include "app.h"

#include "../lib/mem.h"

/* What is stored is of this machine: all of it can be compared without starting a CPU. */
static bool already_measured(struct app *app)
{
    struct record_identity identity;

    if (app->stored.found != STORE_VALID)
        return false;
    measure_identity(app, &identity);
    return record_same_machine(&app->stored.record.identity, &identity, NULL);
}

bool gate_unattended(const struct app *app)
{
    return app->arguments.mode != STARTED_BY_SHELL && !app->options.usb;
}

bool gate_open(struct app *app, enum outcome *ret_outcome)
{
    variables_read(&app->efi, &app->stored);
    /* Whoever types a command wants it done; at a boot a record is enough (F6). */
    if (gate_unattended(app) && !app->options.force && already_measured(app)) {
        *ret_outcome = OUTCOME_SKIPPED;
        return false;
    }
    return true;
}
