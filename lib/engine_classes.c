/* SPDX-License-Identifier: BSD-2-Clause */
/* From screened pairs to classes: odd ones are measured again before they are believed, and each
 * class gets the pair in its middle as the one to measure in full (not the first found:
 * prior-art.md 1.6 B6). */
#include "classes.h"
#include "engine_state.h"
#include "stats.h"

#define ODD_PERCENT 10
#define ODD_PERIODS 7u
#define ODD_MAX \
    64u /* pairs of a class screened again; more than this is no accident but another class */

static unsigned collect(const struct engine *engine, unsigned class, int64_t *values)
{
    const struct result *result = engine->result;
    unsigned count = 0;
    for (unsigned a = 0; a < result->cpu_count; a++) {
        for (unsigned b = a + 1; b < result->cpu_count; b++) {
            int32_t cost = screen_pair_ns(engine, a, b);
            if (result->class_of[result_cell(result, a, b)] == class && cost != COST_UNKNOWN)
                values[count++] = cost;
        }
    }
    return count;
}

static int64_t class_median(const struct engine *engine, unsigned class)
{
    unsigned count = collect(engine, class, engine->values);
    stats_sort(engine->values, count);
    return stats_median_sorted(engine->values, count);
}

static int64_t apart(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* Screens pairs again that stand off their class: with a few samples, one in some hundred does by
 * chance. One whose distance still lies within twice its spread has not been shown to differ, and
 * is taken for its class. */
static void look_again(struct engine *engine, unsigned class)
{
    const struct result *result = engine->result;
    int64_t median = class_median(engine, class);
    unsigned again = 0;
    for (unsigned a = 0; a < result->cpu_count && again < ODD_MAX; a++) {
        for (unsigned b = a + 1; b < result->cpu_count && again < ODD_MAX; b++) {
            int32_t cost = screen_pair_ns(engine, a, b);
            if (result->class_of[result_cell(result, a, b)] != class || cost == COST_UNKNOWN)
                continue;
            int64_t off = apart(cost, median);
            bool near_zero =
                cost <= engine->screen.near_zero_ns && median <= engine->screen.near_zero_ns;
            if (near_zero || off <= engine->screen.equal_ns ||
                off * 100 <= apart(median, 0) * ODD_PERCENT)
                continue;
            again++;
            struct figure figure;
            if (!screen_one(engine, a, b, ODD_PERIODS, &figure))
                return;
            if (apart(figure.ns, median) <= 2 * (int64_t)figure.spread_ns)
                engine->screen.cost_ns[result_cell(result, a, b)] =
                    engine->screen.cost_ns[result_cell(result, b, a)] = (int32_t)median;
        }
    }
}

/* The pair whose screened cost is nearest to the class's median. */
static void choose_pair(struct engine *engine, unsigned class)
{
    struct result *result = engine->result;
    int64_t median = class_median(engine, class), best = INT64_MAX;
    for (unsigned a = 0; a < result->cpu_count; a++) {
        for (unsigned b = a + 1; b < result->cpu_count; b++) {
            if (result->class_of[result_cell(result, a, b)] != class)
                continue;
            int32_t cost = screen_pair_ns(engine, a, b);
            int64_t off = cost == COST_UNKNOWN ? INT64_MAX - 1 : apart(cost, median);
            if (off >= best || !machine_cpu_usable(engine->machine, a) ||
                !machine_cpu_usable(engine->machine, b))
                continue;
            best = off;
            result->classes[class].cpu_a = (uint16_t)a;
            result->classes[class].cpu_b = (uint16_t)b;
        }
    }
    engine->work[class].screen_ns = (int32_t)median;
}

void engine_classes(struct engine *engine)
{
    struct result *result = engine->result;
    bool usable[MAX_CPUS];
    for (unsigned i = 0; i < result->cpu_count; i++)
        usable[i] = machine_cpu_usable(engine->machine, i);
    classes_from_keys(result, usable);

    for (unsigned class = 0; class < result->class_count; class ++)
        look_again(engine, class);
    if (classes_from_matrix(result, engine->screen.cost_ns, engine->screen.near_zero_ns,
                            engine->values))
        result->flags |= FLAG_CLASSES_DIFFER;

    int32_t cost[MAX_CLASSES];
    for (unsigned class = 0; class < result->class_count; class ++)
        cost[class] = (int32_t)class_median(engine, class);
    classes_sort(result, cost);
    for (unsigned class = 0; class < result->class_count; class ++)
        choose_pair(engine, class);
}
