/* SPDX-License-Identifier: BSD-2-Clause */
/* From costs to thresholds: the default rule, the old rules, and the number given by hand. */
#include "recommend.h"
#include "text.h"
#include <stddef.h>

#define PERCENT         100u
#define FOOTPRINT_FIRST 4096u  /* smallest footprint of POLICY_EXPECTED: one page */
#define WEIGHT_ONE      65536u /* weights have 16 fraction bits */
#define WEIGHT_OCTAVE   53232u /* 2^-0.3 * 65536: what a footprint twice as large weighs */

/* A level while its decay is being worked out. */
struct level_cost {
    uint8_t level, distance;
    bool zero;
    uint32_t cost;  /* what the factor applies to, of its dearest class; 0 where zero is set */
    uint32_t least; /* of its cheapest class; of a zero one the most that it may cost; at least 1 */
    uint32_t evict; /* ns: of the footprint that is gone soonest; 0 not known, or not asked for */
    unsigned classes;
};

const char *policy_name(unsigned policy)
{
    return text_nth("levels\0v1\0v5\0expected\0decay\0", policy);
}

unsigned policy_default_factor(enum policy policy)
{
    switch (policy) {
    case POLICY_V1:
        return 100;
    case POLICY_EXPECTED:
        return 1600;
    default:
        return 200;
    }
}

const char *basis_sentence(unsigned basis)
{
    static const char sentences[] =
        "the kernel's default: nothing was measured, or no cost could be told from zero\0"
        "that of the outermost level but SMT; no pairs cost over 5 times more than others, so one "
        "number serves\0"
        "no one number fits, some pairs cost over 5 times more than others; that of the outermost "
        "level is given nevertheless, one per level is better\0"
        "an old rule, applied to these costs because --policy asked for it\0"
        "given by hand, not measured\0";
    return text_nth(sentences, basis);
}

static uint32_t clamp_decay(uint64_t ns, bool *ret_clamped)
{
    *ret_clamped = ns < DECAY_MIN_NS || ns > DECAY_MAX_NS;
    if (ns < DECAY_MIN_NS)
        return DECAY_MIN_NS;
    return ns > DECAY_MAX_NS ? DECAY_MAX_NS : (uint32_t)ns;
}

/* The value at x of the line from (x0, y0) to (x1, y1), with x0 <= x <= x1. */
static int64_t between(uint64_t x0, int64_t y0, uint64_t x1, int64_t y1, uint64_t x)
{
    if (x1 == x0)
        return y1;
    /* y differs by at most 2^32: 31 bits of x keep the product within 64. */
    uint64_t run = x1 - x0, step = x - x0;
    while (run >> 30) {
        run >>= 1;
        step >>= 1;
    }
    return y0 + (y1 - y0) * (int64_t)step / (int64_t)run;
}

/* A class's curve at `bytes`: straight lines from (0, 0) through its points to its working set,
 * level beyond. */
static int64_t curve_at(const struct class_result *class, uint64_t bytes)
{
    uint64_t x = 0;
    int64_t y = 0;
    for (unsigned i = 0; i < class->point_count; i++) {
        const struct curve_point *point = &class->point[i];
        if (!point->cost.samples)
            continue;
        if (bytes <= point->bytes)
            return between(x, y, point->bytes, point->cost.ns, bytes);
        x = point->bytes;
        y = point->cost.ns;
    }
    if (class->working_set > x && bytes <= class->working_set)
        return between(x, y, class->working_set, class->cost.ns, bytes);
    return class->working_set > x ? class->cost.ns : y;
}

/* Mean cost over footprints of 4 KiB, 8 KiB, ... up to the working set, each weighing 2^-0.3 of the
 * one before; the working set itself stands in for the octave that it ends. */
static int64_t expected_cost(const struct class_result *class)
{
    int64_t sum = 0, weights = 0;
    uint64_t weight = WEIGHT_ONE, bytes = FOOTPRINT_FIRST;
    for (;;) {
        bool last = bytes >= class->working_set;
        int64_t cost = curve_at(class, last ? class->working_set : bytes);
        sum += (int64_t)weight * cost;
        weights += (int64_t)weight;
        if (last || bytes >> 62)
            return sum / weights;
        bytes *= 2;
        weight = weight * WEIGHT_OCTAVE / WEIGHT_ONE;
    }
}

