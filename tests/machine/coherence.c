/* SPDX-License-Identifier: BSD-2-Clause */
/* Who holds a line and who owns it dirty: finding it, fetching it, and what is pushed out for it.
 *
 * A directory says of each line which caches hold it and which one of them is dirty: at most one,
 * and what leaves that one takes the dirtiness along, to the next cache out or to memory. A read of
 * a dirty line leaves the owner its copy (the O of MOESI); a write takes all other copies away. */
#include "model.h"

static inline uint64_t *entry_of(struct model *model, uint32_t line)
{
    return model->directory + (size_t)line * model->stride;
}

static inline bool holds(const uint64_t *entry, unsigned cache)
{
    return entry[cache / 64] >> (cache % 64) & 1;
}

static inline void set_holder(uint64_t *entry, unsigned cache)
{
    entry[cache / 64] |= 1ull << (cache % 64);
}

static inline void clear_holder(uint64_t *entry, unsigned cache)
{
    entry[cache / 64] &= ~(1ull << (cache % 64));
}

static void push_out(struct model *model, unsigned cache, uint32_t line, bool dirty);

/* A CPU's way mask is one of its last cache. */
static inline uint32_t ways_for(const struct model *model, unsigned cache, unsigned cpu)
{
    return model->cache[cache].outer == DESC_NONE ? model->path[cpu].way_mask : 0;
}

static void put_in(struct model *model, unsigned cache, uint32_t line, bool dirty, uint32_t ways)
{
    uint64_t *entry = entry_of(model, line);
    bool out_dirty;
    uint32_t out = cache_insert(&model->cache[cache].cache, line, dirty, ways, &out_dirty);
    set_holder(entry, cache);
    if (dirty)
        entry[model->words] = cache + 1;
    if (out != CACHE_NO_LINE)
        push_out(model, cache, out, out_dirty);
}

/* Takes a line out of one cache, and the owner's mark with it. Returns whether it was dirty. */
static bool take_out(struct model *model, unsigned cache, uint32_t line)
{
    uint64_t *entry = entry_of(model, line);
    bool dirty;
    cache_remove(&model->cache[cache].cache, line, &dirty);
    clear_holder(entry, cache);
    if (dirty)
        entry[model->words] = 0;
    return dirty;
}

/* Takes it out of the caches that lie between this one and the cores. */
static bool take_out_nested(struct model *model, unsigned cache, uint32_t line)
{
    const struct model_cache *of = &model->cache[cache];
    uint64_t *entry = entry_of(model, line);
    bool dirty = false;
    for (unsigned i = 0; i < of->nested_count; i++)
        if (holds(entry, of->nested[i]))
            dirty |= take_out(model, of->nested[i], line);
    return dirty;
}

static bool held_nested(struct model *model, unsigned cache, uint32_t line)
{
    const struct model_cache *of = &model->cache[cache];
    const uint64_t *entry = entry_of(model, line);
    for (unsigned i = 0; i < of->nested_count; i++)
        if (holds(entry, of->nested[i]))
            return true;
    return false;
}

/* A dirty line goes home. */
static void write_back(struct model *model, unsigned cache, uint32_t line)
{
    unsigned home = line >> model->node_shift, from = model->cache[cache].node;
    model->pass.writebacks++;
    model->pass.resource_lines[home]++;
    uint16_t link = model->link_of[from * model->desc->node_count + home];
    if (link != DESC_NONE)
        model->pass.resource_lines[MAX_NODES + link]++;
}

/* `cache` has thrown `line` out. */
static void push_out(struct model *model, unsigned cache, uint32_t line, bool dirty)
{
    const struct model_cache *of = &model->cache[cache];
    uint64_t *entry = entry_of(model, line);
    clear_holder(entry, cache);
    if (dirty)
        entry[model->words] = 0;
    unsigned relation = model->desc->cache[of->desc].relation;
    if (relation == RELATION_INCLUSIVE && of->nested_count)
        dirty |= take_out_nested(model, cache, line);

    if (of->outer == DESC_NONE) {
        if (dirty)
            write_back(model, cache, line);
        return;
    }
    struct model_cache *outer = &model->cache[of->outer];
    if (dirty)
        model->pass.evicted[outer->depth]++;
    if (holds(entry, of->outer)) {
        if (dirty) {
            cache_mark(&outer->cache, line, true);
            entry[model->words] = of->outer + 1u;
        }
    } else if (dirty || model->desc->cache[outer->desc].relation >= RELATION_EXCLUSIVE) {
        put_in(model, of->outer, line, dirty, ways_for(model, of->outer, of->first_cpu));
    }
    if (outer->has_filter && !held_nested(model, of->outer, line)) {
        bool unused;
        cache_remove(&outer->filter, line, &unused);
    }
}

