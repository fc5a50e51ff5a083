/* SPDX-License-Identifier: BSD-2-Clause */
/* The working set and the cost of each class. The cost rises with the working set while that fits
 * the caches that the pair does not share, and falls or turns negative beyond: the largest cost is
 * looked for at 0.9 and 1.0 of the capacity and on a coarse ladder, and chosen by its lower
 * confidence bound, since a plain maximum of noisy values picks noise (docs/method.md). What was
 * chosen is measured anew: the samples that won the choice flatter it. */
#include "engine_state.h"
#include "stats.h"

#define LADDER_MIN          (16u << 10)
#define COARSE_PERIODS      1u
#define FINE_PERIODS        2u
#define CONFIRM_PERIODS     3u
#define CONFIRM_PERIODS_MAX 12u
#define ERROR_GOAL          25 /* stop sampling when 2.5 standard errors are below one part in 25 */
#define NOISY_TIMES         3
#define NOISY_TRIES         3u
#define RIVAL_PERCENT       95
#define FALLEN_PERCENT      70
#define ZERO_POINTS         5u /* of a search upwards without any cost: nothing is cached here */
#define REFINE_ROUNDS       2u

/* The search in hand: a class, its work, and what its curve's points rest on, in their order. */
struct search {
    struct engine *engine;
    struct class_result *into;
    struct class_work *work;
    struct chain_figures figures[MAX_CURVE_POINTS];
};

/* Puts a working set into the class's curve at its place by size; its index, or MAX_CURVE_POINTS
 * where it is there already or does not fit. */
static unsigned insert(struct search *search, uint64_t bytes)
{
    struct class_result *into = search->into;
    unsigned at = 0;
    while (at < into->point_count && into->point[at].bytes < bytes)
        at++;
    if (into->point_count == MAX_CURVE_POINTS ||
        (at < into->point_count && into->point[at].bytes == bytes))
        return MAX_CURVE_POINTS;
    for (unsigned i = into->point_count; i > at; i--) {
        into->point[i] = into->point[i - 1];
        search->figures[i] = search->figures[i - 1];
    }
    into->point_count++;
    into->point[at] = (struct curve_point){.bytes = bytes};
    search->figures[at] = (struct chain_figures){0};
    return at;
}

/* The noise of one touch, relative to its length: what the warm-up saw, or the median over the
 * points where that is more. */
static uint32_t usual_noise(const struct search *search)
{
    unsigned count = search->into->point_count;
    int64_t noise[MAX_CURVE_POINTS];
    for (unsigned i = 0; i < count; i++)
        noise[i] = search->figures[i].noise_ppm;
    int64_t median = stats_median(noise, count);
    return median > search->engine->noise_ppm ? (uint32_t)median : search->engine->noise_ppm;
}

/* Measures one working set of a class: more samples where the first are far noisier than usual,
 * since two disturbed ones in four leave no median to trust. False when the run has to end. */
static bool measure(struct search *search, uint64_t bytes, unsigned periods)
{
    struct engine *engine = search->engine;
    struct class_result *into = search->into;
    bytes = touch_round(bytes, engine->line);
    if (bytes > engine->region_bytes)
        bytes = touch_round(engine->region_bytes / 8 * 7, engine->line);
    unsigned at = insert(search, bytes);
    if (at == MAX_CURVE_POINTS)
        return true;
    struct chain chain = engine_pair(engine, into->cpu_a, into->cpu_b, bytes);
    struct chain_figures *figures = &search->figures[at];
    engine_samples_reset(engine);
    for (unsigned tries = 0; tries < NOISY_TRIES; tries++) {
        if (!engine_figures(engine, &chain, periods, figures))
            return false;
        into->point[at].cost = figures->both;
        into->point[at].stay = figures->stay[0];
        if (periods < FINE_PERIODS ||
            figures->noise_ppm <= NOISY_TIMES * (uint64_t)usual_noise(search))
            break;
    }
    return true;
}

/* Lower confidence bound of a point. One that stays far noisier than usual stands by its own noise.
 */
static int64_t lower(const struct search *search, unsigned at)
{
    uint32_t usual = usual_noise(search), own = search->figures[at].noise_ppm;
    return chain_lower(&search->figures[at], own / NOISY_TIMES > usual ? own : usual);
}

static unsigned best_point(const struct search *search)
{
    unsigned best = 0;
    for (unsigned i = 1; i < search->into->point_count; i++) {
        if (lower(search, i) > lower(search, best))
            best = i;
    }
    return best;
}