/* The plain maximum over the sizes tried, as 2.6.16 took it. */
static int64_t maximum_cost(const struct class_result *class)
{
    int64_t most = class->cost.ns;
    for (unsigned i = 0; i < class->point_count; i++)
        if (class->point[i].cost.samples && class->point[i].cost.ns > most)
            most = class->point[i].cost.ns;
    return most;
}

static int64_t class_cost(const struct class_result *class, enum policy policy)
{
    if (policy == POLICY_V5)
        return maximum_cost(class);
    if (policy == POLICY_EXPECTED && class->working_set)
        return expected_cost(class);
    /* The middle of two peaks is no pair's cost: the dearer one stands for the class. */
    if (class->flags & CLASS_TWO_PEAKS && class->max_ns > class->cost.ns)
        return class->max_ns;
    return class->cost.ns;
}

/* The place of (level, distance) among `count` levels in order, made if it is new. */
static struct level_cost *level_slot(struct level_cost *levels, unsigned *count,
                                     struct class_key key)
{
    unsigned at = 0;
    while (at < *count && (levels[at].level < key.level ||
                           (levels[at].level == key.level && levels[at].distance < key.distance)))
        at++;
    if (at < *count && levels[at].level == key.level && levels[at].distance == key.distance)
        return &levels[at];
    for (unsigned i = *count; i > at; i--)
        levels[i] = levels[i - 1];
    ++*count;
    levels[at] = (struct level_cost){.level = key.level, .distance = key.distance, .zero = true};
    return &levels[at];
}

static unsigned collect_levels(const struct result *result, enum policy policy,
                               struct level_cost *levels)
{
    unsigned count = 0;
    for (unsigned i = 0; i < result->class_count && i < MAX_CLASSES; i++) {
        const struct class_result *class = &result->classes[i];
        if (!class->cost.samples)
            continue;
        struct level_cost *level = level_slot(levels, &count, class->key);
        int64_t cost = class_cost(class, policy);
        bool zero = class->flags & CLASS_ZERO || cost <= 0;
        int64_t least = zero ? cost + class->cost.spread_ns : cost;
        least = least < 1 ? 1 : least > INT32_MAX ? INT32_MAX : least;
        if (!level->classes++ || (uint32_t)least < level->least)
            level->least = (uint32_t)least;
        if (zero)
            continue;
        level->zero = false;
        uint32_t evict = policy == POLICY_DECAY && class->evict_bytes ? class->evict_ns : 0;
        if (evict && (!level->evict || evict < level->evict))
            level->evict = evict;
        if ((uint32_t)cost > level->cost)
            level->cost = (uint32_t)cost;
    }
    return count;
}

/* The smallest known off-diagonal cell of the raw matrix, 0 where none is known. */
static uint32_t smallest_move(const struct result *result)
{
    uint32_t least = 0;
    if (!result->raw_ns)
        return 0;
    for (unsigned s = 0; s < result->cpu_count; s++)
        for (unsigned d = 0; d < result->cpu_count; d++) {
            uint32_t ns = result->raw_ns[result_cell(result, s, d)];
            if (s != d && ns && (!least || ns < least))
                least = ns;
        }
    return least;
}

/* Dearest over cheapest class, SMT siblings left out; 0 for fewer than two. Classes, not levels:
 * where CPUID lies, pairs of one level can lie further apart than any two levels (A22). */
static unsigned ratio_percent(const struct level_cost *levels, unsigned count)
{
    uint64_t least = 0, most = 0;
    unsigned seen = 0;
    for (unsigned i = 0; i < count; i++) {
        if (levels[i].level == LEVEL_CORE)
            continue;
        seen += levels[i].classes;
        if (!least || levels[i].least < least)
            least = levels[i].least;
        if (levels[i].cost > most)
            most = levels[i].cost;
    }
    if (seen < 2 || !most)
        return 0;
    uint64_t ratio = most * PERCENT / least;
    return ratio > UINT32_MAX ? UINT32_MAX : (unsigned)ratio;
}

/* factor x cost, at most the time others need to evict what staying would save. */
static uint64_t threshold(const struct level_cost *level, uint32_t factor_percent)
{
    uint64_t ns = (uint64_t)level->cost * factor_percent / PERCENT;
    return level->evict && level->evict < ns ? level->evict : ns;
}

