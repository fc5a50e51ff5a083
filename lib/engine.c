/* SPDX-License-Identifier: BSD-2-Clause */
/* The measurement from beginning to end: the order of its steps, its budget, its memory. */
#include "engine.h"
#include "engine_state.h"
#include "mem.h"
#include "stats.h"

#define REGION_FLOOR  (64u << 10) /* no region of this size: nothing can be measured */
#define REGION_SMALL  (4u << 20)  /* room for the screening's lanes */
#define SEARCH_MAX    (16u << 20) /* what mid-range servers share as last level */
#define LARGE_BYTES   (64u << 20)
#define AGAIN_MAX     3u            /* periods more where SMIs left no sample */
#define SAMPLE_NS_MAX 1000000000ull /* longer touches are taken for a broken clock (B12) */
#define BYTES_PER_NS  1ull /* 1 GB/s: what the estimate assumes; a miss costs more, a hit less */

size_t engine_workspace_bytes(unsigned cpu_count)
{
    size_t cells = (size_t)cpu_count * cpu_count;
    size_t bytes = sizeof(struct engine) + 64;
    bytes += cells * (sizeof(uint32_t) + sizeof(int32_t) + 2); /* raw, cost, class, source */
    bytes += cells * sizeof(int32_t);                          /* screening */
    bytes += (2 * cells + 2) * sizeof(int64_t);                /* values */
    bytes += cpu_count * sizeof(struct stay_result);
    return bytes + 8 * 16; /* alignment of each piece */
}

static void *carve(uint8_t **at, size_t bytes)
{
    uint8_t *piece = (uint8_t *)(((uintptr_t)*at + 15) & ~(uintptr_t)15);
    *at = piece + bytes;
    memset(piece, 0, bytes);
    return piece;
}

void engine_release(struct engine *engine)
{
    const struct machine *machine = engine->machine;
    engine->ended = true;
    if (machine->ops->release && !engine->released)
        machine->ops->release(machine->ctx);
    engine->released = true;
}

/* The back end can go on no more: its time is up, or the user said stop. Lost CPUs have a flag of
 * their own. */
static void end_early(struct engine *engine)
{
    const struct machine *machine = engine->machine;
    bool late = machine->ops->now(machine->ctx) >= engine->deadline_ns;
    engine->result->flags |= late ? FLAG_BUDGET_HIT : FLAG_STOPPED;
    engine_release(engine);
}

bool engine_batch(struct engine *engine, unsigned count)
{
    const struct machine *machine = engine->machine;
    struct result *result = engine->result;

    if (engine->ended)
        return false;
    if (!machine->ops->between(machine->ctx, &engine->progress)) {
        end_early(engine);
        return false;
    }
    if (machine->ops->now(machine->ctx) >= engine->deadline_ns) {
        result->flags |= FLAG_BUDGET_HIT;
        engine_release(engine);
        return false;
    }
    if (!machine->ops->run(machine->ctx, engine->jobs, engine->results, count))
        end_early(engine);
    for (unsigned i = 0; i < count; i++) {
        if (engine->results[i].status == TOUCH_LOST)
            result->flags |= FLAG_CPUS_LEFT_OUT;
        if (engine->results[i].status != TOUCH_DONE)
            continue;
        if (engine->results[i].noise != 0)
            result->flags |= FLAG_SMI_SEEN;
        result->touches++;
        result->touched_bytes += engine->jobs[i].bytes;
        result->touched_for[engine->purpose] += engine->jobs[i].bytes;
        uint64_t ns = machine_ns(machine, engine->results[i].ticks);
        if (ns > result->longest_touch_ns)
            result->longest_touch_ns = ns;
    }
    return !engine->ended;
}

struct chain engine_pair(const struct engine *engine, unsigned cpu_a, unsigned cpu_b,
                         uint64_t bytes)
{
    return (struct chain){
        .cpu_a = (uint16_t)cpu_a,
        .cpu_b = (uint16_t)cpu_b,
        .region = engine->region,
        .pattern = engine->options->pattern,
        .access = engine->options->access,
        .bytes = bytes,
    };
}

void engine_samples_reset(struct engine *engine)
{
    memset(&engine->samples, 0, sizeof(engine->samples));
}

bool engine_collect(struct engine *engine, const struct touch_result *results,
                    const struct chain *chain, unsigned periods, bool disturbed_too,
                    struct chain_samples *samples)
{
    uint64_t longest = SAMPLE_NS_MAX / 1000000 * engine->machine->clock.khz;
    return chain_collect(samples, results, chain, periods, longest, disturbed_too);
}

