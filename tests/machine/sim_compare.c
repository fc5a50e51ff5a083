/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of a result: per class, per cell, and of the grouping. */
#include "sim_compare.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PERCENT                                                            \
    5 /* truth classes that cost the same to within this need not be told apart \
       */

int64_t sim_error_ppm(int64_t measured, int64_t true_value)
{
    if (measured == true_value)
        return 0;
    if (true_value == 0)
        return measured > 0 ? ERROR_MAX : -ERROR_MAX;
    int64_t size = true_value < 0 ? -true_value : true_value;
    int64_t error = (int64_t)((__int128)(measured - true_value) * 1000000 / size);
    if (error > ERROR_MAX)
        return ERROR_MAX;
    return error < -ERROR_MAX ? -ERROR_MAX : error;
}

static int64_t size_of(int64_t value)
{
    return value < 0 ? -value : value;
}

static void keep_worst(int64_t *worst, int64_t error)
{
    if (size_of(error) > size_of(*worst))
        *worst = error;
}

/* The truth that a control wants to be believed. */
static unsigned believed(const struct sim_control *control, unsigned class_index)
{
    if (class_index == control->swap_a)
        return control->swap_b;
    return class_index == control->swap_b ? control->swap_a : class_index;
}

static int64_t in_ns(const struct sim_control *control, int64_t ps)
{
    return ps * (int64_t)control->truth_permille / 1000000;
}

static unsigned home_of(const struct truth *truth, const struct result *result)
{
    for (unsigned i = 0; i < truth->desc->node_count && truth->desc->has_nodes; i++)
        if (truth->desc->node[i].id == result->region_home)
            return i;
    return truth->desc->cpu[truth->desc->boot_cpu].node;
}

static struct truth_work work_of(const struct truth *truth, const struct result *result,
                                 uint64_t bytes)
{
    return (struct truth_work){bytes, result->pattern, result->access, home_of(truth, result)};
}

/* Pairs of one result class by truth class. */
static unsigned count_pairs(const struct truth *truth, const struct result *result,
                            unsigned class_index, unsigned ret_pairs[TRUTH_CLASSES])
{
    unsigned n = result->cpu_count, total = 0;
    memset(ret_pairs, 0, TRUTH_CLASSES * sizeof *ret_pairs);
    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = a + 1; b < n; b++) {
            if (result->class_of[result_cell(result, a, b)] != class_index)
                continue;
            ret_pairs[truth->class_of[(size_t)a * n + b]]++;
            total++;
        }
    }
    return total;
}

/* A cost that is no more than a hundredth of staying is none. */
static bool truly_zero(struct truth *truth, unsigned class_index, struct truth_work work)
{
    struct truth_legs legs;
    const struct truth_class *class = &truth->classes[class_index];
    int64_t cost;
    if (!truth_legs(truth, class->a, class->b, work, &legs) ||
        !truth_cost(truth, class_index, work, &cost))
        return false;
    return (uint64_t)size_of(cost) * 100 <= legs.stay_ps;
}

static bool compare_class(struct truth *truth, const struct result *result,
                          const struct sim_control *control, unsigned index, struct sim_class *ret)
{
    const struct class_result *of = &result->classes[index];
    unsigned pairs[TRUTH_CLASSES];
    unsigned total = count_pairs(truth, result, index, pairs);
    struct truth_work work = work_of(truth, result, of->working_set);
    *ret = (struct sim_class){.truth_class = TRUTH_NONE};
    if (!total || !of->cost.samples || !of->working_set)
        return true;

    int64_t at_set = 0, largest = 0;
    ret->truth_class = 0;
    for (unsigned i = 0; i < truth->class_count; i++) {
        int64_t set_ps, largest_ps;
        uint64_t bytes;
        if (pairs[i] > pairs[ret->truth_class])
            ret->truth_class = i;
        if (!pairs[i])
            continue;
        unsigned as = believed(control, i);
        if (!truth_cost(truth, as, work, &set_ps) ||
            !truth_largest(truth, as, work, &largest_ps, &bytes))
            return false;
        at_set += set_ps * pairs[i];
        largest += largest_ps * pairs[i];
        ret->largest_bytes = bytes;
    }
    ret->zero = truly_zero(truth, believed(control, ret->truth_class), work);
    ret->at_set_ns = in_ns(control, at_set / total);
    ret->largest_ns = in_ns(control, largest / total);
    ret->error_ppm = sim_error_ppm(of->cost.ns, ret->largest_ns);
    ret->set_error_ppm = sim_error_ppm(of->cost.ns, ret->at_set_ns);
    ret->covered = size_of(of->cost.ns - ret->at_set_ns) <= (int64_t)of->cost.spread_ns + 1;
    if (ret->zero && (of->flags & CLASS_ZERO || ret->covered))
        ret->error_ppm = ret->set_error_ppm = 0;
    return true;
}

