/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine model: caches, who owns a dirty line, and what each visit of a line costs.
 *
 * Built from a struct desc, deterministic, without noise and without a clock: noise.c and
 * backend.c put those around it. Costs are picoseconds. Lines are counted from 0 over the memory
 * of all nodes: node n has the lines n * node_lines .. (n + 1) * node_lines - 1. */
#ifndef TESTS_MACHINE_MODEL_H
#define TESTS_MACHINE_MODEL_H

#include "cache.h"
#include "desc.h"
#include "visits.h"

#define MODEL_PATH 3u /* caches between a CPU and memory */

/* What a visit of a line met. EVENT_HIT + k: the k-th cache of the CPU's own path.
 * EVENT_TRANSFER + i: another cache, over distance[i]. EVENT_UPGRADE + i: there, but others had to
 * give up their copies, the farthest at distance[i]. EVENT_MEMORY + n: node n's memory. */
enum {
    EVENT_HIT = 0,
    EVENT_TRANSFER = EVENT_HIT + MODEL_PATH,
    EVENT_UPGRADE = EVENT_TRANSFER + DESC_DISTANCES,
    EVENT_MEMORY = EVENT_UPGRADE + DESC_DISTANCES,
    EVENTS = EVENT_MEMORY + MAX_NODES
};

/* Discounts on an event that is not a hit; they multiply. */
#define DISCOUNT_STREAM   1u
#define DISCOUNT_ADJACENT 2u
#define DISCOUNT_REVISIT  4u
#define DISCOUNTS         8u

#define RESOURCES (MAX_NODES + DESC_LINKS) /* memories, then links */

/* One timed pass, or what is left of many. */
struct model_pass {
    uint64_t ps;
    uint64_t writebacks; /* dirty lines that left for memory */
    uint32_t events[EVENTS][DISCOUNTS];
    uint32_t evicted[MODEL_PATH]; /* dirty lines that the k-th cache took from a nearer one */
    uint32_t resource_lines[RESOURCES];
};

struct model_path {
    uint32_t depth;
    uint16_t instance[MODEL_PATH]; /* nearest first */
    uint32_t way_mask;             /* of the last one */
};

/* One cache of the machine. */
struct model_cache {
    struct cache cache;
    struct cache filter; /* the snoop filter, if has_filter */
    bool has_filter;
    uint16_t desc;  /* index into desc->cache */
    uint16_t outer; /* the next cache away from the core, DESC_NONE for the last */
    uint16_t depth; /* its place in the path of its CPUs */
    uint16_t first_cpu;
    uint32_t node;         /* of its first CPU */
    uint16_t nested_count; /* caches nearer to the core, all levels */
    uint16_t *nested;
};

struct model {
    const struct desc *desc;
    unsigned cache_count;
    struct model_cache *cache;
    struct model_path *path; /* [cpu] */
    uint8_t *distance;       /* [cpu * cache_count + cache]: nearest CPU of that cache */
    uint32_t words;          /* of a line's holder set */
    uint32_t stride;         /* words + 1 */
    uint64_t *directory;     /* [line * stride]: bit per cache that holds it; last word: dirty cache
                                + 1 */
    uint64_t *path_mask;     /* [cpu * words] */
    uint32_t lines, node_lines;
    uint32_t *frame_of;   /* [page of desc->page_bytes]: where it lies; NULL: pages lie in order */
    unsigned frame_shift; /* lines to such pages */
    unsigned node_shift, page_shift; /* lines to nodes, lines to pages */
    bool tracks_visits;              /* some revisit is cheaper */
    uint32_t pages;
    struct visits visits;
    uint64_t caches_sum;
    uint16_t *link_of;      /* [node * node_count + node]: link between two nodes, DESC_NONE */
    struct model_pass pass; /* the running one */
    /* of the running pass */
    uint32_t last_line, run;
    bool last_missed;
    unsigned slices;     /* that a pass can be taken apart into: pass.c */
    uint32_t *order;     /* lines of the running pass, slice by slice */
    uint32_t order_room; /* lines */
    uint64_t foreign_fp; /* part of a line that other work has yet to bring, in millionths */
};

/* One pass over a working set of the model's memory. Addresses are those of a region: with
 * scattered pages, neighbours there are not neighbours in the caches' eyes. */