bool engine_chain(struct engine *engine, const struct chain *chain, unsigned periods,
                  struct chain_samples *samples, struct chain_legs *ret_legs)
{
    /* The budget is looked at between batches: passes that may take a second each go in by few. */
    unsigned most = chain->bytes > LARGE_BYTES ? 1 : CHAIN_PERIODS_MAX, again = 0;
    struct chain part = *chain;
    bool whole = true;
    for (unsigned left = periods; left > 0 || !whole;) {
        bool last = again == AGAIN_MAX;
        unsigned now = left == 0 ? 1 : left < most ? left : most;
        if (!engine_batch(engine, chain_jobs(&part, now, 0, engine->jobs)))
            return false;
        whole = engine_collect(engine, engine->results, &part, now, last, samples);
        part.primed = true;
        left -= left == 0 ? 0 : now;
        if (left == 0 && !whole && again++ == AGAIN_MAX)
            break;
        if (last) { /* SMIs in every touch (B7): the others outvote them, if they can */
            engine->result->flags |= FLAG_UNSTEADY;
            break;
        }
    }
    chain_legs(engine->machine, samples, engine->noise_ppm, ret_legs);
    return true;
}

bool engine_figures(struct engine *engine, const struct chain *chain, unsigned periods,
                    struct chain_figures *ret_figures)
{
    struct chain_legs legs;
    if (!engine_chain(engine, chain, periods, &engine->samples, &legs))
        return false;
    chain_figures(engine->machine, &legs, ret_figures);
    return true;
}

unsigned engine_way(const struct engine *engine, unsigned source, unsigned target)
{
    return topology_compare(&engine->machine->cpus[source], &engine->machine->cpus[target]) > 0;
}

uint64_t engine_capacity(const struct engine *engine, unsigned cpu, unsigned level)
{
    return engine->machine->cpus[cpu].cache_bytes[level];
}

uint64_t engine_unshared_capacity(const struct engine *engine, unsigned cpu_a, unsigned cpu_b)
{
    const struct cpu_info *a = &engine->machine->cpus[cpu_a], *b = &engine->machine->cpus[cpu_b];
    unsigned level = topology_unshared_cache(a, b);
    for (; level > 0; level--) {
        uint64_t in_a = engine_capacity(engine, cpu_a, level);
        uint64_t in_b = engine_capacity(engine, cpu_b, level);
        if (in_a != 0 || in_b != 0)
            return in_a > in_b ? in_a : in_b;
    }
    return 0;
}

static void lay_out(struct engine *engine, uint8_t *at)
{
    struct result *result = engine->result;
    size_t n = engine->machine->cpu_count, cells = n * n;
    result->raw_ns = carve(&at, cells * sizeof(*result->raw_ns));
    result->cost_ns = carve(&at, cells * sizeof(*result->cost_ns));
    result->class_of = carve(&at, cells);
    result->source = carve(&at, cells);
    result->stay = carve(&at, n * sizeof(*result->stay));
    engine->screen.cost_ns = carve(&at, cells * sizeof(*engine->screen.cost_ns));
    engine->values = carve(&at, (2 * cells + 2) * sizeof(*engine->values));
    for (size_t i = 0; i < cells; i++) {
        result->cost_ns[i] = engine->screen.cost_ns[i] = COST_UNKNOWN;
        result->class_of[i] = CLASS_NONE;
    }
}

/* Room to look beyond the largest working set, else that, halved until it is to be had (C8). */
static bool get_region(struct engine *engine, uint64_t wanted)
{
    const struct machine *machine = engine->machine;
    uint32_t node = machine->cpu_count > 0 ? machine->cpus[0].node : NODE_UNKNOWN;
    uint64_t most = wanted < machine->region_max ? wanted : machine->region_max;
    uint64_t bytes = engine_beyond(wanted) < machine->region_max ? engine_beyond(wanted) : most;
    for (; bytes >= REGION_FLOOR; bytes = bytes > most ? most : bytes / 2) {
        bytes &= ~(uint64_t)(engine->line - 1);
        if (machine->ops->region_get(machine->ctx, node, bytes, &engine->region,
                                     &engine->result->region_home)) {
            engine->region_bytes = bytes;
            engine->result->region_bytes = bytes;
            return true;
        }
    }
    return false;
}

/* The largest working set that any pair could need; at least what a search without known capacities
 * climbs to. */
static uint64_t largest_working_set(const struct machine *machine,
                                    const struct engine_options *options)
{
    if (options->size != 0)
        return options->size > REGION_SMALL ? options->size : REGION_SMALL;
    uint64_t largest = SEARCH_MAX;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        for (unsigned level = 1; level < CACHE_LEVELS; level++) {
            uint64_t bytes = machine->cpus[i].cache_bytes[level];
            if (bytes > largest)
                largest = bytes;
        }
    }
    return largest;
}

