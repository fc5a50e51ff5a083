/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for the largest cost where no capacity, or none that holds what it promises, is known.
 */
#include "engine_curve.h"

#define ZERO_POINTS       5u /* of a search upwards without any cost: nothing is cached here */
#define REFINE_ROUNDS     4u
#define REFINE_PARTS      16u
#define PREDICTED_PERCENT 85 /* less than that: moves cost otherwise too */
#define CLOSE_PERCENT     95

/* Doubled from `bytes` on until nothing larger can cost more, or the region ends: the cost has
 * fallen, and a CPU that stays pays for a line what a move costs, or moves cost otherwise than they
 * did; that twice in a row. */
static bool climb(struct search *search, uint64_t bytes)
{
    const struct class_result *into = search->into;
    unsigned fallen = 0;
    for (; bytes <= search->engine->region_bytes && fallen < 2; bytes *= 2) {
        unsigned best = curve_best(search);
        int64_t floor = into->point_count > 0 ? (int64_t)into->point[best].cost.ns / 2 : INT32_MIN;
        unsigned at = curve_look(search, bytes, floor, NULL);
        if (at == MAX_CURVE_POINTS)
            return false;
        if (into->point_count >= ZERO_POINTS && curve_near_zero(search))
            return true;
        best = curve_best(search);
        const struct chain_figures *now = &search->figures[at], *then = &search->figures[best];
        if (at <= best ||
            (int64_t)now->both.ns * 100 > (int64_t)then->both.ns * CURVE_FALLEN_PERCENT) {
            fallen = 0;
            continue;
        }
        bool all_missed = (int64_t)now->stay[0].ns * 100 > (int64_t)now->move[0].ns * 85;
        fallen += all_missed && (int64_t)now->both.ns * 2 < then->both.ns ? 2 : 1;
    }
    return true;
}

/* Looks between the best point and its neighbours while they are far apart. */
static bool refine(struct search *search)
{
    const struct class_result *into = search->into;
    for (unsigned round = 0; round < REFINE_ROUNDS; round++) {
        unsigned best = curve_best(search);
        const struct curve_point *point = &into->point[best];
        uint64_t at = point->bytes;
        uint64_t below = best > 0 ? point[-1].bytes : at;
        uint64_t above = best + 1 < into->point_count ? point[1].bytes : at;
        int64_t floor = (int64_t)point->cost.ns * CURVE_FALLEN_PERCENT / 100;
        if (curve_lower(search, best) <= 0)
            return true;
        /* Where the cost rose as its lines did up to the best, only larger ones can be better. */
        bool risen = best > 0 && curve_percent(search, best, best - 1) >= CURVE_RISEN_PERCENT;
        if (above - at > at / REFINE_PARTS &&
            curve_look(search, at + (above - at) / 2, floor, NULL) == MAX_CURVE_POINTS)
            return false;
        if (!risen && at - below > at / REFINE_PARTS &&
            curve_look(search, at - (at - below) / 2, floor, NULL) == MAX_CURVE_POINTS)
            return false;
    }
    return true;
}

bool curve_search(struct search *search, uint64_t bytes)
{
    return climb(search, bytes) && refine(search);
}

/* What a line costs those who stay at `bytes`: one sample, and a second where that could be a
 * disturbance. */
static int64_t sure_stay(struct search *search, unsigned cpu, uint64_t bytes, int64_t within)
{
    int64_t stay = curve_stay_ns(search->engine, cpu, bytes, 1);
    if (stay * 100 <= within * (100 + CURVE_SURPRISE_PERCENT) ||
        stay * 100 > within * CURVE_STAY_JUMPS)
        return stay;
    int64_t again = curve_stay_ns(search->engine, cpu, bytes, 1);
    return again < stay ? again : stay;
}

/* What a working set would cost if its moves cost what they do at the base: only the stays, which
 * tell by far more when a cache overflows, are measured. Mean of both directions, ns. *ret_fits: a
 * line costs those who stay what it does at the base. */
