/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers an engine from a recording. */
#include "replay.h"
#include "mem.h"
#include "replay_text.h"
#include <stddef.h>

static struct reader ask(const struct replayer *replayer, const char *call)
{
    struct reader reader = {replayer->text, replayer->line, replayer->diverged != 0};
    reader_skip_notes(&reader);
    reader_take_word(&reader, call);
    return reader;
}

/* Keeps what was read, or notes where the engine left the recording. */
static bool settle(struct replayer *replayer, const struct reader *reader)
{
    if (reader->bad) {
        if (replayer->diverged == 0)
            replayer->diverged = reader->line;
        return false;
    }
    struct reader next = *reader;
    reader_skip_notes(&next);
    while (reader_take_if(&next, "flags")) {
        unsigned cpu;
        uint32_t flags;
        replay_read_flags(&next, replayer->machine.cpu_count, &cpu, &flags);
        replayer->cpus[cpu].flags = flags;
        reader_skip_notes(&next);
    }
    replayer->text = next.at;
    replayer->line = next.line;
    return true;
}

static bool same_job(const struct touch_job *a, const struct touch_job *b)
{
    return a->cpu == b->cpu && a->lane == b->lane && a->region == b->region &&
           a->pattern == b->pattern && a->access == b->access && a->offset == b->offset &&
           a->bytes == b->bytes;
}

static bool replay_run(void *ctx, const struct touch_job *jobs, struct touch_result *ret_results,
                       unsigned count)
{
    struct replayer *replayer = ctx;
    struct reader reader = ask(replayer, "run");
    struct reader batch = reader;
    unsigned recorded;
    bool ok = replay_read_run(&batch, &recorded);
    if (recorded == count)
        reader = batch;
    else
        reader.bad = true;
    for (unsigned i = 0; i < count && !reader.bad; i++) {
        struct touch_job job;
        reader_skip_notes(&reader);
        const struct reader next = reader;
        replay_read_job(&reader, &job, &ret_results[i]);
        if (!same_job(&job, &jobs[i])) {
            reader = next;
            reader.bad = true;
        }
    }
    if (settle(replayer, &reader))
        return ok;
    for (unsigned i = 0; i < count; i++)
        ret_results[i] = (struct touch_result){.status = TOUCH_SKIPPED};
    return false;
}

static bool replay_get(void *ctx, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                       uint32_t *ret_home)
{
    struct replayer *replayer = ctx;
    struct reader reader = ask(replayer, "get");
    struct reader answer = reader;
    struct get_call get;
    replay_read_get(&answer, &get);
    if (get.node == node && get.bytes == bytes)
        reader = answer;
    else
        reader.bad = true;
    if (!settle(replayer, &reader) || !get.ok)
        return false;
    *ret_region = get.region;
    *ret_home = get.home;
    return true;
}

static void replay_put(void *ctx, uint16_t region)
{
    struct replayer *replayer = ctx;
    struct reader reader = ask(replayer, "put");
    struct reader answer = reader;
    if (replay_read_put(&answer) == region)
        reader = answer;
    else
        reader.bad = true;
    (void)settle(replayer, &reader);
}

static uint64_t replay_now(void *ctx)
{
    struct replayer *replayer = ctx;
    struct reader reader = ask(replayer, "now");
    uint64_t ns = replay_read_now(&reader);
    if (settle(replayer, &reader))
        replayer->ns = ns;
    return replayer->ns;
}

static bool replay_between(void *ctx, const struct progress *progress)
{
    struct replayer *replayer = ctx;
    (void)progress;
    struct reader reader = ask(replayer, "between");
    bool ok = replay_read_between(&reader);
    return settle(replayer, &reader) && ok;
}

bool replayer_init(struct replayer *replayer, const char *text, struct cpu_info *cpus,
                   unsigned long *ret_line)
{
    static const struct machine_ops ops = {.run = replay_run,
                                           .region_get = replay_get,
                                           .region_put = replay_put,
                                           .now = replay_now,
                                           .between = replay_between};
    memset(replayer, 0, sizeof(*replayer));
    replayer->cpus = cpus;

    struct reader reader = {.at = text, .line = 1};
    struct machine *machine = &replayer->machine;
    replay_read_machine(&reader, machine);
    for (unsigned i = 0; i < machine->cpu_count && !reader.bad; i++)
        replay_read_cpu(&reader, &cpus[i]);
    reader_skip_notes(&reader);
    if (reader_take_if(&reader, "numa")) {
        replay_read_numa(&reader, &replayer->numa);
        machine->numa = &replayer->numa;
        reader_skip_notes(&reader);
    }
    struct reader calls = reader;
    while (!reader.bad && *reader.at != 0) {
        replay_read_call(&reader, machine->cpu_count);
        reader_skip_notes(&reader);
    }
    if (reader.bad) {
        *ret_line = reader.line;
        return false;
    }
    (void)settle(replayer, &calls);
    machine->ops = &ops;
    machine->ctx = replayer;
    machine->cpus = cpus;
    return true;
}

bool replayer_finished(const struct replayer *replayer)
{
    struct reader reader = {.at = replayer->text, .line = replayer->line};
    reader_skip_notes(&reader);
    return replayer->diverged == 0 && *reader.at == 0;
}
