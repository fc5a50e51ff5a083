/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of touches that measures one pair of CPUs. */
#include "chain.h"
#include "stats.h"

unsigned chain_jobs(const struct chain *chain, unsigned periods, uint16_t lane,
                    struct touch_job *jobs)
{
    unsigned count = 0;
    for (unsigned i = chain->primed; i < 1 + 4 * periods; i++) {
        bool on_a = i > 0 && (i - 1) % 4 < 2;
        jobs[count++] = (struct touch_job){
            .cpu = on_a ? chain->cpu_a : chain->cpu_b,
            .lane = lane,
            .region = chain->region,
            .pattern = chain->pattern,
            .access = chain->access,
            .offset = chain->offset,
            .bytes = chain->bytes,
        };
    }
    return count;
}

/* True for a sample that could have been taken but was disturbed. */
static bool collect_one(struct chain_samples *samples, enum chain_leg_kind kind, unsigned direction,
                        const struct touch_result *result, uint64_t ticks_max, bool disturbed_too)
{
    if (result->status == TOUCH_LOST)
        samples->lost = true;
    if (result->status != TOUCH_DONE || result->ticks > ticks_max)
        return false;
    if (result->noise != 0)
        samples->noisy = true;
    unsigned *count = &samples->count[kind][direction];
    if (result->noise != 0 && !disturbed_too)
        return true;
    if (*count < CHAIN_SAMPLES_MAX)
        samples->ticks[kind][direction][(*count)++] = (int64_t)result->ticks;
    return false;
}

bool chain_collect(struct chain_samples *samples, const struct touch_result *results,
                   const struct chain *chain, unsigned periods, uint64_t ticks_max,
                   bool disturbed_too)
{
    bool whole = true;
    if (!chain->primed && results++->status == TOUCH_LOST)
        samples->lost = true;
    for (unsigned leg = 0; leg < 4; leg++) { /* in their order: a after b, a, b after a, b */
        enum chain_leg_kind kind = leg % 2 == 0 ? LEG_MOVE : LEG_STAY;
        unsigned direction = leg < 2;
        bool take = disturbed_too && samples->count[kind][direction] == 0, left_out = false;
        for (unsigned p = 0; p < periods; p++)
            left_out |=
                collect_one(samples, kind, direction, &results[4 * p + leg], ticks_max, take);
        whole = whole && !(left_out && samples->count[kind][direction] == 0);
    }
    return whole;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

int32_t chain_saturate(int64_t ns)
{
    if (ns > INT32_MAX)
        return INT32_MAX;
    return ns < -INT32_MAX ? -INT32_MAX : (int32_t)ns;
}

struct figure chain_figure(int64_t ns, uint64_t spread_ns, unsigned samples)
{
    return (struct figure){
        .ns = chain_saturate(ns),
        .spread_ns = spread_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)spread_ns,
        .samples = (uint16_t)samples,
    };
}

int32_t chain_ns(const struct machine *machine, int64_t ticks)
{
    uint64_t ns = machine_ns(machine, magnitude(ticks));
    if (ns > INT32_MAX)
        ns = INT32_MAX;
    return ticks < 0 ? -(int32_t)ns : (int32_t)ns;
}

uint64_t chain_hypotenuse(uint64_t a, uint64_t b)
{
    unsigned shift = (a | b) >> 31 ? 10 : 0;
    a >>= shift;
    b >>= shift;
    return stats_isqrt(a * a + b * b) << shift;
}

#define CUT_ABOVE                                                                                \
    4               /* standard deviations from the lower half's top; disturbances lie far above \
                     */
#define CUT_BELOW 6 /* a clock that stepped back (B3) */

static uint64_t part(int64_t value, uint32_t ppm)
{
    uint64_t size = magnitude(value);
    return size / 1000000 * ppm + size % 1000000 * ppm / 1000000;
}

struct chain_leg chain_leg(int64_t *ticks, unsigned count, uint32_t noise_ppm, uint32_t resolution)
{
    struct chain_leg leg = {0};
    if (count == 0)
        return leg;
    stats_sort(ticks, count);
    /* Of two samples the shorter, of more the lower median: half of them may be disturbed. */
    int64_t middle = ticks[(count - 1) / 2];
    uint64_t known = part(middle, noise_ppm), sigma = known;
    if (count >= 4 && sigma < (uint64_t)(middle - ticks[0]) / 2) /* it is noisier here */
        sigma = (uint64_t)(middle - ticks[0]) / 2;
    if (sigma < resolution)
        sigma = resolution;
    int64_t low = middle - (int64_t)sigma * CUT_BELOW, high = middle + (int64_t)sigma * CUT_ABOVE;
    unsigned first = 0, end = count;
    while (ticks[first] < low)
        first++;
    while (ticks[end - 1] > high)
        end--;
    unsigned kept = end - first; /* the middle at least */
    if (kept == 0)
        return leg;
    int64_t sum = 0; /* of what is off the middle: no overflow */
    for (unsigned i = first; i < end; i++)
        sum += ticks[i] - middle;
    leg.ticks = middle + sum / (int64_t)kept;
    leg.count = (uint16_t)kept;
    if (kept >= 3) {
        uint64_t squares = 0;
        for (unsigned i = first; i < end; i++) {
            uint64_t off = magnitude(ticks[i] - leg.ticks);
            off = off >> 28 ? 1u << 28 : off;
            squares += off * off;
        }
        uint64_t own = stats_isqrt(squares / (kept - 1));
        leg.noise_ppm = own >= magnitude(middle)
                            ? 1000000
                            : (uint32_t)(own * 1000000 / (magnitude(middle) + !middle));
        known = own > known ? own : known;
    }
    leg.error = known * 1000 / stats_isqrt((uint64_t)kept * 1000000);
    return leg;
}

