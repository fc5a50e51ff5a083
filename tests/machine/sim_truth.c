/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes and costs as the model has them, without noise. */
#include "sim_truth.h"
#include "../../lib/touch.h"
#include "mix.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTLE_ROUNDS 2u
#define CANDIDATES    7u /* shares of a capacity that are tried */
#define CHANCE_ROUNDS 6u /* measured and averaged where replacement is random */

/* What matters of one CPU, other than where it is. */
static uint64_t cpu_signature(const struct desc *desc, unsigned cpu)
{
    const struct desc_cpu *of = &desc->cpu[cpu];
    uint64_t sum = mix_two(of->kind, of->speed_permille);
    sum = mix_two(sum, of->way_mask);
    for (unsigned i = 0; i < desc->cache_count; i++)
        sum = mix_two(sum, desc->cache[i].instance_of[cpu] != DESC_NONE);
    return sum;
}

/* What matters of a move from s to d. */
static uint64_t signature(const struct desc *desc, unsigned s, unsigned d)
{
    uint64_t sum = mix_two(cpu_signature(desc, s), cpu_signature(desc, d));
    sum = mix_two(sum, desc->distance_of[(size_t)d * desc->cpu_count + s]);
    sum = mix_two(sum, desc->distance_of[(size_t)s * desc->cpu_count + d]);
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const uint16_t *of = desc->cache[i].instance_of;
        sum = mix_two(sum, of[s] != DESC_NONE && of[s] == of[d]);
    }
    return sum;
}

static void name_class(const struct desc *desc, struct truth_class *class)
{
    const struct desc_distance *there =
        &desc->distance[desc->distance_of[(size_t) class->b * desc->cpu_count + class->a]];
    const struct desc_distance *back =
        &desc->distance[desc->distance_of[(size_t) class->a * desc->cpu_count + class->b]];
    const struct desc_cpu *a = &desc->cpu[class->a], *b = &desc->cpu[class->b];
    size_t used = (size_t)snprintf(class->name, sizeof class->name, "%.40s", there->name);
    if (there != back)
        used +=
            (size_t)snprintf(class->name + used, sizeof class->name - used, "/%.40s", back->name);
    if (desc->kind_count > 1)
        used += (size_t)snprintf(class->name + used, sizeof class->name - used, " %.8s-%.8s",
                                 desc->kind[a->kind].name, desc->kind[b->kind].name);
    if (a->speed_permille != 1000 || b->speed_permille != 1000)
        snprintf(class->name + used, sizeof class->name - used, " at %u%%-%u%%",
                 a->speed_permille / 10, b->speed_permille / 10);
}

/* Two classes of one name: told apart by their caches. */
static void name_apart(struct truth *truth)
{
    for (unsigned i = 0; i < truth->class_count; i++) {
        unsigned same = 0;
        for (unsigned j = 0; j < truth->class_count; j++)
            same += strcmp(truth->classes[i].name, truth->classes[j].name) == 0;
        for (unsigned j = i, number = 1; same > 1 && j < truth->class_count; j++) {
            struct truth_class *class = &truth->classes[j];
            if (j != i && strcmp(truth->classes[i].name, class->name) != 0)
                continue;
            if (j != i) {
                size_t used = strlen(class->name);
                snprintf(class->name + used, sizeof class->name - used, " (%u)", ++number);
            }
        }
    }
}

bool truth_init(struct truth *truth, struct memo *memo)
{
    memset(truth, 0, sizeof *truth);
    truth->memo = memo;
    const struct desc *desc = truth->desc = memo->model->desc;
    unsigned n = desc->cpu_count;
    truth->class_of = malloc((size_t)n * n);
    if (!truth->class_of)
        return false;
    memset(truth->class_of, TRUTH_NONE, (size_t)n * n);
    uint64_t key[TRUTH_CLASSES];
    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = a + 1; b < n; b++) {
            uint64_t forward = signature(desc, a, b), both = forward + signature(desc, b, a);
            unsigned i = 0;
            while (i < truth->class_count && key[i] != both)
                i++;
            if (i == TRUTH_CLASSES) {
                truth_free(truth);
                return false;
            }
            struct truth_class *class = &truth->classes[i];
            if (i == truth->class_count) {
                truth->class_count++;
                key[i] = both;
                *class = (struct truth_class){.a = a, .b = b, .forward = forward};
                name_class(desc, class);
            }
            class->pairs++;
            truth->class_of[(size_t)a * n + b] = truth->class_of[(size_t)b * n + a] = (uint8_t)i;
        }
    }
    name_apart(truth);
    return true;
}

