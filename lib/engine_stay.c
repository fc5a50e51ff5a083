/* SPDX-License-Identifier: BSD-2-Clause */
/* Stay-curves: what each CPU needs to dirty a working set again that it dirtied itself, at each
 * capacity. Linear in the number of CPUs; finds an odd one. */
#include "engine_state.h"
#include "stats.h"

#define STAY_SAMPLES       1u
#define STAY_SAMPLES_AGAIN 6u
#define RAW_SAMPLES        2u
#define SUSPECT_PERMILLE   1080
#define ODD_PERMILLE       1150
#define SAME_BYTES_PERCENT 15 /* stays at working sets this near are one, in proportion */

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
    for (unsigned pass = 0; pass < 2 && count == 0; pass++) { /* disturbed ones where all are */
        for (unsigned i = 1; i <= samples; i++) {
            if (engine->results[i].status == TOUCH_DONE &&
                (engine->results[i].noise == 0 || pass == 1))
                ticks[count++] = (int64_t)engine->results[i].ticks;
        }
    }
    const struct clock_info *clock = &engine->machine->clock;
    struct chain_leg leg = chain_leg(ticks, count, engine->noise_ppm, clock->resolution);
    return chain_figure(
        chain_ns(engine->machine, leg.ticks),
        machine_ns(engine->machine, leg.error * CHAIN_SPREAD_TENTHS / 10 + clock->resolution),
        leg.count);
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

/* Alike in all that CPUID tells of a CPU that touches a working set of its own. */
static bool same_cpu(const struct engine *engine, unsigned a, unsigned b)
{
    const struct cpu_info *cpus = engine->machine->cpus;
    bool same = cpus[a].core_kind == cpus[b].core_kind;
    for (unsigned level = 1; level < CACHE_LEVELS; level++)
        same = same && engine_capacity(engine, a, level) == engine_capacity(engine, b, level);
    return same && !engine->result->stay[a].odd && !engine->result->stay[b].odd;
}

/* A CPU whose stay at this level is known and stands for this one's: with the same last-level
 * cache, or for the raw matrix, whose cells are those of classes too, just alike. Itself where
 * there is none. */
static unsigned stand_in(const struct engine *engine, unsigned cpu, unsigned level)
{
    const struct cpu_info *cpus = engine->machine->cpus;
    for (unsigned i = 0; i < engine->machine->cpu_count; i++) {
        bool shared = cpus[i].share[LEVEL_LLC] != SHARE_UNKNOWN &&
                      cpus[i].share[LEVEL_LLC] == cpus[cpu].share[LEVEL_LLC];
        if (machine_cpu_usable(engine->machine, i) && same_cpu(engine, i, cpu) &&
            (shared || level == 0) && engine->result->stay[i].stay[level].samples > 0)
            return i;
    }
    return cpu;
}

/* A stay known at one working set, brought to another one that is hardly different. */
static struct figure brought_to(struct figure known, uint64_t from, uint64_t bytes)
{
    if (from == 0 || known.samples == 0 ||
        (from > bytes ? from - bytes : bytes - from) * 100 > from * SAME_BYTES_PERCENT)
        return (struct figure){0};
    return chain_figure((int64_t)((uint64_t)(known.ns > 0 ? known.ns : 0) * bytes / from),
                        known.spread_ns * bytes / from, known.samples);
}

/* What the classes' own pairs showed already, at a working set like this. */
static struct figure from_classes(const struct engine *engine, unsigned cpu, uint64_t bytes)
{
    const struct result *result = engine->result;
    struct figure none = {0};
    for (unsigned which = 0; which < result->class_count; which++) {
        const struct class_result *of = &result->classes[which];
        if (cpu != of->cpu_a && cpu != of->cpu_b)
            continue;
        struct figure found =
            brought_to(engine->work[which].stay[cpu == of->cpu_a], of->working_set, bytes);
        if (found.samples > 0)
            return found;
    }
    return none;
}

/* One CPU's stay at one level, from what is known where that serves. */
static struct figure stay_of(struct engine *engine, unsigned cpu, unsigned level)
{
    struct result *result = engine->result;
    uint64_t bytes = stay_bytes(engine, cpu, level);
    struct figure found = {0};
    if (bytes == 0)
        return found;
    found = from_classes(engine, cpu, bytes);
    for (unsigned other = 1; level == 0 && found.samples == 0 && other < CACHE_LEVELS; other++)
        found = brought_to(result->stay[cpu].stay[other], stay_bytes(engine, cpu, other), bytes);
    unsigned by = cpu;
    if (found.samples == 0 && (level == 0 || level == 3))
        by = stand_in(engine, cpu, level);
    if (found.samples == 0 && by != cpu)
        found = result->stay[by].stay[level];
    return found.samples > 0 ? found
                             : stay_at(engine, cpu, bytes, level == 0 ? RAW_SAMPLES : STAY_SAMPLES);
}

/* The median stay at a level over the CPUs like one. */
static int64_t kind_median(struct engine *engine, unsigned level, unsigned cpu)
{
    const struct machine *machine = engine->machine;
    const struct cpu_info *of = &machine->cpus[cpu];
    unsigned count = 0;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].core_kind == of->core_kind &&
            engine_capacity(engine, i, level) == engine_capacity(engine, cpu, level) &&
            engine->result->stay[i].stay[level].samples > 0)
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

/* Suspects are measured again, a little and then more closely, before they are called odd. */
static void find_odd(struct engine *engine, unsigned cpu, unsigned level)
{
    static const uint8_t looks[] = {2, STAY_SAMPLES_AGAIN};
    struct stay_result *into = &engine->result->stay[cpu];
    int64_t median = kind_median(engine, level, cpu);
    for (unsigned i = 0; i < sizeof(looks) && is_odd(&into->stay[level], median, false); i++) {
        struct figure again = stay_at(engine, cpu, stay_bytes(engine, cpu, level), looks[i]);
        if (again.samples == 0)
            return;
        into->stay[level] = again;
        into->odd |= i > 0 && is_odd(&again, median, true);
    }
}

/* True if no other CPU shares its last-level cache: only then is that part of the CPU. */
static bool owns_llc(const struct engine *engine, unsigned cpu)
{
    const struct cpu_info *cpus = engine->machine->cpus;
    for (unsigned i = 0; i < engine->machine->cpu_count; i++) {
        if (i != cpu && cpus[i].share[LEVEL_LLC] == cpus[cpu].share[LEVEL_LLC])
            return false;
    }
    return true;
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
    result->raw_working_set = raw_working_set(engine);

    /* The raw matrix's, level 0, last: others stand for it, and odd CPUs are known by then. */
    for (unsigned step = 1; step <= CACHE_LEVELS; step++) {
        unsigned level = step % CACHE_LEVELS;
        for (unsigned i = 0; i < machine->cpu_count; i++) {
            if (machine_cpu_usable(machine, i))
                result->stay[i].stay[level] = stay_of(engine, i, level);
        }
        for (unsigned i = 0; level > 0 && i < machine->cpu_count; i++) {
            if (machine_cpu_usable(machine, i) && (level < 3 || owns_llc(engine, i)))
                find_odd(engine, i, level);
        }
    }
}
