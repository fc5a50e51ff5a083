/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads back end: threads_machine.h has the contract. */
#define _GNU_SOURCE
#include "threads_machine.h"

#include "../arch/x86/clock.h"
#include "../lib/flags.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* How long a touch may take before its CPU counts as lost. Others may hold a CPU for long, and no
 * thread is lost as a CPU of firmware is. */
#define GRACE_MS       5000u
#define LINE_ALLOWANCE 50000u /* ns for each line */

#define LONG_BATCH_BYTES (64u << 20)

/* Of the kernel's own calibration at boot. */
#define OS_CLOCK_ERROR_PPM 500u

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t wait_raw(void *ctx, uint32_t us)
{
    (void)ctx;
    uint64_t start = raw_ns(), now = start;
    while (now - start < us * 1000ull)
        now = raw_ns();
    return now - start;
}

void threads_clock(const struct cpuid_features *features, struct clock_info *ret,
                   uint32_t *ret_flags)
{
    const struct clock_reference os = {wait_raw, NULL, CLOCK_OS, OS_CLOCK_ERROR_PPM};
    clock_calibrate(features, &os, 1, ret, ret_flags);
    *ret_flags |= FLAG_CORE_CLOCK_UNKNOWN; /* APERF and MPERF are ring 0's (B8) */
}

static void signals(sigset_t *ret)
{
    sigemptyset(ret);
    sigaddset(ret, SIGINT);
    sigaddset(ret, SIGTERM);
}

void threads_hold_signals(void)
{
    sigset_t set;
    signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static bool signal_came(void)
{
    static const struct timespec at_once;
    sigset_t set;
    signals(&set);
    return sigtimedwait(&set, NULL, &at_once) > 0;
}

void threads_release_signals(void)
{
    sigset_t set;
    while (signal_came())
        ;
    signals(&set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static uint64_t machine_now(void *ctx)
{
    (void)ctx;
    return raw_ns();
}

static bool may_go_on(struct threads_machine *back_end)
{
    if (signal_came())
        back_end->stopped = true;
    if (raw_ns() >= back_end->limit_ns)
        back_end->late = true;
    return !back_end->stopped && !back_end->late;
}

/* A batch of one lane can be cut anywhere; one that lasts long is, so that it ends in time. */
static bool can_be_cut(const struct touch_job *jobs, unsigned count)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        if (jobs[i].lane != jobs[0].lane)
            return false;
        bytes += jobs[i].bytes;
    }
    return bytes > LONG_BATCH_BYTES;
}

static bool dispatch(struct threads_machine *back_end, const struct touch_job *jobs,
                     struct touch_result *ret_results, unsigned count)
{
    struct mp_dispatcher *dispatcher = &back_end->dispatcher;
    if (!can_be_cut(jobs, count))
        return mp_dispatch(dispatcher, jobs, ret_results, count);

    bool more = true;
    for (unsigned i = 0; i < count; i++) {
        ret_results[i] = (struct touch_result){0, 0, TOUCH_SKIPPED};
        more = more && may_go_on(back_end);
        if (more)
            more = mp_dispatch(dispatcher, &jobs[i], &ret_results[i], 1);
        /* A lane ends with the first job that cannot be done. */
        if (more && ret_results[i].status != TOUCH_DONE) {
            while (++i < count)
                ret_results[i] = (struct touch_result){0, 0, TOUCH_SKIPPED};
        }
    }
    return more;
}

static bool machine_run(void *ctx, const struct touch_job *jobs, struct touch_result *ret_results,
                        unsigned count)
{
    struct threads_machine *back_end = ctx;
    struct threads *threads = back_end->threads;

    if (!may_go_on(back_end)) {
        for (unsigned i = 0; i < count; i++)
            ret_results[i] = (struct touch_result){0, 0, TOUCH_SKIPPED};
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].cpu < threads->count)
            threads_wake(threads, jobs[i].cpu);
    back_end->dispatcher.region_count = back_end->memory.count;
    bool more = dispatch(back_end, jobs, ret_results, count);
    for (unsigned i = 0; i < count; i++) {
        if (jobs[i].cpu < threads->count)
            threads_rest(threads, jobs[i].cpu);
        back_end->disturbed += ret_results[i].noise != 0;
    }
    return more;
}

