/* SPDX-License-Identifier: BSD-2-Clause */
/* Screening: every pair at one small working set, disjoint pairs in parallel lanes where a sample
 * of them measured alone agrees. What looks alike here is measured in full only once. */
#include "engine_state.h"
#include "stats.h"

#define SCREEN_BYTES_MIN    (16u << 10)
#define SCREEN_BYTES        (32u << 10)  /* what it begins with .. */
#define SCREEN_BYTES_MAX    (128u << 10) /* .. and ends with where the clock is coarse */
#define STEPS_MIN           100u         /* clock steps in the shortest leg */
#define LANES_AGREE_PERCENT 5
#define LANES_CHECKED       3u /* pairs measured alone to check the lanes */

struct pair {
    uint16_t a, b;
};

/* Screening must stay inside the caches that no pair shares, and cost little: it is done for every
 * pair. */
static uint64_t screen_bytes(const struct engine *engine)
{
    uint64_t smallest = 0;
    for (unsigned i = 0; i < engine->machine->cpu_count; i++) {
        uint64_t capacity = engine_capacity(engine, i, 2);
        if (capacity == 0)
            capacity = engine_capacity(engine, i, 1);
        if (capacity != 0 && (smallest == 0 || capacity < smallest))
            smallest = capacity;
    }
    uint64_t bytes = smallest == 0 ? SCREEN_BYTES : smallest / 8;
    if (bytes < SCREEN_BYTES_MIN)
        bytes = SCREEN_BYTES_MIN;
    if (bytes > SCREEN_BYTES)
        bytes = SCREEN_BYTES;
    if (engine->options->size != 0 && bytes > engine->options->size)
        bytes = engine->options->size;
    if (bytes > engine->region_bytes / 2)
        bytes = engine->region_bytes / 2;
    return touch_round(bytes, engine->line);
}

/* One pair's costs become its two cells. */
static void keep(struct engine *engine, unsigned a, unsigned b, const struct chain_figures *figures)
{
    unsigned n = engine->machine->cpu_count;
    if (figures->both.samples == 0)
        return;
    engine->screen.cost_ns[a * n + b] = figures->cost[0].ns;
    engine->screen.cost_ns[b * n + a] = figures->cost[1].ns;
}

int32_t screen_pair_ns(const struct engine *engine, unsigned a, unsigned b)
{
    unsigned n = engine->machine->cpu_count;
    int32_t forth = engine->screen.cost_ns[a * n + b], back = engine->screen.cost_ns[b * n + a];
    if (forth == COST_UNKNOWN || back == COST_UNKNOWN)
        return COST_UNKNOWN;
    return (int32_t)(((int64_t)forth + back) / 2);
}

bool screen_one(struct engine *engine, unsigned a, unsigned b, unsigned periods,
                struct chain_figures *ret_figures)
{
    struct chain chain = engine_pair(engine, a, b, engine->screen.bytes);
    engine_samples_reset(engine);
    if (!engine_figures(engine, &chain, periods, ret_figures))
        return false;
    keep(engine, a, b, ret_figures);
    return true;
}

/* Screens up to SCREEN_LANES_MAX disjoint pairs at the same time. */
static bool screen_together(struct engine *engine, const struct pair *pairs, unsigned lanes)
{
    unsigned jobs = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        struct chain chain =
            engine_pair(engine, pairs[lane].a, pairs[lane].b, engine->screen.bytes);
        chain.offset = lane * engine->screen.bytes;
        jobs += chain_jobs(&chain, SCREEN_PERIODS, (uint16_t)lane, engine->jobs + jobs);
    }
    if (!engine_batch(engine, jobs))
        return false;
    for (unsigned lane = 0; lane < lanes; lane++) {
        struct chain chain = {.primed = false};
        struct chain_legs legs;
        struct chain_figures figures;
        engine_samples_reset(engine);
        engine_collect(engine, engine->results + lane * (1 + 4 * SCREEN_PERIODS), &chain,
                       SCREEN_PERIODS, false, &engine->samples);
        chain_legs(engine->machine, &engine->samples, engine->noise_ppm, &legs);
        chain_figures(engine->machine, &legs, &figures);
        keep(engine, pairs[lane].a, pairs[lane].b, &figures);
    }
    for (unsigned lane = 0; lane < lanes; lane++) { /* what SMIs left without samples (B7) */
        struct chain_figures figures;
        unsigned a = pairs[lane].a, b = pairs[lane].b;
        if (screen_pair_ns(engine, a, b) == COST_UNKNOWN &&
            machine_cpu_usable(engine->machine, a) && machine_cpu_usable(engine->machine, b) &&
            !screen_one(engine, a, b, SCREEN_PERIODS, &figures))
            return false;
    }
    return true;
}

/* The pairs of one round of a round-robin tournament over `count` CPUs (count even; position count
 * - 1 stays in place, the others rotate): disjoint, and all rounds together meet every pair once.
 */
static struct pair tournament(unsigned count, unsigned round, unsigned table)
{
    unsigned a = table == 0 ? count - 1 : (round + table) % (count - 1);
    unsigned b = (round + count - 1 - table) % (count - 1);
    return (struct pair){(uint16_t)a, (uint16_t)b};
}

