/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured against true, for people. */
#include "../../lib/text.h"
#include "../../lib/touch.h"
#include "sim.h"
#include <stdio.h>
#include <stdlib.h>

#define MATRIX_CPUS 24u /* more do not fit a terminal */

/* Percent with two decimals, or what is not a number. */
static const char *percent(int64_t ppm, char *buffer, size_t size)
{
    if (llabs(ppm) >= ERROR_MAX)
        snprintf(buffer, size, "off");
    else
        snprintf(buffer, size, "%s%lld.%02lld%%", ppm < 0 ? "-" : "+", llabs(ppm) / 10000,
                 llabs(ppm) / 100 % 100);
    return buffer;
}

static void print_class(const struct sim_run *run, unsigned index)
{
    const struct class_result *of = &run->result->classes[index];
    const struct sim_class *against = &run->comparison->classes[index];
    char cost[32], spread[32], set[32], at_set[32], largest[32], bytes[32], error[32];
    text_duration(cost, sizeof cost, of->cost.ns);
    text_duration(spread, sizeof spread, of->cost.spread_ns);
    text_bytes(set, sizeof set, of->working_set);
    if (against->truth_class == TRUTH_NONE) {
        printf("  %-8s %3u  not measured\n", level_name(of->key.level), of->key.distance);
        return;
    }
    text_duration(at_set, sizeof at_set, against->at_set_ns);
    text_duration(largest, sizeof largest, against->largest_ns);
    text_bytes(bytes, sizeof bytes, against->largest_bytes);
    printf("  %-8s %3u  %-22s %5u %9s %9s +- %-8s %9s %9s %9s %9s  %s\n", level_name(of->key.level),
           of->key.distance, run->truth->classes[against->truth_class].name, of->pairs, set, cost,
           spread, at_set, bytes, largest, percent(against->error_ppm, error, sizeof error),
           against->zero      ? "zero"
           : against->covered ? ""
                              : "outside its spread");
}

static void print_row(const struct sim_run *run, unsigned s, bool measured)
{
    const struct result *result = run->result;
    printf("  [%3u]", run->desc->cpu[s].apic_id);
    for (unsigned d = 0; d < result->cpu_count; d++) {
        unsigned cell = result_cell(result, s, d);
        int64_t ns = measured ? result->cost_ns[cell] : run->comparison->true_ns[cell];
        if (s == d || ns == COST_UNKNOWN)
            printf("%8s", s == d ? "-" : "?");
        else
            printf(" %s%5lld.%lld", ns < 0 && ns > -1000 ? "-" : "", (long long)(ns / 1000),
                   llabs(ns) / 100 % 10);
    }
    printf("\n");
}

static void print_matrix(const struct sim_run *run)
{
    unsigned n = run->result->cpu_count;
    if (n < 2)
        return;
    if (n > MATRIX_CPUS) {
        printf("matrix: %u CPUs are more than columns; --json has it\n", n);
        return;
    }
    for (int measured = 1; measured >= 0; measured--) {
        printf("migration cost, %s, us (row: from, column: to, by APIC id)\n",
               measured ? "measured" : "true");
        for (unsigned s = 0; s < n; s++)
            print_row(run, s, measured);
    }
}

static void print_recommendation(const struct sim_run *run)
{
    const struct recommendation *measured = &run->comparison->measured;
    const struct recommendation *ideal = &run->comparison->ideal;
    char a[32], b[32];
    text_duration(a, sizeof a, measured->decay_ns);
    text_duration(b, sizeof b, ideal->decay_ns);
    printf("recommended cache decay: %s, from true costs %s\n  %s\n", a, b,
           basis_sentence(measured->basis));
    for (unsigned i = 0; i < measured->level_count && i < ideal->level_count; i++) {
        text_duration(a, sizeof a, measured->level[i].decay_ns);
        text_duration(b, sizeof b, ideal->level[i].decay_ns);
        printf("  %-8s %3u  %9s, true %9s\n", level_name(measured->level[i].level),
               measured->level[i].distance, a, b);
    }
}