static bool machine_region_get(void *ctx, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                               uint32_t *ret_home)
{
    struct threads_machine *back_end = ctx;
    return memory_get(&back_end->memory, node, bytes, ret_region, ret_home);
}

static void machine_region_put(void *ctx, uint16_t region)
{
    struct threads_machine *back_end = ctx;
    memory_put(&back_end->memory, region);
}

static bool machine_between(void *ctx, const struct progress *progress)
{
    struct threads_machine *back_end = ctx;
    if (back_end->progress) {
        fprintf(stderr, "\r%-24s %4u of %-4u ", progress->step, progress->done, progress->total);
        back_end->shown = true;
    }
    return may_go_on(back_end);
}

static const struct machine_ops threads_ops = {
    .run = machine_run,
    .region_get = machine_region_get,
    .region_put = machine_region_put,
    .now = machine_now,
    .between = machine_between,
};

static void own_touch(void *ctx, const struct mp_task *task, struct mp_answer *ret)
{
    (void)ctx;
    threads_touch(task, ret);
}

static uint32_t largest_line(const struct cpu_info *cpus, unsigned count)
{
    uint32_t line = 1;
    for (unsigned i = 0; i < count; i++)
        if (cpus[i].line_bytes > line)
            line = cpus[i].line_bytes;
    return line;
}

bool threads_machine_open(struct threads_machine *back_end, struct threads *threads,
                          struct cpu_info *cpus, unsigned cpu_count, const struct numa *numa,
                          uint64_t region_max, uint64_t limit_ns)
{
    struct cpuid_features features;
    uint32_t flags;
    struct machine *machine = &back_end->machine;

    *back_end = (struct threads_machine){.threads = threads, .limit_ns = limit_ns};
    *machine = (struct machine){.ops = &threads_ops,
                                .ctx = back_end,
                                .cpus = cpus,
                                .cpu_count = cpu_count,
                                .numa = numa,
                                .region_max = region_max};
    cpuid_features(threads_cpuid(threads, 0), &features);
    threads_clock(&features, &machine->clock, &flags);
    machine->flags = flags | FLAG_UNDER_OS | (features.hypervisor ? FLAG_HYPERVISOR : 0);

    back_end->memory.line = largest_line(cpus, cpu_count);
    back_end->ticket_of = calloc(cpu_count, sizeof *back_end->ticket_of);
    back_end->lanes = calloc(cpu_count, sizeof *back_end->lanes);
    if (!back_end->ticket_of || !back_end->lanes)
        return false;
    for (unsigned i = 0; i < cpu_count; i++)
        back_end->ticket_of[i] = i < threads->count ? threads->thread[i].ticket : MP_NO_TICKET;
    back_end->dispatcher = (struct mp_dispatcher){
        .team = threads->team,
        .cpus = cpus,
        .cpu_count = cpu_count,
        .ticket_of = back_end->ticket_of,
        .own_cpu = 0,
        .regions = back_end->memory.region,
        .lanes = back_end->lanes,
        .lane_count = cpu_count,
        .line = back_end->memory.line,
        .grace_ticks = GRACE_MS * machine->clock.khz,
        .line_ticks = LINE_ALLOWANCE * machine->clock.khz / 1000000u,
        .own_touch = own_touch,
    };
    return true;
}

void threads_machine_close(struct threads_machine *back_end)
{
    if (back_end->shown)
        fprintf(stderr, "\r%40s\r", "");
    memory_close(&back_end->memory);
    free(back_end->ticket_of);
    free(back_end->lanes);
}
