/* SPDX-License-Identifier: BSD-2-Clause */
/* Decay, the other half of a threshold: how much other data a CPU touches until a footprint is gone
 * from the cache that a move would leave behind, and how long that takes it (docs/method.md). */
#include "engine_state.h"
#include "stats.h"

#define FOOTPRINT_PART 4u /* of the capacity */
#define REACH          2u /* times the capacity: with that much, all of a footprint is gone */
#define RUNGS          5u /* an eighth of the capacity .. REACH, each twice the one before */
#define GONE_TENTHS    9
#define SMALL_BYTES    (2u << 20) /* up to this capacity samples are cheap */
#define SAMPLES_SMALL  8u
#define SAMPLES_LARGE  2u

/* One footprint at the start of a region, other data behind it, and the CPU that touches both. */
struct survival {
    struct engine *engine;
    struct touch_job job; /* the footprint's */
    uint64_t capacity;    /* bytes */
    uint64_t room;        /* bytes behind the footprint */
};

enum { FRESH, OTHER, BACK, TOUCHES }; /* the footprint after itself, other data, the footprint */

/* Ticks of the three touches: the lower quarter of a few, since a disturbance makes a touch longer,
 * never shorter. False when the run has to end, or nothing undisturbed was to be had. */
static bool come_back(const struct survival *of, uint64_t bytes, unsigned samples,
                      int64_t ret_ticks[TOUCHES])
{
    struct engine *engine = of->engine;
    int64_t ticks[TOUCHES][SAMPLES_SMALL];
    unsigned count = 0;
    uint64_t at = 0; /* data that others bring in was not there a while ago */
    for (unsigned i = 0; i < samples; i++) {
        bool good = true;
        for (unsigned k = 0; k < TOUCHES; k++)
            engine->jobs[k] = of->job;
        engine->jobs[OTHER].offset = of->job.bytes + at;
        engine->jobs[OTHER].bytes = bytes;
        at = at + 2 * bytes > of->room ? 0 : at + bytes;
        if (!engine_batch(engine, TOUCHES))
            return false;
        for (unsigned k = 0; k < TOUCHES; k++) {
            const struct touch_result *result = &engine->results[k];
            good = good && result->status == TOUCH_DONE && result->noise == 0;
            ticks[k][count] = (int64_t)result->ticks;
        }
        count += good;
    }
    for (unsigned k = 0; k < TOUCHES && count > 0; k++) {
        stats_sort(ticks[k], count);
        ret_ticks[k] = ticks[k][(count - 1) / 4];
    }
    return count > 0;
}

static uint64_t rung(const struct survival *of, unsigned which)
{
    return touch_round(of->capacity * REACH >> (RUNGS - 1 - which), of->engine->line);
}

/* Looks for the first rung that leaves nothing; *into is set once it is found. */
static void survive(const struct survival *of, struct class_result *into)
{
    struct engine *engine = of->engine;
    unsigned samples = of->capacity > SMALL_BYTES ? SAMPLES_LARGE : SAMPLES_SMALL;
    unsigned low = 0, high = RUNGS - 1;
    int64_t all[TOUCHES], some[TOUCHES];
    engine->jobs[0] = of->job;
    /* What all other times are held against: more samples where they are few. */
    if (!engine_batch(engine, 1) ||
        !come_back(of, of->room, samples < SAMPLES_SMALL ? 2 * samples : samples, all))
        return;
    int64_t more = all[BACK] - all[FRESH];
    if (more * ZERO_SHARE < all[FRESH])
        return;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (!come_back(of, rung(of, middle), samples, some))
            return;
        if ((some[BACK] - all[FRESH]) * 10 >= more * GONE_TENTHS)
            high = middle;
        else
            low = middle + 1;
    }
    uint64_t ns = machine_ns(engine->machine, (uint64_t)all[OTHER]) >> (RUNGS - 1 - high);
    into->evict_bytes = rung(of, high);
    into->evict_ns = (uint32_t)chain_saturate((int64_t)ns);
}

/* Where no capacity is known: the smallest working set that costs about what the dearest does. The
 * cost rises in proportion up to the capacity; where it hardly falls behind, the choice may lie far
 * beyond. */
static uint64_t capacity_found(const struct class_result *of)
{
    for (unsigned i = 0; i < of->point_count; i++) {
        if ((int64_t)of->point[i].cost.ns * 16 >= (int64_t)of->cost.ns * 15)
            return of->point[i].bytes;
    }
    return of->working_set;
}

/* The CPU of the pair that has more to lose, and how much its cache holds: what a search found
 * where no capacity is known. */
static uint64_t at_stake(const struct engine *engine, const struct class_result *of,
                         uint16_t *ret_cpu)
{
    const struct cpu_info *cpus = engine->machine->cpus;
    unsigned level = topology_unshared_cache(&cpus[of->cpu_a], &cpus[of->cpu_b]);
    uint64_t in_a = engine_capacity(engine, of->cpu_a, level);
    *ret_cpu = engine_capacity(engine, of->cpu_b, level) > in_a ? of->cpu_b : of->cpu_a;
    return of->flags & CLASS_NO_CAPACITY ? capacity_found(of)
                                         : engine_unshared_capacity(engine, of->cpu_a, of->cpu_b);
}

/* Takes what is known of an earlier class whose footprint lies in the same kind of cache. */
static bool take_known(const struct class_result *earlier, struct class_result *into)
{
    for (; earlier < into; earlier++) {
        if (earlier->evict_bytes == 0 || earlier->footprint != into->footprint ||
            earlier->key.kind_low != into->key.kind_low ||
            earlier->key.kind_high != into->key.kind_high)
            continue;
        into->evict_bytes = earlier->evict_bytes;
        into->evict_ns = earlier->evict_ns;
        return true;
    }
    return false;
}

static void class_decay(struct engine *engine, struct class_result *into)
{
    const struct machine *machine = engine->machine;
    struct survival of = {
        .engine = engine,
        .job = {.pattern = engine->options->pattern, .access = engine->options->access},
    };
    uint32_t home;
    of.capacity = at_stake(engine, into, &of.job.cpu);
    into->footprint = of.job.bytes = touch_round(of.capacity / FOOTPRINT_PART, engine->line);
    of.room = rung(&of, RUNGS - 1);
    if (of.capacity == 0 || of.room > machine->region_max ||
        take_known(engine->result->classes, into) ||
        !machine->ops->region_get(machine->ctx, machine->cpus[0].node, of.job.bytes + of.room,
                                  &of.job.region, &home))
        return;
    survive(&of, into);
    machine->ops->region_put(machine->ctx, of.job.region);
}

void engine_decay(struct engine *engine)
{
    struct result *result = engine->result;
    for (unsigned which = 0; which < result->class_count; which++) {
        struct class_result *of = &result->classes[which];
        engine->progress = (struct progress){"decay", which, result->class_count};
        if (of->cost.samples > 0 && !(of->flags & CLASS_ZERO))
            class_decay(engine, of);
    }
}