static void print_decay(const struct sim_run *run)
{
    for (unsigned i = 0; i < run->result->class_count; i++) {
        const struct class_result *of = &run->result->classes[i];
        const struct sim_class *against = &run->comparison->classes[i];
        char footprint[32], bytes[32], time[32], truly[32] = "never";
        if (against->decay == DECAY_NONE)
            continue;
        printf("decay of '%s': ", run->truth->classes[against->truth_class].name);
        if (against->decay == DECAY_MISSING) {
            printf("not measured\n");
            continue;
        }
        text_bytes(footprint, sizeof footprint, of->footprint);
        text_bytes(bytes, sizeof bytes, of->evict_bytes);
        text_duration(time, sizeof time, of->evict_ns);
        if (against->evict_bytes)
            text_bytes(truly, sizeof truly, against->evict_bytes);
        printf("%s gone after %s of other data (%s), truly after %s%s\n", footprint, bytes, time,
               truly, against->decay == DECAY_OFF ? ": over a step off" : "");
    }
}

/* Where the two CPUs of a class differ in how long staying takes them. */
static void print_placement(const struct sim_run *run)
{
    for (unsigned i = 0; i < run->result->class_count; i++) {
        const struct class_result *of = &run->result->classes[i];
        const struct sim_class *against = &run->comparison->classes[i];
        char measured[32], truly[32];
        if (against->truth_class == TRUTH_NONE || (!of->placement_ns && !against->placement_ns))
            continue;
        text_duration(measured, sizeof measured, of->placement_ns);
        text_duration(truly, sizeof truly, against->placement_ns);
        printf("apart from moving, '%s' costs %s more on [%u] than on [%u], truly %s\n",
               run->truth->classes[against->truth_class].name, measured,
               run->desc->cpu[of->cpu_b].apic_id, run->desc->cpu[of->cpu_a].apic_id, truly);
    }
}

static void print_left_out(const struct sim_run *run)
{
    const char *before = "left out, by APIC id:";
    for (unsigned i = 0; i < run->desc->cpu_count; i++) {
        if (!sim_left_out(run, i))
            continue;
        printf("%s %u", before, run->desc->cpu[i].apic_id);
        before = "";
    }
    if (!*before)
        printf("\n");
}

static void print_purposes(const uint64_t *bytes, uint32_t runs)
{
    char text[32];
    const char *before = "of these for";
    for (unsigned i = 0; i < PURPOSES; i++) {
        if (!bytes[i])
            continue;
        text_bytes(text, sizeof text, bytes[i] / runs);
        printf("%s %s %s", before, touch_purpose_name(i), text);
        before = ",";
    }
    printf("\n");
}

void sim_print_run(const struct sim_run *run)
{
    const struct sim_comparison *of = run->comparison;
    const struct result *result = run->result;
    char time[32], bytes[32], error[32], set_error[32];
    printf("machine: %s, %u CPUs\n", run->desc->name, run->desc->cpu_count);
    if (result->class_count)
        printf("  %-12s  %-22s %5s %9s %9s    %-8s %9s %9s %9s %9s\n", "level", "truly", "pairs",
               "set", "measured", "spread", "true", "max at", "true max", "error");
    for (unsigned i = 0; i < result->class_count; i++)
        print_class(run, i);
    print_matrix(run);
    print_recommendation(run);
    print_placement(run);
    print_decay(run);
    print_left_out(run);
    printf("classes: %s%s\n", of->classes_agree ? "as they are" : "wrong: ", of->disagreement);
    printf("largest error: class %s, at its working set %s, ",
           percent(of->worst_ppm, error, sizeof error),
           percent(of->worst_set_ppm, set_error, sizeof set_error));
    printf("cell %s, ", percent(of->worst_cell_ppm, error, sizeof error));
    printf("raw cell %s\n", percent(of->worst_raw_ppm, error, sizeof error));
    for (unsigned bit = 0; bit < FLAG_COUNT; bit++)
        if (result->flags >> bit & 1)
            printf("flag: %s\n", flag_name(bit));
    text_duration(time, sizeof time, (long long)(run->backend->now_ps / 1000));
    text_bytes(bytes, sizeof bytes, run->backend->touched_bytes);
    printf("%llu touches of %s in all, %s of modelled time\n",
           (unsigned long long)run->backend->touches, bytes, time);
    print_purposes(result->touched_for, 1);
}

