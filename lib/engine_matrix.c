/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix: each cell from its class, brought to its own value by what the screening of that very
 * pair showed. */
#include "engine_state.h"

#define NEAR_PERCENT 12
#define SAME_PERMILLE                                                                              \
    40 /* a screened cell this near to its class's median is the class's figure: the rest is noise \
        */

/* A figure of the class brought to one cell; median is that of the screened cells that go its way.
 */
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
    return chain_saturate((int64_t)class_ns * screened / median);
}

/* What a cell of a class costs, by the way it goes (engine_way()), ns. */
struct base {
    int32_t cost[2]; /* at the class's working set */
    int32_t raw[2];  /* at the raw matrix's */
};

/* Both directions of the class's own pair count as one where its CPUs are alike: what then differs
 * is noise. */
static void by_way(const struct engine *engine, const struct class_result *of, struct figure both,
                   const struct figure *directed, int32_t *ret)
{
    unsigned way = engine_way(engine, of->cpu_a, of->cpu_b);
    bool alike = !way && !engine_way(engine, of->cpu_b, of->cpu_a);
    ret[0] = ret[1] = both.ns;
    if (alike || directed[0].samples == 0 || directed[1].samples == 0)
        return;
    ret[way] = directed[0].ns;
    ret[1 - way] = directed[1].ns;
}

/* True if two legs that should be one do not show a disturbance of either. */
static bool near(const struct figure *legs)
{
    int64_t off = (int64_t)legs[0].ns - legs[1].ns;
    return (off < 0 ? -off : off) * 100 <= (int64_t)legs[0].ns * NEAR_PERCENT;
}

/* What a class costs at the raw matrix's working set belongs to its curve: often a negative cost,
 * far beyond its capacity. */
static void add_point(struct class_result *of, uint64_t bytes, const struct chain_figures *figures)
{
    unsigned at = 0;
    while (at < of->point_count && of->point[at].bytes < bytes)
        at++;
    if (of->point_count == MAX_CURVE_POINTS ||
        (at < of->point_count && of->point[at].bytes == bytes))
        return;
    for (unsigned i = of->point_count; i > at; i--)
        of->point[i] = of->point[i - 1];
    of->point_count++;
    of->point[at] = (struct curve_point){bytes, figures->both, figures->stay[0]};
}

static void measure_base(struct engine *engine, unsigned which, struct base *ret)
{
    const struct result *result = engine->result;
    const struct class_result *of = &result->classes[which];
    by_way(engine, of, of->cost, engine->work[which].directed, ret->cost);
    by_way(engine, of, of->cost, engine->work[which].directed, ret->raw);
    /* SMT siblings share every cache: at no working set does a move cost anything. */
    if (of->working_set == result->raw_working_set || of->key.level == LEVEL_CORE)
        return;
    struct chain chain = engine_pair(engine, of->cpu_a, of->cpu_b, result->raw_working_set);
    engine_samples_reset(engine);
    engine->progress = (struct progress){"raw matrix", which, result->class_count};
    struct chain_figures figures;
    bool alike = engine_alike(engine, of->cpu_a, of->cpu_b);
    if (!engine_figures(engine, &chain, alike ? 1 : 2, &figures))
        return;
    chain.primed = true;
    if (alike && (!near(figures.move) || !near(figures.stay)) &&
        !engine_figures(engine, &chain, 2, &figures))
        return;
    if (figures.both.samples == 0)
        return;
    add_point(&engine->result->classes[which], result->raw_working_set, &figures);
    by_way(engine, of, figures.both, figures.cost, ret->raw);
}

/* The class's own pair was measured in full. */
static bool own_figure(const struct engine *engine, unsigned which, unsigned s, unsigned d,
                       int32_t *ret)
{
    const struct class_result *of = &engine->result->classes[which];
    bool forth = s == of->cpu_a && d == of->cpu_b, back = s == of->cpu_b && d == of->cpu_a;
    const struct figure *figure = &engine->work[which].directed[back];
    if ((!forth && !back) || figure->samples == 0)
        return false;
    *ret = figure->ns;
    return true;
}

static void fill_cell(struct engine *engine, unsigned which, unsigned s, unsigned d,
                      const struct base *base, const int64_t *median)
{
    struct result *result = engine->result;
    struct class_result *of = &result->classes[which];
    unsigned cell = result_cell(result, s, d), way = engine_way(engine, s, d);
    enum cell_source source;
    int32_t more = cell_ns(engine, base->raw[way], cell, median[way], &source);
    int32_t cost = cell_ns(engine, base->cost[way], cell, median[way], &source);
    if (own_figure(engine, which, s, d, &cost))
        source = CELL_MEASURED;
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

static void fill_class(struct engine *engine, unsigned which)
{
    struct result *result = engine->result;
    const int64_t median[2] = {engine_cells_median(engine, which, 0),
                               engine_cells_median(engine, which, 1)};
    struct base base;
    measure_base(engine, which, &base);

    result->classes[which].min_ns = INT32_MAX;
    result->classes[which].max_ns = -INT32_MAX;
    for (unsigned s = 0; s < result->cpu_count; s++) {
        for (unsigned d = 0; d < result->cpu_count; d++) {
            if (result->class_of[result_cell(result, s, d)] == which)
                fill_cell(engine, which, s, d, &base, median);
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
