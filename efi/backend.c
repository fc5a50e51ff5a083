/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware back end: backend.h has the contract. While it is in use the other CPUs are out, so
 * that nothing here calls the firmware but for console, keys and task priority. */
#include "backend.h"

#include "../arch/x86/clock.h"

/* How long a touch may take before its CPU counts as lost: far more than the slowest machine needs,
 * system management mode and emulators included. */
#define GRACE_MS       2000u
#define LINE_ALLOWANCE 50000u /* ns for each line */
#define LINE_EXPECTED  500u   /* ns, until a touch of many lines has shown how long one takes */

static uint64_t ticks_of_ns(const struct clock_info *clock, uint64_t ns)
{
    return ns * clock->khz / 1000000u;
}

/* Timer ticks of the firmware are kept out of the touch, and out of nothing else (B11). */
static void own_touch(void *ctx, const struct mp_task *task, struct mp_answer *ret)
{
    struct backend *backend = ctx;
    EFI_TPL before = backend->efi->bs->RaiseTPL(TPL_HIGH_LEVEL);
    mp_touch(task, ret);
    backend->efi->bs->RestoreTPL(before);
}

/* Where what comes next would take too long, time is up before it is. */
static uint64_t backend_now(void *ctx)
{
    const struct backend *backend = ctx;
    uint64_t now = machine_ns(&backend->machine, clock_read() - backend->start);
    return backend->late && now < backend->limit_ns ? backend->limit_ns : now;
}

static bool may_go_on(struct backend *backend)
{
    if (backend_now(backend) >= backend->limit_ns)
        backend->late = true;
    return !backend->stopped && !backend->late;
}

static void skip_all(struct touch_result *results, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        results[i] = (struct touch_result){0, 0, TOUCH_SKIPPED};
}

static bool backend_run(void *ctx, const struct touch_job *jobs, struct touch_result *ret_results,
                        unsigned count)
{
    struct backend *backend = ctx;

    if (!may_go_on(backend)) {
        skip_all(ret_results, count);
        return false;
    }
    backend->dispatcher.region_count = backend->regions.count;
    bool others_left = mp_dispatch(&backend->dispatcher, jobs, ret_results, count);
    backend->late = backend->late || backend->dispatcher.out_of_time;
    return others_left && !backend->late;
}

static bool backend_region_get(void *ctx, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                               uint32_t *ret_home)
{
    struct backend *backend = ctx;
    bool fresh = false;

    (void)node; /* one arena, wherever it lies: *ret_home says where */
    *ret_home = backend->arena->home;
    return regions_get(&backend->regions, bytes, ret_region, &fresh);
}

static void backend_region_put(void *ctx, uint16_t region)
{
    struct backend *backend = ctx;
    regions_put(&backend->regions, region);
}

static bool backend_between(void *ctx, const struct progress *progress)
{
    struct backend *backend = ctx;

    console_progress(backend->console, progress, backend_now(backend));
    if (console_escape(backend->console))
        backend->stopped = true;
    return may_go_on(backend);
}

/* They find the order when they look; window.c waits for them. */
static void backend_release(void *ctx)
{
    struct backend *backend = ctx;
    if (backend->dispatcher.team)
        (void)mp_dismiss(backend->dispatcher.team, 0, NULL);
}

static const struct machine_ops firmware_ops = {
    .run = backend_run,
    .region_get = backend_region_get,
    .region_put = backend_region_put,
    .now = backend_now,
    .between = backend_between,
    .release = backend_release,
};

void backend_init(struct backend *backend)
{
    struct machine *machine = &backend->machine;
    struct mp_dispatcher *dispatcher = &backend->dispatcher;
    const struct arena *arena = backend->arena;

    machine->ops = &firmware_ops;
    machine->ctx = backend;
    machine->cpus = dispatcher->cpus;
    machine->cpu_count = dispatcher->cpu_count;
    machine->region_max = arena->bytes;
    dispatcher->lane_count = dispatcher->cpu_count;
    dispatcher->line = dispatcher->cpus[dispatcher->own_cpu].line_bytes;
    dispatcher->grace_ticks = GRACE_MS * machine->clock.khz;
    dispatcher->line_ticks = ticks_of_ns(&machine->clock, LINE_ALLOWANCE);
    dispatcher->slowest_line = ticks_of_ns(&machine->clock, LINE_EXPECTED);
    dispatcher->end = backend->start + ticks_of_ns(&machine->clock, backend->limit_ns);
    dispatcher->own_touch = own_touch;
    dispatcher->ctx = backend;
    dispatcher->regions = backend->regions.list;
    regions_init(&backend->regions, arena->base, arena->bytes, dispatcher->line,
                 backend->regions.list);
}