/* True if neither the screening nor any point so far shows a cost worth the name: larger working
 * sets are then spared, since a cost grows with the working set from the smallest on. */
static bool all_near_zero(const struct search *search)
{
    const struct class_result *of = search->into;
    if (search->work->screen_ns > search->engine->screen.near_zero_ns)
        return false;
    for (unsigned i = 0; i < of->point_count; i++) {
        if ((int64_t)of->point[i].cost.ns * NEAR_ZERO_SHARE >= of->point[i].stay.ns)
            return false;
    }
    return of->point_count > 0;
}

/* Where the maximum is expected. */
static bool measure_capacity(struct search *search, uint64_t capacity)
{
    return measure(search, capacity / 10 * 9, FINE_PERIODS) &&
           measure(search, capacity, FINE_PERIODS);
}

/* With a capacity known: an eighth, a quarter, half of it, and 0.9 and 1.0. */
static bool climb_to(struct search *search, uint64_t capacity)
{
    for (unsigned part = 8; part > 1; part /= 2) {
        if (capacity / part < LADDER_MIN)
            continue;
        if (!measure(search, capacity / part, COARSE_PERIODS))
            return false;
        if (all_near_zero(search))
            return true;
    }
    return measure_capacity(search, capacity);
}

/* Without: doubled until the cost has fallen well below the best twice in a row, or the region
 * ends. */
static bool climb_blind(struct search *search)
{
    const struct class_result *into = search->into;
    unsigned fallen = 0;
    for (uint64_t bytes = LADDER_MIN; bytes <= search->engine->region_bytes && fallen < 2;
         bytes *= 2) {
        unsigned before = into->point_count;
        if (!measure(search, bytes, FINE_PERIODS))
            return false;
        if (into->point_count == before)
            continue;
        int64_t best = lower(search, best_point(search));
        int64_t now = lower(search, into->point_count - 1);
        if (into->point_count >= ZERO_POINTS && all_near_zero(search))
            return true;
        fallen = best > 0 && now < best / 100 * FALLEN_PERCENT ? fallen + 1 : 0;
    }
    return true;
}

/* Looks between the best point and its neighbours where they are far apart. */
static bool refine(struct search *search)
{
    const struct class_result *into = search->into;
    for (unsigned round = 0; round < REFINE_ROUNDS; round++) {
        unsigned best = best_point(search);
        const struct curve_point *point = &into->point[best];
        uint64_t at = point->bytes;
        uint64_t below = best > 0 ? point[-1].bytes : at;
        uint64_t above = best + 1 < into->point_count ? point[1].bytes : at;
        if (lower(search, best) <= 0)
            return true;
        if (above - at > at / 8 && !measure(search, at + (above - at) / 2, FINE_PERIODS))
            return false;
        if (at - below > at / 8 && !measure(search, at - (at - below) / 2, FINE_PERIODS))
            return false;
    }
    return true;
}

/* T(d after d) - T(s after s), where it is more than the noise. */
static int32_t placement(const struct chain_figures *figures)
{
    int64_t off = (int64_t)figures->stay[0].ns - figures->stay[1].ns;
    int64_t noise = (int64_t)figures->stay[0].spread_ns + figures->stay[1].spread_ns;
    return off > noise || off < -noise ? (int32_t)off : 0;
}

/* Marks a class whose cost cannot be told from zero. */
static void mark_zero(struct class_result *class, int32_t stay_ns)
{
    int64_t cost = class->cost.ns, spread = class->cost.spread_ns;
    class->flags &= (uint16_t)~CLASS_ZERO;
    if (cost - spread <= 0 || cost * ZERO_SHARE < stay_ns)
        class->flags |= CLASS_ZERO;
}

/* Fresh samples at the chosen working set, until their spread is small or says zero. */
static void confirm(struct engine *engine, struct class_result *into, struct class_work *work)
{
    struct chain chain = engine_pair(engine, into->cpu_a, into->cpu_b, into->working_set);
    struct chain_figures figures;

    engine_samples_reset(engine);
    for (unsigned periods = 0; periods < CONFIRM_PERIODS_MAX; periods += CONFIRM_PERIODS) {
        if (!engine_figures(engine, &chain, CONFIRM_PERIODS, &figures))
            break;
        into->cost = figures.both;
        into->placement_ns = placement(&figures);
        work->directed[0] = figures.cost[0];
        work->directed[1] = figures.cost[1];
        work->move_ns = figures.move[0].ns;
        int64_t cost = into->cost.ns, spread = into->cost.spread_ns;
        mark_zero(into, figures.stay[0].ns);
        uint32_t own = figures.noise_ppm;
        if (figures.both.samples == 0)
            break;
        int64_t error =
            cost - chain_lower(&figures, own > engine->noise_ppm ? own : engine->noise_ppm);
        if (error * ERROR_GOAL <= cost || (cost + spread) * ZERO_SHARE < figures.stay[0].ns)
            break;
    }
}

