/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix: each cell from its class, brought to its own value by what the screening of that very
 * pair showed. */
#include "engine_state.h"
#include "stats.h"

#define RAW_PERIODS 2u
#define SAME_PERMILLE                                                                              \
    40 /* a screened cell this near to its class's median is the class's figure: the rest is noise \
        */

/* Median of the screened cells of a class, both directions. */
static int64_t screened_median(const struct engine *engine, unsigned which)
{
    const struct result *result = engine->result;
    size_t cells = (size_t)result->cpu_count * result->cpu_count;
    unsigned count = 0;
    for (size_t i = 0; i < cells; i++) {
        if (result->class_of[i] == which && engine->screen.cost_ns[i] != COST_UNKNOWN)
            engine->values[count++] = engine->screen.cost_ns[i];
    }
    stats_sort(engine->values, count);
    return stats_median_sorted(engine->values, count);
}

static int32_t times(int64_t value, int64_t numerator, int64_t denominator)
{
    value = value * numerator / denominator;
    if (value > INT32_MAX)
        return INT32_MAX;
    return value < -INT32_MAX ? -INT32_MAX : (int32_t)value;
}

/* A figure of the class brought to one cell. */
static int32_t cell_ns(const struct engine *engine, int32_t class_ns, size_t cell, int64_t median,
                       enum cell_source *ret_source)
{
    int32_t screened = engine->screen.cost_ns[cell];
    *ret_source = CELL_CLASS;
    if (screened == COST_UNKNOWN)
        return class_ns;
    *ret_source = CELL_SCREENED;
    int64_t off = screened > median ? screened - median : median - screened;
    if (median <= engine->screen.equal_ns || screened <= 0 || off * 1000 <= median * SAME_PERMILLE)
        return class_ns;
    return times(class_ns, screened, median);
}

/* The class's cost at the raw matrix's working set. */
static int32_t cost_at_raw(struct engine *engine, unsigned which)
{
    const struct result *result = engine->result;
    const struct class_result *of = &result->classes[which];
    if (of->working_set == result->raw_working_set || of->cost.samples == 0)
        return of->cost.ns;
    struct chain chain = engine_pair(engine, of->cpu_a, of->cpu_b, result->raw_working_set);
    engine_samples_reset(engine);
    if (!engine_chain(engine, &chain, RAW_PERIODS, "raw matrix", which, result->class_count))
        return of->cost.ns;
    struct chain_figures figures;
    chain_figures(engine->machine, &engine->samples, engine->noise_ppm, engine->scratch, &figures);
    return figures.both.ns;
}

static void fill_class(struct engine *engine, unsigned which)
{
    struct result *result = engine->result;
    struct class_result *of = &result->classes[which];
    int64_t median = screened_median(engine, which);
    int32_t at_raw = cost_at_raw(engine, which);

    of->min_ns = INT32_MAX;
    of->max_ns = -INT32_MAX;
    for (unsigned s = 0; s < result->cpu_count; s++) {
        for (unsigned d = 0; d < result->cpu_count; d++) {
            unsigned cell = result_cell(result, s, d);
            if (result->class_of[cell] != which)
                continue;
            enum cell_source source;
            int32_t cost = cell_ns(engine, of->cost.ns, cell, median, &source);
            int32_t more = cell_ns(engine, at_raw, cell, median, &source);
            if (s == of->cpu_a && d == of->cpu_b && engine->work[which].directed[0].samples > 0) {
                cost = engine->work[which].directed[0].ns;
                source = CELL_MEASURED;
            } else if (s == of->cpu_b && d == of->cpu_a &&
                       engine->work[which].directed[1].samples > 0) {
                cost = engine->work[which].directed[1].ns;
                source = CELL_MEASURED;
            }
            result->cost_ns[cell] = cost;
            result->source[cell] = (uint8_t)source;
            const struct figure *stay = &result->stay[d].stay[0];
            int64_t raw = (int64_t)stay->ns + more;
            if (stay->samples > 0 && raw > 0)
                result->raw_ns[cell] = (uint32_t)raw;
            if (cost < of->min_ns)
                of->min_ns = cost;
            if (cost > of->max_ns)
                of->max_ns = cost;
        }
    }
}

void engine_matrix(struct engine *engine)
{
    struct result *result = engine->result;
    for (unsigned which = 0; which < result->class_count; which++) {
        if (result->classes[which].cost.samples > 0)
            fill_class(engine, which);
    }
    for (unsigned i = 0; i < result->cpu_count; i++) {
        if (result->stay[i].stay[0].samples > 0)
            result->raw_ns[result_cell(result, i, i)] = (uint32_t)result->stay[i].stay[0].ns;
    }
}
