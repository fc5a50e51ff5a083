/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes down what an engine asks of a machine, and what it is told. */
#include "replay.h"
#include <stddef.h>

static void put(const struct recorder *recorder, uint64_t value)
{
    text_print(recorder->sink, " %llu", (unsigned long long)value);
}

static void put_known(const struct recorder *recorder, uint32_t value)
{
    if (value == UINT32_MAX)
        text_print(recorder->sink, " -");
    else
        put(recorder, value);
}

static void put_machine(const struct recorder *recorder)
{
    const struct machine *machine = recorder->inner;
    const struct clock_info *clock = &machine->clock;
    text_print(recorder->sink, "migcost recording 1\nmachine");
    put(recorder, machine->cpu_count);
    put(recorder, clock->khz);
    put(recorder, clock->resolution);
    put(recorder, clock->read_cost);
    put_known(recorder, clock->error_ppm);
    put(recorder, clock->core_permille);
    put(recorder, clock->source);
    put(recorder, clock->second);
    put(recorder, machine->region_max);
    put(recorder, machine->flags);
    text_print(recorder->sink, "\n");
}

static void put_cpu(const struct recorder *recorder, const struct cpu_info *cpu)
{
    text_print(recorder->sink, "cpu");
    put_known(recorder, cpu->apic_id);
    put(recorder, cpu->flags);
    for (unsigned i = 0; i < LEVELS; i++)
        put_known(recorder, cpu->share[i]);
    put_known(recorder, cpu->node);
    for (unsigned i = 0; i < CACHE_LEVELS; i++)
        put(recorder, cpu->cache_bytes[i]);
    for (unsigned i = 0; i < CACHE_LEVELS; i++)
        put(recorder, cpu->cache_ways[i]);
    put(recorder, cpu->line_bytes);
    put(recorder, cpu->core_kind);
    text_print(recorder->sink, "\n");
}

static void put_numa(const struct recorder *recorder, const struct numa *numa)
{
    text_print(recorder->sink, "numa");
    put(recorder, numa->node_count);
    put(recorder, numa->range_count);
    for (unsigned i = 0; i < numa->node_count; i++) {
        text_print(recorder->sink, "\nnode");
        put_known(recorder, numa->node_id[i]);
        for (unsigned j = 0; j < numa->node_count; j++)
            put(recorder, numa->distance[i][j]);
    }
    for (unsigned i = 0; i < numa->range_count; i++) {
        text_print(recorder->sink, "\nrange");
        put(recorder, numa->range[i].base);
        put(recorder, numa->range[i].bytes);
        put_known(recorder, numa->range[i].node);
    }
    text_print(recorder->sink, "\n");
}

static void put_changed_flags(struct recorder *recorder)
{
    for (unsigned i = 0; i < recorder->inner->cpu_count; i++) {
        uint32_t flags = recorder->inner->cpus[i].flags;
        if (flags == recorder->cpu_flags[i])
            continue;
        text_print(recorder->sink, "flags %u %u\n", i, (unsigned)flags);
        recorder->cpu_flags[i] = flags;
    }
}

static bool record_run(void *ctx, const struct touch_job *jobs, struct touch_result *ret_results,
                       unsigned count)
{
    struct recorder *recorder = ctx;
    bool ok = recorder->inner->ops->run(recorder->inner->ctx, jobs, ret_results, count);
    text_print(recorder->sink, "run %u = %u\n", count, ok);
    for (unsigned i = 0; i < count; i++) {
        text_print(recorder->sink, "job %u %u %u %u %u", jobs[i].cpu, jobs[i].lane, jobs[i].region,
                   jobs[i].pattern, jobs[i].access);
        put(recorder, jobs[i].offset);
        put(recorder, jobs[i].bytes);
        text_print(recorder->sink, " =");
        put(recorder, ret_results[i].ticks);
        put(recorder, ret_results[i].noise);
        put(recorder, ret_results[i].status);
        text_print(recorder->sink, "\n");
    }
    put_changed_flags(recorder);
    return ok;
}

static bool record_get(void *ctx, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                       uint32_t *ret_home)
{
    struct recorder *recorder = ctx;
    uint16_t region = REGION_NONE;
    uint32_t home = NODE_UNKNOWN;
    bool ok = recorder->inner->ops->region_get(recorder->inner->ctx, node, bytes, &region, &home);
    text_print(recorder->sink, "get");
    put_known(recorder, node);
    put(recorder, bytes);
    text_print(recorder->sink, " = %u %u", ok, region);
    put_known(recorder, home);
    text_print(recorder->sink, "\n");
    put_changed_flags(recorder);
    if (ok) {
        *ret_region = region;
        *ret_home = home;
    }
    return ok;
}

static void record_put(void *ctx, uint16_t region)
{
    struct recorder *recorder = ctx;
    recorder->inner->ops->region_put(recorder->inner->ctx, region);
    text_print(recorder->sink, "put %u\n", region);
    put_changed_flags(recorder);
}

static uint64_t record_now(void *ctx)
{
    struct recorder *recorder = ctx;
    uint64_t ns = recorder->inner->ops->now(recorder->inner->ctx);
    text_print(recorder->sink, "now =");
    put(recorder, ns);
    text_print(recorder->sink, "\n");
    put_changed_flags(recorder);
    return ns;
}

/* A step is any text; in a line it must be one word. */
static void put_step(const struct recorder *recorder, const char *step)
{
    if (!step || *step == 0)
        step = "_";
    for (const char *c = step; *c != 0; c++)
        text_print(recorder->sink, "%c", *c > ' ' && *c < 0x7F && *c != '=' ? *c : '_');
}

static bool record_between(void *ctx, const struct progress *progress)
{
    struct recorder *recorder = ctx;
    bool ok = recorder->inner->ops->between(recorder->inner->ctx, progress);
    text_print(recorder->sink, "between %u %u ", progress->done, progress->total);
    put_step(recorder, progress->step);
    text_print(recorder->sink, " = %u\n", ok);
    put_changed_flags(recorder);
    return ok;
}

void recorder_init(struct recorder *recorder, const struct machine *inner,
                   const struct text_sink *sink)
{
    static const struct machine_ops ops = {.run = record_run,
                                           .region_get = record_get,
                                           .region_put = record_put,
                                           .now = record_now,
                                           .between = record_between};
    recorder->inner = inner;
    recorder->sink = sink;
    recorder->machine = *inner;
    recorder->machine.ops = &ops;
    recorder->machine.ctx = recorder;

    put_machine(recorder);
    for (unsigned i = 0; i < inner->cpu_count; i++) {
        put_cpu(recorder, &inner->cpus[i]);
        recorder->cpu_flags[i] = inner->cpus[i].flags;
    }
    if (inner->numa)
        put_numa(recorder, inner->numa);
}
