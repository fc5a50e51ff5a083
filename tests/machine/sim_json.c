/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured against true, for machines. */
#include "../../lib/report_json.h"
#include "sim.h"
#include <stdio.h>

static void write_out(void *ctx, const char *text, size_t length)
{
    fwrite(text, 1, length, ctx);
}

static void begin(struct json *json, struct text_sink *sink, const struct desc *desc,
                  const struct sim_options *options)
{
    *sink = (struct text_sink){write_out, stdout};
    json_begin(json, sink);
    json_object(json, NULL);
    json_string(json, "machine", desc->name);
    json_uint(json, "cpus", desc->cpu_count);
    json_uint(json, "seed", options->seed);
    json_string(json, "noise", options->noise);
}

static void put_classes(struct json *json, const struct sim_run *run)
{
    json_array(json, "classes");
    for (unsigned i = 0; i < run->result->class_count; i++) {
        const struct class_result *of = &run->result->classes[i];
        const struct sim_class *against = &run->comparison->classes[i];
        json_object(json, NULL);
        json_string(json, "level", level_name(of->key.level));
        json_uint(json, "distance", of->key.distance);
        json_uint(json, "pairs", of->pairs);
        json_uint(json, "flags", of->flags);
        json_uint(json, "working_set", of->working_set);
        json_int(json, "cost_ns", of->cost.ns);
        json_uint(json, "spread_ns", of->cost.spread_ns);
        json_uint(json, "samples", of->cost.samples);
        json_int(json, "linear_ns", of->linear.ns);
        json_int(json, "chase_ns", of->chase.ns);
        json_uint(json, "from_apic_id", run->desc->cpu[of->cpu_a].apic_id);
        json_uint(json, "to_apic_id", run->desc->cpu[of->cpu_b].apic_id);
        json_int(json, "placement_ns", of->placement_ns);
        json_known(json, "evict_bytes", of->evict_bytes);
        json_known(json, "evict_footprint_bytes", of->evict_bytes ? of->footprint : 0);
        json_known(json, "evict_ns", of->evict_ns);
        if (against->truth_class != TRUTH_NONE) {
            json_string(json, "truth", run->truth->classes[against->truth_class].name);
            json_int(json, "true_ns", against->at_set_ns);
            json_int(json, "true_max_ns", against->largest_ns);
            json_uint(json, "true_max_working_set", against->largest_bytes);
            json_bool(json, "truly_zero", against->zero);
            json_int(json, "error_ppm", against->error_ppm);
            json_int(json, "error_at_working_set_ppm", against->set_error_ppm);
            json_bool(json, "within_spread", against->covered);
            json_int(json, "true_placement_ns", against->placement_ns);
            json_known(json, "true_evict_bytes", against->evict_bytes);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_matrix(struct json *json, const char *key, const int32_t *ns, unsigned count)
{
    json_array(json, key);
    for (unsigned s = 0; s < count; s++) {
        json_array_row(json, NULL);
        for (unsigned d = 0; d < count; d++) {
            int32_t value = ns[(size_t)s * count + d];
            if (s == d || value == COST_UNKNOWN)
                json_null(json, NULL);
            else
                json_int(json, NULL, value);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_recommendation(struct json *json, const char *key, const struct recommendation *of)
{
    json_object(json, key);
    json_uint(json, "decay_ns", of->decay_ns);
    json_string(json, "basis", basis_sentence(of->basis));
    json_array(json, "levels");
    for (unsigned i = 0; i < of->level_count; i++) {
        json_object_row(json, NULL);
        json_string(json, "level", level_name(of->level[i].level));
        json_uint(json, "distance", of->level[i].distance);
        json_uint(json, "decay_ns", of->level[i].decay_ns);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void put_purposes(struct json *json, const uint64_t *bytes, uint32_t runs)
{
    json_object(json, "touched_bytes_for");
    for (unsigned i = 0; i < PURPOSES; i++)
        json_uint(json, touch_purpose_name(i), bytes[i] / runs);
    json_close(json);
}

static void put_flags(struct json *json, const char *key, uint64_t flags)
{
    json_array_row(json, key);
    for (unsigned bit = 0; bit < FLAG_COUNT; bit++)
        if (flags >> bit & 1)
            json_string(json, NULL, flag_name(bit));
    json_close(json);
}

void sim_json_run(const struct sim_run *run, const struct sim_options *options)
{
    const struct sim_comparison *of = run->comparison;
    struct text_sink sink;
    struct json json;
    begin(&json, &sink, run->desc, options);
    put_classes(&json, run);
    json_array_row(&json, "apic_ids");
    for (unsigned i = 0; i < run->desc->cpu_count; i++)
        json_uint(&json, NULL, run->desc->cpu[i].apic_id);
    json_close(&json);
    json_array_row(&json, "left_out_apic_ids");
    for (unsigned i = 0; i < run->desc->cpu_count; i++)
        if (sim_left_out(run, i))
            json_uint(&json, NULL, run->desc->cpu[i].apic_id);
    json_close(&json);
    put_matrix(&json, "cost_ns", run->result->cost_ns, run->result->cpu_count);
    put_matrix(&json, "true_cost_ns", of->true_ns, run->result->cpu_count);
    put_recommendation(&json, "recommended", &of->measured);
    put_recommendation(&json, "recommended_from_truth", &of->ideal);
    json_bool(&json, "classes_agree", of->classes_agree);
    json_string(&json, "disagreement", of->classes_agree ? NULL : of->disagreement);
    json_int(&json, "worst_class_ppm", of->worst_ppm);
    json_int(&json, "worst_class_at_working_set_ppm", of->worst_set_ppm);
    json_int(&json, "worst_cell_ppm", of->worst_cell_ppm);
    json_int(&json, "worst_raw_ppm", of->worst_raw_ppm);
    put_flags(&json, "flags", run->result->flags);
    json_uint(&json, "touches", run->backend->touches);
    json_uint(&json, "touched_bytes", run->backend->touched_bytes);
    put_purposes(&json, run->result->touched_for, 1);
    json_uint(&json, "modelled_ns", run->backend->now_ps / 1000);
    json_close(&json);
}

void sim_json_series(struct sim_series *series, const struct truth *truth,
                     const struct sim_options *options)
{
    struct text_sink sink;
    struct json json;
    begin(&json, &sink, truth->desc, options);
    json_uint(&json, "runs", series->runs);
    json_array(&json, "classes");
    for (unsigned i = 0; i < truth->class_count; i++) {
        struct sim_spread of = sim_series_spread(series, i);
        json_object(&json, NULL);
        json_string(&json, "truth", truth->classes[i].name);
        json_uint(&json, "pairs", truth->classes[i].pairs);
        json_uint(&json, "figures", series->count[i]);
        json_int(&json, "median_ppm", of.median_ppm);
        json_int(&json, "percentile_5_ppm", of.low_ppm);
        json_int(&json, "percentile_95_ppm", of.high_ppm);
        json_int(&json, "least_ppm", of.least_ppm);
        json_int(&json, "most_ppm", of.most_ppm);
        json_uint(&json, "within_spread_permille", of.covered_permille);
        json_close(&json);
    }
    json_close(&json);
    json_uint(&json, "classes_agree", series->agreed);
    json_string(&json, "disagreement", series->disagreement[0] ? series->disagreement : NULL);
    json_known(&json, "disagreement_seed", series->disagreement_seed);
    json_uint(&json, "off_by_factor_two", series->false_maxima);
    json_known(&json, "off_by_factor_two_seed", series->false_maximum_seed);
    json_uint(&json, "decays_within_a_step", series->decays[DECAY_RIGHT]);
    json_uint(&json, "decays_off", series->decays[DECAY_OFF]);
    json_uint(&json, "decays_not_measured", series->decays[DECAY_MISSING]);
    json_known(&json, "decay_seed", series->decay_seed);
    struct sim_spread cells = sim_series_cells(series);
    json_int(&json, "cells_percentile_5_ppm", cells.low_ppm);
    json_int(&json, "cells_percentile_95_ppm", cells.high_ppm);
    json_int(&json, "worst_cell_ppm", series->worst_cell_ppm);
    json_int(&json, "worst_raw_ppm", series->worst_raw_ppm);
    put_flags(&json, "flags_in_any", series->flags_any);
    put_flags(&json, "flags_in_all", series->runs ? series->flags_all : 0);
    json_uint(&json, "touches", series->touches / series->runs);
    json_uint(&json, "touched_bytes", series->touched_bytes / series->runs);
    json_uint(&json, "most_touched_bytes", series->most_bytes);
    put_purposes(&json, series->touched_for, series->runs);
    json_uint(&json, "modelled_ns", series->modelled_ns / series->runs);
    json_close(&json);
}