struct model_job {
    uint32_t cpu;
    uint32_t first, lines; /* lines as touch_round() gives them, unless linear */
    uint32_t pattern;      /* enum touch_pattern */
    uint32_t access;       /* enum touch_access */
};

/* NULL: out of memory. The description must outlive the model. */
struct model *model_new(const struct desc *desc);
void model_free(struct model *model);
/* As after model_new(). */
void model_reset(struct model *model);

/* The visit of one line by one CPU: changes the caches, adds to model->pass, returns the event with
 * its discounts as event * DISCOUNTS + discounts. model_begin() comes before the first visit of a
 * pass. */
void model_begin(struct model *model);
unsigned model_visit(struct model *model, unsigned cpu, uint32_t line, bool write);
/* Cost of one such event without write-backs. */
uint64_t model_event_ps(const struct model *model, unsigned cpu, unsigned event, unsigned discounts,
                        enum desc_overlap overlap);
/* Ends a pass begun with model_begin(): its cost. Other work has its time too. */
uint64_t model_end(struct model *model, unsigned cpu, enum desc_overlap overlap);
/* Cost of everything in model->pass. */
uint64_t model_pass_ps(const struct model *model, unsigned cpu, enum desc_overlap overlap);

/* coherence.c: the event of a visit. */
unsigned coherence_visit(struct model *model, unsigned cpu, uint32_t line, bool write);

/* What the order of a pass says of a visit, before its line is looked for. */
#define FOLLOWS_RUN   1u /* within an ascending run that a prefetcher has noticed */
#define FOLLOWS_BUDDY 2u /* right behind the other line of its pair */

/* model_visit() in two parts: the first looks at the order alone, the second changes the caches.
 * The caller sets model->last_line. */
static inline unsigned model_follows(struct model *model, uint32_t line)
{
    model->run = line == model->last_line + 1 ? model->run + 1 : 0;
    if (model->run >= model->desc->stream_after)
        return FOLLOWS_RUN;
    return (line ^ 1) == model->last_line ? FOLLOWS_BUDDY : 0;
}

static inline unsigned model_meet(struct model *model, unsigned cpu, uint32_t line, bool write,
                                  unsigned follows)
{
    unsigned event = coherence_visit(model, cpu, line, write), discounts = 0;
    if (event != EVENT_HIT) {
        if (follows & FOLLOWS_RUN)
            discounts = DISCOUNT_STREAM;
        else if ((follows & FOLLOWS_BUDDY) && model->last_missed)
            discounts = DISCOUNT_ADJACENT;
    }
    if (model->tracks_visits && visits_see(&model->visits, cpu, line >> model->page_shift) &&
        event >= MODEL_PATH)
        discounts |= DISCOUNT_REVISIT;
    model->last_missed = event != EVENT_HIT;
    model->pass.events[event][discounts]++;
    return event * DISCOUNTS + discounts;
}

/* A whole pass: fills model->pass, ps included; other work has its time too. False: out of memory.
 */
bool model_run(struct model *model, const struct model_job *job);

/* Other work brings that many bytes into the last caches of a CPU's path. */
void model_evict(struct model *model, unsigned cpu, uint64_t bytes);
/* Memory given out anew: no cache holds it, nobody has visited it. As addresses of a region. */
void model_forget(struct model *model, uint32_t first_line, uint32_t lines);

/* A number that is the same for two models whose caches will behave alike from now on; what they
 * remember of visits is not in it. */
uint64_t model_state(struct model *model);

/* Brings the sums that model_state() is made of up to date, as it does itself: sooner, while the
 * host has them at hand. */
void model_settle(struct model *model);

/* pass.c: how many slices a pass can be taken apart into, a power of two. */
unsigned pass_slices(const struct model *model);

static inline uint32_t model_place(const struct model *model, uint32_t line)
{
    if (!model->frame_of)
        return line;
    uint32_t within = line & ((1u << model->frame_shift) - 1);
    return model->frame_of[line >> model->frame_shift] << model->frame_shift | within;
}

/* coherence.c, continued. */
/* Throws a line out of every cache, without write-back. */
void coherence_drop(struct model *model, uint32_t line);
/* WBINVD: what the caches of a CPU's path hold goes home to memory. */
void coherence_flush(struct model *model, unsigned cpu);
/* Makes the directory, all empty, anew from what the caches hold. */
void coherence_rebuild(struct model *model);
/* Puts a line of other work into a cache. */
void coherence_foreign(struct model *model, unsigned cache);

#endif
