/* SPDX-License-Identifier: BSD-2-Clause */
/* Controls of each class: the range from linear to chase, and what a first visit of fresh memory
 * costs. */
#include "engine_state.h"

#define RANGE_PERIODS 3u
#define RANGE_WHOLE \
    (64u << 10) /* working sets up to this are measured whole, larger ones by their quarter */
#define FIRST_VISIT_PERCENT 130
#define FIRST_VISITS        2u

/* Cost of the class's pair at `bytes` in another pattern. False where there are no samples. */
static bool cost_at(struct engine *engine, const struct class_result *of, uint64_t bytes,
                    uint8_t pattern, struct figure *ret)
{
    struct chain chain = engine_pair(engine, of->cpu_a, of->cpu_b, bytes);
    struct chain_figures figures;
    chain.pattern = pattern;
    engine_samples_reset(engine);
    if (!engine_figures(engine, &chain, RANGE_PERIODS, &figures))
        return false;
    *ret = figures.both;
    return ret->samples > 0;
}

/* The class's cost in another pattern: what that costs at `bytes`, brought up to the working set in
 * the proportion of `own`, the run's pattern at `bytes`; the spreads add up in proportion. */
static void in_pattern(struct engine *engine, const struct class_result *of, uint64_t bytes,
                       const struct figure *own, uint8_t pattern, struct figure *ret)
{
    struct figure there;
    if (!cost_at(engine, of, bytes, pattern, &there))
        return;
    int64_t cost = of->cost.ns, ns = cost * there.ns / own->ns;
    uint64_t spread =
        (uint64_t)of->cost.spread_ns * (uint64_t)(there.ns > 0 ? there.ns : 1) / (uint64_t)own->ns;
    spread += (uint64_t)there.spread_ns * (uint64_t)cost / (uint64_t)own->ns;
    *ret = chain_figure(ns, spread, there.samples);
}

/* Linear and chase at a quarter of the working set, brought up to the whole by the run's own
 * pattern: the cost is linear in the working set below the capacity, and a chase over a whole
 * last-level cache takes long. */
static void range(struct engine *engine, struct class_result *of)
{
    struct figure own;
    uint64_t bytes = of->working_set;
    if (bytes > RANGE_WHOLE)
        bytes = touch_round(bytes / 4, engine->line);
    if (!cost_at(engine, of, bytes, engine->options->pattern, &own) || own.ns <= 0 ||
        of->cost.ns <= 0)
        return;
    in_pattern(engine, of, bytes, &own, TOUCH_LINEAR, &of->linear);
    in_pattern(engine, of, bytes, &own, TOUCH_CHASE, &of->chase);
}

/* a dirties fresh memory, b touches it for the first time. Ticks of that touch, 0 where it could
 * not be had. */
static uint64_t first_visit(struct engine *engine, const struct class_result *of)
{
    const struct machine *machine = engine->machine;
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
static void control_first_visit(struct engine *engine, struct class_result *of, int32_t move_ns)
{
    uint64_t best = 0;
    for (unsigned i = 0; i < FIRST_VISITS; i++) {
        uint64_t ns = machine_ns(engine->machine, first_visit(engine, of));
        if (ns != 0 && (best == 0 || ns < best))
            best = ns;
    }
    if (best == 0 || move_ns <= 0)
        return;
    uint64_t percent = best * 100 / (uint64_t)move_ns;
    of->first_visit_percent = percent > UINT16_MAX ? UINT16_MAX : (uint16_t)percent;
    if (percent > FIRST_VISIT_PERCENT) {
        of->flags |= CLASS_FIRST_VISIT;
        engine->result->flags |= FLAG_FIRST_VISIT;
    }
}

void engine_controls(struct engine *engine)
{
    struct result *result = engine->result;
    for (unsigned which = 0; which < result->class_count; which++) {
        struct class_result *of = &result->classes[which];
        if (of->cost.samples == 0 || of->flags & CLASS_ZERO)
            continue;
        engine->progress = (struct progress){"range", which, result->class_count};
        range(engine, of);
        engine->progress.step = "first visit";
        control_first_visit(engine, of, engine->work[which].move_ns);
    }
}
