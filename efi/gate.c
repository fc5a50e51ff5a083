/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether to measure at all: what may end a run before another CPU is started. */
#include "app.h"

#include "firmware_version.h"

#define SKIP_WAIT_S 1u

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

/* A boot must not measure every time for want of a place for the record. */
static enum outcome nowhere_to_store(const struct app *app)
{
    if (app->options.store == STORE_IN_ESP) {
        if (app->store_file_status != FILE_OK)
            return OUTCOME_NO_FILE;
    } else if (firmware_nvram_unsafe(&app->efi)) {
        return OUTCOME_UNSAFE;
    }
    if (app->options.force)
        return OUTCOME_STORED;
    switch (app->stored.found) {
    case STORE_FOREIGN:
    case STORE_UNREADABLE:
        return OUTCOME_FOREIGN;
    case STORE_NEWER:
        return OUTCOME_NEWER;
    default:
        return OUTCOME_STORED;
    }
}

/* False where two runs like this one did not come to their end (A3). */
static bool may_try(struct app *app, struct breadcrumb *ret_next)
{
    struct crumb *crumb = &app->crumb;
    struct record_identity identity;

    store_crumb_read(app);
    measure_identity(app, &identity);
    if (!breadcrumb_next(
            crumb->valid ? &crumb->found : NULL, app->by_sipi ? BREADCRUMB_SIPI : BREADCRUMB_MP,
            breadcrumb_subject(&identity, MIGCOST_VERSION), app->options.force, ret_next)) {
        app_tell(app, "%u runs hung, were cut off or not stored; --force measures nevertheless",
                 crumb->found.count);
        return false;
    }
    if (ret_next->count > 1)
        app_tell(app, "the last run did not come to its end");
    return true;
}

/* Leaves a breadcrumb before other CPUs are started. False: it is not to be measured without. */
static bool leave_crumb(struct app *app, const struct breadcrumb *next)
{
    if (store_crumb_leave(app, next)) {
        app->crumb_left = true;
        return true;
    }
    app_tell(app, "no breadcrumb can be left: %s", efi_status_text(app->crumb.status));
    return !gate_unattended(app); /* who sits there can switch off, and need not try again */
}

/* Whoever sits there may want the machine to go on (F6). */
static bool stopped_by_key(struct app *app)
{
    if (app->arguments.mode == STARTED_BY_SHELL || app->options.quiet)
        return false;
    (void)console_escape(&app->console); /* keys from before mean something else */
    text_print(&app->console.sink, "measuring in %u s; any key skips it\n", SKIP_WAIT_S);
    return console_wait_key(&app->console, SKIP_WAIT_S);
}

bool gate_open(struct app *app, enum outcome *ret_outcome)
{
    bool unattended = gate_unattended(app);

    store_read(app);
    /* Whoever types a command wants it done; at a boot a record is enough (F6). */
    if (unattended && !app->options.force && !app->options.verify && already_measured(app)) {
        *ret_outcome = OUTCOME_SKIPPED;
        return false;
    }
    if (unattended && !app->options.no_store) {
        *ret_outcome = nowhere_to_store(app);
        if (*ret_outcome != OUTCOME_STORED)
            return false;
    }
    /* Where nothing that outlives the boot is to be written, no breadcrumb is either. */
    bool crumb = !app->options.no_store && app->options.store != STORE_IN_MEMORY;
    struct breadcrumb next = {0};
    *ret_outcome = OUTCOME_UNFINISHED;
    if (crumb && !may_try(app, &next))
        return false;
    *ret_outcome = OUTCOME_KEY;
    if (stopped_by_key(app))
        return false;
    *ret_outcome = OUTCOME_NO_CRUMB;
    return !crumb || leave_crumb(app, &next);
}

void gate_close(struct app *app)
{
    enum store_outcome stored = app->plan.outcome;
    bool finished = stored == STORE_STORED || stored == STORE_STORED_COMPACT ||
                    stored == STORE_UNCHANGED || app->backend.stopped || app->options.verify;

    /* A boot that could not store what it measured would measure every time: it counts as one that
     * did not come to its end. */
    if (!app->crumb_left || (gate_unattended(app) && !finished))
        return;
    if (!store_crumb_take(app))
        app_tell(app, "the breadcrumb was not deleted: %s", efi_status_text(app->crumb.status));
}
