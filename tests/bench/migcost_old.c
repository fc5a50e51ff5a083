/* SPDX-License-Identifier: BSD-2-Clause */
/* migcost-old: the algorithms of 2004 to 2007 on a machine whose true costs are known. */
#include "migcost_old.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct all {
    struct old_options options;
    struct desc *desc;
    struct old old;
    struct memo memo; /* the classes of the machine want one */
    struct truth truth;
    struct old_pair *pairs;
    unsigned pair_count;
};

static int fail(int status, const char *what)
{
    fprintf(stderr, "migcost-old: %s\n", what);
    return status;
}

/* The model has memory for what is to be measured in, not all that such a machine has. */
static void make_room(struct all *all)
{
    const struct old_options *options = &all->options;
    uint64_t bytes = options->algorithm == ALGORITHM_V5
                         ? v5_range((uint32_t)options->cache_bytes).most
                         : 5 * options->cache_bytes;
    while (all->desc->memory_bytes < bytes)
        all->desc->memory_bytes *= 2;
}

static int set_up(struct all *all)
{
    struct old_options *options = &all->options;
    struct desc_error error;
    struct value_error noise_error;
    all->desc = desc_load(options->path, &error);
    if (!all->desc) {
        if (error.line)
            fprintf(stderr, "%s:%lu: %s\n", options->path, error.line, error.text);
        else
            fprintf(stderr, "%s: %s\n", options->path, error.text);
        return OLD_MACHINE;
    }
    if (options->noise && !noise_parse(all->desc, options->noise, &noise_error)) {
        fprintf(stderr, "migcost-old: --noise: %s\n", noise_error.text);
        return OLD_USAGE;
    }
    if (options->cache_known || (!options->cache_bytes && options->algorithm != ALGORITHM_V5))
        options->cache_bytes = old_cache_bytes(all->desc);
    make_room(all);
    all->old.desc = all->desc;
    all->old.long_bytes = options->bits / 8;
    all->old.model = model_new(all->desc);
    if (!all->old.model || !memo_init(&all->memo, all->old.model) ||
        !truth_init(&all->truth, &all->memo) ||
        !noise_init(&all->old.noise, &all->desc->noise, all->desc->cpu_count, options->seed))
        return fail(OLD_FAILED, "not enough memory for this machine");
    return OLD_OK;
}

static void tear_down(struct all *all)
{
    free(all->pairs);
    noise_free(&all->old.noise);
    truth_free(&all->truth);
    memo_free(&all->memo);
    model_free(all->old.model);
    desc_free(all->desc);
}

static int run_matrix(struct all *all)
{
    unsigned n = all->desc->cpu_count;
    uint64_t *ns = calloc((size_t)n * n, sizeof *ns);
    if (!ns)
        return fail(OLD_FAILED, "not enough memory");
    uint64_t cache = all->options.cache_bytes;
    old_matrix(&all->old, all->options.algorithm == ALGORITHM_V1 ? old_v1(cache) : old_v2(cache),
               ns);
    old_print_matrix(&all->old, &all->options, ns);
    free(ns);
    return OLD_OK;
}

/* The first pair of each distance, in the order of the distances; some may not be there. */
static void pairs_by_distance(struct all *all)
{
    unsigned n = all->desc->cpu_count;
    for (unsigned distance = 0; distance < OLD_LEVELS; distance++)
        for (unsigned at = 0, done = 0; at < n * n && !done; at++) {
            unsigned a = at / n, b = at % n;
            if (a == b || old_distance(all->desc, a, b) != distance)
                continue;
            struct old_pair *pair = &all->pairs[all->pair_count++];
            *pair = (struct old_pair){.a = a, .b = b};
            snprintf(pair->name, sizeof pair->name, "distance %u", distance);
            done = 1;
        }
}

static void pairs_by_class(struct all *all)
{
    for (unsigned i = 0; i < all->truth.class_count; i++) {
        const struct truth_class *of = &all->truth.classes[i];
        struct old_pair *pair = &all->pairs[all->pair_count++];
        *pair = (struct old_pair){.a = of->a, .b = of->b};
        snprintf(pair->name, sizeof pair->name, "%s", of->name);
    }
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool search_pair(struct all *all, struct old_pair *pair)
{
    const struct old_options *options = &all->options;
    struct old *old = &all->old;
    struct old_search search;
    struct v5_found found;
    uint64_t lines = old->touched_lines, asked = old->asked_bytes;
    uint64_t *max_ns = calloc(options->runs, sizeof *max_ns);
    old_search_init(&search, old, pair->a, pair->b, (uint32_t)options->cache_bytes);
    bool good = max_ns != NULL;
    for (uint32_t i = 0; good && i < options->runs; i++) {
        noise_free(&old->noise);
        good =
            noise_init(&old->noise, &all->desc->noise, all->desc->cpu_count, options->seed + i) &&
            old_search_run(&search, &found);
        if (!good)
            break;
        max_ns[i] = found.max_ns;
        if (i == 0)
            pair->found = found;
    }
    old_search_free(&search);
    if (good) {
        uint32_t last = options->runs - 1;
        qsort(max_ns, options->runs, sizeof *max_ns, by_value);
        pair->median_ns = max_ns[options->runs / 2];
        pair->low_ns = max_ns[last * 5 / 100];
        pair->high_ns = max_ns[last - last * 5 / 100];
        pair->touched_bytes = (old->touched_lines - lines) * all->desc->line_bytes / options->runs;
        pair->asked_bytes = (old->asked_bytes - asked) / options->runs;
    }
    free(max_ns);
    return good;
}

static int run_search(struct all *all)
{
    unsigned room = all->truth.class_count > OLD_LEVELS ? all->truth.class_count : OLD_LEVELS;
    all->pairs = calloc(room, sizeof *all->pairs);
    if (!all->pairs)
        return fail(OLD_FAILED, "not enough memory");
    if (all->options.pairs == PAIRS_CLASSES)
        pairs_by_class(all);
    else
        pairs_by_distance(all);
    for (unsigned i = 0; i < all->pair_count; i++)
        if (!search_pair(all, &all->pairs[i]))
            return fail(OLD_FAILED, "not enough memory");
    old_print_search(&all->old, &all->options, all->pairs, all->pair_count);
    return OLD_OK;
}

int main(int argc, char **argv)
{
    struct all all;
    memset(&all, 0, sizeof all);
    if (!old_read_options(argc, argv, &all.options))
        return OLD_USAGE;
    if (all.options.help) {
        old_usage();
        return OLD_OK;
    }
    int status = set_up(&all);
    if (status == OLD_OK)
        status = all.options.algorithm == ALGORITHM_V5 ? run_search(&all) : run_matrix(&all);
    tear_down(&all);
    return status;
}