void truth_free(struct truth *truth)
{
    free(truth->class_of);
    free(truth->known);
    memset(truth, 0, sizeof *truth);
}

static bool touch(struct truth *truth, unsigned cpu, struct truth_work work, uint32_t first,
                  uint64_t *ret_ps)
{
    const struct model_job job = {cpu, first, (uint32_t)(work.bytes / truth->desc->line_bytes),
                                  work.pattern, work.access};
    struct memo_answer answer;
    if (!memo_run(truth->memo, &job, &answer))
        return false;
    *ret_ps += answer.ps;
    return true;
}

static bool has_chance(const struct desc *desc)
{
    for (unsigned i = 0; i < desc->cache_count; i++)
        if (desc->cache[i].policy == POLICY_RANDOM)
            return true;
    return desc->evict_per_us != 0;
}

static bool same_legs(const struct truth_legs *a, const struct truth_legs *b)
{
    return a->move_ps == b->move_ps && a->stay_ps == b->stay_ps &&
           a->move_back_ps == b->move_back_ps && a->stay_back_ps == b->stay_back_ps;
}

static bool run_round(struct truth *truth, unsigned s, unsigned d, struct truth_work work,
                      uint32_t first, struct truth_legs *ret)
{
    *ret = (struct truth_legs){0, 0, 0, 0};
    return touch(truth, s, work, first, &ret->stay_back_ps) &&
           touch(truth, d, work, first, &ret->move_ps) &&
           touch(truth, d, work, first, &ret->stay_ps) &&
           touch(truth, s, work, first, &ret->move_back_ps);
}

/* The chain s, s, d, d, s, ...: touches after the first are its legs in turn. It has settled when
 * two rounds are alike; where chance plays a part, the mean of several is taken. */
static bool run_chain(struct truth *truth, unsigned s, unsigned d, struct truth_work work,
                      struct truth_legs *ret)
{
    uint32_t first = work.home * truth->memo->model->node_lines;
    unsigned rounds = has_chance(truth->desc) ? CHANCE_ROUNDS : 1;
    struct truth_legs now, before = {0, 0, 0, 0}, sum = {0, 0, 0, 0};
    uint64_t first_ps = 0;
    memo_reset(truth->memo);
    if (!touch(truth, s, work, first, &first_ps))
        return false;
    for (unsigned round = 0; round < SETTLE_ROUNDS + rounds; round++) {
        if (!run_round(truth, s, d, work, first, &now))
            return false;
        if (same_legs(&now, &before)) {
            *ret = now;
            return true;
        }
        before = now;
        if (round < SETTLE_ROUNDS)
            continue;
        sum.move_ps += now.move_ps;
        sum.stay_ps += now.stay_ps;
        sum.move_back_ps += now.move_back_ps;
        sum.stay_back_ps += now.stay_back_ps;
    }
    *ret = (struct truth_legs){sum.move_ps / rounds, sum.stay_ps / rounds,
                               sum.move_back_ps / rounds, sum.stay_back_ps / rounds};
    return true;
}

static bool remember(struct truth *truth, const struct truth_known *known)
{
    if (truth->known_count == truth->known_room) {
        unsigned room = truth->known_room ? truth->known_room * 2 : 64;
        struct truth_known *more = realloc(truth->known, room * sizeof *more);
        if (!more)
            return false;
        truth->known = more;
        truth->known_room = room;
    }
    truth->known[truth->known_count++] = *known;
    return true;
}

static bool class_legs(struct truth *truth, unsigned class_index, struct truth_work work,
                       struct truth_legs *ret)
{
    for (unsigned i = 0; i < truth->known_count; i++) {
        const struct truth_known *known = &truth->known[i];
        if (known->class_index != class_index || known->bytes != work.bytes ||
            known->pattern != work.pattern || known->access != work.access ||
            known->home != work.home)
            continue;
        *ret = known->legs;
        return true;
    }
    const struct truth_class *class = &truth->classes[class_index];
    struct truth_known known = {class_index, work.bytes, work.pattern,
                                work.access, work.home,  {0, 0, 0, 0}};
    if (!run_chain(truth, class->a, class->b, work, &known.legs))
        return false;
    *ret = known.legs;
    return remember(truth, &known);
}