void chain_legs(const struct machine *machine, struct chain_samples *samples, uint32_t noise_ppm,
                struct chain_legs *ret)
{
    for (unsigned kind = 0; kind < LEG_KINDS; kind++) {
        for (unsigned d = 0; d < 2; d++)
            ret->leg[kind][d] = chain_leg(samples->ticks[kind][d], samples->count[kind][d],
                                          noise_ppm, machine->clock.resolution);
    }
}

struct chain_leg chain_merge(struct chain_leg a, struct chain_leg b)
{
    if (a.count == 0 || b.count == 0)
        return a.count == 0 ? b : a;
    /* Weights are 1 / error^2, scaled by the product of both, in 1/1024: the square of their ratio.
     */
    uint64_t ea = a.error + 1, eb = b.error + 1;
    unsigned shift = 0;
    while ((ea | eb) >> shift >> 20)
        shift++;
    uint64_t wa = (eb >> shift) * (eb >> shift), wb = (ea >> shift) * (ea >> shift);
    uint64_t share = wa * 1024 / (wa + wb + !(wa + wb));
    struct chain_leg both = a;
    both.ticks = b.ticks + (a.ticks - b.ticks) * (int64_t)share / 1024;
    both.error = ea * eb / (chain_hypotenuse(ea, eb) + 1);
    both.count = (uint16_t)(a.count + b.count);
    both.noise_ppm = a.noise_ppm > b.noise_ppm ? a.noise_ppm : b.noise_ppm;
    return both;
}

/* Ticks with their standard error as a figure in ns. */
static struct figure to_figure(const struct machine *machine, int64_t ticks, uint64_t error,
                               unsigned count)
{
    int64_t ns = chain_ns(machine, ticks);
    uint64_t spread = machine_ns(machine, error * CHAIN_SPREAD_TENTHS / 10);
    spread += machine_ns(machine, machine->clock.resolution);
    spread += magnitude(ns) * machine->clock.error_ppm / 1000000;
    return chain_figure(ns, spread, count);
}

void chain_figures(const struct machine *machine, const struct chain_legs *legs,
                   struct chain_figures *ret)
{
    int64_t cost[2];
    uint64_t error[2], length = 0, noise = 0;
    unsigned count[2];
    *ret = (struct chain_figures){0};
    for (unsigned d = 0; d < 2; d++) {
        const struct chain_leg *move = &legs->leg[LEG_MOVE][d], *stay = &legs->leg[LEG_STAY][d];
        if (move->count == 0 || stay->count == 0)
            return;
        cost[d] = move->ticks - stay->ticks;
        error[d] = chain_hypotenuse(move->error, stay->error);
        count[d] = move->count < stay->count ? move->count : stay->count;
        uint64_t both = chain_hypotenuse(magnitude(move->ticks), magnitude(stay->ticks));
        length = both > length ? both : length;
        noise += ((uint64_t)move->noise_ppm + stay->noise_ppm) / 4;
    }
    for (unsigned d = 0; d < 2; d++) {
        const struct chain_leg *move = &legs->leg[LEG_MOVE][d], *stay = &legs->leg[LEG_STAY][d];
        ret->move[d] = to_figure(machine, move->ticks, move->error, move->count);
        ret->stay[d] = to_figure(machine, stay->ticks, stay->error, stay->count);
        ret->cost[d] = to_figure(machine, cost[d], error[d], count[d]);
    }
    ret->both = to_figure(machine, cost[0] / 2 + cost[1] / 2,
                          chain_hypotenuse(error[0], error[1]) / 2, count[0] + count[1]);
    ret->length_ns = machine_ns(machine, length);
    ret->noise_ppm = (uint32_t)noise;
}

int64_t chain_lower(const struct chain_figures *figures, uint32_t noise_ppm)
{
    if (figures->both.samples == 0)
        return INT64_MIN;
    /* 2.5 / sqrt(count) of the noise of one difference; lengths are below 2^33 ns */
    uint64_t sigma = figures->length_ns * noise_ppm / 1000000;
    uint64_t root = stats_isqrt((uint64_t)figures->both.samples * 1000000);
    return figures->both.ns - (int64_t)(sigma * 2500 / root);
}
