/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of a pair at one working set, from few bytes. A move costs the same for every line as
 * long as the lines come from the other's caches, so it is measured at a part of the working
 * set, where a sample costs that part; the stay, which does not grow evenly, at the working set
 * itself, together with a few moves that have to confirm the scaled ones (docs/method.md). */
#include "engine_state.h"
#include "mem.h"

#define BASE_PARTS        16u
#define BASE_MIN          (16u << 10)
#define BASE_PERIODS_MORE 4u
#define BASE_PERIODS_MAX  24u
#define FRESH_PERIODS     2u
#define WHOLE_PERIODS_MAX 6u
#define SURE_PERIODS      4u
#define GOAL              34 /* more samples while the spread is more than one part in so many .. */
#define MOVE_PERCENT      1 /* .. scaled and whole legs that differ by this and 3 errors are not one */
#define STAY_PERCENT      10

uint64_t engine_base_bytes(const struct engine *engine, unsigned cpu_a, unsigned cpu_b,
                           uint64_t bytes)
{
    const struct cpu_info *cpus = engine->machine->cpus;
    const unsigned pair[2] = {cpu_a, cpu_b};
    unsigned outermost = topology_unshared_cache(&cpus[cpu_a], &cpus[cpu_b]);
    uint64_t inner = 0;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned level = 1; level < CACHE_LEVELS; level++) {
            uint64_t capacity = engine_capacity(engine, pair[i], level);
            if (level != outermost && capacity < bytes / 4 * 3 && capacity > inner)
                inner = capacity;
        }
    }
    /* Beyond the inner caches, where lines lie as they do at the whole working set. */
    for (unsigned parts = BASE_PARTS; parts > 1; parts /= 2) {
        uint64_t base = touch_round(bytes / parts, engine->line);
        if (base >= BASE_MIN && base >= (parts > 4 ? 2 * inner : inner / 8 * 9))
            return base;
    }
    return 0;
}

bool engine_base(struct engine *engine, const struct class_result *of, struct class_work *work,
                 unsigned periods)
{
    struct chain chain = engine_pair(engine, of->cpu_a, of->cpu_b, work->base_bytes);
    if (work->base_periods == 0)
        memset(&engine->base_samples, 0, sizeof(engine->base_samples));
    work->base_periods += periods;
    return engine_chain(engine, &chain, periods, &engine->base_samples, &work->base);
}

/* A leg of the base, brought up to the working set: all but the clock's own read grows with it. */
static struct chain_leg scaled(const struct engine *engine, const struct class_work *work,
                               struct chain_leg leg, uint64_t bytes)
{
    /* Ticks are below 2^33 (a second), lines below 2^28: no overflow. */
    uint64_t lines = bytes / engine->line, base = work->base_bytes / engine->line;
    int64_t read = engine->machine->clock.read_cost;
    leg.ticks = (leg.ticks - read) * (int64_t)lines / (int64_t)base + read;
    leg.error = leg.error * lines / base;
    return leg;
}

static uint64_t apart(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)(a - b) : (uint64_t)(b - a);
}

static bool same_leg(struct chain_leg a, struct chain_leg b, unsigned percent)
{
    uint64_t noise = 3 * chain_hypotenuse(a.error, b.error),
             size = a.ticks > 0 ? (uint64_t)a.ticks : 0;
    return a.count > 0 && b.count > 0 && apart(a.ticks, b.ticks) <= noise + size * percent / 100;
}

/* The legs at a working set, from samples there and from the base. A stay is as at the base while
 * the working set fits that CPU's caches; a move while it fits those of both: of the other, where
 * its lines come from, and of its own, which else has to write back others for them. The stays tell
 * that by far more clearly than the move itself. Where the CPUs are alike, a single leg that is
 * longer was disturbed: what overflows shows in more. Returns how many of the two moves rest on the
 * base too. */