/* Slower cores and farther memory: what is no migration. */
static bool compare_placement(struct truth *truth, const struct result *result,
                              const struct sim_control *control, unsigned index,
                              struct sim_class *ret)
{
    const struct class_result *of = &result->classes[index];
    struct truth_legs legs;
    if (ret->truth_class == TRUTH_NONE)
        return true;
    if (!truth_legs(truth, of->cpu_a, of->cpu_b, work_of(truth, result, of->working_set), &legs))
        return false;
    ret->placement_ns = in_ns(control, (int64_t)(legs.stay_ps - legs.stay_back_ps));
    return true;
}

static bool same_cost(struct truth *truth, const struct result *result, unsigned a, unsigned b,
                      bool *ret)
{
    int64_t cost_a, cost_b;
    uint64_t bytes;
    struct truth_work work = work_of(truth, result, 0);
    if (!truth_largest(truth, a, work, &cost_a, &bytes) ||
        !truth_largest(truth, b, work, &cost_b, &bytes))
        return false;
    int64_t larger = size_of(cost_a) > size_of(cost_b) ? size_of(cost_a) : size_of(cost_b);
    *ret = size_of(cost_a - cost_b) * 100 <= larger * SAME_PERCENT;
    return true;
}

/* Pairs of different cost must be in different classes, pairs of one truth class in one. */
static bool compare_grouping(struct truth *truth, const struct result *result,
                             struct sim_comparison *ret)
{
    unsigned n = result->cpu_count;
    uint8_t class_of_truth[TRUTH_CLASSES];
    memset(class_of_truth, CLASS_NONE, sizeof class_of_truth);
    ret->classes_agree = true;
    for (unsigned a = 0; a < n && ret->classes_agree; a++) {
        for (unsigned b = a + 1; b < n && ret->classes_agree; b++) {
            uint8_t class_index = result->class_of[result_cell(result, a, b)];
            uint8_t *of = &class_of_truth[truth->class_of[(size_t)a * n + b]];
            if (class_index == CLASS_NONE)
                continue;
            if (*of == CLASS_NONE)
                *of = class_index;
            if (*of == class_index)
                continue;
            ret->classes_agree = false;
            snprintf(ret->disagreement, sizeof ret->disagreement,
                     "CPUs %u and %u are apart from others of '%.60s'", a, b,
                     truth->classes[truth->class_of[(size_t)a * n + b]].name);
        }
    }
    for (unsigned i = 0; i < truth->class_count && ret->classes_agree; i++) {
        for (unsigned j = 0; j < i && ret->classes_agree; j++) {
            bool same;
            if (class_of_truth[i] == CLASS_NONE || class_of_truth[i] != class_of_truth[j])
                continue;
            if (!same_cost(truth, result, i, j, &same))
                return false;
            if (same)
                continue;
            ret->classes_agree = false;
            ret->classes[class_of_truth[i]].strangers += truth->classes[j].pairs;
            snprintf(ret->disagreement, sizeof ret->disagreement,
                     "'%.60s' and '%.60s' are one class", truth->classes[j].name,
                     truth->classes[i].name);
        }
    }
    return true;
}

