/* SPDX-License-Identifier: BSD-2-Clause */
/* Warm-up: core and fabric clocks ramp in the first tens of milliseconds (B8), so nothing counts
 * until blocks of transfers agree, and until every CPU keeps the pace of its like. */
#include "engine_state.h"
#include "stats.h"

#define BLOCK_NS       1200000ull /* long against one transfer, short against a ramp of 30 ms */
#define BLOCKS_MAX     200u       /* 300 ms: a machine that has not settled by then does not */
#define BLOCKS_AGREE   3u
#define AGREE_PERMILLE 10
/* A chase takes longest for its bytes: time is what warms. */
#define PASS_BYTES     2048u
#define PASS_BYTES_MAX (64u << 10)
#define PASS_STEPS     100u  /* of the clock, in one pass */
#define BLOCK_PASSES   16u   /* of a batch */
#define BATCHES_MAX    2048u /* ends a block even if the clock stands */
#define PACE_BYTES     (16u << 10)
#define PACE_SAMPLES   8u
#define PACE_PERMILLE  30
#define KINDS_MAX      8u

/* A kind of core, and how long a CPU of that kind takes that is warm. */
struct pace {
    uint8_t kind;
    uint64_t nearest; /* capacity of its nearest caches */
    int64_t ticks;
};

static struct chain chase(const struct engine *engine, unsigned a, unsigned b, uint64_t bytes)
{
    bytes = touch_round(bytes, engine->line);
    if (bytes > engine->region_bytes)
        bytes = touch_round(engine->region_bytes / 2, engine->line);
    struct chain chain = engine_pair(engine, a, b, bytes);
    chain.pattern = TOUCH_CHASE;
    return chain;
}

/* One block of transfers a, b, a, b, ...; the leg to a. count is 0 where there is none. */
static struct chain_leg block(struct engine *engine, unsigned a, unsigned b, uint64_t bytes)
{
    const struct machine *machine = engine->machine;
    struct chain chain = chase(engine, a, b, bytes);
    uint64_t start = machine->ops->now(machine->ctx);
    unsigned count = 0, passes = 0;
    for (unsigned i = 0; i < BATCHES_MAX; i++) {
        chain_jobs(&chain, BLOCK_PASSES / 4, 0, engine->jobs);
        for (unsigned k = 0; k < BLOCK_PASSES; k++)
            engine->jobs[k].cpu = (uint16_t)(k % 2 == 0 ? b : a);
        if (!engine_batch(engine, BLOCK_PASSES))
            break;
        for (unsigned k = 1; k < BLOCK_PASSES; k += 2) {
            const struct touch_result *result = &engine->results[k];
            if (result->status == TOUCH_LOST)
                return (struct chain_leg){0};
            if (result->status != TOUCH_DONE || result->noise != 0)
                continue;
            unsigned at = passes++ % ENGINE_SCRATCH; /* the last ones count: it gets faster */
            engine->scratch[at] = (int64_t)result->ticks;
            count = passes < ENGINE_SCRATCH ? passes : ENGINE_SCRATCH;
        }
        if (machine->ops->now(machine->ctx) - start >= BLOCK_NS)
            break;
    }
    return chain_leg(engine->scratch, count, 0, machine->clock.resolution);
}

/* Blocks of one pair until some in a row agree. False when the run has to end, or a CPU is lost. */
static bool warm(struct engine *engine, unsigned a, unsigned b)
{
    int64_t last[BLOCKS_AGREE] = {0};
    uint64_t bytes = PASS_BYTES;
    for (unsigned i = 0, seen = 0; i < BLOCKS_MAX; i++) {
        engine->progress = (struct progress){"warm-up", i, BLOCKS_MAX};
        struct chain_leg leg = block(engine, a, b, bytes);
        if (leg.count == 0)
            return false;
        if ((uint64_t)leg.ticks < (uint64_t)engine->machine->clock.resolution * PASS_STEPS &&
            bytes < PASS_BYTES_MAX) {
            bytes *= 2;
            seen = 0;
            continue;
        }
        last[seen++ % BLOCKS_AGREE] = leg.ticks;
        int64_t least = last[0], most = last[0];
        for (unsigned k = 1; k < BLOCKS_AGREE; k++) {
            least = last[k] < least ? last[k] : least;
            most = last[k] > most ? last[k] : most;
        }
        if (seen >= BLOCKS_AGREE && (most - least) * 1000 <= most * AGREE_PERMILLE) {
            engine->noise_ppm = leg.noise_ppm;
            return true;
        }
    }
    engine->noise_ppm = 100000;
    engine->result->flags |= FLAG_UNSTEADY;
    return true;
}