bool truth_legs(struct truth *truth, unsigned s, unsigned d, struct truth_work work,
                struct truth_legs *ret)
{
    if (s == d)
        return run_chain(truth, s, d, work, ret);
    unsigned class_index = truth->class_of[(size_t)s * truth->desc->cpu_count + d];
    struct truth_legs legs;
    if (!class_legs(truth, class_index, work, &legs))
        return false;
    bool forward = signature(truth->desc, s, d) == truth->classes[class_index].forward;
    *ret = forward ? legs
                   : (struct truth_legs){legs.move_back_ps, legs.stay_back_ps, legs.move_ps,
                                         legs.stay_ps};
    return true;
}

bool truth_cost(struct truth *truth, unsigned class_index, struct truth_work work, int64_t *ret_ps)
{
    struct truth_legs legs;
    if (!class_legs(truth, class_index, work, &legs))
        return false;
    *ret_ps = ((int64_t)(legs.move_ps - legs.stay_ps) +
               (int64_t)(legs.move_back_ps - legs.stay_back_ps)) /
              2;
    return true;
}

/* Effective size of the cache at a place of a CPU's path; 0 none. */
static uint64_t capacity(const struct model *model, unsigned cpu, unsigned at)
{
    const struct model_path *path = &model->path[cpu];
    if (at >= path->depth)
        return 0;
    const struct desc_cache *cache = &model->desc->cache[model->cache[path->instance[at]].desc];
    uint32_t ways = model->cache[path->instance[at]].cache.all_ways;
    if (at + 1 == path->depth && path->way_mask)
        ways &= path->way_mask;
    return cache->bytes / cache->ways * (uint64_t)__builtin_popcount(ways);
}

/* How many caches nearer than any shared one a CPU has for a class; at least the nearest. */
static unsigned private_depth(const struct model *model, unsigned cpu, unsigned other_cpu)
{
    const struct model_path *path = &model->path[cpu], *other = &model->path[other_cpu];
    for (unsigned at = 0; at < path->depth; at++)
        for (unsigned k = 0; k < other->depth; k++)
            if (other->instance[k] == path->instance[at])
                return at ? at : 1;
    return path->depth;
}

static const struct desc_cache *cache_at(const struct model *model, unsigned cpu, unsigned at)
{
    return &model->desc->cache[model->cache[model->path[cpu].instance[at]].desc];
}

/* The curve rises until a cache nearer than any shared one is full, and falls behind: so the
 * maximum lies at a capacity, at that of a snoop filter, at the sum of two where one holds what
 * the other evicts, or, where replacement or placement is left to chance, somewhere before. */
static unsigned candidates(const struct truth *truth, unsigned cpu, unsigned other, uint64_t *ret)
{
    static const unsigned exact[] = {900, 1000};
    static const unsigned vague[] = {500, 600, 700, 800, 900, 1000, 1150};
    const struct model *model = truth->memo->model;
    unsigned depth = private_depth(model, cpu, other), count = 0;
    bool blurred = truth->desc->page_bytes != 0 || truth->desc->evict_per_us != 0;
    for (unsigned at = 0; at < depth; at++)
        blurred |= cache_at(model, cpu, at)->policy == POLICY_RANDOM;
    const unsigned *shares = blurred ? vague : exact;
    unsigned share_count = blurred ? sizeof vague / sizeof vague[0] : 2;
    uint64_t sum = 0;
    for (unsigned at = 0; at < depth; at++) {
        uint64_t bytes = capacity(model, cpu, at);
        bool adds = at > 0 && cache_at(model, cpu, at)->relation >= RELATION_EXCLUSIVE;
        sum = adds ? sum + bytes : bytes;
        for (unsigned k = 0; k < share_count; k++) {
            ret[count++] = bytes * shares[k] / 1000;
            if (adds)
                ret[count++] = sum * shares[k] / 1000;
        }
    }
    /* What a snoop filter has no room for leaves the nearer caches. */
    for (unsigned at = 1; at < model->path[cpu].depth; at++)
        for (unsigned k = 0; k < share_count && cache_at(model, cpu, at)->filter_bytes; k++)
            ret[count++] = cache_at(model, cpu, at)->filter_bytes * shares[k] / 1000;
    return count;
}

