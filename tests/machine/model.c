/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the machine that a description asks for. */
#include "model.h"
#include "mix.h"
#include <stdlib.h>
#include <string.h>

/* Index of one instance among all caches of the machine. */
static unsigned cache_index(const struct desc *desc, unsigned section, unsigned instance)
{
    unsigned index = instance;
    for (unsigned i = 0; i < section; i++)
        index += desc->cache[i].instances;
    return index;
}

static bool build_caches(struct model *model)
{
    const struct desc *desc = model->desc;
    unsigned index = 0;
    for (unsigned section = 0; section < desc->cache_count; section++) {
        const struct desc_cache *of = &desc->cache[section];
        for (unsigned i = 0; i < of->instances; i++, index++) {
            struct model_cache *cache = &model->cache[index];
            cache->desc = (uint16_t)section;
            cache->outer = DESC_NONE;
            cache->first_cpu = DESC_NONE;
            if (!cache_init(&cache->cache, of->bytes, of->ways, desc->line_bytes, of->policy,
                            of->hashed, of->way_mask, mix_two(desc->seed, index)))
                return false;
            if (!of->filter_bytes)
                continue;
            if (!cache_init(&cache->filter, of->filter_bytes, of->filter_ways, desc->line_bytes,
                            POLICY_LRU, of->hashed, 0, mix_two(desc->seed, ~(uint64_t)index)))
                return false;
            cache->has_filter = true;
        }
    }
    return true;
}

static bool nest(struct model_cache *outer, unsigned inner)
{
    for (unsigned i = 0; i < outer->nested_count; i++)
        if (outer->nested[i] == inner)
            return true;
    uint16_t *more = realloc(outer->nested, (outer->nested_count + 1u) * sizeof *more);
    if (!more)
        return false;
    more[outer->nested_count++] = (uint16_t)inner;
    outer->nested = more;
    return true;
}

static bool build_path(struct model *model, unsigned cpu)
{
    const struct desc *desc = model->desc;
    struct model_path *path = &model->path[cpu];
    for (uint32_t level = 1; level < CACHE_LEVELS; level++) {
        for (unsigned section = 0; section < desc->cache_count; section++) {
            const struct desc_cache *of = &desc->cache[section];
            if (of->level == level && of->instance_of[cpu] != DESC_NONE)
                path->instance[path->depth++] =
                    (uint16_t)cache_index(desc, section, of->instance_of[cpu]);
        }
    }
    path->way_mask = desc->cpu[cpu].way_mask;
    for (unsigned at = 0; at < path->depth; at++) {
        unsigned index = path->instance[at];
        struct model_cache *cache = &model->cache[index];
        cache->depth = (uint16_t)at;
        if (at + 1 < path->depth)
            cache->outer = path->instance[at + 1];
        cache->cache.masked |= path->way_mask || desc->cache[cache->desc].way_mask;
        if (cache->first_cpu == DESC_NONE) {
            cache->first_cpu = (uint16_t)cpu;
            cache->node = desc->cpu[cpu].node;
        }
        model->path_mask[(size_t)cpu * model->words + index / 64] |= 1ull << (index % 64);
        for (unsigned inner = 0; inner < at; inner++)
            if (!nest(cache, path->instance[inner]))
                return false;
    }
    return true;
}

/* From each CPU to each cache: the distance to the nearest CPU that the cache belongs to. */
static void build_distances(struct model *model)
{
    const struct desc *desc = model->desc;
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
        uint8_t *row = model->distance + (size_t)cpu * model->cache_count;
        memset(row, 0xFF, model->cache_count);
        for (unsigned other = 0; other < desc->cpu_count; other++) {
            uint8_t at = desc->distance_of[(size_t)cpu * desc->cpu_count + other];
            if (other == cpu)
                continue;
            for (unsigned k = 0; k < model->path[other].depth; k++) {
                uint8_t *to = &row[model->path[other].instance[k]];
                if (*to == 0xFF || desc->distance[at].transfer_ps < desc->distance[*to].transfer_ps)
                    *to = at;
            }
        }
        for (unsigned cache = 0; cache < model->cache_count; cache++)
            if (row[cache] == 0xFF)
                row[cache] = 0; /* its own path only: never asked for */
    }
}

static void build_links(struct model *model)
{
    const struct desc *desc = model->desc;
    for (unsigned i = 0; i < desc->node_count * desc->node_count; i++)
        model->link_of[i] = DESC_NONE;
    for (unsigned i = 0; i < desc->link_count; i++) {
        const struct desc_link *link = &desc->link[i];
        model->link_of[link->node_a * desc->node_count + link->node_b] = (uint16_t)i;
        model->link_of[link->node_b * desc->node_count + link->node_a] = (uint16_t)i;
    }
}

static unsigned log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