/* How long one CPU alone takes; count 0 where that is not to be had. */
static struct chain_leg pace_of(struct engine *engine, unsigned cpu)
{
    struct chain chain = chase(engine, cpu, cpu, PACE_BYTES);
    unsigned jobs = chain_jobs(&chain, PACE_SAMPLES / 4, 0, engine->jobs), count = 0;
    if (!engine_batch(engine, jobs))
        return (struct chain_leg){0};
    for (unsigned i = 1; i < jobs; i++) {
        if (engine->results[i].status == TOUCH_DONE && engine->results[i].noise == 0)
            engine->scratch[count++] = (int64_t)engine->results[i].ticks;
    }
    return chain_leg(engine->scratch, count, engine->noise_ppm, engine->machine->clock.resolution);
}

static struct pace *pace_slot(const struct engine *engine, unsigned cpu, struct pace *paces,
                              unsigned *count)
{
    const struct cpu_info *of = &engine->machine->cpus[cpu];
    uint64_t nearest = of->cache_bytes[1] != 0 ? of->cache_bytes[1] : of->cache_bytes[2];
    for (unsigned i = 0; i < *count; i++) {
        if (paces[i].kind == of->core_kind && paces[i].nearest == nearest)
            return &paces[i];
    }
    if (*count == KINDS_MAX)
        return NULL;
    paces[*count] = (struct pace){of->core_kind, nearest, 0};
    return &paces[(*count)++];
}

/* Clocks that ramp each for itself: a CPU that is behind its like, or is the first of its kind, is
 * warmed up too. */
static void keep_pace(struct engine *engine, unsigned a, unsigned b)
{
    const struct machine *machine = engine->machine;
    struct pace paces[KINDS_MAX];
    unsigned count = 0;
    uint32_t noise_ppm = engine->noise_ppm;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        struct pace *pace = pace_slot(engine, i, paces, &count);
        if (!machine_cpu_usable(machine, i) || pace == NULL)
            continue;
        struct chain_leg leg = pace_of(engine, i);
        bool warmed = i == a || i == b;
        int64_t behind = pace->ticks == 0 ? INT64_MAX : leg.ticks - pace->ticks;
        behind = behind < 0 ? -behind : behind;
        if (leg.count == 0)
            continue;
        if (!warmed && (pace->ticks == 0 || behind * 1000 > pace->ticks * PACE_PERMILLE)) {
            warm(engine, i, a);
            engine->noise_ppm = noise_ppm;
            leg = pace_of(engine, i);
        }
        if (pace->ticks == 0 && leg.count > 0)
            pace->ticks = leg.ticks;
        if (engine->ended)
            return;
    }
}

/* The first two that are no siblings; one CPU alone is its own second. */
static bool find_pair(const struct machine *machine, unsigned *a, unsigned *b)
{
    unsigned found = 0;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (!machine_cpu_usable(machine, i))
            continue;
        if (found == 0)
            *a = *b = i;
        else if (found == 1 || topology_level(&machine->cpus[*a], &machine->cpus[i]) != LEVEL_CORE)
            *b = i;
        found++;
        if (*b != *a && topology_level(&machine->cpus[*a], &machine->cpus[*b]) != LEVEL_CORE)
            break;
    }
    return found > 0;
}

void engine_warm_up(struct engine *engine)
{
    unsigned a = 0, b = 0;
    if (find_pair(engine->machine, &a, &b) && warm(engine, a, b) &&
        machine_usable_count(engine->machine) > 2)
        keep_pace(engine, a, b);
}