bool truth_largest(struct truth *truth, unsigned class_index, struct truth_work work,
                   int64_t *ret_ps, uint64_t *ret_bytes)
{
    const struct truth_class *class = &truth->classes[class_index];
    uint64_t bytes[6 * MODEL_PATH * CANDIDATES]; /* of two CPUs; a cache, sums, filters */
    unsigned count = candidates(truth, class->a, class->b, bytes);
    count += candidates(truth, class->b, class->a, bytes + count);
    bool any = false;
    for (unsigned i = 0; i < count; i++) {
        work.bytes = touch_round(bytes[i], truth->desc->line_bytes);
        int64_t ps;
        if (work.bytes > truth->desc->memory_bytes)
            continue;
        if (!truth_cost(truth, class_index, work, &ps))
            return false;
        if (any && ps <= *ret_ps)
            continue;
        any = true;
        *ret_ps = ps;
        *ret_bytes = work.bytes;
    }
    return any;
}

/* Time of touching a footprint again after `other` bytes of other data, on a machine whose caches
 * are full of `reach` bytes of such: which line has to leave an empty cache says little. */
static bool come_back(struct truth *truth, unsigned cpu, struct truth_work work, uint64_t reach,
                      uint64_t other, uint64_t *ret_ps)
{
    uint32_t first = work.home * truth->memo->model->node_lines;
    uint32_t behind = first + (uint32_t)(work.bytes / truth->desc->line_bytes);
    struct truth_work all = work, some = work;
    all.bytes = reach;
    some.bytes = other;
    uint64_t unused = 0;
    *ret_ps = 0;
    memo_reset(truth->memo);
    if (!touch(truth, cpu, all, behind, &unused))
        return false;
    for (unsigned times = 0; times < 2; times++)
        if (!touch(truth, cpu, work, first, &unused))
            return false;
    return (!other || touch(truth, cpu, some, behind, &unused)) &&
           touch(truth, cpu, work, first, ret_ps);
}

uint64_t truth_stake(const struct truth *truth, unsigned cpu, unsigned other)
{
    const struct model *model = truth->memo->model;
    uint64_t sum = 0;
    unsigned depth = private_depth(model, cpu, other);
    for (unsigned at = 0; at < depth; at++) {
        bool adds = at > 0 && cache_at(model, cpu, at)->relation >= RELATION_EXCLUSIVE;
        sum = adds ? sum + capacity(model, cpu, at) : capacity(model, cpu, at);
    }
    return sum;
}

/* The smallest working set of other data after which coming back costs that much. */
static bool find_gone(struct truth *truth, unsigned cpu, struct truth_work work, uint64_t reach,
                      uint64_t *ret_bytes)
{
    uint32_t line = truth->desc->line_bytes;
    uint64_t fresh, gone, now, too_few = 0, enough = reach;
    *ret_bytes = 0;
    if (work.bytes + reach > truth->desc->memory_bytes)
        return true;
    if (!come_back(truth, cpu, work, reach, 0, &fresh) ||
        !come_back(truth, cpu, work, reach, reach, &gone))
        return false;
    if (gone <= fresh)
        return true;
    for (;;) {
        uint64_t middle = touch_round(too_few + (enough - too_few) / 2, line);
        if (middle <= too_few || middle >= enough)
            break; /* neighbours among the working sets that there are */
        if (!come_back(truth, cpu, work, reach, middle, &now))
            return false;
        if (now >= fresh + (gone - fresh) / 10 * 9)
            enough = middle;
        else
            too_few = middle;
    }
    *ret_bytes = enough;
    return true;
}

bool truth_eviction(struct truth *truth, unsigned cpu, unsigned other, struct truth_work work,
                    uint64_t *ret_bytes)
{
    const struct truth_gone key = {.stake = truth_stake(truth, cpu, other),
                                   .footprint = work.bytes,
                                   .kind = truth->desc->cpu[cpu].kind,
                                   .pattern = work.pattern,
                                   .access = work.access};
    for (unsigned i = 0; i < truth->gone_count; i++) {
        const struct truth_gone *of = &truth->gone[i];
        if (of->stake != key.stake || of->footprint != key.footprint || of->kind != key.kind ||
            of->pattern != key.pattern || of->access != key.access)
            continue;
        *ret_bytes = of->bytes;
        return true;
    }
    uint64_t reach = touch_round(2 * key.stake, truth->desc->line_bytes);
    if (!find_gone(truth, cpu, work, reach, ret_bytes))
        return false;
    if (truth->gone_count < TRUTH_CLASSES) {
        truth->gone[truth->gone_count] = key;
        truth->gone[truth->gone_count++].bytes = *ret_bytes;
    }
    return true;
}
