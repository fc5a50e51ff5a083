/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done while the other CPUs are out: from their check-in to their leave. Console, keys and
 * Stall() are all that may be called of the firmware here (docs/architecture.md, "Rules"). */
#include "app.h"

#include "../arch/x86/clock.h"

#define CHECK_IN_MS 5000u /* from the first to the last CPU */
#define LEAVE_MS    2000u

static void describe_all(struct app *app)
{
    struct cpu_info *own = &app->cpus[app->own_cpu];
    bool sound = cpuid_describe(&app->facts.cpuid, own->apic_id, own);

    for (unsigned i = 0; app->team && i < app->cpu_count; i++)
        if (app->ticket_of[i] != MP_NO_TICKET)
            sound &= cpuid_describe(&app->team->facts[app->ticket_of[i]].cpuid,
                                    app->cpus[i].apic_id, &app->cpus[i]);
    if (!sound || app->roster.strangers > 0 || topology_contradicts(app->cpus, app->cpu_count))
        app->flags |= FLAG_TOPOLOGY_UNTRUSTED;
    if (options_capacities(&app->options, app->cpus, app->cpu_count))
        app->flags |= FLAG_CAPACITY_BY_HAND;
}

static void check_in(struct app *app)
{
    const struct facts *facts = &app->facts;
    unsigned expected = 0;

    if (!app->team)
        return;
    for (unsigned i = 0; i < app->cpu_count; i++)
        expected += (app->cpus[i].flags & (CPU_BOOT | CPU_DISABLED | CPU_LOST)) == 0;
    (void)roster_wait(app->team, expected, CHECK_IN_MS * app->clock.khz);
    roster_match(app->team, app->cpus, app->cpu_count, app->ticket_of, &app->roster);
    if (app->roster.missing > 0)
        app->flags |= FLAG_CPUS_LEFT_OUT;
    if (roster_mark_cache_state(app->team, app->cpus, app->cpu_count, app->ticket_of,
                                facts->has_mtrr, facts->mtrr.def_type) > 0)
        app->flags |= FLAG_CACHE_STATE_MISMATCH;
}

static void tell_estimate(struct app *app)
{
    char estimate[24];
    unsigned usable = machine_usable_count(&app->backend.machine);

    text_duration(estimate, sizeof(estimate),
                  (long long)engine_estimate_ns(&app->backend.machine, &app->options.engine));
    text_print(&app->console.sink, "%u CPU%s; measuring takes about %s, %u s at most; ESC stops\n",
               usable, usable == 1 ? "" : "s", estimate,
               (unsigned)(app->options.engine.budget_ns / 1000000000u));
}

static void dismiss(struct app *app)
{
    console_progress_end(&app->console);
    if (app->team)
        app->inside = mp_dismiss(app->team, LEAVE_MS * app->clock.khz, &app->inside_apic_id);
}

void window_work(void *ctx)
{
    struct app *app = ctx;

    app->backend.start = clock_read();
    check_in(app);
    describe_all(app);
    app->backend.machine.flags = app->flags;
    backend_init(&app->backend);
    if (app->options.verify) {
        verify_run(&app->backend.machine, &app->stored.record, app->stored.bytes, app->workspace,
                   &app->verify);
        dismiss(app);
        return;
    }
    tell_estimate(app);
    app->engine_status = engine_run(&app->backend.machine, &app->options.engine, app->workspace,
                                    app->workspace_bytes, &app->result);
    dismiss(app);
}

void window_waiting(void *ctx)
{
    struct app *app = ctx;

    if (app->inside > 0)
        app_tell(app, "waiting for the firmware to take back %u CPUs, APIC id %u is one",
                 app->inside, app->inside_apic_id);
    else
        app_tell(app, "waiting for the firmware to take back its CPUs");
}