void sim_print_series(struct sim_series *series, const struct truth *truth)
{
    char a[32], b[32], c[32], d[32], e[32], bytes[32], most[32];
    printf("machine: %s, %u CPUs, %u runs\n", truth->desc->name, truth->desc->cpu_count,
           series->runs);
    printf("  %-30s %6s %9s %9s %9s %9s %9s %9s\n", "class", "runs", "median", "5th", "95th",
           "least", "most", "covered");
    for (unsigned i = 0; i < truth->class_count; i++) {
        struct sim_spread of = sim_series_spread(series, i);
        if (!series->count[i])
            continue; /* costs what another does, and the engine took them together */
        printf("  %-30s %6u %9s %9s %9s %9s %9s %6u.%u%%\n", truth->classes[i].name,
               series->count[i], percent(of.median_ppm, a, sizeof a),
               percent(of.low_ppm, b, sizeof b), percent(of.high_ppm, c, sizeof c),
               percent(of.least_ppm, d, sizeof d), percent(of.most_ppm, e, sizeof e),
               of.covered_permille / 10, of.covered_permille % 10);
    }
    struct sim_spread cells = sim_series_cells(series);
    if (series->cell_count)
        printf("  %-30s %6zu %9s %9s %9s %9s %9s\n", "cells of the matrix", series->cell_count,
               percent(cells.median_ppm, a, sizeof a), percent(cells.low_ppm, b, sizeof b),
               percent(cells.high_ppm, c, sizeof c), percent(cells.least_ppm, d, sizeof d),
               percent(cells.most_ppm, e, sizeof e));
    printf("classes right in %u of %u runs", series->agreed, series->runs);
    if (series->disagreement[0])
        printf("; seed %llu: %s", (unsigned long long)series->disagreement_seed,
               series->disagreement);
    printf("\n");
    unsigned long long right = series->decays[DECAY_RIGHT], off = series->decays[DECAY_OFF];
    printf("decay within a step of the ladder in %llu of %llu, %llu more not measured\n", right,
           right + off, (unsigned long long)series->decays[DECAY_MISSING]);
    printf("class figures off by more than a factor of two: %u\n", series->false_maxima);
    printf("largest error of a raw cell: %s\n", percent(series->worst_raw_ppm, b, sizeof b));
    text_bytes(bytes, sizeof bytes, series->touched_bytes / series->runs);
    text_bytes(most, sizeof most, series->most_bytes);
    text_duration(a, sizeof a, (long long)(series->modelled_ns / series->runs));
    printf("per run %llu touches, %s (at most %s), %s of modelled time\n",
           (unsigned long long)(series->touches / series->runs), bytes, most, a);
    print_purposes(series->touched_for, series->runs);
}

bool sim_print_curves(struct truth *truth, const struct sim_options *options)
{
    printf("# working set in bytes, then the true cost of each class in ns:");
    for (unsigned i = 0; i < truth->class_count; i++)
        printf(" '%s'", truth->classes[i].name);
    printf("\n");
    unsigned line = truth->desc->line_bytes;
    unsigned home = truth->desc->cpu[truth->desc->boot_cpu].node;
    for (unsigned step = 0;; step++) {
        /* four steps to a doubling */
        uint64_t bytes = touch_round((16384ull << step / 4) * (4 + step % 4) / 4, line);
        if (bytes > truth->desc->memory_bytes / 2)
            return true;
        struct truth_work work = {bytes, options->engine.pattern, options->engine.access, home};
        printf("%llu", (unsigned long long)bytes);
        for (unsigned i = 0; i < truth->class_count; i++) {
            int64_t ps;
            if (!truth_cost(truth, i, work, &ps))
                return false;
            printf(" %lld", (long long)(ps / 1000));
        }
        printf("\n");
    }
}
