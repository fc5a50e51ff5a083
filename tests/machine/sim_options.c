/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of migcost-sim. */
#include "sim.h"
#include "value.h"
#include <stdio.h>
#include <string.h>

static const char *const pattern_words[] = {"linear", "scatter", "chase"};
static const char *const access_words[] = {"read", "write", "update"};

void sim_usage(void)
{
    fputs(
        "usage: migcost-sim [OPTION]... FILE\n"
        "Runs the measurement of lib/ on the machine that FILE describes, and compares what it\n"
        "finds with what is true of that machine. tests/machine/README.md describes the files.\n"
        "\n"
        "  --seed N             seed of the noise (1); run n of --runs has seed N+n\n"
        "  --noise TEXT         replaces or adds to the file's [noise]: none, study, key=value,\n"
        "                       separated by commas; study is 2% jitter, one pass in ten 30%\n"
        "                       slower, 150 us of SMM once a second\n"
        "  --runs N             N runs with N seeds, and their errors as medians and percentiles\n"
        "  --fresh              caches are emptied before each batch of touches that is about\n"
        "                       other CPUs or memory than the last one: many runs cost far less\n"
        "  --tolerance PERCENT  exit status 1 if the cost of a class is further off, its decay by\n"
        "                       over a step of the ladder, or classes are not those of the "
        "machine\n"
        "  --json               for machines\n"
        "  --curves             the true cost of each class over the working set, and no run\n"
        "  --pattern P          linear, scatter (default), chase\n"
        "  --access A           read, write, update (default)\n"
        "  --size BYTES         one working set for all classes (512K, 4M)\n"
        "  --capacity L=BYTES   capacity of level L, instead of what the machine says\n"
        "  --budget SECONDS     of modelled time (60)\n"
        "  --help               this text\n"
        "\n"
        "Controls, with which a check has to fail:\n"
        "  --move-truth PERCENT    every true cost is taken to be so much higher\n"
        "  --scale-touches FACTOR  every touch takes so much longer (1.1)\n"
        "  --move-decay STEPS      it takes so many factors of two more to evict a footprint\n"
        "  --swap-classes A,B      two classes, by the names printed, exchange their truths\n"
        "\n"
        "Exit status: 0 good, 1 beyond the tolerance, 2 wrong command line, 3 wrong machine\n"
        "file, 4 the measurement failed.\n",
        stdout);
}

struct option {
    const char *name;
    bool (*set)(struct sim_options *options, const char *value, struct value_error *error);
    bool has_value;
};

static bool set_seed(struct sim_options *options, const char *value, struct value_error *error)
{
    return value_number(value, UNIT_NONE, 0, UINT64_MAX / 2, &options->seed, error);
}

static bool set_noise(struct sim_options *options, const char *value, struct value_error *error)
{
    (void)error;
    options->noise = value;
    return true;
}

static bool set_runs(struct sim_options *options, const char *value, struct value_error *error)
{
    uint64_t runs;
    if (!value_number(value, UNIT_NONE, 1, 1000000, &runs, error))
        return false;
    options->runs = (uint32_t)runs;
    return true;
}

/* PERCENT with or without its sign. */
static bool read_percent(const char *value, uint64_t max_permille, uint64_t *ret_ppm,
                         struct value_error *error)
{
    char text[40];
    size_t length = strlen(value);
    snprintf(text, sizeof text, "%.30s%s", value, length && value[length - 1] == '%' ? "" : "%");
    return value_number(text, UNIT_PPM, 0, max_permille * 1000, ret_ppm, error);
}

static bool set_tolerance(struct sim_options *options, const char *value, struct value_error *error)
{
    options->check = true;
    return read_percent(value, 1000000, &options->tolerance_ppm, error);
}

static bool set_json(struct sim_options *options, const char *value, struct value_error *error)
{
    (void)value;
    (void)error;
    return options->json = true;
}

static bool set_curves(struct sim_options *options, const char *value, struct value_error *error)
{
    (void)value;
    (void)error;
    return options->curves = true;
}

static bool set_fresh(struct sim_options *options, const char *value, struct value_error *error)
{
    (void)value;
    (void)error;
    return options->fresh = true;
}

static bool set_help(struct sim_options *options, const char *value, struct value_error *error)
{
    (void)value;
    (void)error;
    return options->help = true;
}

static bool set_pattern(struct sim_options *options, const char *value, struct value_error *error)
{
    unsigned word;
    if (!value_word(value, pattern_words, TOUCH_PATTERNS, &word, error))
        return false;
    options->engine.pattern = (uint8_t)word;
    return true;
}

static bool set_access(struct sim_options *options, const char *value, struct value_error *error)
{
    unsigned word;
    if (!value_word(value, access_words, TOUCH_ACCESSES, &word, error))
        return false;
    options->engine.access = (uint8_t)word;
    return true;
}

