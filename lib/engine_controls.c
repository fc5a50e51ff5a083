/* SPDX-License-Identifier: BSD-2-Clause */
/* Controls of each class: the range from linear to chase, and what a first visit of fresh memory
 * costs; both at the part of the working set where samples are cheap (engine_cost.c). */
#include "engine_state.h"

#define RANGE_PERIODS       2u
#define FIRST_VISIT_PERCENT 130
#define FIRST_VISITS_MAX    4u /* while they look dear */

/* The class's cost in another pattern: what that costs at the base, brought up to the working set
 * in the proportion of `own`, the run's pattern there; the spreads add up in proportion. */
static void in_pattern(struct engine *engine, const struct class_result *of, uint64_t bytes,
                       const struct figure *own, uint8_t pattern, struct figure *ret)
{
    struct chain chain = engine_pair(engine, of->cpu_a, of->cpu_b, bytes);
    struct chain_figures figures;
    chain.pattern = pattern;
    engine_samples_reset(engine);
    if (!engine_figures(engine, &chain, RANGE_PERIODS, &figures) || figures.both.samples == 0)
        return;
    struct figure there = figures.both;
    int64_t cost = of->cost.ns, ns = cost * there.ns / own->ns;
    uint64_t spread =
        (uint64_t)of->cost.spread_ns * (uint64_t)(there.ns > 0 ? there.ns : 1) / (uint64_t)own->ns;
    spread += (uint64_t)there.spread_ns * (uint64_t)cost / (uint64_t)own->ns;
    *ret = chain_figure(ns, spread, there.samples);
}

/* a dirties fresh memory, b touches it for the first time. Ticks of that touch, 0 where it could
 * not be had. */
static uint64_t first_visit(struct engine *engine, const struct class_result *of, uint64_t bytes)
{
    const struct machine *machine = engine->machine;
    uint16_t region;
    uint32_t home;
    if (!machine->ops->region_get(machine->ctx, machine->cpus[0].node, bytes, &region, &home))
        return 0;
    for (unsigned i = 0; i < 2; i++) {
        engine->jobs[i] = (struct touch_job){
            .cpu = i == 0 ? of->cpu_a : of->cpu_b,
            .region = region,
            .pattern = engine->options->pattern,
            .access = engine->options->access,
            .bytes = bytes,
        };
    }
    uint64_t ticks = 0;
    if (engine_batch(engine, 2) && engine->results[1].status == TOUCH_DONE &&
        engine->results[1].noise == 0)
        ticks = engine->results[1].ticks;
    machine->ops->region_put(machine->ctx, region);
    return ticks;
}

/* The smallest of a few, if one looks dear: a disturbance makes a visit longer, never shorter. */
static void control_first_visit(struct engine *engine, struct class_result *of, uint64_t bytes,
                                int32_t move_ns)
{
    uint64_t best = 0;
    if (move_ns <= 0)
        return;
    for (unsigned i = 0; i < FIRST_VISITS_MAX; i++) {
        if (best != 0 && best * 100 <= (uint64_t)move_ns * FIRST_VISIT_PERCENT)
            break;
        uint64_t ns = machine_ns(engine->machine, first_visit(engine, of, bytes));
        if (ns != 0 && (best == 0 || ns < best))
            best = ns;
    }
    if (best == 0)
        return;
    uint64_t percent = best * 100 / (uint64_t)move_ns;
    of->first_visit_percent = percent > UINT16_MAX ? UINT16_MAX : (uint16_t)percent;
    if (percent > FIRST_VISIT_PERCENT) {
        of->flags |= CLASS_FIRST_VISIT;
        engine->result->flags |= FLAG_FIRST_VISIT;
    }
}

/* What the class's pair costs in the run's own pattern at the base; measured now where it has none.
 */
static bool own_figures(struct engine *engine, const struct class_result *of,
                        struct class_work *work, struct chain_figures *ret)
{
    if (work->base_bytes == 0 || work->base_periods == 0) {
        work->base_bytes = touch_round(of->working_set / 4, engine->line);
        work->base_periods = 0;
        if (!engine_base(engine, of, work, RANGE_PERIODS))
            return false;
    }
    chain_figures(engine->machine, &work->base, ret);
    return ret->both.samples > 0;
}

void engine_controls(struct engine *engine)
{
    struct result *result = engine->result;
    for (unsigned which = 0; which < result->class_count; which++) {
        struct class_result *of = &result->classes[which];
        struct class_work *work = &engine->work[which];
        struct chain_figures own;
        if (of->cost.samples == 0 || of->flags & CLASS_ZERO)
            continue;
        engine->progress = (struct progress){"range", which, result->class_count};
        if (!own_figures(engine, of, work, &own))
            continue;
        if (own.both.ns > 0 && of->cost.ns > 0) {
            in_pattern(engine, of, work->base_bytes, &own.both, TOUCH_LINEAR, &of->linear);
            in_pattern(engine, of, work->base_bytes, &own.both, TOUCH_CHASE, &of->chase);
        }
        engine->progress.step = "first visit";
        control_first_visit(engine, of, work->base_bytes, own.move[0].ns);
    }
}