/* The snoop filter must know each line that lies nearer than its cache; what it has no room for
 * leaves the near caches. */
static void note_in_filter(struct model *model, unsigned cache, uint32_t line)
{
    struct model_cache *of = &model->cache[cache];
    if (cache_has(&of->filter, line)) {
        cache_hit(&of->filter, line, false);
        return;
    }
    bool unused;
    uint32_t out = cache_insert(&of->filter, line, false, 0, &unused);
    if (out == CACHE_NO_LINE)
        return;
    if (take_out_nested(model, cache, out)) {
        model->pass.evicted[of->depth]++;
        if (holds(entry_of(model, out), cache)) {
            cache_mark(&of->cache, out, true);
            entry_of(model, out)[model->words] = cache + 1u;
        } else {
            put_in(model, cache, out, true, ways_for(model, cache, of->first_cpu));
        }
    }
}

/* Copies that lie outside a CPU's own path. */
struct others {
    bool any;
    unsigned nearest, farthest; /* distances; of meaning if any */
};

static struct others find_others(const struct model *model, unsigned cpu, const uint64_t *entry)
{
    struct others found = {false, 0, 0};
    const uint64_t *own = model->path_mask + (size_t)cpu * model->words;
    const uint8_t *distance = model->distance + (size_t)cpu * model->cache_count;
    const struct desc_distance *cost = model->desc->distance;
    for (unsigned word = 0; word < model->words; word++) {
        for (uint64_t rest = entry[word] & ~own[word]; rest; rest &= rest - 1) {
            unsigned at = distance[word * 64 + (unsigned)__builtin_ctzll(rest)];
            if (!found.any || cost[at].transfer_ps < cost[found.nearest].transfer_ps)
                found.nearest = at;
            if (!found.any || cost[at].transfer_ps > cost[found.farthest].transfer_ps)
                found.farthest = at;
            found.any = true;
        }
    }
    return found;
}

static void take_out_others(struct model *model, unsigned cpu, uint32_t line)
{
    uint64_t *entry = entry_of(model, line);
    const uint64_t *own = model->path_mask + (size_t)cpu * model->words;
    for (unsigned word = 0; word < model->words; word++) {
        for (uint64_t rest = entry[word] & ~own[word]; rest; rest &= rest - 1) {
            unsigned cache = word * 64 + (unsigned)__builtin_ctzll(rest);
            take_out(model, cache, line);
            unsigned outer = model->cache[cache].outer;
            if (outer != DESC_NONE && model->cache[outer].has_filter &&
                !held_nested(model, outer, line)) {
                bool unused;
                cache_remove(&model->cache[outer].filter, line, &unused);
            }
        }
    }
}

static void count_link(struct model *model, unsigned cpu, unsigned from)
{
    unsigned to = model->desc->cpu[cpu].node;
    uint16_t link = model->link_of[to * model->desc->node_count + from];
    if (link != DESC_NONE)
        model->pass.resource_lines[MAX_NODES + link]++;
}

/* Where a line comes from that the own path does not hold, or holds in an older version. */
static unsigned fetch_event(struct model *model, unsigned cpu, uint32_t line, unsigned owner,
                            const struct others *others)
{
    const struct desc *desc = model->desc;
    if (owner != DESC_NONE) {
        if (model->desc->link_count)
            count_link(model, cpu, model->cache[owner].node);
        return EVENT_TRANSFER + model->distance[(size_t)cpu * model->cache_count + owner];
    }
    unsigned home = line >> model->node_shift;
    uint64_t memory = desc->node[desc->cpu[cpu].node].latency_ps[home];
    if (others->any && desc->distance[others->nearest].transfer_ps < memory)
        return EVENT_TRANSFER + others->nearest;
    model->pass.resource_lines[home]++;
    if (model->desc->link_count)
        count_link(model, cpu, home);
    return EVENT_MEMORY + home;
}

/* Brings a line into the caches nearer than path place `from`. */
static void fill(struct model *model, unsigned cpu, uint32_t line, bool dirty, unsigned from)
{
    const struct model_path *path = &model->path[cpu];
    for (unsigned at = from; at-- > 0;) {
        unsigned cache = path->instance[at];
        const struct model_cache *of = &model->cache[cache];
        if (at && model->desc->cache[of->desc].relation >= RELATION_EXCLUSIVE)
            continue;
        put_in(model, cache, line, at == 0 && dirty, ways_for(model, cache, cpu));
    }
    for (unsigned at = 1; at < path->depth; at++)
        if (model->cache[path->instance[at]].has_filter)
            note_in_filter(model, path->instance[at], line);
}

