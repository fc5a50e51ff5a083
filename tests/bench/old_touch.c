/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops of 2004 and 2006 as visits of lines. */
#include "old.h"
#include <string.h>

#define STREAMS 6u

/* A running pass. Longs of the line that a stream is in already cost nothing of their own. */
struct pass {
    struct old *old;
    unsigned cpu;
    uint32_t first, lines;
    uint32_t in[STREAMS];
};

static struct pass begin(struct old *old, unsigned cpu, uint32_t first)
{
    struct pass pass = {.old = old, .cpu = cpu, .first = first};
    memset(pass.in, 0xFF, sizeof pass.in);
    model_begin(old->model);
    return pass;
}

static void store(struct pass *pass, unsigned stream, uint64_t index)
{
    const struct old *old = pass->old;
    uint32_t line = (uint32_t)(index * old->long_bytes / old->desc->line_bytes);
    if (line == pass->in[stream])
        return;
    pass->in[stream] = line;
    pass->lines++;
    model_visit(old->model, pass->cpu, model_place(old->model, pass->first + line), true);
}

static struct old_pass end(struct pass *pass, enum desc_overlap overlap)
{
    uint64_t ps = model_end(pass->old->model, pass->cpu, overlap);
    return (struct old_pass){ps, pass->lines};
}

struct old_pass old_clear(struct old *old, unsigned cpu, uint32_t first, uint64_t bytes)
{
    struct pass pass = begin(old, cpu, first);
    uint64_t longs = bytes / old->long_bytes;
    for (uint64_t i = 0; i < longs; i++)
        store(&pass, 0, i);
    return end(&pass, OVERLAP_LINEAR);
}

struct old_pass old_fill(struct old *old, unsigned cpu, uint32_t first, uint64_t bytes)
{
    struct pass pass = begin(old, cpu, first);
    uint64_t longs = bytes / old->long_bytes;
    for (uint64_t i = 0; i < longs / 4; i++) {
        const uint64_t index[] = {i, longs - 1 - i, longs / 2 - i, longs / 2 + i};
        store(&pass, i % 4, index[i % 4]);
    }
    return end(&pass, OVERLAP_STREAMS);
}

struct old_pass old_thirds(struct old *old, unsigned cpu, uint32_t first, uint64_t bytes)
{
    struct pass pass = begin(old, cpu, first);
    uint64_t longs = bytes / old->long_bytes, one = longs / 3, two = 2 * longs / 3;
    for (uint64_t i = 0; i < longs / 6; i += 8) {
        const uint64_t index[STREAMS] = {i, longs - 1 - i, one - i, one + i, two - i, two + i};
        /* Entered at one stream of the six and falling through to the last: since i is a multiple
         * of 8, it enters at the first, the third and the fifth in turn, so that the first two are
         * visited in one round of three, the last two in all. */
        for (unsigned stream = (unsigned)(i % STREAMS); stream < STREAMS; stream++)
            store(&pass, stream, index[stream]);
    }
    return end(&pass, OVERLAP_RMW);
}

uint64_t old_account(struct old *old, unsigned cpu, uint64_t bytes, struct old_pass pass)
{
    uint32_t smis;
    uint64_t ps = noise_pass(&old->noise, cpu, old->now_ps, pass.ps, &smis);
    old->now_ps += ps;
    old->touched_lines += pass.lines;
    old->asked_bytes += bytes;
    old->touches++;
    return ps / 1000;
}

uint64_t old_cache_bytes(const struct desc *desc)
{
    uint32_t level = 0;
    uint64_t bytes = 0;
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const struct desc_cache *cache = &desc->cache[i];
        if (cache->instance_of[desc->boot_cpu] == DESC_NONE || cache->level < level)
            continue;
        level = cache->level;
        bytes = cache->bytes;
    }
    return bytes;
}