/* The point, other than the chosen one, that might cost as much after all; MAX_CURVE_POINTS: none.
 */
static unsigned rival(const struct class_result *of)
{
    unsigned found = MAX_CURVE_POINTS;
    for (unsigned i = 0; i < of->point_count; i++) {
        const struct curve_point *point = &of->point[i];
        if (point->bytes == of->working_set || point->cost.samples < 2 * FINE_PERIODS ||
            (int64_t)point->cost.ns * 100 < (int64_t)of->cost.ns * RIVAL_PERCENT)
            continue;
        if (found == MAX_CURVE_POINTS || point->cost.ns > of->point[found].cost.ns)
            found = i;
    }
    return found;
}

/* Gives a point that lost the choice by little the same number of samples, and takes it if it then
 * costs more: the few samples that chose may have been unlucky, at a tenth of the cost from one
 * point to the next. */
static void challenge(struct engine *engine, struct class_result *into, struct class_work *work)
{
    unsigned other = rival(into);
    if (other == MAX_CURVE_POINTS || into->flags & CLASS_ZERO)
        return;
    const struct class_work kept_work = *work;
    const struct figure kept_cost = into->cost;
    uint64_t kept_bytes = into->working_set;
    uint16_t kept_flags = into->flags;
    int32_t kept_placement = into->placement_ns;
    into->working_set = into->point[other].bytes;
    confirm(engine, into, work);
    if (into->cost.ns > kept_cost.ns)
        return;
    *work = kept_work;
    into->cost = kept_cost;
    into->working_set = kept_bytes;
    into->flags = kept_flags;
    into->placement_ns = kept_placement;
}

static bool look_for_maximum(struct search *search)
{
    struct engine *engine = search->engine;
    struct class_result *into = search->into;
    if (engine->options->size != 0)
        return measure(search, engine->options->size, FINE_PERIODS);
    if (into->key.level ==
        LEVEL_CORE) /* shares every cache: one look is enough to see that moving is free */
        return measure(search, engine->screen.bytes, FINE_PERIODS);

    uint64_t capacity = engine_unshared_capacity(engine, into->cpu_a, into->cpu_b);
    if (capacity != 0 && !(engine->result->flags & FLAG_TOPOLOGY_UNTRUSTED) &&
        !(into->flags & CLASS_SPLIT))
        return climb_to(search, capacity) && refine(search);
    into->flags |= CLASS_NO_CAPACITY;
    if (!climb_blind(search))
        return false;
    /* What CPUID says is a candidate even where it is not trusted. */
    if (capacity != 0 && !all_near_zero(search) && !measure_capacity(search, capacity))
        return false;
    return refine(search);
}

/* False when the run has to end. */
static bool class_curve(struct engine *engine, struct class_result *into, struct class_work *work)
{
    struct search search = {.engine = engine, .into = into, .work = work};
    bool whole = look_for_maximum(&search);
    if (into->point_count == 0)
        return false;
    unsigned best = best_point(&search);
    into->working_set = into->point[best].bytes;
    into->cost = into->point[best].cost;
    mark_zero(into, into->point[best].stay.ns); /* should the run end before it is measured anew */
    if (best + 1 == into->point_count &&
        (into->flags & CLASS_NO_CAPACITY ||
         engine_unshared_capacity(engine, into->cpu_a, into->cpu_b) > engine->region_bytes))
        into->flags |= CLASS_EDGE;
    if (!whole)
        return false;
    confirm(engine, into, work);
    challenge(engine, into, work);
    return true;
}

void engine_curves(struct engine *engine)
{
    struct result *result = engine->result;
    for (unsigned which = 0; which < result->class_count; which++) {
        engine->progress = (struct progress){"curves", which, result->class_count};
        if (!class_curve(engine, &result->classes[which], &engine->work[which]))
            return;
    }
}