unsigned coherence_visit(struct model *model, unsigned cpu, uint32_t line, bool write)
{
    const struct model_path *path = &model->path[cpu];
    uint64_t *entry = entry_of(model, line);
    unsigned near = path->instance[0];
    unsigned owner = entry[model->words] ? (unsigned)entry[model->words] - 1 : DESC_NONE;

    unsigned at = 0;
    while (at < path->depth && !holds(entry, path->instance[at]))
        at++;
    struct others others = find_others(model, cpu, entry);

    if (at == 0) {
        cache_hit(&model->cache[near].cache, line, write);
        if (!write)
            return EVENT_HIT;
        if (owner != near && owner != DESC_NONE &&
            holds(model->path_mask + (size_t)cpu * model->words, owner))
            cache_mark(&model->cache[owner].cache, line, false);
        if (others.any)
            take_out_others(model, cpu, line);
        entry[model->words] = near + 1u;
        return others.any ? EVENT_UPGRADE + others.farthest : EVENT_HIT;
    }

    bool own_dirty = false;
    for (unsigned k = at; k < path->depth; k++)
        own_dirty |= owner == path->instance[k];
    unsigned event;
    if (at < path->depth && (owner == DESC_NONE || own_dirty)) {
        event = EVENT_HIT + at;
        if (write && others.any &&
            model->desc->distance[others.farthest].transfer_ps >
                model->desc->cache[model->cache[path->instance[at]].desc].hit_ps)
            event = EVENT_UPGRADE + others.farthest;
    } else {
        event = fetch_event(model, cpu, line, own_dirty ? DESC_NONE : owner, &others);
    }
    if (write && others.any)
        take_out_others(model, cpu, line);

    bool dirty = write;
    if (at < path->depth) {
        unsigned cache = path->instance[at];
        unsigned relation = model->desc->cache[model->cache[cache].desc].relation;
        if (relation == RELATION_EXCLUSIVE || (relation == RELATION_VICTIM && write)) {
            dirty |= take_out(model, cache, line);
        } else {
            cache_hit(&model->cache[cache].cache, line, false);
        }
    }
    if (write && entry[model->words]) {
        /* A farther cache of the own path had the newest copy: now the nearest has. */
        cache_mark(&model->cache[entry[model->words] - 1].cache, line, false);
        entry[model->words] = 0;
    }
    fill(model, cpu, line, dirty, at);
    return event;
}

void coherence_drop(struct model *model, uint32_t line)
{
    uint64_t *entry = entry_of(model, line);
    for (unsigned word = 0; word < model->words; word++)
        for (uint64_t rest = entry[word]; rest; rest &= rest - 1)
            take_out(model, word * 64 + (unsigned)__builtin_ctzll(rest), line);
    for (unsigned cache = 0; cache < model->cache_count; cache++) {
        bool unused;
        if (model->cache[cache].has_filter)
            cache_remove(&model->cache[cache].filter, line, &unused);
    }
}

void coherence_rebuild(struct model *model)
{
    for (unsigned i = 0; i < model->cache_count; i++) {
        const struct cache *cache = &model->cache[i].cache;
        for (uint32_t set = 0; set < cache->sets; set++) {
            for (uint32_t way = 0; way < cache->ways; way++) {
                uint32_t line = cache_line_of(cache, set, way);
                if (line == CACHE_NO_LINE)
                    continue;
                uint64_t *entry = entry_of(model, line);
                set_holder(entry, i);
                if (cache_way_dirty(cache, set, way))
                    entry[model->words] = i + 1;
            }
        }
    }
}

void coherence_foreign(struct model *model, unsigned cache)
{
    bool dirty;
    uint32_t out = cache_insert(&model->cache[cache].cache, CACHE_FOREIGN, false, 0, &dirty);
    if (out != CACHE_NO_LINE)
        push_out(model, cache, out, dirty);
}

void coherence_flush(struct model *model, unsigned cpu)
{
    const struct model_path *path = &model->path[cpu];
    for (unsigned at = 0; at < path->depth; at++) {
        struct cache *cache = &model->cache[path->instance[at]].cache;
        for (uint32_t set = 0; set < cache->sets; set++) {
            for (uint32_t way = 0; way < cache->ways; way++) {
                uint32_t line = cache_line_of(cache, set, way);
                bool dirty;
                if (line != CACHE_NO_LINE && cache_remove(cache, line, &dirty))
                    push_out(model, path->instance[at], line, dirty);
            }
        }
    }
}