/* The true cost of a cell where the result has a figure. */
static bool compare_cell(struct truth *truth, const struct result *result,
                         const struct sim_control *control, unsigned s, unsigned d,
                         struct sim_comparison *ret)
{
    unsigned cell = result_cell(result, s, d), class_index = result->class_of[cell];
    struct truth_legs legs;
    if (s == d || class_index == CLASS_NONE || result->cost_ns[cell] == COST_UNKNOWN ||
        ret->classes[class_index].truth_class == TRUTH_NONE)
        return true;
    uint64_t bytes = result->classes[class_index].working_set;
    if (!truth_legs(truth, s, d, work_of(truth, result, bytes), &legs))
        return false;
    int64_t cost = in_ns(control, (int64_t)(legs.move_ps - legs.stay_ps));
    if (ret->true_ns)
        ret->true_ns[cell] = (int32_t)cost;
    ret->cells++;
    if (!ret->classes[class_index].zero) {
        int64_t error = sim_error_ppm(result->cost_ns[cell], cost);
        if (size_of(error) > size_of(ret->worst_cell_ppm)) {
            ret->worst_cell[0] = s;
            ret->worst_cell[1] = d;
        }
        keep_worst(&ret->worst_cell_ppm, error);
    }
    if (!result->raw_working_set || !result->raw_ns[cell])
        return true;
    if (!truth_legs(truth, s, d, work_of(truth, result, result->raw_working_set), &legs))
        return false;
    keep_worst(&ret->worst_raw_ppm,
               sim_error_ppm(result->raw_ns[cell], in_ns(control, (int64_t)legs.move_ps)));
    return true;
}

static bool compare_cells(struct truth *truth, const struct result *result,
                          const struct sim_control *control, struct sim_comparison *ret)
{
    unsigned n = result->cpu_count;
    for (unsigned s = 0; s < n; s++) {
        for (unsigned d = 0; d < n; d++) {
            if (ret->true_ns)
                ret->true_ns[result_cell(result, s, d)] = COST_UNKNOWN;
            if (!compare_cell(truth, result, control, s, d, ret))
                return false;
        }
    }
    return true;
}

/* The recommendation that true costs would have led to. */
static bool recommend_both(const struct result *result, struct sim_comparison *ret)
{
    struct result *ideal = malloc(sizeof *ideal);
    if (!ideal)
        return false;
    *ideal = *result;
    for (unsigned i = 0; i < ideal->class_count; i++) {
        const struct sim_class *of = &ret->classes[i];
        if (of->truth_class == TRUTH_NONE)
            continue;
        ideal->classes[i].cost.ns = (int32_t)of->largest_ns;
        ideal->classes[i].flags =
            (uint16_t)(ideal->classes[i].flags & ~(CLASS_ZERO | CLASS_TWO_PEAKS));
        if (of->zero)
            ideal->classes[i].flags |= CLASS_ZERO;
    }
    recommend(result, POLICY_LEVELS, 0, 0, &ret->measured);
    recommend(ideal, POLICY_LEVELS, 0, 0, &ret->ideal);
    free(ideal);
    return true;
}

/* Of the CPU that has more at stake, as the engine does. */
static bool compare_decay(struct truth *truth, const struct result *result,
                          const struct sim_control *control, unsigned index, struct sim_class *ret)
{
    const struct class_result *of = &result->classes[index];
    uint64_t bytes = of->evict_bytes;
    unsigned a = of->cpu_a, b = of->cpu_b;
    if (ret->truth_class == TRUTH_NONE || ret->zero)
        return true;
    ret->decay = DECAY_MISSING;
    if (!bytes)
        return true;
    const struct truth_work work = work_of(truth, result, of->footprint);
    bool in_b = truth_stake(truth, b, a) > truth_stake(truth, a, b);
    if (!truth_eviction(truth, in_b ? b : a, in_b ? a : b, work, &ret->evict_bytes))
        return false;
    ret->evict_bytes <<= control->decay_steps;
    bool off = bytes > 2 * ret->evict_bytes || 2 * bytes < ret->evict_bytes;
    ret->decay = off ? DECAY_OFF : DECAY_RIGHT;
    return true;
}

bool sim_compare(struct truth *truth, const struct result *result,
                 const struct sim_control *control, struct sim_comparison *ret)
{
    int32_t *true_ns = ret->true_ns;
    memset(ret, 0, sizeof *ret);
    ret->true_ns = true_ns;
    for (unsigned i = 0; i < result->class_count; i++) {
        struct sim_class *class = &ret->classes[i];
        if (!compare_class(truth, result, control, i, class) ||
            !compare_placement(truth, result, control, i, class))
            return false;
        keep_worst(&ret->worst_ppm, class->error_ppm);
        keep_worst(&ret->worst_set_ppm, class->set_error_ppm);
        if (!compare_decay(truth, result, control, i, class))
            return false;
        ret->decays[class->decay]++;
    }
    return compare_grouping(truth, result, ret) && compare_cells(truth, result, control, ret) &&
           recommend_both(result, ret);
}
