/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of touches that measures one pair of CPUs. */
#include "chain.h"
#include "stats.h"

unsigned chain_jobs(const struct chain *chain, unsigned periods, uint16_t lane,
                    struct touch_job *jobs)
{
    unsigned count = 1 + 4 * periods;
    for (unsigned i = 0; i < count; i++) {
        bool on_a = i > 0 && (i - 1) % 4 < 2;
        jobs[i] = (struct touch_job){
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

/* One move and the stay after it, on the same CPU. */
static void collect_pair(struct chain_samples *samples, unsigned direction,
                         const struct touch_result *move, const struct touch_result *stay,
                         uint64_t ticks_max)
{
    if (move->status == TOUCH_LOST || stay->status == TOUCH_LOST)
        samples->lost = true;
    if (move->status != TOUCH_DONE || stay->status != TOUCH_DONE)
        return;
    if (move->noise != 0 || stay->noise != 0) {
        samples->noisy = true;
        return;
    }
    if (move->ticks > ticks_max || stay->ticks > ticks_max)
        return;
    unsigned at = samples->count[direction];
    if (at == CHAIN_SAMPLES_MAX)
        return;
    samples->cost[direction][at] = (int64_t)move->ticks - (int64_t)stay->ticks;
    samples->move[direction][at] = (int64_t)move->ticks;
    samples->stay[direction][at] = (int64_t)stay->ticks;
    samples->count[direction] = at + 1;
}

void chain_collect(struct chain_samples *samples, const struct touch_result *results,
                   unsigned periods, uint64_t ticks_max)
{
    if (results[0].status == TOUCH_LOST)
        samples->lost = true;
    for (unsigned p = 0; p < periods; p++) {
        const struct touch_result *at = results + 1 + 4 * p;
        collect_pair(samples, 1, at, at + 1, ticks_max); /* b to a */
        collect_pair(samples, 0, at + 2, at + 3, ticks_max);
    }
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

/* sqrt(a^2 + b^2), to one part in 1,000: squares fit for values below 2^41. */
static uint64_t hypotenuse(uint64_t a, uint64_t b)
{
    unsigned shift = (a | b) >> 31 ? 10 : 0;
    a >>= shift;
    b >>= shift;
    return stats_isqrt(a * a + b * b) << shift;
}

/* Standard error of a median of differences between touches that together are `length` long. */
static uint64_t known_error(uint64_t length, uint32_t noise_ppm, unsigned count)
{
    if (count == 0)
        return 0;
    uint64_t sigma = length / 1000000 * noise_ppm + length % 1000000 * noise_ppm / 1000000;
    return sigma * 12533 / (stats_isqrt((uint64_t)count * 1000000) * 10);
}

/* What all figures of a chain are made with. */
struct making {
    const struct machine *machine;
    uint32_t noise_ppm;
    int64_t *scratch;
};

/* A summary in ticks as a figure in ns; `length` is that of the touches it is of, as errors add up.
 * The clock adds one step of resolution, and what its rate may be off. */
static void to_figure(const struct making *making, const struct stats_summary *summary,
                      uint64_t length, struct figure *ret)
{
    const struct machine *machine = making->machine;
    uint64_t error = known_error(length, making->noise_ppm, summary->count);
    uint64_t half = summary->half_width;
    if (summary->count >= 4 && summary->standard_error < half / 3)
        half = 3 * summary->standard_error;
    if (half < 2 * error)
        half = 2 * error;
    int64_t ns = chain_ns(machine, summary->median);
    uint64_t spread = machine_ns(machine, half);
    spread += machine_ns(machine, machine->clock.resolution);
    spread += magnitude(ns) * machine->clock.error_ppm / 1000000;
    *ret = chain_figure(ns, spread, summary->count);
}

/* The figure of one leg; returns how long its touches are, in ticks. */
static uint64_t leg(const struct making *making, int64_t *values, unsigned count,
                    struct figure *ret)
{
    struct stats_summary summary = stats_summarize(values, count, making->scratch);
    uint64_t length = magnitude(summary.median);
    to_figure(making, &summary, length, ret);
    return length;
}

void chain_figures(const struct machine *machine, struct chain_samples *samples, uint32_t noise_ppm,
                   int64_t *scratch, struct chain_figures *ret)
{
    const struct making making = {machine, noise_ppm, scratch};
    struct stats_summary cost[2] = {{0}};
    int64_t *pooled = scratch + CHAIN_SAMPLES_MAX * 2;
    unsigned count = 0;
    uint64_t length = 0;
    *ret = (struct chain_figures){0};
    for (unsigned d = 0; d < 2; d++) {
        unsigned n = samples->count[d];
        if (n == 0)
            continue;
        for (unsigned i = 0; i < n; i++)
            pooled[count++] = samples->cost[d][i];
        uint64_t both = hypotenuse(leg(&making, samples->move[d], n, &ret->move[d]),
                                   leg(&making, samples->stay[d], n, &ret->stay[d]));
        cost[d] = stats_summarize(samples->cost[d], n, scratch);
        to_figure(&making, &cost[d], both, &ret->cost[d]);
        length = both > length ? both : length;
    }
    if (count == 0)
        return;

    struct stats_summary both = stats_summarize(pooled, count, scratch);
    unsigned a = samples->count[0], b = samples->count[1];
    uint64_t apart = magnitude(cost[0].median - cost[1].median);
    if (a >= 2 && b >= 2 && apart > 4 * known_error(length, noise_ppm, count) &&
        apart > cost[0].half_width / 2 + cost[1].half_width / 2) {
        /* The directions differ: a pooled median would jump between two peaks. */
        both.median = cost[0].median / 2 + cost[1].median / 2;
        both.half_width = hypotenuse(cost[0].half_width, cost[1].half_width) / 2;
        both.standard_error = hypotenuse(cost[0].standard_error, cost[1].standard_error) / 2;
        both.sigma = hypotenuse(cost[0].sigma, cost[1].sigma) * 7 / 10;
    }
    if (a < 2 || b < 2)
        both.sigma = 0; /* one sample a direction: their distance is no noise */
    to_figure(&making, &both, length, &ret->both);
    ret->length_ns = machine_ns(machine, length);
    if (count >= 2 && length > 0)
        ret->noise_ppm = both.sigma >= length ? 1000000 : (uint32_t)(both.sigma * 1000000 / length);
}

int64_t chain_lower(const struct chain_figures *figures, uint32_t noise_ppm)
{
    if (figures->both.samples == 0)
        return INT64_MIN;
    /* 2.5 * 1.2533 / sqrt(count) of the noise of one difference; lengths are below 2^33 ns */
    uint64_t sigma = figures->length_ns * noise_ppm / 1000000;
    uint64_t root = stats_isqrt((uint64_t)figures->both.samples * 1000000);
    return figures->both.ns - (int64_t)(sigma * 3133 / root);
}