uint64_t engine_estimate_ns(const struct machine *machine, const struct engine_options *options)
{
    uint64_t working_set = largest_working_set(machine, options);
    if (working_set > machine->region_max)
        working_set = machine->region_max;
    uint64_t usable = machine_usable_count(machine);
    uint64_t pairs = usable < 2 ? 0 : usable * (usable - 1) / 2;
    uint64_t bytes = pairs * (1 + 4 * SCREEN_PERIODS) * (64u << 10); /* screening */
    bytes += pairs == 0 ? 0 : 100 * working_set; /* curves and controls of the classes */
    bytes += 3 * usable * working_set;           /* stays */
    uint64_t ns = bytes / BYTES_PER_NS;
    return ns < options->budget_ns ? ns : options->budget_ns;
}

static void flag_nodes(struct result *result, const struct machine *machine)
{
    /* One buffer, several nodes: whoever is far from it pays for the distance too. */
    if (machine->numa != NULL && machine->numa->node_count > 1)
        result->flags |= FLAG_NUMA_PLACEMENT;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].flags & (CPU_LOST | CPU_DISABLED))
            result->flags |= FLAG_CPUS_LEFT_OUT;
        if (machine->cpus[i].flags & CPU_NOT_CHOSEN)
            result->flags |= FLAG_CPUS_CHOSEN;
        if (machine->cpus[i].flags & CPU_CACHE_STATE)
            result->flags |= FLAG_CACHE_STATE_MISMATCH;
    }
}

/* A cost that cannot be told from zero in any class that could have one. */
static void flag_zero(struct result *result)
{
    bool any = false;
    for (unsigned i = 0; i < result->class_count; i++) {
        const struct class_result *class = &result->classes[i];
        if (class->key.level != LEVEL_CORE && !(class->flags & CLASS_ZERO) &&
            class->cost.samples > 0)
            any = true;
    }
    if (!any && result->class_count > 0)
        result->flags |= FLAG_COST_ZERO;
}

enum engine_status engine_run(const struct machine *machine, const struct engine_options *options,
                              void *workspace, size_t workspace_bytes, struct result *ret_result)
{
    if (workspace_bytes < engine_workspace_bytes(machine->cpu_count))
        return ENGINE_NO_MEMORY;
    uint8_t *at = workspace;
    struct engine *engine = carve(&at, sizeof(*engine));
    memset(ret_result, 0, sizeof(*ret_result));
    engine->machine = machine;
    engine->options = options;
    engine->result = ret_result;
    engine->line = 1;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].line_bytes > engine->line)
            engine->line = machine->cpus[i].line_bytes;
    }
    ret_result->pattern = options->pattern;
    ret_result->access = options->access;
    ret_result->clock = machine->clock;
    ret_result->cpu_count = machine->cpu_count;
    ret_result->cpus = machine->cpus;
    ret_result->numa = machine->numa;
    ret_result->region_home = NODE_UNKNOWN;
    ret_result->flags = machine->flags;
    if (options->size != 0)
        ret_result->flags |= FLAG_CAPACITY_BY_HAND;
    lay_out(engine, at);

    engine->start_ns = machine->ops->now(machine->ctx);
    engine->deadline_ns = engine->start_ns + options->budget_ns;
    uint64_t wanted = touch_round(largest_working_set(machine, options), engine->line);
    if (!get_region(engine, wanted))
        return ENGINE_NO_MEMORY;
    if (options->size > engine->region_bytes) {
        machine->ops->region_put(machine->ctx, engine->region);
        return ENGINE_BAD_OPTION;
    }
    if (engine->region_bytes < wanted)
        ret_result->flags |= FLAG_BUFFER_SMALL;

    static const struct {
        void (*step)(struct engine *engine);
        uint8_t purpose;
    } steps[] = {
        {engine_warm_up, PURPOSE_WARM_UP},   {engine_screen, PURPOSE_SCREENING},
        {engine_classes, PURPOSE_SCREENING}, {engine_curves, PURPOSE_COST},
        {engine_controls, PURPOSE_CONTROLS}, {engine_stays, PURPOSE_MATRIX},
        {engine_matrix, PURPOSE_MATRIX},
    };
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        engine->purpose = steps[i].purpose;
        steps[i].step(engine);
    }

    /* Last, should the budget end, and when the memory is free for it. */
    machine->ops->region_put(machine->ctx, engine->region);
    engine->purpose = PURPOSE_DECAY;
    engine_decay(engine);
    ret_result->duration_ns = machine->ops->now(machine->ctx) - engine->start_ns;
    flag_nodes(ret_result, machine);
    flag_zero(ret_result);
    return ENGINE_OK;
}