/* Writes the level table. fixed is the decay of every level that is not SMT, 0: factor x cost. */
static void fill_levels(struct recommendation *ret, const struct level_cost *levels, unsigned count,
                        uint64_t fixed, bool zeros_too)
{
    ret->level_count = count;
    for (unsigned i = 0; i < count; i++) {
        struct level_decay *out = &ret->level[i];
        *out = (struct level_decay){.level = levels[i].level,
                                    .distance = levels[i].distance,
                                    .zero = levels[i].zero,
                                    .cost_ns = levels[i].cost};
        if (levels[i].level == LEVEL_CORE || (levels[i].zero && !zeros_too))
            continue;
        uint64_t ns = fixed ? fixed : threshold(&levels[i], ret->factor_percent);
        out->decay_ns = clamp_decay(ns, &out->clamped);
    }
}

void recommend(const struct result *result, enum policy policy, uint32_t factor_percent,
               uint32_t decay_by_hand_ns, struct recommendation *ret)
{
    if (policy >= POLICIES)
        policy = POLICY_LEVELS;
    if (!factor_percent)
        factor_percent = policy_default_factor(policy);
    if (factor_percent > FACTOR_MAX_PERCENT)
        factor_percent = FACTOR_MAX_PERCENT;
    *ret = (struct recommendation){.policy = (uint8_t)policy, .factor_percent = factor_percent};

    struct level_cost levels[MAX_CLASSES];
    unsigned count = collect_levels(result, policy, levels);
    ret->ratio_percent = ratio_percent(levels, count);
    for (unsigned i = 0; i < result->class_count; i++)
        ret->partial |=
            result->classes[i].key.level != LEVEL_CORE && result->classes[i].cost.samples == 0;

    if (decay_by_hand_ns) {
        ret->basis = BASIS_BY_HAND;
        ret->decay_ns = clamp_decay(decay_by_hand_ns, &ret->clamped);
        fill_levels(ret, levels, count, decay_by_hand_ns, true);
        return;
    }

    struct level_cost base = {.cost = 0};
    uint32_t dearest = 0;
    for (unsigned i = 0; i < count; i++) {
        if (levels[i].level == LEVEL_CORE || levels[i].zero)
            continue;
        base = levels[i]; /* the outermost so far */
        if (levels[i].cost > dearest)
            dearest = levels[i].cost;
    }
    if (policy == POLICY_V1)
        base.cost = smallest_move(result);
    else if (policy == POLICY_V5)
        base.cost = dearest;
    /* Zero costs are no basis for any rule, the raw matrix of V1 included: the difference between
     * staying and moving is what all of them mean. */
    if (!dearest || !base.cost || result->flags & FLAG_COST_ZERO) {
        ret->basis = BASIS_KERNEL_DEFAULT;
        ret->decay_ns = KERNEL_DEFAULT_NS;
        for (unsigned i = 0; i < count; i++)
            levels[i].zero = levels[i].zero || result->flags & FLAG_COST_ZERO;
        ret->ratio_percent = 0;
        fill_levels(ret, levels, count, 0, false);
        return;
    }

    ret->decay_ns = clamp_decay(threshold(&base, factor_percent), &ret->clamped);
    if (policy != POLICY_LEVELS && policy != POLICY_DECAY)
        ret->basis = BASIS_POLICY;
    else if (ret->ratio_percent > LEVELS_APART * PERCENT)
        ret->basis = BASIS_NO_ONE_NUMBER;
    else
        ret->basis = BASIS_OUTERMOST;
    /* V1 knew no levels: every one of them gets the number. */
    fill_levels(ret, levels, count, policy == POLICY_V1 ? ret->decay_ns : 0, false);
}

uint64_t arch_estimate_ns(uint64_t cpu_khz, uint64_t cache_kib)
{
    if (!cpu_khz || !cache_kib || cpu_khz >> 32 || cache_kib >> 30)
        return 0;
    /* Bytes at 350 per microsecond, in ticks; then whole milliseconds, plus one. i386 held the
     * product in 32 bits, which from 2 MiB at 2 GHz on overflowed; here it does not. */
    uint64_t flush_ticks = (cpu_khz >> 10) * (cache_kib << 10) / 350;
    return (flush_ticks / cpu_khz + 1) * 1000000;
}