static unsigned put_together(const struct engine *engine, const struct class_result *of,
                             const struct class_work *work, uint64_t bytes,
                             const struct chain_legs *whole, struct chain_legs *ret)
{
    struct chain_legs base;
    unsigned unlike = 0, longer = 0, based = 0;
    bool same[LEG_KINDS][2];
    *ret = *whole;
    if (work->base_bytes == 0 || work->base_periods == 0 || work->base_bytes >= bytes)
        return 0;
    for (unsigned kind = 0; kind < LEG_KINDS; kind++) {
        for (unsigned d = 0; d < 2; d++) {
            const struct chain_leg *here = &whole->leg[kind][d];
            base.leg[kind][d] = scaled(engine, work, work->base.leg[kind][d], bytes);
            same[kind][d] =
                same_leg(base.leg[kind][d], *here, kind == LEG_MOVE ? MOVE_PERCENT : STAY_PERCENT);
            unlike += !same[kind][d];
            longer += !same[kind][d] && here->count == 1 && here->ticks > base.leg[kind][d].ticks;
        }
    }
    bool disturbed = unlike == 1 && longer == 1 && engine_alike(engine, of->cpu_a, of->cpu_b);
    for (unsigned d = 0; d < 2; d++) {
        const struct chain_leg *stay = &base.leg[LEG_STAY][d];
        if (disturbed && !same[LEG_STAY][d])
            ret->leg[LEG_STAY][d] = *stay;
        else if (same[LEG_STAY][d] && same_leg(*stay, whole->leg[LEG_STAY][d], 0))
            ret->leg[LEG_STAY][d] = chain_merge(*stay, whole->leg[LEG_STAY][d]);

        const struct chain_leg *move = &base.leg[LEG_MOVE][d];
        if (!disturbed && !(same[LEG_MOVE][d] && same[LEG_STAY][0] && same[LEG_STAY][1]))
            continue;
        based++;
        ret->leg[LEG_MOVE][d] =
            same[LEG_MOVE][d] ? chain_merge(*move, whole->leg[LEG_MOVE][d]) : *move;
    }
    return based;
}

void engine_with_base(const struct engine *engine, const struct class_result *of,
                      const struct class_work *work, uint64_t bytes, struct chain_samples *samples,
                      struct chain_figures *ret)
{
    struct chain_legs whole, legs;
    chain_legs(engine->machine, samples, engine->noise_ppm, &whole);
    put_together(engine, of, work, bytes, &whole, &legs);
    chain_figures(engine->machine, &legs, ret);
}

/* T(d after d) - T(s after s), where it is more than the noise. */
static int32_t placement(const struct chain_figures *figures)
{
    int64_t off = (int64_t)figures->stay[0].ns - figures->stay[1].ns;
    int64_t noise = (int64_t)figures->stay[0].spread_ns + figures->stay[1].spread_ns;
    return off > noise || off < -noise ? (int32_t)off : 0;
}

void engine_mark_zero(struct class_result *class, int32_t stay_ns)
{
    int64_t cost = class->cost.ns, spread = class->cost.spread_ns;
    class->flags &= (uint16_t)~CLASS_ZERO;
    if (cost - spread <= 0 || cost * ZERO_SHARE < stay_ns)
        class->flags |= CLASS_ZERO;
}

static void keep(struct class_result *into, struct class_work *work,
                 const struct chain_figures *figures)
{
    into->cost = figures->both;
    into->placement_ns = placement(figures);
    for (unsigned d = 0; d < 2; d++) {
        work->directed[d] = figures->cost[d];
        work->stay[d] = figures->stay[d];
    }
    engine_mark_zero(into, figures->stay[0].ns);
}

/* The sum of the errors of one kind of leg. */
static uint64_t error_of(const struct chain_legs *legs, enum chain_leg_kind kind)
{
    return legs->leg[kind][0].error + legs->leg[kind][1].error;
}

bool engine_settle(struct engine *engine, struct class_result *into, struct class_work *work,
                   unsigned periods)
{
    struct chain chain = engine_pair(engine, into->cpu_a, into->cpu_b, into->working_set);
    struct chain_legs whole, legs;
    struct chain_figures figures;
    if (periods == 0) {
        engine_samples_reset(engine);
        periods = FRESH_PERIODS;
        if (!engine_chain(engine, &chain, periods, &engine->samples, &whole))
            return false;
    } else {
        chain_legs(engine->machine, &engine->samples, engine->noise_ppm, &whole);
    }
    for (;;) {
        unsigned based = put_together(engine, into, work, into->working_set, &whole, &legs);
        chain_figures(engine->machine, &legs, &figures);
        if (figures.both.samples == 0)
            return true;
        keep(into, work, &figures);
        int64_t cost = into->cost.ns, spread = into->cost.spread_ns;
        /* Where base and whole differ, a few samples of the whole may be the ones that err. */
        bool sure = based == 2 || periods >= SURE_PERIODS;
        if (sure && (spread * GOAL <= cost || (cost + spread) * ZERO_SHARE < figures.stay[0].ns))
            return true;
        if (based == 2 && work->base_periods < BASE_PERIODS_MAX &&
            error_of(&legs, LEG_MOVE) > error_of(&legs, LEG_STAY)) {
            if (!engine_base(engine, into, work, BASE_PERIODS_MORE))
                return false;
        } else if (periods < WHOLE_PERIODS_MAX) {
            periods++;
            if (!engine_chain(engine, &chain, 1, &engine->samples, &whole))
                return false;
        } else {
            return true;
        }
    }
}
