/* SPDX-License-Identifier: BSD-2-Clause */
/* How the other CPUs are started: the one place that chooses between the firmware's MP services and
 * our own INIT and SIPI. */
#include "app.h"

unsigned start_open(struct app *app)
{
    uint8_t wanted = app->options.start;
    bool has_services = mp_services_open(&app->mp, &app->efi);

    app->has_mp = true;
    if (has_services && wanted != START_SIPI)
        return app->mp.total;
    if (wanted == START_MP) {
        app->no_start = "this firmware has no MP services";
    } else {
        facts_read(&app->facts); /* ACPI alone knows the CPUs */
        app->no_start = start_sipi_open(&app->facts, &app->apic);
    }
    app->by_sipi = app->has_mp = app->no_start == NULL;
    return app->has_mp ? app->facts.acpi.madt_cpus + 1 : 1;
}

void start_list(struct app *app, unsigned room)
{
    if (!app->has_mp)
        return;
    if (!app->by_sipi) {
        app->cpu_count = mp_services_list(&app->mp, app->cpus, room, &app->left_out);
        return;
    }
    app->cpu_count = start_sipi_list(&app->facts, &app->apic, app->cpus, room, &app->left_out);
    app->mp.enabled = app->cpu_count;
}

enum mp_end start_run(struct app *app, uint64_t timeout_us)
{
    if (!app->by_sipi)
        return mp_services_run(&app->mp, app->team, timeout_us, window_work, window_waiting, app,
                               &app->mp_run);

    struct start_sipi start = {
        .efi = &app->efi,
        .facts = &app->facts,
        .clock = &app->clock,
        .apic = app->apic,
        .cpus = app->cpus,
        .cpu_count = app->cpu_count,
        .team = app->team,
    };
    bool has_services = app->mp.protocol != NULL;
    app_tell(app, "starting the other CPUs by INIT and SIPI%s",
             has_services ? ", behind the back of the firmware's MP services (--start=sipi)" : "");
    enum mp_end end = start_sipi_run(&start, window_work, app, &app->no_start);
    if (has_services && !mp_services_answer(&app->mp, &app->mp_run))
        end = MP_LOST;
    return end;
}
