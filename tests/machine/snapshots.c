/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole states of the caches: copied out, and back with the directory made anew from them. */
#include "snapshots.h"
#include <stdlib.h>
#include <string.h>

static uint64_t bytes_of(const struct cache *cache)
{
    return (uint64_t)cache->sets * (cache->block * 4 + sizeof *cache->set_hash);
}

void snapshots_init(struct snapshots *snapshots, const struct model *model)
{
    memset(snapshots, 0, sizeof *snapshots);
    uint64_t bytes = 1;
    for (unsigned i = 0; i < model->cache_count; i++) {
        bytes += bytes_of(&model->cache[i].cache);
        if (model->cache[i].has_filter)
            bytes += bytes_of(&model->cache[i].filter);
    }
    uint64_t fit = SNAPSHOTS_BYTES / bytes;
    snapshots->count = fit < SNAPSHOTS ? (unsigned)fit : SNAPSHOTS;
}

static void free_slot(struct snapshot *slot, const struct model *model)
{
    for (unsigned i = 0; slot->caches && i < 2 * model->cache_count; i++)
        cache_free(&slot->caches[i]);
    free(slot->caches);
    memset(slot, 0, sizeof *slot);
}

void snapshots_free(struct snapshots *snapshots, const struct model *model)
{
    for (unsigned i = 0; i < SNAPSHOTS; i++)
        free_slot(&snapshots->slot[i], model);
}

static struct snapshot *find(struct snapshots *snapshots, uint64_t state)
{
    for (unsigned i = 0; i < snapshots->count; i++)
        if (snapshots->slot[i].state == state)
            return &snapshots->slot[i];
    return NULL;
}

bool snapshots_has(const struct snapshots *snapshots, uint64_t state)
{
    for (unsigned i = 0; i < snapshots->count; i++)
        if (snapshots->slot[i].state == state)
            return true;
    return false;
}

static bool make_slot(struct snapshot *slot, const struct model *model)
{
    slot->caches = calloc(2u * model->cache_count, sizeof *slot->caches);
    bool good = slot->caches != NULL;
    for (unsigned i = 0; good && i < model->cache_count; i++) {
        const struct model_cache *cache = &model->cache[i];
        good = cache_clone(&slot->caches[i], &cache->cache) &&
               (!cache->has_filter ||
                cache_clone(&slot->caches[model->cache_count + i], &cache->filter));
    }
    if (!good)
        free_slot(slot, model);
    return good;
}

void snapshots_save(struct snapshots *snapshots, const struct model *model, uint64_t state)
{
    if (!snapshots->count || find(snapshots, state))
        return;
    struct snapshot *slot = &snapshots->slot[0];
    for (unsigned i = 1; i < snapshots->count; i++)
        if (snapshots->slot[i].used < slot->used)
            slot = &snapshots->slot[i];
    if (!slot->caches && !make_slot(slot, model))
        return;
    for (unsigned i = 0; i < model->cache_count; i++) {
        cache_copy(&slot->caches[i], &model->cache[i].cache);
        if (model->cache[i].has_filter)
            cache_copy(&slot->caches[model->cache_count + i], &model->cache[i].filter);
    }
    slot->state = state;
    slot->used = ++snapshots->clock;
    slot->caches_sum = model->caches_sum;
    slot->foreign_fp = model->foreign_fp;
}

void snapshots_restore(struct snapshots *snapshots, struct model *model, uint64_t state)
{
    struct snapshot *slot = find(snapshots, state);
    if (!slot)
        return;
    slot->used = ++snapshots->clock;
    model_reset(model);
    for (unsigned i = 0; i < model->cache_count; i++) {
        cache_copy(&model->cache[i].cache, &slot->caches[i]);
        if (model->cache[i].has_filter)
            cache_copy(&model->cache[i].filter, &slot->caches[model->cache_count + i]);
    }
    model->caches_sum = slot->caches_sum;
    model->foreign_fp = slot->foreign_fp;
    coherence_rebuild(model);
}