static bool share_core(const struct engine *engine, struct pair p, struct pair q)
{
    const struct cpu_info *cpus = engine->machine->cpus;
    const unsigned of_p[2] = {p.a, p.b}, of_q[2] = {q.a, q.b};
    for (unsigned i = 0; i < 4; i++) {
        if (topology_level(&cpus[of_p[i / 2]], &cpus[of_q[i % 2]]) == LEVEL_CORE)
            return true;
    }
    return false;
}

/* Takes pairs off `waiting` that may run together: at most `lanes`, no two on one core (a busy
 * sibling halves buffers). Returns their number; the rest moves up. */
static unsigned take(const struct engine *engine, struct pair *waiting, unsigned *count,
                     unsigned lanes, struct pair *taken)
{
    unsigned n = 0, left = 0;
    for (unsigned i = 0; i < *count; i++) {
        bool fits = n < lanes;
        for (unsigned k = 0; fits && k < n; k++)
            fits = !share_core(engine, waiting[i], taken[k]);
        if (fits)
            taken[n++] = waiting[i];
        else
            waiting[left++] = waiting[i];
    }
    *count = left;
    return n;
}

/* True if pairs measured alone agree with what they showed together. */
static bool lanes_agree(struct engine *engine, const struct pair *pairs, unsigned count)
{
    for (unsigned i = 0; i < count && i < LANES_CHECKED; i++) {
        struct pair p = pairs[i * (count - 1) / (LANES_CHECKED - 1)];
        int32_t together = screen_pair_ns(engine, p.a, p.b);
        struct chain_figures figures;
        if (!screen_one(engine, p.a, p.b, 2 * SCREEN_PERIODS, &figures))
            return true;
        int32_t alone = screen_pair_ns(engine, p.a, p.b);
        if (together == COST_UNKNOWN || alone == COST_UNKNOWN)
            continue;
        int64_t apart = together > alone ? (int64_t)together - alone : (int64_t)alone - together;
        int64_t noise = (int64_t)engine->screen.equal_ns / 2 + figures.both.spread_ns;
        if (apart * 100 > (int64_t)alone * LANES_AGREE_PERCENT + noise * 100)
            return false;
    }
    return true;
}

/* Small enough to be cheap, long enough for the clock: doubles the working set until its stay has
 * enough steps. */
static bool settle_bytes(struct engine *engine, unsigned a, unsigned b)
{
    const struct machine *machine = engine->machine;
    engine->screen.bytes = screen_bytes(engine);
    for (;;) {
        struct chain_figures figures;
        if (!screen_one(engine, a, b, SCREEN_PERIODS, &figures))
            return false;
        int32_t stay = figures.stay[0].ns;
        engine->screen.equal_ns = stay / ZERO_SHARE;
        engine->screen.near_zero_ns = stay / NEAR_ZERO_SHARE;
        uint64_t steps = machine_ns(machine, (uint64_t)machine->clock.resolution * STEPS_MIN);
        if ((uint64_t)stay >= steps || figures.stay[0].samples == 0)
            return true;
        if (engine->screen.bytes >= SCREEN_BYTES_MAX || engine->options->size != 0 ||
            engine->screen.bytes * 2 > engine->region_bytes) {
            engine->result->flags |= FLAG_CLOCK_COARSE;
            return true;
        }
        engine->screen.bytes *= 2;
    }
}

/* Halves the lanes until pairs measured alone agree with pairs measured together, and measures
 * these pairs again with what is left. Returns the number of lanes. */
static unsigned narrow(struct engine *engine, const struct pair *pairs, unsigned count)
{
    unsigned lanes = count;
    while (lanes > 1 && !lanes_agree(engine, pairs, lanes)) {
        lanes /= 2;
        for (unsigned first = 0; first < count; first += lanes) {
            unsigned n = count - first < lanes ? count - first : lanes;
            if (!screen_together(engine, pairs + first, n))
                return lanes;
        }
    }
    return lanes == count ? SCREEN_LANES_MAX : lanes;
}

void engine_screen(struct engine *engine)
{
    const struct machine *machine = engine->machine;
    uint16_t *usable = (uint16_t *)engine->values;
    unsigned count = 0;
    for (unsigned i = 0; i < machine->cpu_count; i++) {
        if (machine_cpu_usable(machine, i))
            usable[count++] = (uint16_t)i;
    }
    engine->progress = (struct progress){.step = "screening"};
    if (count < 2 || !settle_bytes(engine, usable[0], usable[1]) || count == 2)
        return;

    unsigned seats = count + count % 2, total = count * (count - 1) / 2;
    uint64_t room = engine->region_bytes / engine->screen.bytes;
    unsigned lanes = room > SCREEN_LANES_MAX ? SCREEN_LANES_MAX : (unsigned)room;
    bool checked = false;
    engine->progress.total = total;
    struct pair *waiting = (struct pair *)(usable + count + count % 2);
    for (unsigned round = 0; round + 1 < seats; round++) {
        unsigned left = 0;
        for (unsigned table = 0; table < seats / 2; table++) {
            struct pair seat = tournament(seats, round, table);
            if (seat.a < count && seat.b < count)
                waiting[left++] = (struct pair){usable[seat.a], usable[seat.b]};
        }
        while (left > 0) {
            struct pair taken[SCREEN_LANES_MAX];
            unsigned n = take(engine, waiting, &left, lanes, taken);
            if (!screen_together(engine, taken, n))
                return;
            if (!checked && n > 1) {
                unsigned kept = narrow(engine, taken, n);
                lanes = kept < lanes ? kept : lanes;
                checked = true;
            }
            engine->progress.done += n;
        }
    }
}