static bool set_size(struct sim_options *options, const char *value, struct value_error *error)
{
    return value_number(value, UNIT_SIZE, 1024, 1ull << 40, &options->engine.size, error);
}

static bool set_capacity(struct sim_options *options, const char *value, struct value_error *error)
{
    if (value[0] < '1' || value[0] >= '0' + (int)CACHE_LEVELS || value[1] != '=')
        return value_fail(error, "'%.30s' is not LEVEL=BYTES", value);
    return value_number(value + 2, UNIT_SIZE, 1024, 1ull << 40, &options->capacity[value[0] - '0'],
                        error);
}

static bool set_budget(struct sim_options *options, const char *value, struct value_error *error)
{
    uint64_t seconds;
    if (!value_number(value, UNIT_NONE, 1, ENGINE_BUDGET_MAX_S, &seconds, error))
        return false;
    options->engine.budget_ns = seconds * 1000000000;
    return true;
}

static bool set_move_truth(struct sim_options *options, const char *value,
                           struct value_error *error)
{
    uint64_t ppm;
    if (!read_percent(value, 10000, &ppm, error))
        return false;
    options->control.truth_permille = (uint32_t)(1000 + ppm / 1000);
    return true;
}

static bool set_move_decay(struct sim_options *options, const char *value,
                           struct value_error *error)
{
    uint64_t steps;
    if (!value_number(value, UNIT_NONE, 0, 8, &steps, error))
        return false;
    options->control.decay_steps = (unsigned)steps;
    return true;
}

static bool set_scale_touches(struct sim_options *options, const char *value,
                              struct value_error *error)
{
    uint64_t permille;
    if (!value_number(value, UNIT_RATIO, 100, 10000, &permille, error))
        return false;
    options->touch_permille = (uint32_t)permille;
    return true;
}

static bool set_against(struct sim_options *options, const char *value, struct value_error *error)
{
    (void)error;
    options->against = value;
    return true;
}

static bool set_swap(struct sim_options *options, const char *value, struct value_error *error)
{
    if (!strchr(value, ','))
        return value_fail(error, "'%.60s' is not two names separated by a comma", value);
    options->swap = value;
    return true;
}

static const struct option all_options[] = {
    {"--seed", set_seed, true},
    {"--noise", set_noise, true},
    {"--runs", set_runs, true},
    {"--tolerance", set_tolerance, true},
    {"--json", set_json, false},
    {"--fresh", set_fresh, false},
    {"--curves", set_curves, false},
    {"--compare-with", set_against, true},
    {"--pattern", set_pattern, true},
    {"--access", set_access, true},
    {"--size", set_size, true},
    {"--capacity", set_capacity, true},
    {"--budget", set_budget, true},
    {"--move-truth", set_move_truth, true},
    {"--move-decay", set_move_decay, true},
    {"--scale-touches", set_scale_touches, true},
    {"--swap-classes", set_swap, true},
    {"--help", set_help, false},
};

static bool complain(const char *about, const char *text)
{
    fprintf(stderr, "migcost-sim: %s: %s\n", about, text);
    return false;
}

static const struct option *find_option(const char *argument, size_t length)
{
    for (size_t i = 0; i < sizeof all_options / sizeof all_options[0]; i++)
        if (strlen(all_options[i].name) == length &&
            memcmp(all_options[i].name, argument, length) == 0)
            return &all_options[i];
    return NULL;
}

bool sim_read_options(int argc, char **argv, struct sim_options *ret)
{
    *ret = (struct sim_options){.seed = 1,
                                .runs = 1,
                                .touch_permille = 1000,
                                .control = {.truth_permille = 1000},
                                .engine = {.pattern = TOUCH_SCATTER,
                                           .access = TOUCH_UPDATE,
                                           .budget_ns = ENGINE_BUDGET_DEFAULT_S * 1000000000ull}};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (ret->path)
                return complain(argv[i], "a second machine file");
            ret->path = argv[i];
            continue;
        }
        const char *equals = strchr(argv[i], '=');
        size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const struct option *option = find_option(argv[i], length);
        if (!option)
            return complain(argv[i], "no such option; --help lists them");
        const char *value = equals ? equals + 1 : NULL;
        if (option->has_value && !value)
            value = i + 1 < argc ? argv[++i] : NULL;
        if (option->has_value != (value != NULL))
            return complain(option->name, value ? "takes no value" : "needs a value");
        struct value_error error;
        if (!option->set(ret, value, &error))
            return complain(option->name, error.text);
    }
    if (!ret->path && !ret->help)
        return complain("FILE", "a machine file is missing; --help says more");
    return true;
}
