/* SPDX-License-Identifier: BSD-2-Clause */
/* The working set of each class. The cost rises with the working set while that fits the caches
 * that the pair does not share, and falls or turns negative beyond. Where a capacity is known it is
 * looked at first, and has to show that the cost grew up to it as the lines did, and does not
 * beyond; where it does not, or none is known, the largest cost is searched, and chosen by its
 * lower confidence bound, since a plain maximum of noisy values picks noise (docs/method.md). */
#include "engine_curve.h"
#include "mem.h"

#define HINTS_MAX         6u
#define RISING_PERCENT    108 /* of the best: beyond it lies more */
#define NEARER_PERCENT    93
#define ALL_MISSED        115 /* percent of a move: surely 85, should a disturbance have lengthened it */
#define MUCH_LESS_PERCENT 70
#define CHOICES_MAX       4u

enum outcome { OUTCOME_END, OUTCOME_PEAK, OUTCOME_RISING, OUTCOME_LESS };

/* A little beyond a capacity that the cost grew up to, where CPUID is trusted: a line has to cost a
 * CPU that stays far more than within, or its cache is larger than said. */
static enum outcome beyond_trusted(struct search *search, unsigned at, uint64_t beyond)
{
    struct engine *engine = search->engine;
    int64_t within =
        engine_in_proportion(search->figures[at].stay[0].ns, search->into->point[at].bytes, beyond);
    for (unsigned tries = 0; tries < 2; tries++) {
        if (curve_stay_ns(engine, search->into->cpu_b, beyond, 1) * 100 > within * CURVE_STAY_JUMPS)
            return engine->ended ? OUTCOME_END : OUTCOME_PEAK;
    }
    int64_t cost = search->into->point[at].cost.ns;
    unsigned above = curve_look(search, beyond, cost * CURVE_FALLEN_PERCENT / 100, NULL);
    if (above == MAX_CURVE_POINTS)
        return OUTCOME_END;
    return (int64_t)search->into->point[above].cost.ns * 100 > cost * RISING_PERCENT
               ? OUTCOME_RISING
               : OUTCOME_PEAK;
}

/* The same where nobody is trusted about what is shared: beyond the outermost cache that the pair
 * does not share, a CPU that stays pays what a move costs, or moves find their lines nearer than in
 * the other's cache. Where no larger capacity is known (`last`), a cost that falls is enough. */
static enum outcome beyond_doubted(struct search *search, unsigned at, uint64_t beyond, bool last)
{
    struct engine *engine = search->engine;
    const struct class_result *of = search->into;
    struct chain chain = engine_pair(engine, of->cpu_a, of->cpu_b, beyond);
    struct chain_figures within, now;
    chain_figures(engine->machine, &search->work->base, &within);
    if (within.both.samples == 0)
        within = search->figures[at];
    uint64_t bytes = within.both.samples == 0 ? of->point[at].bytes : search->work->base_bytes;
    int64_t stay = curve_stay_ns(engine, of->cpu_b, beyond, 2);
    if (engine->ended)
        return OUTCOME_END;
    if (stay * 100 >= engine_in_proportion(within.move[0].ns, bytes, beyond) * ALL_MISSED)
        return OUTCOME_PEAK;
    engine_samples_reset(engine);
    for (unsigned periods = 1; periods <= CURVE_LOOKS_MAX; periods++) {
        if (!engine_figures(engine, &chain, 1, &now))
            return OUTCOME_END;
        chain.primed = true;
        unsigned nearer = 0;
        for (unsigned d = 0; d < 2; d++)
            nearer += (int64_t)now.move[d].ns * 100 <
                      engine_in_proportion(within.move[d].ns, bytes, beyond) * NEARER_PERCENT;
        if (nearer == 2)
            return OUTCOME_PEAK;
        if ((int64_t)now.both.ns * 100 > (int64_t)of->point[at].cost.ns * RISING_PERCENT)
            return OUTCOME_RISING;
    }
    bool fallen = (int64_t)now.both.ns * 100 < (int64_t)of->point[at].cost.ns * MUCH_LESS_PERCENT;
    return last && fallen ? OUTCOME_PEAK : OUTCOME_RISING;
}