static int64_t predicted(struct search *search, uint64_t bytes, bool *ret_fits)
{
    const struct class_result *of = search->into;
    uint64_t from = search->work->base_bytes;
    struct chain_figures base;
    int64_t sum = 0;
    unsigned directions = engine_alike(search->engine, of->cpu_a, of->cpu_b) ? 1 : 2;
    chain_figures(search->engine->machine, &search->work->base, &base);
    *ret_fits = true;
    for (unsigned d = 0; d < directions; d++) {
        int64_t within = engine_in_proportion(base.stay[d].ns, from, bytes);
        int64_t stay = sure_stay(search, d == 0 ? of->cpu_b : of->cpu_a, bytes, within);
        *ret_fits = *ret_fits && stay * 100 <= within * (100 + CURVE_SURPRISE_PERCENT);
        sum += engine_in_proportion(base.move[d].ns, from, bytes) - stay;
    }
    return sum / directions;
}

/* The largest cost lies below a capacity: replacement, placement or CPUID is not as hoped for. Down
 * until the working set fits, or nothing smaller can cost as much; what promises nearly as much as
 * the best is looked at, too. */
bool curve_descend(struct search *search, uint64_t capacity)
{
    struct engine *engine = search->engine;
    static const uint8_t percent[] = {90, 80, 70, 60, 50, 40, 30, 20, 14, 10};
    uint64_t best_bytes = 0, second_bytes = 0;
    int64_t best = 0, second = 0;
    bool fits = false;
    search->peak_periods = 0;
    for (unsigned i = 0; i < sizeof(percent) && search->work->base_bytes != 0 && !fits; i++) {
        uint64_t bytes = touch_round(capacity / 100 * percent[i], engine->line);
        if (bytes <= search->work->base_bytes)
            break;
        int64_t cost = predicted(search, bytes, &fits);
        if (engine->ended)
            return false;
        if (cost > best) {
            second = best;
            second_bytes = best_bytes;
            best = cost;
            best_bytes = bytes;
        } else if (cost > second) {
            second = cost;
            second_bytes = bytes;
        }
        if (best > 0 && cost < best * CURVE_FALLEN_PERCENT / 100)
            break;
    }
    if (best_bytes != 0) {
        unsigned at = curve_look(search, best_bytes, INT32_MIN, NULL);
        if (at == MAX_CURVE_POINTS)
            return false;
        if (second * 100 >= best * CLOSE_PERCENT &&
            curve_look(search, second_bytes, INT32_MIN, NULL) == MAX_CURVE_POINTS)
            return false;
        at = curve_find(search, best_bytes);
        if (at != MAX_CURVE_POINTS &&
            (int64_t)search->into->point[at].cost.ns * 100 >= best * PREDICTED_PERCENT)
            return true;
    }
    return curve_search(search, CURVE_MIN);
}

/* The cost has grown less than its lines up to the capacity of unlike CPUs: the smaller one ends
 * the rise of one direction, so that one of the two capacities is where the largest cost is, as
 * long as it grew up to the smaller. False in *ret_found otherwise. */
bool curve_try_smaller(struct search *search, bool *ret_found)
{
    const struct engine *engine = search->engine;
    const struct cpu_info *cpus = engine->machine->cpus;
    unsigned a = search->into->cpu_a, b = search->into->cpu_b;
    unsigned level = topology_unshared_cache(&cpus[a], &cpus[b]);
    uint64_t in_a = engine_capacity(engine, a, level), in_b = engine_capacity(engine, b, level);
    uint64_t smaller = in_a < in_b ? in_a : in_b;
    *ret_found = false;
    if (in_a == in_b || smaller == 0)
        return true;
    unsigned periods = 0, at, low = curve_look(search, smaller, INT32_MIN, &periods);
    if (low == MAX_CURVE_POINTS)
        return false;
    at = curve_find(search, search->peak_bytes);
    const struct curve_point *point = search->into->point;
    bool risen = low > 0 && curve_percent(search, low, low - 1) >= CURVE_RISEN_PERCENT;
    if (!risen && point[at].cost.ns <= point[low].cost.ns)
        return true;
    *ret_found = true;
    if (point[low].cost.ns > point[at].cost.ns)
        curve_take_peak(search, search->into->point[low].bytes, periods);
    return true;
}
