/* SPDX-License-Identifier: BSD-2-Clause */
/* Stay-curves: what each CPU needs to dirty a working set again that it dirtied itself, at each
 * capacity. Linear in the number of CPUs; finds an odd one. */
#include "engine_state.h"
#include "stats.h"

#define STAY_SAMPLES       3u
#define STAY_SAMPLES_AGAIN 9u
#define SUSPECT_PERMILLE   1050
#define ODD_PERMILLE       1150
#define EACH_CPU_MAX                                                                             \
    16u /* with more CPUs, working sets of last-level size are touched once per last-level cache \
         */

/* Touches by one CPU alone; the first one only fetches. */
static struct figure stay_at(struct engine *engine, unsigned cpu, uint64_t bytes, unsigned samples)
{
    struct figure none = {0};
    if (bytes == 0)
        return none;
    engine->progress = (struct progress){"stays", cpu, engine->machine->cpu_count};
    for (unsigned i = 0; i <= samples; i++) {
        engine->jobs[i] = (struct touch_job){
            .cpu = (uint16_t)cpu,
            .region = engine->region,
            .pattern = engine->options->pattern,
            .access = engine->options->access,
            .bytes = bytes,
        };
    }
    if (!engine_batch(engine, samples + 1))
        return none;
    int64_t ticks[STAY_SAMPLES_AGAIN];
    unsigned count = 0;
    for (unsigned i = 1; i <= samples; i++) {
        if (engine->results[i].status == TOUCH_DONE && engine->results[i].noise == 0)
            ticks[count++] = (int64_t)engine->results[i].ticks;
    }
    struct stats_summary summary = stats_summarize(ticks, count, engine->scratch);
    return chain_figure(chain_ns(engine->machine, summary.median),
                        machine_ns(engine->machine, summary.half_width), count);
}

/* The working set for a level's stay: 0.9 of the capacity, so that it fits; 0 where unknown or too
 * large. */
static uint64_t stay_bytes(const struct engine *engine, unsigned cpu, unsigned level)
{
    uint64_t bytes = engine->result->raw_working_set;
    if (level > 0) {
        uint64_t capacity = engine_capacity(engine, cpu, level);
        if (capacity == 0)
            return 0;
        bytes = touch_round(capacity / 10 * 9, engine->line);
    }
    return bytes > engine->region_bytes ? 0 : bytes;
}

/* An earlier CPU of the same kind and last-level cache that stands for this one; itself where none
 * does. */
static unsigned stand_in(const struct engine *engine, unsigned cpu)
{
    const struct cpu_info *cpus = engine->machine->cpus;
    for (unsigned i = 0; i < cpu; i++) {
        if (machine_cpu_usable(engine->machine, i) && cpus[i].core_kind == cpus[cpu].core_kind &&
            cpus[i].share[LEVEL_LLC] != SHARE_UNKNOWN &&
            cpus[i].share[LEVEL_LLC] == cpus[cpu].share[LEVEL_LLC])
            return i;
    }
    return cpu;
}

/* The median stay at a level over the CPUs of one kind. */
static int64_t kind_median(struct engine *engine, unsigned level, uint8_t kind)
{
    const struct machine *machine = engine->machine;
    unsigned count = 0;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].core_kind == kind && engine->result->stay[i].stay[level].samples > 0)
            engine->values[count++] = engine->result->stay[i].stay[level].ns;
    }
    return stats_median(engine->values, count);
}

/* A figure further from the median than SUSPECT_PERMILLE. With `sure`, ODD_PERMILLE, and the nearer
 * end of its interval counts: what noise can explain is not odd. */
static bool is_odd(const struct figure *stay, int64_t median, bool sure)
{
    int64_t limit = sure ? ODD_PERMILLE : SUSPECT_PERMILLE;
    int64_t spread = sure ? (int64_t)stay->spread_ns : 0;
    int64_t low = stay->ns - spread, high = stay->ns + spread;
    return stay->samples > 0 && median > 0 &&
           (low * 1000 > median * limit || median * 1000 > high * limit);
}

/* Suspects are measured again with more samples before they are called odd. */
static void find_odd(struct engine *engine, unsigned cpu)
{
    struct stay_result *into = &engine->result->stay[cpu];
    for (unsigned level = 0; level <= 2; level++) {
        int64_t median = kind_median(engine, level, engine->machine->cpus[cpu].core_kind);
        if (!is_odd(&into->stay[level], median, false))
            continue;
        struct figure again =
            stay_at(engine, cpu, stay_bytes(engine, cpu, level), STAY_SAMPLES_AGAIN);
        if (again.samples == 0)
            return;
        into->stay[level] = again;
        into->odd |= level > 0 && is_odd(&again, median, true);
    }
}

/* The raw matrix stands at the working set of the dearest class, as in 2004: one size for all
 * cells. */
static uint64_t raw_working_set(const struct engine *engine)
{
    const struct result *result = engine->result;
    const struct class_result *dearest = NULL;
    for (unsigned i = 0; i < result->class_count; i++) {
        const struct class_result *which = &result->classes[i];
        if (which->working_set != 0 && (dearest == NULL || which->cost.ns > dearest->cost.ns))
            dearest = which;
    }
    if (dearest != NULL)
        return dearest->working_set;
    if (engine->options->size != 0)
        return touch_round(engine->options->size, engine->line);
    /* One CPU: the pure dirtying cost of its largest cache. */
    uint64_t largest = 0;
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        uint64_t bytes = stay_bytes(engine, 0, level);
        if (bytes > largest)
            largest = bytes;
    }
    return largest != 0 ? largest : touch_round(engine->region_bytes / 16, engine->line);
}

void engine_stays(struct engine *engine)
{
    const struct machine *machine = engine->machine;
    struct result *result = engine->result;
    unsigned usable = machine_usable_count(machine);
    result->raw_working_set = raw_working_set(engine);

    /* Level 0, the raw diagonal, first: should the budget end, the matrix needs it. */
    for (unsigned level = 0; level < CACHE_LEVELS; level++) {
        for (unsigned i = 0; i < machine->cpu_count; i++) {
            if (!machine_cpu_usable(machine, i))
                continue;
            bool shared = level == 3 || (level == 0 && usable > EACH_CPU_MAX);
            unsigned by = shared ? stand_in(engine, i) : i;
            if (by != i)
                result->stay[i].stay[level] = result->stay[by].stay[level];
            else
                result->stay[i].stay[level] =
                    stay_at(engine, i, stay_bytes(engine, i, level), STAY_SAMPLES);
        }
    }
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (machine_cpu_usable(machine, i))
            find_odd(engine, i);
    }
}