/* True if both CPUs that stay pay more than any disturbance makes of what they paid before. */
static bool overflows(const struct search *search, unsigned at)
{
    const struct chain_figures *now = &search->figures[at];
    bool all = true;
    for (unsigned d = 0; d < 2; d++)
        all = all && (int64_t)now->stay[d].ns * 100 >
                         curve_expected(search, at, &now[-1].stay[d]) * CURVE_STAY_JUMPS;
    return all;
}

/* One capacity: does the cost grow up to it, and not beyond? */
static enum outcome try_capacity(struct search *search, uint64_t capacity, bool trusted, bool last)
{
    struct engine *engine = search->engine;
    if (!curve_base(search, capacity))
        return OUTCOME_END;
    if (curve_near_zero(search))
        return OUTCOME_PEAK;
    unsigned periods = 0, at = curve_look(search, capacity, INT32_MIN, &periods);
    if (at == MAX_CURVE_POINTS)
        return OUTCOME_END;
    uint64_t bytes = search->into->point[at].bytes, beyond = engine_beyond(bytes);
    bool less = false;
    for (;;) {
        if (periods > 0)
            engine_with_base(engine, search->into, search->work, bytes, &engine->samples,
                             &search->figures[at]);
        curve_keep(search, at);
        less = at > 0 && curve_percent(search, at, at - 1) < CURVE_RISEN_PERCENT;
        if (!less || periods == 0 || periods >= CURVE_LOOKS_MAX || overflows(search, at))
            break;
        struct chain chain = engine_pair(engine, search->into->cpu_a, search->into->cpu_b, bytes);
        struct chain_figures unused;
        chain.primed = true;
        if (!engine_figures(engine, &chain, 1, &unused))
            return OUTCOME_END;
        /* It may be the base that errs: more of it, too. */
        if (++periods == CURVE_LOOKS_MAX && !curve_base_again(search, at - 1))
            return OUTCOME_END;
    }
    curve_take_peak(search, bytes, periods);
    if (less)
        return OUTCOME_LESS;
    beyond = touch_round(beyond, engine->line);
    bool by_hand = trusted && engine->result->flags & FLAG_CAPACITY_BY_HAND;
    if (beyond > engine->region_bytes || by_hand)
        return OUTCOME_PEAK;
    return trusted ? beyond_trusted(search, at, beyond) : beyond_doubted(search, at, beyond, last);
}

/* Capacities that may matter to a pair, ascending: where nobody is to be trusted about what is
 * shared, those of every level. */
static unsigned hints(const struct search *search, bool trusted, uint64_t *ret)
{
    const struct engine *engine = search->engine;
    const struct class_result *of = search->into;
    unsigned count = 0;
    uint64_t known = engine_unshared_capacity(engine, of->cpu_a, of->cpu_b);
    if (trusted && known != 0) {
        ret[0] = known;
        return 1;
    }
    for (unsigned level = 2; level < CACHE_LEVELS; level++) {
        for (unsigned i = 0; i < 2; i++) {
            uint64_t bytes = engine_capacity(engine, i == 0 ? of->cpu_a : of->cpu_b, level);
            unsigned at = 0;
            while (at < count && ret[at] < bytes)
                at++;
            if (bytes == 0 || (at < count && ret[at] == bytes))
                continue;
            for (unsigned k = count; k > at; k--)
                ret[k] = ret[k - 1];
            ret[at] = bytes;
            count++;
        }
    }
    return count;
}

