/* SPDX-License-Identifier: BSD-2-Clause */
/* migcost-sim: the measurement of lib/ on a machine whose true costs are known. */
#include "sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that runs need, once per process. */
struct sim {
    struct sim_options options;
    struct desc *desc;
    struct model *model;
    struct memo memo;
    struct truth truth;
    struct sim_series series;
    void *workspace;
    size_t workspace_bytes;
    int32_t *true_ns;
    bool beyond;
};

static int fail(int status, const char *what)
{
    fprintf(stderr, "migcost-sim: %s\n", what);
    return status;
}

/* "A,B": two names that --swap-classes takes. */
static bool find_swap(struct sim *sim)
{
    const char *text = sim->options.swap, *comma = text ? strchr(text, ',') : NULL;
    if (!comma)
        return true;
    const char *name[2] = {text, comma + 1};
    size_t length[2] = {(size_t)(comma - text), strlen(comma + 1)};
    unsigned *to[2] = {&sim->options.control.swap_a, &sim->options.control.swap_b};
    for (unsigned end = 0; end < 2; end++) {
        unsigned i = 0;
        while (i < sim->truth.class_count &&
               (strlen(sim->truth.classes[i].name) != length[end] ||
                memcmp(sim->truth.classes[i].name, name[end], length[end]) != 0))
            i++;
        if (i == sim->truth.class_count) {
            fprintf(stderr,
                    "migcost-sim: --swap-classes: no class '%.*s'; there are:", (int)length[end],
                    name[end]);
            for (i = 0; i < sim->truth.class_count; i++)
                fprintf(stderr, " '%s'", sim->truth.classes[i].name);
            fputc('\n', stderr);
            return false;
        }
        *to[end] = i;
    }
    return true;
}

static int set_up(struct sim *sim)
{
    const struct sim_options *options = &sim->options;
    struct desc_error error;
    struct value_error noise_error;
    sim->desc = desc_load(options->path, &error);
    if (!sim->desc) {
        if (error.line)
            fprintf(stderr, "%s:%lu: %s\n", options->path, error.line, error.text);
        else
            fprintf(stderr, "%s: %s\n", options->path, error.text);
        return SIM_MACHINE;
    }
    if (options->noise && !noise_parse(sim->desc, options->noise, &noise_error)) {
        fprintf(stderr, "migcost-sim: --noise: %s\n", noise_error.text);
        return SIM_USAGE;
    }
    sim->model = model_new(sim->desc);
    if (!sim->model || !memo_init(&sim->memo, sim->model))
        return fail(SIM_ENGINE, "not enough memory for this machine");
    if (!truth_init(&sim->truth, &sim->memo))
        return fail(SIM_ENGINE, "not enough memory, or more classes than can be told apart");
    if (!find_swap(sim))
        return SIM_USAGE;
    sim->workspace_bytes = engine_workspace_bytes(sim->desc->cpu_count);
    sim->workspace = malloc(sim->workspace_bytes);
    sim->true_ns =
        calloc((size_t)sim->desc->cpu_count * sim->desc->cpu_count, sizeof *sim->true_ns);
    if (!sim->workspace || !sim->true_ns)
        return fail(SIM_ENGINE, "not enough memory");
    sim_series_init(&sim->series);
    return SIM_OK;
}

static void tear_down(struct sim *sim)
{
    sim_series_free(&sim->series);
    free(sim->true_ns);
    free(sim->workspace);
    truth_free(&sim->truth);
    memo_free(&sim->memo);
    model_free(sim->model);
    desc_free(sim->desc);
}

static const char *engine_complaint(enum engine_status status)
{
    switch (status) {
    case ENGINE_NO_MEMORY:
        return "the engine found no memory to measure in";
    case ENGINE_BAD_OPTION:
        return "this machine cannot serve --size";
    default:
        return "the engine failed";
    }
}

static bool is_beyond(const struct sim *sim, const struct sim_comparison *comparison)
{
    int64_t limit = (int64_t)sim->options.tolerance_ppm;
    /* With --size nobody looked for the largest cost. */
    int64_t worst = sim->options.engine.size ? comparison->worst_set_ppm : comparison->worst_ppm;
    return sim->options.check && (llabs(worst) > limit || !comparison->classes_agree ||
                                  comparison->decays[DECAY_OFF] > 0);
}

static int run_once(struct sim *sim, uint64_t seed)
{
    struct backend backend;
    struct result result;
    static struct sim_comparison comparison;
    if (!backend_init(&backend, &sim->memo, &sim->desc->noise, seed))
        return fail(SIM_ENGINE, "not enough memory");
    backend.scale_permille = sim->options.touch_permille;
    for (unsigned level = 1; level < CACHE_LEVELS; level++)
        for (unsigned i = 0; i < sim->desc->cpu_count && sim->options.capacity[level]; i++)
            backend.cpus[i].cache_bytes[level] = sim->options.capacity[level];
    backend.fresh = sim->options.fresh;
    enum engine_status status = engine_run(&backend.machine, &sim->options.engine, sim->workspace,
                                           sim->workspace_bytes, &result);
    int ret = SIM_OK;
    comparison.true_ns = sim->true_ns;
    if (status != ENGINE_OK) {
        ret = fail(SIM_ENGINE, engine_complaint(status));
    } else if (backend.misuses) {
        fprintf(stderr, "migcost-sim: the engine broke the contract of the seam: %s\n",
                backend.misuse);
        ret = SIM_ENGINE;
    } else if (!sim_compare(&sim->truth, &result, &sim->options.control, &comparison)) {
        ret = fail(SIM_ENGINE, "not enough memory");
    } else {
        const struct sim_run run = {sim->desc, &sim->truth, &backend, &result, &comparison};
        sim_series_add(&sim->series, &run, seed);
        sim->beyond |= is_beyond(sim, &comparison);
        if (sim->options.runs == 1 && sim->options.json)
            sim_json_run(&run, &sim->options);
        else if (sim->options.runs == 1)
            sim_print_run(&run);
    }
    backend_free(&backend);
    return ret;
}

static int run_all(struct sim *sim)
{
    const struct sim_options *options = &sim->options;
    if (options->against)
        return sim_against(&sim->truth, options);
    if (options->curves)
        return sim_print_curves(&sim->truth, options) ? SIM_OK : SIM_ENGINE;
    for (uint32_t i = 0; i < options->runs; i++) {
        int status = run_once(sim, options->seed + i);
        if (status != SIM_OK)
            return status;
    }
    if (options->runs > 1 && options->json)
        sim_json_series(&sim->series, &sim->truth, options);
    else if (options->runs > 1)
        sim_print_series(&sim->series, &sim->truth);
    if (!options->json && options->check)
        printf("%s the tolerance of %llu.%02llu%%\n", sim->beyond ? "BEYOND" : "within",
               (unsigned long long)options->tolerance_ppm / 10000,
               (unsigned long long)options->tolerance_ppm / 100 % 100);
    return sim->beyond ? SIM_BEYOND : SIM_OK;
}

int main(int argc, char **argv)
{
    struct sim sim;
    memset(&sim, 0, sizeof sim);
    if (!sim_read_options(argc, argv, &sim.options))
        return SIM_USAGE;
    if (sim.options.help) {
        sim_usage();
        return SIM_OK;
    }
    int status = set_up(&sim);
    if (status == SIM_OK)
        status = run_all(&sim);
    tear_down(&sim);
    return status;
}
