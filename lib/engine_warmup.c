/* SPDX-License-Identifier: BSD-2-Clause */
/* Warm-up: core and fabric clocks ramp in the first tens of milliseconds (B8), so nothing counts
 * until two blocks of transfers in a row agree. */
#include "engine_state.h"
#include "stats.h"

#define BLOCK_NS              5000000ull /* long against one transfer, short against a ramp of 30 ms */
#define BLOCKS_MAX            60u /* 300 ms: a machine that has not settled by then does not */
#define AGREE_PERMILLE        10
#define WORKING_SET           (64u << 10)
#define BATCHES_PER_BLOCK_MAX 4096u /* ends a block even if the clock stands */

static bool find_pair(const struct machine *machine, unsigned *a, unsigned *b)
{
    unsigned found = 0;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (!machine_cpu_usable(machine, i))
            continue;
        *(found == 0 ? a : b) = i;
        if (found == 0)
            *b = i; /* one CPU alone: its own second */
        if (++found == 2)
            break;
    }
    return found > 0;
}

/* One block of transfers; its median in ticks, 0 when there is none. */
static int64_t block(struct engine *engine, const struct chain *chain)
{
    const struct machine *machine = engine->machine;
    uint64_t start = machine->ops->now(machine->ctx);

    engine_samples_reset(engine);
    for (unsigned i = 0; i < BATCHES_PER_BLOCK_MAX; i++) {
        if (engine->samples.count[0] + 2 > CHAIN_SAMPLES_MAX)
            engine->samples.count[0] = engine->samples.count[1] = 0;
        if (!engine_chain(engine, chain, 2) || engine->samples.lost)
            return 0;
        if (machine->ops->now(machine->ctx) - start >= BLOCK_NS)
            break;
    }
    return stats_median(engine->samples.move[0], engine->samples.count[0]);
}

void engine_warm_up(struct engine *engine)
{
    unsigned a = 0, b = 0;
    if (!find_pair(engine->machine, &a, &b))
        return;
    uint64_t bytes = touch_round(WORKING_SET, engine->line);
    if (bytes > engine->region_bytes)
        bytes = touch_round(engine->region_bytes / 2, engine->line);
    struct chain chain = engine_pair(engine, a, b, bytes);
    chain.pattern =
        TOUCH_CHASE; /* the slowest order: as much time as a block needs, with the fewest bytes */

    int64_t before = 0;
    for (unsigned i = 0; i < BLOCKS_MAX; i++) {
        engine->progress = (struct progress){"warm-up", i, BLOCKS_MAX};
        int64_t median = block(engine, &chain);
        if (median == 0)
            return;
        int64_t apart = median > before ? median - before : before - median;
        if (before != 0 && apart * 1000 <= before * AGREE_PERMILLE) {
            struct stats_summary move =
                stats_summarize(engine->samples.move[0], engine->samples.count[0], engine->scratch);
            engine->noise_ppm =
                (uint32_t)(move.sigma > (uint64_t)median ? 1000000
                                                         : move.sigma * 1000000 / (uint64_t)median);
            return;
        }
        before = median;
    }
    engine->noise_ppm = 100000;
    engine->result->flags |= FLAG_UNSTEADY;
}
