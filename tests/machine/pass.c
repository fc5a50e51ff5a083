/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass, line by line, in an order that the host likes.
 *
 * Lines whose numbers differ in the bits that every cache chooses its set by never meet: a pass may
 * be taken apart by these bits, and its slices be simulated one after the other, each in the order
 * of the pass, with the same outcome. The sets of one slice fit into the host's own caches. */
#include "../../lib/touch.h"
#include "model.h"
#include "order.h"
#include <stdlib.h>

/* With the number of a line: what came before it. */
#define AFTER_RUN (1u << 31) /* FOLLOWS_RUN */
#define AFTER_TWO (1u << 30) /* FOLLOWS_BUDDY */

#define SLICE_RUN   4u /* neighbours that stay together: entries of the directory, and pairs */
#define SLICES_MAX  64u
#define SLICE_LINES 256u /* less is not worth a slice of its own */
#define AHEAD       16u  /* visits looked ahead: the host fetches what they need meanwhile */

unsigned pass_slices(const struct model *model)
{
    uint32_t sets = SLICES_MAX * SLICE_RUN;
    if (model->frame_of && sets > 1u << model->frame_shift)
        sets = 1u << model->frame_shift;
    for (unsigned i = 0; i < model->cache_count; i++) {
        const struct model_cache *cache = &model->cache[i];
        uint32_t own = cache_plain_sets(&cache->cache);
        sets = own < sets ? own : sets;
        own = cache->has_filter ? cache_plain_sets(&cache->filter) : own;
        sets = own < sets ? own : sets;
    }
    return sets > SLICE_RUN ? sets / SLICE_RUN : 1;
}

static void prefetch(const struct model *model, unsigned cpu, uint32_t line)
{
    const struct model_path *path = &model->path[cpu];
    __builtin_prefetch(model->directory + (size_t)line * model->stride, 1);
    for (unsigned at = 0; at < path->depth; at++)
        cache_prefetch(&model->cache[path->instance[at]].cache, line);
}

/* The second step, once the directory is there. */
static void prefetch_owner(const struct model *model, uint32_t line)
{
    uint64_t owner = model->directory[(size_t)line * model->stride + model->words];
    if (owner)
        cache_prefetch(&model->cache[owner - 1].cache, line);
}

static void visit_all(struct model *model, const struct model_job *job, const uint32_t *lines,
                      uint32_t count)
{
    bool write = job->access != TOUCH_READ;
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch(model, job->cpu, lines[i + AHEAD] & ~(AFTER_RUN | AFTER_TWO));
        if (i + AHEAD / 2 < count)
            prefetch_owner(model, lines[i + AHEAD / 2] & ~(AFTER_RUN | AFTER_TWO));
        uint32_t line = lines[i] & ~(AFTER_RUN | AFTER_TWO);
        unsigned follows =
            (lines[i] & AFTER_RUN ? FOLLOWS_RUN : 0) | (lines[i] & AFTER_TWO ? FOLLOWS_BUDDY : 0);
        model_meet(model, job->cpu, line, write, follows);
    }
    model_settle(model);
}

/* Room for every slice's lines, one slice behind the other. */
static bool make_room(struct model *model, uint32_t lines)
{
    if (lines <= model->order_room)
        return true;
    free(model->order);
    model->order = malloc((size_t)lines * sizeof *model->order);
    model->order_room = model->order ? lines : 0;
    return model->order != NULL;
}

bool model_run(struct model *model, const struct model_job *job)
{
    uint32_t slices = model->slices, at[SLICES_MAX], lines = job->lines;
    while (slices > 1 && lines / slices < SLICE_LINES)
        slices /= 2;
    /* A slice has at most so many lines, of scattered pages too. */
    uint32_t each = (lines / (slices * SLICE_RUN) + 2) * SLICE_RUN;
    if (!make_room(model, each * slices))
        return false;
    for (uint32_t i = 0; i < slices; i++)
        at[i] = i * each;

    struct order order;
    order_begin(&order, lines);
    model_begin(model);
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t line = job->first + (job->pattern == TOUCH_LINEAR ? i : order_next(&order));
        line = model_place(model, line);
        unsigned follows = model_follows(model, line);
        model->last_line = line;
        uint32_t *to = &at[line / SLICE_RUN & (slices - 1)];
        model->order[(*to)++] = line | (follows & FOLLOWS_RUN ? AFTER_RUN : 0) |
                                (follows & FOLLOWS_BUDDY ? AFTER_TWO : 0);
    }
    for (uint32_t i = 0; i < slices; i++)
        visit_all(model, job, model->order + i * each, at[i] - i * each);
    model_end(model, job->cpu, (enum desc_overlap)job->pattern);
    return true;
}
