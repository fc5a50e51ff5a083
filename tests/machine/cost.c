/* SPDX-License-Identifier: BSD-2-Clause */
/* What visits cost: latency by event, discounts of the prefetchers, overlap of misses, speed of
 * the core. */
#include "model.h"
#include <string.h>

typedef unsigned __int128 wide;

void model_begin(struct model *model)
{
    visits_settle(&model->visits);
    memset(&model->pass, 0, sizeof model->pass);
    model->last_line = CACHE_NO_LINE;
    model->run = 0;
    model->last_missed = false;
}

unsigned model_visit(struct model *model, unsigned cpu, uint32_t line, bool write)
{
    unsigned follows = model_follows(model, line);
    unsigned event = model_meet(model, cpu, line, write, follows);
    model->last_line = line;
    return event;
}

static uint64_t latency(const struct model *model, unsigned cpu, unsigned event)
{
    const struct desc *desc = model->desc;
    if (event < EVENT_TRANSFER)
        return desc->cache[model->cache[model->path[cpu].instance[event]].desc].hit_ps;
    if (event < EVENT_UPGRADE)
        return desc->distance[event - EVENT_TRANSFER].transfer_ps;
    if (event < EVENT_MEMORY)
        return desc->distance[event - EVENT_UPGRADE].transfer_ps;
    return desc->node[desc->cpu[cpu].node].latency_ps[event - EVENT_MEMORY];
}

/* Of `count` such events, before the core's speed. No line costs less than a hit in the nearest
 * cache. */
static wide events_ps(const struct model *model, unsigned cpu, unsigned event, unsigned discounts,
                      enum desc_overlap overlap, uint64_t count)
{
    const struct desc *desc = model->desc;
    uint64_t hit = latency(model, cpu, EVENT_HIT);
    if (event == EVENT_HIT)
        return (wide)count * hit;
    uint64_t parts = 1000000;
    if (discounts & DISCOUNT_STREAM)
        parts = parts * desc->stream_permille / 1000;
    if (discounts & DISCOUNT_ADJACENT)
        parts = parts * desc->adjacent_permille / 1000;
    if (discounts & DISCOUNT_REVISIT)
        parts = parts * desc->revisit_permille[overlap] / 1000;
    uint32_t shared = desc->kind[desc->cpu[cpu].kind].overlap[overlap];
    wide ps = (wide)count * latency(model, cpu, event) * parts / ((wide)shared * 1000);
    wide least = (wide)count * hit;
    return ps > least ? ps : least;
}

static uint64_t at_speed(const struct model *model, unsigned cpu, wide ps)
{
    const struct desc_cpu *of = &model->desc->cpu[cpu];
    uint64_t speed = (uint64_t)model->desc->kind[of->kind].speed_permille * of->speed_permille;
    return (uint64_t)(ps * 1000000 / speed);
}

uint64_t model_event_ps(const struct model *model, unsigned cpu, unsigned event, unsigned discounts,
                        enum desc_overlap overlap)
{
    return at_speed(model, cpu, events_ps(model, cpu, event, discounts, overlap, 1));
}

uint64_t model_pass_ps(const struct model *model, unsigned cpu, enum desc_overlap overlap)
{
    const struct model_pass *pass = &model->pass;
    wide ps = (wide)pass->writebacks * model->desc->writeback_ps;
    const struct model_path *path = &model->path[cpu];
    for (unsigned at = 0; at < path->depth; at++)
        ps += (wide)pass->evicted[at] *
              model->desc->cache[model->cache[path->instance[at]].desc].evict_ps;
    for (unsigned event = 0; event < EVENTS; event++)
        for (unsigned discounts = 0; discounts < DISCOUNTS; discounts++)
            if (pass->events[event][discounts])
                ps += events_ps(model, cpu, event, discounts, overlap,
                                pass->events[event][discounts]);
    return at_speed(model, cpu, ps);
}

/* So many times the lines of a cache from elsewhere leave nothing of it that more could change. */
#define FOREIGN_FILLS 64u

/* While a pass runs, other work fills the last caches at its rate. */
static void let_others_work(struct model *model)
{
    const struct desc *desc = model->desc;
    if (!desc->evict_per_us)
        return;
    wide parts = (wide)model->pass.ps * desc->evict_per_us / desc->line_bytes + model->foreign_fp;
    model->foreign_fp = (uint64_t)(parts % 1000000);
    uint64_t lines = (uint64_t)(parts / 1000000);
    for (unsigned i = 0; i < model->cache_count; i++) {
        const struct cache *cache = &model->cache[i].cache;
        uint64_t most = (uint64_t)FOREIGN_FILLS * cache->sets * cache->ways;
        if (model->cache[i].outer != DESC_NONE)
            continue;
        for (uint64_t n = 0; n < lines && n < most; n++)
            coherence_foreign(model, i);
    }
}

uint64_t model_end(struct model *model, unsigned cpu, enum desc_overlap overlap)
{
    visits_settle(&model->visits);
    model->pass.ps = model_pass_ps(model, cpu, overlap);
    let_others_work(model);
    return model->pass.ps;
}
