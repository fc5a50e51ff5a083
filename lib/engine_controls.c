/* SPDX-License-Identifier: BSD-2-Clause */
/* Controls of each class: the range from linear to chase, and what a first visit of fresh memory
 * costs. */
#include "engine_state.h"

#define RANGE_PERIODS 3u
#define RANGE_WHOLE \
    (64u << 10) /* working sets up to this are measured whole, larger ones by their quarter */
#define FIRST_VISIT_PERCENT 130
#define FIRST_VISITS        2u

/* Cost of the class's pair at `bytes` in another pattern; samples 0 where the run ended. */
static struct figure cost_at(struct engine *engine, unsigned which, uint64_t bytes, uint8_t pattern)
{
    const struct class_result *of = &engine->result->classes[which];
    struct chain chain = engine_pair(engine, of->cpu_a, of->cpu_b, bytes);
    struct chain_figures figures;
    chain.pattern = pattern;
    engine_samples_reset(engine);
    if (!engine_figures(engine, &chain, RANGE_PERIODS, &figures))
        return (struct figure){0};
    return figures.both;
}

/* cost * numerator / denominator, saturated; the spreads add up in proportion. */
static struct figure scaled(struct figure cost, struct figure numerator, struct figure denominator)
{
    int64_t ns = (int64_t)cost.ns * numerator.ns / denominator.ns;
    uint64_t spread = (uint64_t)cost.spread_ns * (uint64_t)(numerator.ns > 0 ? numerator.ns : 1) /
                      (uint64_t)denominator.ns;
    spread += (uint64_t)numerator.spread_ns * (uint64_t)cost.ns / (uint64_t)denominator.ns;
    if (ns > INT32_MAX)
        ns = INT32_MAX;
    if (ns < -INT32_MAX)
        ns = -INT32_MAX;
    return (struct figure){
        .ns = (int32_t)ns,
        .spread_ns = spread > UINT32_MAX ? UINT32_MAX : (uint32_t)spread,
        .samples = numerator.samples,
    };
}

/* Linear and chase at a quarter of the working set, brought up to the whole by the run's own
 * pattern: the cost is linear in the working set below the capacity, and a chase over a whole
 * last-level cache takes long. */
static void range(struct engine *engine, unsigned which)
{
    struct class_result *of = &engine->result->classes[which];
    uint64_t bytes = of->working_set;
    if (bytes > RANGE_WHOLE)
        bytes = touch_round(bytes / 4, engine->line);
    struct figure own = cost_at(engine, which, bytes, engine->options->pattern);
    if (own.samples == 0 || own.ns <= 0 || of->cost.ns <= 0)
        return;
    struct figure linear = cost_at(engine, which, bytes, TOUCH_LINEAR);
    if (linear.samples > 0)
        of->linear = scaled(of->cost, linear, own);
    struct figure chase = cost_at(engine, which, bytes, TOUCH_CHASE);
    if (chase.samples > 0)
        of->chase = scaled(of->cost, chase, own);
}

/* a dirties fresh memory, b touches it for the first time. Ticks of that touch, 0 where it could
 * not be had. */
static uint64_t first_visit(struct engine *engine, unsigned which)
{
    const struct machine *machine = engine->machine;
    const struct class_result *of = &engine->result->classes[which];
    uint16_t region;
    uint32_t home;
    if (!machine->ops->region_get(machine->ctx, machine->cpus[0].node, of->working_set, &region,
                                  &home))
        return 0;
    for (unsigned i = 0; i < 2; i++) {
        engine->jobs[i] = (struct touch_job){
            .cpu = i == 0 ? of->cpu_a : of->cpu_b,
            .region = region,
            .pattern = engine->options->pattern,
            .access = engine->options->access,
            .bytes = of->working_set,
        };
    }
    uint64_t ticks = 0;
    if (engine_batch(engine, 2) && engine->results[1].status == TOUCH_DONE &&
        engine->results[1].noise == 0)
        ticks = engine->results[1].ticks;
    machine->ops->region_put(machine->ctx, region);
    return ticks;
}

/* The smaller of a few: a disturbance makes a visit longer, never shorter. */
static void control_first_visit(struct engine *engine, unsigned which)
{
    struct class_result *of = &engine->result->classes[which];
    uint64_t best = 0;
    for (unsigned i = 0; i < FIRST_VISITS; i++) {
        uint64_t ns = machine_ns(engine->machine, first_visit(engine, which));
        if (ns != 0 && (best == 0 || ns < best))
            best = ns;
    }
    if (best == 0 || engine->work[which].move_ns <= 0)
        return;
    uint64_t percent = best * 100 / (uint64_t)engine->work[which].move_ns;
    of->first_visit_percent = percent > UINT16_MAX ? UINT16_MAX : (uint16_t)percent;
    if (percent > FIRST_VISIT_PERCENT) {
        of->flags |= CLASS_FIRST_VISIT;
        engine->result->flags |= FLAG_FIRST_VISIT;
    }
}

void engine_controls(struct engine *engine)
{
    for (unsigned which = 0; which < engine->result->class_count; which++) {
        const struct class_result *of = &engine->result->classes[which];
        if (of->cost.samples == 0 || of->flags & CLASS_ZERO)
            continue;
        engine->progress = (struct progress){"range", which, engine->result->class_count};
        range(engine, which);
        engine->progress.step = "first visit";
        control_first_visit(engine, which);
    }
}
