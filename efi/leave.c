/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways out that are not a plain return: the next image, or a reset. */
#include "app.h"

#include "../arch/x86/clock.h"
#include "chain.h"

#define RESET_DELAY_S 10u
#define HANDOFF_MAX   512u

void leave_done(struct app *app, enum outcome outcome)
{
    char taken[32] = "";

    if (app->clock.khz != 0)
        text_format(taken, sizeof(taken), " in %llu ms",
                    (unsigned long long)((clock_read() - app->entered) / app->clock.khz));
    app_tell(app, "done%s: %s", taken, outcome_text(outcome));
}

static enum outcome chain_outcome(struct app *app, enum chain_status chain, EFI_STATUS status)
{
    const char *path = app->options.chain_path;

    switch (chain) {
    case CHAIN_OK:
        return OUTCOME_CHILD_RETURNED;
    case CHAIN_NO_VOLUME:
        app_tell(app, "%s: this image came from no volume", path);
        return OUTCOME_CHAIN_MISSING;
    case CHAIN_MISSING:
        app_tell(app, "%s: no such file on this volume", path);
        return OUTCOME_CHAIN_MISSING;
    case CHAIN_REFUSED:
        app_tell(app, "%s: the firmware refuses to start it: %s", path, efi_status_text(status));
        return OUTCOME_CHAIN_REFUSED;
    case CHAIN_LINE_TOO_LONG:
    case CHAIN_FAILED:
        break;
    }
    app_tell(app, "%s cannot be loaded: %s", path, efi_status_text(status));
    return OUTCOME_CHAIN_FAILED;
}

bool leave_handoff(struct app *app, enum handoff handoff, char *text, size_t size)
{
    text[0] = '\0';
    if (handoff == HANDOFF_NONE || handoff == HANDOFF_GRUB)
        return false;
    bool whole =
        app->has_recommendation && (app->result.flags & (FLAG_STOPPED | FLAG_BUDGET_HIT)) == 0;
    if (whole && cmdline_handoff(&app->recommendation, handoff, text, size))
        return true;
    text[0] = '\0';
    app_tell(app, "nothing is handed on: %s",
             whole ? "it would be too long" : "there is no whole measurement");
    return false;
}

bool leave_can_chain(struct app *app, enum outcome *ret_outcome)
{
    EFI_STATUS status = EFI_SUCCESS;
    enum chain_status chain = chain_look(&app->efi, app->options.chain_path, &status);

    if (chain == CHAIN_OK)
        return true;
    *ret_outcome = chain_outcome(app, chain, status);
    return false;
}

enum outcome leave_chain(struct app *app, enum outcome outcome)
{
    char handoff[HANDOFF_MAX];
    struct chain_image image;
    EFI_STATUS status = EFI_SUCCESS;
    struct chain_request request = {
        .path = app->options.chain_path,
        .options = app->options.chain_options,
        .handoff = handoff,
    };

    if (!request.options)
        request.options = arguments_rest(&app->arguments, app->options.chain_first_token);
    (void)leave_handoff(app, app->options.handoff, handoff, sizeof(handoff));
    enum chain_status chain = chain_load(&app->efi, &request, &image, &status);
    if (chain == CHAIN_LINE_TOO_LONG && handoff[0] != '\0') {
        /* A machine that boots without the result is better than one that does not (E8). */
        app_tell(app, "nothing is handed on: behind these options the kernel would not read it");
        handoff[0] = '\0';
        chain = chain_load(&app->efi, &request, &image, &status);
    }
    if (chain != CHAIN_OK) {
        outcome = outcome_worse(outcome, chain_outcome(app, chain, status));
        leave_done(app, outcome);
        return outcome;
    }
    text_print(&app->console.sink, "starting %s", request.path);
    if (handoff[0])
        text_print(&app->console.sink, " with %s", handoff);
    text_print(&app->console.sink, "\n");
    leave_done(app, outcome);

    /* The next image may want the memory, and may never come back. */
    app_release(app);
    chain = chain_start(&app->efi, &image, &status);
    outcome = outcome_worse(outcome, chain_outcome(app, chain, status));
    if (chain == CHAIN_OK)
        app_tell(app, "%s came back: %s", request.path, efi_status_text(status));
    return outcome;
}

void leave_reset(struct app *app)
{
    char why[96] = "the firmware does not say that it has all CPUs back";

    if (app->inside > 0)
        text_format(why, sizeof(why), "the CPU with APIC id %u did not come back",
                    app->inside_apic_id);
    else if (app->mp_run.failed > 0)
        text_format(why, sizeof(why),
                    "the firmware took back %u CPUs by force, its number %u first",
                    app->mp_run.failed, app->mp_run.first_failed);
    app_tell(app, "%s: nothing can be started safely; reset in %u s", why, RESET_DELAY_S);
    leave_done(app, OUTCOME_LOST_CPU);
    for (unsigned i = 0; i < RESET_DELAY_S; i++)
        (void)app->efi.bs->Stall(1000000);
    app->efi.rt->ResetSystem(EfiResetCold, EFI_TIMEOUT, 0, NULL);
    for (;;) /* a reset that does not come is the watchdog's */
        (void)app->efi.bs->Stall(1000000);
}
