/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost measure`: from the CPUs that this process may use to a result on standard output. */
#define _GNU_SOURCE
#include "measure.h"
#include "../lib/flags.h"
#include "../lib/record.h"
#include "command.h"
#include "files.h"
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REGION_LEAST (4ull << 20) /* tried even where the kernel says that there is less */
#define TEXT_SIZE    4096u

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static enum status fail(enum status status, const struct message *message)
{
    say_error(message);
    return status;
}

static void read_list(const char *root, const char *name, char text[TEXT_SIZE])
{
    char path[64];
    text_format(path, sizeof path, "/sys/devices/system/cpu/%s", name);
    if (file_read_text(root, path, text, TEXT_SIZE) != 0)
        text[0] = '\0';
}

static enum status find_cpus(struct measure *measure)
{
    struct message message = {""};
    struct cpu_set allowed = {{0}};
    char present[TEXT_SIZE], online[TEXT_SIZE];

    if (syscall(SYS_sched_getaffinity, 0, sizeof allowed, &allowed) < 0) {
        message_set(&message, "the CPUs that may be used are not known: %m");
        return fail(STATUS_NOT_PINNED, &message);
    }
    read_list(measure->root, "present", present);
    read_list(measure->root, "online", online);
    if (measure_cpus_find(present, online, &allowed, &measure->found))
        return STATUS_OK;
    message_set(&message, "no CPU that is online may be used");
    return fail(STATUS_NOT_PINNED, &message);
}

/* More are ready to run than there are CPUs, ourselves not counted. */
static bool is_crowded(unsigned cpus)
{
    double load;
    return getloadavg(&load, 1) == 1 && load > cpus;
}

static enum status start(struct measure *measure)
{
    const struct measure_cpus *found = &measure->found;
    struct message message = {""};
    int error;
    unsigned number;

    measure->threads.crowded = is_crowded(found->allowed_count);
    switch (
        threads_start(&measure->threads, found->number, found->allowed_count, &error, &number)) {
    case THREADS_OK:
        return STATUS_OK;
    case THREADS_NOT_PINNED:
        message_set(&message, "no thread can be pinned to CPU %u: %s", number, strerror(error));
        return fail(STATUS_NOT_PINNED, &message);
    default:
        message_set(&message, "no memory for %u threads: %s", found->allowed_count,
                    strerror(error));
        return fail(STATUS_NO_MEMORY, &message);
    }
}

/* Fills cpus[] from what CPUID said on each; returns flags. */
static uint32_t describe(struct measure *measure)
{
    bool sound = true;
    uint32_t flags;

    measure->cpu_count = measure->found.allowed_count;
    for (unsigned i = 0; i < measure->cpu_count; i++) {
        const struct cpuid_dump *dump = threads_cpuid(&measure->threads, i);
        topology_cpu_init(&measure->cpus[i], cpuid_apic_id(dump));
        sound &= cpuid_describe(dump, cpuid_apic_id(dump), &measure->cpus[i]);
    }
    sound = sound && !topology_contradicts(measure->cpus, measure->cpu_count);
    measure->has_numa =
        measure_nodes(measure->root, &measure->found, measure->cpus, &measure->numa);
    machine_facts_read(measure->root, &measure->facts);
    if (measure->facts.ids_known)
        measure->cpu_count = measure_cpus_append(measure->facts.ids, measure->facts.id_count,
                                                 measure->cpus, measure->cpu_count);
    flags = sound ? 0 : FLAG_TOPOLOGY_UNTRUSTED;
    measure->caches_crc = record_caches_crc(&measure->cpus[0]);
    if (options_capacities(&measure->options.options, measure->cpus, measure->cpu_count))
        flags |= FLAG_CAPACITY_BY_HAND;
    return flags;
}

static void tell_left_out(const struct measure_cpus *found)
{
    if (found->outside > 0)
        say_note("%u CPU%s online and outside of what this process may use", found->outside,
                 found->outside == 1 ? " is" : "s are");
    if (found->offline > 0)
        say_note("%u CPU%s offline", found->offline, found->offline == 1 ? " is" : "s are");
    if (found->too_many > 0)
        say_note("%u CPUs are more than the %u that can be measured", found->too_many, MAX_CPUS);
}

static void tell_estimate(const struct measure *measure)
{
    const struct machine *machine = &measure->back_end.machine;
    const struct engine_options *engine = &measure->options.options.engine;
    char estimate[24];
    unsigned usable = 0;

    for (unsigned i = 0; i < machine->cpu_count; i++)
        usable += machine_cpu_usable(machine, i);
    text_duration(estimate, sizeof estimate, (long long)engine_estimate_ns(machine, engine));
    say_note("%u CPU%s; measuring takes about %s, %u s at most; SIGINT stops", usable,
             usable == 1 ? "" : "s", estimate, (unsigned)(engine->budget_ns / 1000000000u));
}

/* Runs the engine. The flag that stands for SMIs in firmware is set for samples that were
 * preempted: nobody counts SMIs here. */
static enum status run_engine(struct measure *measure)
{
    const struct machine *machine = &measure->back_end.machine;
    struct message message = {""};
    size_t bytes = engine_workspace_bytes(measure->cpu_count);
    enum engine_status status = ENGINE_NO_MEMORY;

    measure->workspace = malloc(bytes);
    if (measure->workspace)
        status = engine_run(machine, &measure->options.options.engine, measure->workspace, bytes,
                            &measure->result);
    if (status == ENGINE_NO_MEMORY)
        message_set(&message, "too little memory for the smallest working set");
    else
        message_set(&message, "--size is more than this machine can serve now");
    if (status != ENGINE_OK)
        return fail(STATUS_NO_MEMORY, &message);

    struct result *result = &measure->result;
    result->flags &= ~FLAG_SMI_SEEN;
    result->started = (uint64_t)time(NULL);
    if (measure->found.outside > 0 || measure->found.offline > 0 || measure->found.too_many > 0)
        result->flags |= FLAG_CPUS_LEFT_OUT;
    if (measure->options.options.decay_ns != 0)
        result->flags |= FLAG_DECAY_BY_HAND;
    if (measure->back_end.late && !measure->back_end.stopped)
        result->flags = (result->flags & ~FLAG_STOPPED) | FLAG_BUDGET_HIT;
    recommend(result, measure->options.options.policy, measure->options.options.factor_percent,
              measure->options.options.decay_ns, &measure->recommendation);
    return STATUS_OK;
}

static void tell_pages(enum pages pages)
{
    if (pages == PAGES_SMALL)
        say_note("no huge pages were to be had: memory is scattered in 4 KiB pages, and page walks "
                 "are part of the costs");
}

static enum status measure_on_threads(struct measure *measure, uint32_t flags)
{
    const struct options *options = &measure->options.options;
    struct message message = {""};
    uint64_t most = memory_most(measure->root);
    uint64_t limit_ns = now_ns() + options->engine.budget_ns;
    struct threads_machine *back_end = &measure->back_end;

    if (!threads_machine_open(back_end, &measure->threads, measure->cpus, measure->cpu_count,
                              measure->has_numa ? &measure->numa : NULL,
                              most > REGION_LEAST ? most : REGION_LEAST, limit_ns)) {
        threads_machine_close(back_end);
        message_set(&message, "no memory");
        return fail(STATUS_NO_MEMORY, &message);
    }
    back_end->machine.flags |= flags;
    back_end->progress = !options->quiet && isatty(STDERR_FILENO);
    if (!options->quiet) {
        tell_left_out(&measure->found);
        tell_estimate(measure);
    }
    enum status status = run_engine(measure);
    threads_machine_close(back_end);
    threads_release_signals();
    if (status != STATUS_OK)
        return status;

    if (!options->quiet)
        tell_pages(back_end->memory.pages);
    if (measure->into)
        measure_record(measure, measure->into);
    else
        status = measure_output(measure);
    if (status != STATUS_OK)
        return status;
    return measure_status(&measure->found, &measure->result, back_end->stopped,
                          options->cpu_range_count > 0);
}

static enum status measure_all(struct measure *measure)
{
    struct message message = {""};
    enum status status = find_cpus(measure);

    if (status == STATUS_OK)
        status = start(measure);
    if (status != STATUS_OK)
        return status;
    uint32_t flags = describe(measure);
    if (measure_cpus_choose(&measure->options.options, &measure->found, measure->cpus,
                            measure->cpu_count, &message))
        status = measure_on_threads(measure, flags);
    else
        status = fail(STATUS_NO_CPU, &message);
    threads_stop(&measure->threads);
    return status;
}

static enum status measure_into(const char *root, const char *const *words, unsigned count,
                                struct record *into)
{
    struct message message = {""};
    struct measure *measure = calloc(1, sizeof *measure);

    if (!measure) {
        message_set(&message, "no memory");
        return fail(STATUS_NO_MEMORY, &message);
    }
    measure->root = root;
    measure->into = into;
    enum status status = STATUS_USAGE;
    if (measure_options_take(words, count, &measure->options, &message)) {
        threads_hold_signals();
        status = measure_all(measure);
    } else {
        say_error(&message);
        say_try_help();
    }
    free(measure->workspace);
    free(measure);
    return status;
}

enum status command_measure(const char *root, const char *const *words, unsigned count)
{
    return measure_into(root, words, count, NULL);
}

enum status measure_quietly(const char *root, const char *const *words, unsigned count,
                            struct record *ret)
{
    return measure_into(root, words, count, ret);
}