static bool look_for_maximum(struct search *search)
{
    struct engine *engine = search->engine;
    struct class_result *into = search->into;
    uint64_t given = engine->options->size;
    if (given != 0 || into->key.level == LEVEL_CORE) {
        /* SMT siblings share every cache: one look is enough to see that moving is free. */
        unsigned periods = 0;
        unsigned at =
            curve_look(search, given != 0 ? given : engine->screen.bytes, INT32_MIN, &periods);
        if (at == MAX_CURVE_POINTS)
            return false;
        curve_take_peak(search, into->point[at].bytes, periods);
        return true;
    }
    bool trusted = !(engine->result->flags & (FLAG_TOPOLOGY_UNTRUSTED | FLAG_HYPERVISOR)) &&
                   !(into->flags & CLASS_SPLIT);
    uint64_t capacity[HINTS_MAX];
    unsigned count = hints(search, trusted, capacity);
    if (!trusted || count == 0)
        into->flags |= CLASS_NO_CAPACITY;
    enum outcome outcome = OUTCOME_RISING;
    for (unsigned i = 0; i < count && outcome == OUTCOME_RISING; i++) {
        outcome = try_capacity(search, capacity[i], trusted, i + 1 == count);
        if (outcome == OUTCOME_END)
            return false;
        if (outcome == OUTCOME_PEAK)
            return true;
        if (outcome == OUTCOME_LESS && i + 1 < count)
            outcome = OUTCOME_RISING; /* whatever that was: a larger one is to be looked at */
        if (outcome == OUTCOME_LESS) {
            bool found = false;
            return curve_try_smaller(search, &found) &&
                   (found || curve_descend(search, capacity[i]));
        }
        search->peak_periods = 0;
    }
    into->flags |= CLASS_NO_CAPACITY;
    return curve_search(search, count > 0 ? capacity[count - 1] * 2 : CURVE_MIN);
}

/* What is known should the run end before the cost is settled. */
static void take_point(struct search *search, unsigned at)
{
    const struct engine *engine = search->engine;
    struct class_result *into = search->into;
    into->working_set = into->point[at].bytes;
    into->cost = into->point[at].cost;
    engine_mark_zero(into, into->point[at].stay.ns);
    into->flags &= (uint16_t)~CLASS_EDGE;
    if (at + 1 == into->point_count && engine->options->size == 0 &&
        into->key.level != LEVEL_CORE && engine_beyond(into->working_set) > engine->region_bytes &&
        (into->flags & CLASS_NO_CAPACITY ||
         engine_unshared_capacity(engine, into->cpu_a, into->cpu_b) > engine->region_bytes))
        into->flags |= CLASS_EDGE;
}

/* Measures anew what was chosen, since the samples that won the choice flatter it; where another
 * one then looks better, that one too, and takes the better. */
static bool settle_best(struct search *search)
{
    struct class_work *work = search->work;
    struct class_result *into = search->into;
    struct class_result kept = *into;
    struct class_work kept_work = *work;
    bool any = false, settled[MAX_CURVE_POINTS] = {false};
    for (unsigned tries = 0; tries < CHOICES_MAX; tries++) {
        unsigned best = curve_best(search);
        if (settled[best])
            break;
        take_point(search, best);
        uint64_t bytes = into->working_set;
        if (work->base_bytes == 0 || work->base_bytes * 2 > bytes) {
            unsigned before = into->point_count;
            if (!curve_base(search, bytes))
                return false;
            for (unsigned i = into->point_count; i > before; i--) /* a point below has come in */
                memmove(settled + 1, settled, sizeof(settled) - sizeof(settled[0]));
        }
        if (!engine_settle(search->engine, into, work, 0))
            return false;
        best = curve_find(search, bytes);
        if (best == MAX_CURVE_POINTS)
            return true;
        into->point[best].cost = search->figures[best].both = into->cost;
        search->sure[best] = settled[best] = true;
        if (any && kept.cost.ns >= into->cost.ns)
            break;
        kept = *into;
        kept_work = *work;
        any = true;
        if (into->flags & CLASS_ZERO)
            return true;
    }
    if (any && kept.cost.ns > into->cost.ns) {
        into->working_set = kept.working_set;
        into->cost = kept.cost;
        into->placement_ns = kept.placement_ns;
        into->flags = kept.flags;
        *work = kept_work;
    }
    return true;
}

/* False when the run has to end. */
static bool class_curve(struct engine *engine, struct class_result *into, struct class_work *work)
{
    struct search search = {.engine = engine, .into = into, .work = work};
    bool whole = look_for_maximum(&search);
    if (into->point_count == 0)
        return false;
    unsigned peak =
        search.peak_periods > 0 ? curve_find(&search, search.peak_bytes) : MAX_CURVE_POINTS;
    take_point(&search, peak != MAX_CURVE_POINTS ? peak : curve_best(&search));
    if (!whole)
        return false;
    if (peak == MAX_CURVE_POINTS)
        return settle_best(&search);
    engine->samples = search.peak;
    return engine_settle(engine, into, work, search.peak_periods);
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
