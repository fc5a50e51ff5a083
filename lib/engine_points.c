/* SPDX-License-Identifier: BSD-2-Clause */
/* The points of a class's cost curve: how a working set is measured with few samples, and when
 * these are believed. */
#include "engine_curve.h"
#include "stats.h"

#define BASE_AGAIN 4u

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
        search->sure[i] = search->sure[i - 1];
    }
    into->point_count++;
    into->point[at] = (struct curve_point){.bytes = bytes};
    search->figures[at] = (struct chain_figures){0};
    search->sure[at] = false;
    return at;
}

/* The index of a working set that was measured; MAX_CURVE_POINTS where it was not. */
unsigned curve_find(const struct search *search, uint64_t bytes)
{
    unsigned at = 0;
    while (at < search->into->point_count && search->into->point[at].bytes != bytes)
        at++;
    return at < search->into->point_count ? at : MAX_CURVE_POINTS;
}

void curve_keep(struct search *search, unsigned at)
{
    search->into->point[at].cost = search->figures[at].both;
    search->into->point[at].stay = search->figures[at].stay[0];
}

static int64_t apart(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* What the next smaller working set lets expect of a leg. */
int64_t curve_expected(const struct search *search, unsigned at, const struct figure *smaller)
{
    const struct curve_point *point = &search->into->point[at];
    return engine_in_proportion(smaller->ns, point[-1].bytes, point->bytes);
}

static void put_cost(struct chain_figures *figures, unsigned d)
{
    figures->cost[d].ns = figures->move[d].ns - figures->stay[d].ns;
    figures->both.ns = figures->cost[0].ns / 2 + figures->cost[1].ns / 2;
}

/* A few samples decide where they are as expected, or agree among each other, or are so much longer
 * that no disturbance makes it. A single one that is longer was disturbed if the CPUs are alike,
 * and is put to what was expected: what is beyond a cache shows in more than one leg. */
static bool believed(struct search *search, unsigned at)
{
    struct chain_figures *now = &search->figures[at];
    const struct chain_figures *before = now - 1;
    unsigned off = 0, longer = 0, far = 0, of = 0;
    struct figure *leg = NULL;
    int64_t wanted = 0;
    if (now->both.samples == 0 || at == 0)
        return now->both.samples >= 4;
    for (unsigned d = 0; d < 2; d++) {
        struct figure *legs[2] = {&now->move[d], &now->stay[d]};
        const struct figure *smaller[2] = {&before->move[d], &before->stay[d]};
        for (unsigned i = 0; i < 2; i++) {
            int64_t like = curve_expected(search, at, smaller[i]);
            if (legs[i]->samples >= 2 ||
                apart(legs[i]->ns, like) * 100 <= like * CURVE_SURPRISE_PERCENT)
                continue;
            off++;
            longer += legs[i]->ns > like;
            far += i == 1 && (int64_t)legs[i]->ns * 100 > like * CURVE_STAY_JUMPS;
            leg = legs[i];
            wanted = like;
            of = d;
        }
    }
    if (off == 1 && longer == 1 &&
        engine_alike(search->engine, search->into->cpu_a, search->into->cpu_b)) {
        leg->ns = (int32_t)wanted;
        put_cost(now, of);
        curve_keep(search, at);
        return true;
    }
    return off == 0 || far == 2;
}

/* The cost at a point in percent of what its lines let expect from another. */
int64_t curve_percent(const struct search *search, unsigned at, unsigned from)
{
    const struct curve_point *point = &search->into->point[at];
    const struct curve_point *other = &search->into->point[from];
    int64_t expected = engine_in_proportion(other->cost.ns, other->bytes, point->bytes);
    return expected <= 0 ? 0 : (int64_t)point->cost.ns * 100 / expected;
}

/* Measures one working set with as few periods as will do. A cost that falls below `floor_ns` is
 * believed at once: nobody will take it for the largest. The samples stay in engine->samples.
 * Returns its index, MAX_CURVE_POINTS when the run has to end or there is no room. */
unsigned curve_look(struct search *search, uint64_t bytes, int64_t floor_ns, unsigned *ret_periods)
{
    struct engine *engine = search->engine;
    bytes = touch_round(bytes, engine->line);
    if (bytes > engine->region_bytes)
        bytes = touch_round(engine->region_bytes / 8 * 7, engine->line);
    unsigned at = insert(search, bytes);
    if (at == MAX_CURVE_POINTS)
        return engine->ended ? at : curve_find(search, bytes);
    struct chain chain = engine_pair(engine, search->into->cpu_a, search->into->cpu_b, bytes);
    engine_samples_reset(engine);
    unsigned periods = 0;
    do {
        unsigned now = periods == 0 && at == 0 ? 2 : 1;
        chain.primed = periods > 0;
        if (!engine_figures(engine, &chain, now, &search->figures[at]))
            return MAX_CURVE_POINTS;
        periods += now;
        curve_keep(search, at);
        if (search->figures[at].both.samples > 0 && search->figures[at].both.ns < floor_ns)
            break;
        search->sure[at] = believed(search, at);
    } while (!search->sure[at] && periods < CURVE_LOOKS_MAX);
    search->sure[at] = search->sure[at] || periods == CURVE_LOOKS_MAX;
    if (ret_periods != NULL)
        *ret_periods = periods;
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

/* Lower confidence bound of a point. */
int64_t curve_lower(const struct search *search, unsigned at)
{
    return chain_lower(&search->figures[at], usual_noise(search));
}

unsigned curve_best(const struct search *search)
{
    unsigned best = 0;
    for (unsigned i = 1; i < search->into->point_count; i++) {
        bool surer = search->sure[i] && !search->sure[best];
        if (surer || (search->sure[i] == search->sure[best] &&
                      curve_lower(search, i) > curve_lower(search, best)))
            best = i;
    }
    return best;
}

/* True if neither the screening nor any point so far shows a cost worth the name: larger working
 * sets are then spared, since a cost grows with the working set from the smallest on. */
bool curve_near_zero(const struct search *search)
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

/* More samples of the base, whose point is at `at`. */
bool curve_base_again(struct search *search, unsigned at)
{
    struct class_work *work = search->work;
    if (work->base_bytes == 0 || search->into->point[at].bytes != work->base_bytes)
        return true;
    if (!engine_base(search->engine, search->into, work, BASE_AGAIN))
        return false;
    chain_figures(search->engine->machine, &work->base, &search->figures[at]);
    curve_keep(search, at);
    return true;
}

/* The base of a working set, which is a point of the curve too. */
bool curve_base(struct search *search, uint64_t bytes)
{
    struct engine *engine = search->engine;
    struct class_work *work = search->work;
    uint64_t wanted = engine_base_bytes(engine, search->into->cpu_a, search->into->cpu_b, bytes);
    if (wanted == work->base_bytes || wanted == 0)
        return true;
    work->base_bytes = wanted;
    work->base_periods = 0;
    /* The nearer the base is to the working set, the less is saved by sampling it. */
    unsigned parts = (unsigned)(bytes / wanted);
    if (!engine_base(engine, search->into, work, parts >= 7 ? 6 : parts >= 3 ? 4 : 3))
        return false;
    unsigned at = insert(search, wanted);
    if (at == MAX_CURVE_POINTS)
        at = curve_find(search, wanted);
    if (at != MAX_CURVE_POINTS) {
        chain_figures(engine->machine, &work->base, &search->figures[at]);
        search->sure[at] = true;
        curve_keep(search, at);
    }
    return true;
}

/* What one CPU pays for staying, ns: the shortest of `samples`, since disturbances lengthen.
 * INT32_MAX where it is not to be had. */
int64_t curve_stay_ns(struct engine *engine, unsigned cpu, uint64_t bytes, unsigned samples)
{
    struct chain chain = engine_pair(engine, cpu, cpu, bytes);
    int64_t least = INT32_MAX;
    chain_jobs(&chain, 1, 0, engine->jobs); /* its first touch only fetches */
    if (!engine_batch(engine, 1 + samples))
        return INT32_MAX;
    for (unsigned i = 1; i <= samples; i++) {
        int64_t ns = chain_ns(engine->machine, (int64_t)engine->results[i].ticks);
        if (engine->results[i].status == TOUCH_DONE && ns < least)
            least = ns;
    }
    return least;
}

/* The working set that was just looked at is taken, with its samples. */
void curve_take_peak(struct search *search, uint64_t bytes, unsigned periods)
{
    if (periods > 0)
        search->peak = search->engine->samples;
    search->peak_periods = periods;
    search->peak_bytes = bytes;
}
