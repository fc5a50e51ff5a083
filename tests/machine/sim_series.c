/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors over many seeds. */
#include "sim.h"
#include <stdlib.h>
#include <string.h>

#define FACTOR_TWO_UP   1000000 /* measured is twice the truth */
#define FACTOR_TWO_DOWN (-500000)

void sim_series_init(struct sim_series *series)
{
    memset(series, 0, sizeof *series);
    series->flags_all = UINT64_MAX;
}

void sim_series_free(struct sim_series *series)
{
    for (unsigned i = 0; i < TRUTH_CLASSES; i++)
        free(series->sample[i]);
    free(series->cell_ppm);
    memset(series, 0, sizeof *series);
}

static int32_t clamp(int64_t value)
{
    if (value > ERROR_MAX)
        return ERROR_MAX;
    return value < -ERROR_MAX ? -ERROR_MAX : (int32_t)value;
}

static void keep(struct sim_series *series, const struct sim_class *class)
{
    unsigned i = class->truth_class;
    uint32_t count = series->count[i];
    if (count % 64 == 0) {
        struct sim_sample *more =
            realloc(series->sample[i], (count + 64u) * sizeof *series->sample[i]);
        if (!more)
            abort(); /* of a test tool: nothing better to do without memory */
        series->sample[i] = more;
    }
    series->sample[i][count] =
        (struct sim_sample){clamp(class->error_ppm), clamp(class->set_error_ppm), class->covered};
    series->count[i]++;
    series->false_maxima += class->error_ppm > FACTOR_TWO_UP || class->error_ppm < FACTOR_TWO_DOWN;
}

/* Errors of the cells that have a figure and a cost. */
static void keep_cells(struct sim_series *series, const struct sim_run *run)
{
    const struct result *result = run->result;
    size_t cells = (size_t)result->cpu_count * result->cpu_count;
    if (series->cell_count + cells > series->cell_room) {
        size_t room = (series->cell_room + cells) * 2;
        int32_t *more = realloc(series->cell_ppm, room * sizeof *more);
        if (!more)
            abort(); /* as above */
        series->cell_ppm = more;
        series->cell_room = room;
    }
    for (size_t i = 0; i < cells; i++) {
        unsigned class_index = result->class_of[i];
        int32_t true_ns = run->comparison->true_ns[i];
        if (class_index == CLASS_NONE || true_ns == COST_UNKNOWN ||
            run->comparison->classes[class_index].zero)
            continue;
        series->cell_ppm[series->cell_count++] = clamp(sim_error_ppm(result->cost_ns[i], true_ns));
    }
}

static int64_t worse(int64_t a, int64_t b)
{
    return llabs(b) > llabs(a) ? b : a;
}

void sim_series_add(struct sim_series *series, const struct sim_run *run, uint64_t seed)
{
    const struct sim_comparison *of = run->comparison;
    uint32_t false_maxima = series->false_maxima;
    series->runs++;
    for (unsigned i = 0; i < run->result->class_count; i++)
        if (of->classes[i].truth_class != TRUTH_NONE)
            keep(series, &of->classes[i]);
    keep_cells(series, run);
    if (of->classes_agree) {
        series->agreed++;
    } else if (!series->disagreement[0]) {
        memcpy(series->disagreement, of->disagreement, sizeof series->disagreement);
        series->disagreement_seed = seed;
    }
    if (series->false_maxima && !false_maxima)
        series->false_maximum_seed = seed;
    if (of->decays[DECAY_OFF] + of->decays[DECAY_MISSING] && !series->decay_seed)
        series->decay_seed = seed;
    for (unsigned i = 0; i < DECAYS; i++)
        series->decays[i] += of->decays[i];
    series->worst_cell_ppm = worse(series->worst_cell_ppm, of->worst_cell_ppm);
    series->worst_raw_ppm = worse(series->worst_raw_ppm, of->worst_raw_ppm);
    series->touches += run->backend->touches;
    series->touched_bytes += run->backend->touched_bytes;
    for (unsigned i = 0; i < PURPOSES; i++)
        series->touched_for[i] += run->result->touched_for[i];
    if (run->backend->touched_bytes > series->most_bytes)
        series->most_bytes = run->backend->touched_bytes;
    series->modelled_ns += run->backend->now_ps / 1000;
    series->flags_all &= run->result->flags;
    series->flags_any |= run->result->flags;
}

static int by_error(const void *a, const void *b)
{
    const struct sim_sample *x = a, *y = b;
    return (x->error_ppm > y->error_ppm) - (x->error_ppm < y->error_ppm);
}

struct sim_spread sim_series_spread(struct sim_series *series, unsigned truth_class)
{
    struct sim_spread ret = {0, 0, 0, 0, 0, 0};
    uint32_t count = series->count[truth_class], covered = 0;
    struct sim_sample *sample = series->sample[truth_class];
    if (!count)
        return ret;
    qsort(sample, count, sizeof *sample, by_error);
    for (uint32_t i = 0; i < count; i++)
        covered += sample[i].covered;
    ret.median_ppm = sample[count / 2].error_ppm;
    ret.low_ppm = sample[count / 20].error_ppm;
    ret.high_ppm = sample[count - 1 - count / 20].error_ppm;
    ret.least_ppm = sample[0].error_ppm;
    ret.most_ppm = sample[count - 1].error_ppm;
    ret.covered_permille = (uint32_t)((uint64_t)covered * 1000 / count);
    return ret;
}

static int by_value(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct sim_spread sim_series_cells(struct sim_series *series)
{
    struct sim_spread ret = {0, 0, 0, 0, 0, 0};
    size_t count = series->cell_count;
    int32_t *ppm = series->cell_ppm;
    if (!count)
        return ret;
    qsort(ppm, count, sizeof *ppm, by_value);
    ret.median_ppm = ppm[count / 2];
    ret.low_ppm = ppm[count / 20];
    ret.high_ppm = ppm[count - 1 - count / 20];
    ret.least_ppm = ppm[0];
    ret.most_ppm = ppm[count - 1];
    return ret;
}
