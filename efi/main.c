/* SPDX-License-Identifier: BSD-2-Clause */
/* The application: its flow from options to the way out. */
#include "app.h"

#include "../arch/x86/clock.h"

#define WATCHDOG_MARGIN_S 120u /* start-up, output, a slow variable store (G1) */
#define KEY_WAIT_S        60u

static uint64_t budget_s(const struct app *app)
{
    return app->options.engine.budget_ns / 1000000000u;
}

/* What a boot hands on is then the record's. */
static void take_stored(struct app *app)
{
    record_recommendation(&app->stored.record, &app->recommendation);
    app->result.flags = app->stored.record.flags;
    app->has_recommendation = true;
}

/* True if the record is to be measured anew. */
static bool do_verify(struct app *app, enum outcome *ret_outcome)
{
    *ret_outcome = measure_verify(app);
    if (*ret_outcome == OUTCOME_DRIFTED && app->options.force) {
        app->options.verify = false;
        measure_forget(app);
        return measure_identify(app, ret_outcome);
    }
    if (*ret_outcome == OUTCOME_LOST_CPU)
        return false;
    gate_close(app);
    if (*ret_outcome == OUTCOME_VERIFIED || *ret_outcome == OUTCOME_DRIFTED)
        take_stored(app);
    return false;
}

static enum outcome do_measure(struct app *app)
{
    enum outcome outcome;

    if (app->options.chain && app->arguments.mode != STARTED_BY_SYSPREP &&
        !leave_can_chain(app, &outcome)) {
        app->options.chain = false;
        return outcome;
    }
    if (!measure_identify(app, &outcome))
        return outcome;
    if (!gate_open(app, &outcome)) {
        if (outcome == OUTCOME_SKIPPED)
            take_stored(app);
        return outcome;
    }
    if (app->options.verify && !do_verify(app, &outcome))
        return outcome;
    outcome = measure_run(app);
    app->has_recommendation = app->engine_status == ENGINE_OK && app->recommendation.decay_ns != 0;
    if (app->has_recommendation)
        output_result(app);
    if (app->mp_end == MP_LOST) /* nothing of the firmware that could wait for that CPU (A11) */
        return OUTCOME_LOST_CPU;
    if (app->has_recommendation) {
        outcome = outcome_worse(outcome, output_store(app));
        if (app->options.report)
            outcome = outcome_worse(outcome, output_report(app));
    }
    gate_close(app);
    return outcome;
}

static enum outcome do_action(struct app *app)
{
    switch (app->options.action) {
    case ACTION_HELP:
        options_help(&app->console.sink);
        return OUTCOME_SHOWN;
    case ACTION_VERSION:
        return OUTCOME_SHOWN; /* the first line says it */
    case ACTION_SHOW:
        return output_show(app);
    case ACTION_DELETE:
        return output_delete(app);
    default:
        return do_measure(app);
    }
}

static enum outcome run(struct app *app)
{
    char message[256] = "";
    bool understood = settings_read(app, message, sizeof(message));

    efi_watchdog(&app->efi, budget_s(app) + WATCHDOG_MARGIN_S);
    console_open(&app->console, &app->efi, app->options.quiet);
    const struct text_sink *sink = &app->console.sink;
    text_print(sink, "migcost %s: what a task pays for moving to another CPU\n", MIGCOST_VERSION);
    settings_tell(app);
    if (!understood) {
        app_tell(app, "%s", message);
        leave_done(app, OUTCOME_BAD_OPTION);
        return OUTCOME_BAD_OPTION;
    }

    enum outcome outcome = do_action(app);
    if (outcome == OUTCOME_LOST_CPU)
        leave_reset(app);
    if (app->options.handoff == HANDOFF_GRUB && app->options.action == ACTION_MEASURE)
        outcome = outcome_worse(outcome, grub_write(app));
    if (app->options.chain && app->arguments.mode != STARTED_BY_SYSPREP)
        return leave_chain(app, outcome);
    if (app->options.usb)
        text_print(sink, "a key ends this, or %u s\n", KEY_WAIT_S);
    leave_done(app, outcome);
    if (app->options.usb)
        (void)console_wait_key(&app->console, KEY_WAIT_S);
    return outcome;
}

/* linker.ld names it as the entry: firmware calls it once it has applied the relocations. */
EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    uint64_t entered = clock_read();
    struct efi efi;

    efi_open(&efi, image, system_table);
    /* Not switched off: it is the one rescue where the firmware itself hangs (A3, G1). */
    efi_watchdog(&efi, ENGINE_BUDGET_DEFAULT_S + WATCHDOG_MARGIN_S);
    struct app *app = efi_allocate(&efi, sizeof(*app));
    if (!app) {
        efi_watchdog(&efi, EFI_WATCHDOG_DEFAULT_S);
        return EFI_OUT_OF_RESOURCES;
    }
    app->efi = efi;
    app->entered = entered;

    enum outcome outcome = run(app);
    EFI_STATUS status = outcome_status(outcome, app->arguments.mode);
    /* The shell switches it off, since nobody could say how long someone sits there. */
    bool at_prompt = app->arguments.mode == STARTED_BY_SHELL;
    app_release(app);
    efi_free(&efi, app, sizeof(*app));
    efi_watchdog(&efi, at_prompt ? 0 : EFI_WATCHDOG_DEFAULT_S);
    return status;
}