static bool allocate(struct model *model)
{
    const struct desc *desc = model->desc;
    for (unsigned i = 0; i < desc->cache_count; i++)
        model->cache_count += desc->cache[i].instances;
    model->words = (model->cache_count + 63) / 64;
    if (!model->words)
        model->words = 1;
    model->stride = model->words + 1;
    model->node_lines = (uint32_t)(desc->memory_bytes / desc->line_bytes);
    model->lines = model->node_lines * desc->node_count;
    model->node_shift = log2_of(model->node_lines);
    model->page_shift = log2_of(DESC_PAGE / desc->line_bytes);
    model->pages = (model->lines >> model->page_shift) + 1;

    model->cache = calloc(model->cache_count + 1u, sizeof *model->cache);
    model->path = calloc(desc->cpu_count, sizeof *model->path);
    model->distance = calloc(desc->cpu_count, model->cache_count + 1u);
    model->path_mask = calloc((size_t)desc->cpu_count * model->words, sizeof *model->path_mask);
    model->directory = calloc((size_t)model->lines * model->stride, sizeof *model->directory);
    model->link_of = calloc((size_t)desc->node_count * desc->node_count, sizeof *model->link_of);
    for (unsigned i = 0; i < OVERLAPS; i++)
        model->tracks_visits |= desc->revisit_permille[i] != 1000;
    if (model->tracks_visits && !visits_init(&model->visits, desc->cpu_count, model->pages))
        return false;
    return model->cache && model->path && model->distance && model->path_mask && model->directory &&
           model->link_of;
}

/* Pages of each node in an order drawn once: a machine file describes one machine. */
static bool scatter_pages(struct model *model)
{
    const struct desc *desc = model->desc;
    if (!desc->page_bytes)
        return true;
    uint32_t per_node = (uint32_t)(desc->memory_bytes / desc->page_bytes);
    uint32_t *frame_of = malloc((size_t)per_node * desc->node_count * sizeof *frame_of);
    if (!frame_of)
        return false;
    uint64_t chance = mix_two(desc->seed, desc->page_bytes);
    for (uint32_t node = 0; node < desc->node_count; node++) {
        uint32_t *of = frame_of + (size_t)node * per_node;
        for (uint32_t i = 0; i < per_node; i++) {
            uint32_t swap = mix_below(&chance, i + 1);
            of[i] = of[swap];
            of[swap] = node * per_node + i;
        }
    }
    model->frame_of = frame_of;
    model->frame_shift = log2_of(desc->page_bytes / desc->line_bytes);
    return true;
}

struct model *model_new(const struct desc *desc)
{
    struct model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->desc = desc;
    bool built = allocate(model) && build_caches(model) && scatter_pages(model);
    for (unsigned cpu = 0; built && cpu < desc->cpu_count; cpu++)
        built = build_path(model, cpu);
    if (!built) {
        model_free(model);
        return NULL;
    }
    build_distances(model);
    build_links(model);
    model->slices = pass_slices(model);
    return model;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    for (unsigned i = 0; model->cache && i < model->cache_count; i++) {
        cache_free(&model->cache[i].cache);
        cache_free(&model->cache[i].filter);
        free(model->cache[i].nested);
    }
    free(model->cache);
    free(model->path);
    free(model->distance);
    free(model->path_mask);
    free(model->directory);
    free(model->link_of);
    visits_free(&model->visits);
    free(model->frame_of);
    free(model->order);
    free(model);
}

void model_reset(struct model *model)
{
    /* Only lines that some cache holds have anything in the directory. */
    for (unsigned i = 0; i < model->cache_count; i++) {
        struct cache *cache = &model->cache[i].cache;
        for (uint32_t set = 0; set < cache->sets; set++) {
            for (uint32_t way = 0; way < cache->ways; way++) {
                uint32_t line = cache_line_of(cache, set, way);
                if (line != CACHE_NO_LINE)
                    memset(model->directory + (size_t)line * model->stride, 0,
                           model->stride * sizeof *model->directory);
            }
        }
        cache_reset(cache);
        if (model->cache[i].has_filter)
            cache_reset(&model->cache[i].filter);
    }
    visits_reset(&model->visits);
    model->caches_sum = 0;
    model->foreign_fp = 0;
}

void model_evict(struct model *model, unsigned cpu, uint64_t bytes)
{
    const struct model_path *path = &model->path[cpu];
    if (!path->depth)
        return;
    for (uint64_t done = 0; done < bytes; done += model->desc->line_bytes)
        coherence_foreign(model, path->instance[path->depth - 1]);
}

void model_forget(struct model *model, uint32_t first_line, uint32_t lines)
{
    uint32_t seen = CACHE_NO_LINE;
    for (uint32_t i = first_line; i < first_line + lines; i++) {
        uint32_t line = model_place(model, i), page = line >> model->page_shift;
        coherence_drop(model, line);
        if (model->tracks_visits && page != seen)
            visits_forget(&model->visits, page);
        seen = page;
    }
}

void model_settle(struct model *model)
{
    for (unsigned i = 0; i < model->cache_count; i++) {
        struct model_cache *cache = &model->cache[i];
        model->caches_sum = cache_settle(&cache->cache, model->caches_sum);
        if (cache->has_filter)
            model->caches_sum = cache_settle(&cache->filter, model->caches_sum);
    }
}

uint64_t model_state(struct model *model)
{
    uint64_t random = 0;
    model_settle(model);
    for (unsigned i = 0; i < model->cache_count; i++)
        random += mix_two(model->cache[i].cache.random, i);
    return mix64(model->caches_sum + random) ^ mix64(model->foreign_fp);
}
