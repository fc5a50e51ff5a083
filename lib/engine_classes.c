/* SPDX-License-Identifier: BSD-2-Clause */
/* From screened pairs to classes: odd ones are measured again before they are believed, and each
 * class gets the pair in its middle as the one to measure in full, not the first found, as the old
 * kernel code did. */
#include "classes.h"
#include "engine_state.h"
#include "stats.h"

#define LIKE_PERCENT 6
#define COMPANY_MIN  6u /* pairs, and at least .. */
#define COMPANY_PART 5u /* .. one in so many of their class */
#define ODD_MAX      256u /* pairs of a class screened again; more are no accident but another class */

/* Which cells are looked at again, and how closely. The second look decides over classes: with one
 * touch in ten disturbed, six samples of twelve that are so in the same direction do not happen. */
static const struct look {
    int percent; /* off their like */
    unsigned periods;
} looks[] = {{5, 7}, {8, 12}};

static unsigned collect(const struct engine *engine, unsigned which, int64_t *values)
{
    const struct result *result = engine->result;
    unsigned count = 0;
    for (unsigned a = 0; a < result->cpu_count; a++) {
        for (unsigned b = a + 1; b < result->cpu_count; b++) {
            int32_t cost = screen_pair_ns(engine, a, b);
            if (result->class_of[result_cell(result, a, b)] == which && cost != COST_UNKNOWN)
                values[count++] = cost;
        }
    }
    return count;
}

static int64_t class_median(const struct engine *engine, unsigned which)
{
    unsigned count = collect(engine, which, engine->values);
    return stats_median(engine->values, count);
}

static int64_t apart(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

int64_t engine_cells_median(const struct engine *engine, unsigned which, unsigned way)
{
    const struct result *result = engine->result;
    unsigned count = 0;
    for (unsigned s = 0; s < result->cpu_count; s++) {
        for (unsigned d = 0; d < result->cpu_count; d++) {
            unsigned cell = result_cell(result, s, d);
            if (result->class_of[cell] == which && engine_way(engine, s, d) == way &&
                engine->screen.cost_ns[cell] != COST_UNKNOWN)
                engine->values[count++] = engine->screen.cost_ns[cell];
        }
    }
    return stats_median(engine->values, count);
}

/* True if a screened cell stands off the median of its like. */
static bool is_off(const struct engine *engine, unsigned cell, int64_t median, int percent)
{
    int64_t cost = engine->screen.cost_ns[cell], off = apart(cost, median);
    bool near_zero = cost <= engine->screen.near_zero_ns && median <= engine->screen.near_zero_ns;
    return !near_zero && off > engine->screen.equal_ns / 2 &&
           off * 100 > apart(median, 0) * percent;
}

/* True if so many pairs of a class cost what this one does that no accident made them. */
static bool in_company(const struct engine *engine, unsigned which, int32_t cost, unsigned pairs)
{
    unsigned count = collect(engine, which, engine->values), like = 0;
    for (unsigned i = 0; i < count; i++)
        like += apart(engine->values[i], cost) * 100 <= apart(cost, 0) * LIKE_PERCENT;
    return like >= COMPANY_MIN && like * COMPANY_PART >= pairs;
}

/* Screens pairs again that stand off their class: with a few samples, one in some does by chance. A
 * cell whose distance still lies within its spread has not been shown to differ, and is taken for
 * its class. */
static void look_again(struct engine *engine, unsigned which, const struct look *look)
{
    const struct result *result = engine->result;
    const int64_t median[2] = {engine_cells_median(engine, which, 0),
                               engine_cells_median(engine, which, 1)};
    unsigned pairs = result->classes[which].pairs;
    int64_t middle = class_median(engine, which);
    for (unsigned a = 0, again = 0; a < result->cpu_count && again < ODD_MAX; a++) {
        for (unsigned b = a + 1; b < result->cpu_count && again < ODD_MAX; b++) {
            const unsigned cell[2] = {result_cell(result, a, b), result_cell(result, b, a)};
            const int64_t like[2] = {median[engine_way(engine, a, b)],
                                     median[engine_way(engine, b, a)]};
            if (result->class_of[cell[0]] != which ||
                engine->screen.cost_ns[cell[0]] == COST_UNKNOWN ||
                engine->screen.cost_ns[cell[1]] == COST_UNKNOWN)
                continue;
            if (!is_off(engine, cell[0], like[0], look->percent) &&
                !is_off(engine, cell[1], like[1], look->percent))
                continue;
            int32_t pair = screen_pair_ns(engine, a, b);
            if (apart(pair, middle) * 100 > apart(middle, 0) * CLUSTER_GAP_PERCENT &&
                in_company(engine, which, pair, pairs))
                continue;
            struct chain_figures figures;
            again++;
            if (!screen_one(engine, a, b, look->periods, &figures))
                return;
            for (unsigned d = 0; d < 2; d++) {
                if (apart(figures.cost[d].ns, like[d]) <= figures.cost[d].spread_ns)
                    engine->screen.cost_ns[cell[d]] = (int32_t)like[d];
            }
        }
    }
}

/* The first pair whose screened cost is near the class's median: what then differs is noise. Else
 * the nearest. */
static void choose_pair(struct engine *engine, unsigned which)
{
    struct result *result = engine->result;
    int64_t median = class_median(engine, which), best = INT64_MAX;
    for (unsigned a = 0; a < result->cpu_count; a++) {
        for (unsigned b = a + 1; b < result->cpu_count; b++) {
            if (result->class_of[result_cell(result, a, b)] != which)
                continue;
            int32_t cost = screen_pair_ns(engine, a, b);
            int64_t off = cost == COST_UNKNOWN ? INT64_MAX - 1 : apart(cost, median);
            if (cost != COST_UNKNOWN && off * 100 <= apart(median, 0) * LIKE_PERCENT)
                off = 0;
            if (off >= best || !machine_cpu_usable(engine->machine, a) ||
                !machine_cpu_usable(engine->machine, b))
                continue;
            best = off;
            result->classes[which].cpu_a = (uint16_t)a;
            result->classes[which].cpu_b = (uint16_t)b;
        }
    }
    engine->work[which].screen_ns = (int32_t)median;
}

void engine_classes(struct engine *engine)
{
    struct result *result = engine->result;
    bool usable[MAX_CPUS];
    for (unsigned i = 0; i < result->cpu_count; i++)
        usable[i] = machine_cpu_usable(engine->machine, i);
    classes_from_keys(result, usable);

    engine->progress = (struct progress){.step = "screening"};
    for (unsigned i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        for (unsigned which = 0; which < result->class_count; which++)
            look_again(engine, which, &looks[i]);
    }
    if (classes_from_matrix(result, engine->screen.cost_ns, engine->screen.near_zero_ns,
                            engine->values))
        result->flags |= FLAG_CLASSES_DIFFER;

    int32_t cost[MAX_CLASSES];
    for (unsigned which = 0; which < result->class_count; which++)
        cost[which] = (int32_t)class_median(engine, which);
    classes_sort(result, cost);
    for (unsigned which = 0; which < result->class_count; which++)
        choose_pair(engine, which);
}
