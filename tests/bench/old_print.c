/* SPDX-License-Identifier: BSD-2-Clause */
/* What the old algorithms found, as text and as JSON. */
#include "../../lib/json.h"
#include "../../lib/report.h"
#include "migcost_old.h"
#include <stdio.h>

static void write_out(void *ctx, const char *text, size_t length)
{
    fwrite(text, 1, length, ctx);
}

static uint64_t touched_bytes(const struct old *old)
{
    return old->touched_lines * old->desc->line_bytes;
}

/* No core shares its last cache with another one. */
static bool has_private_last_caches(const struct desc *desc)
{
    for (unsigned a = 0; a < desc->cpu_count; a++)
        for (unsigned b = 0; b < a; b++)
            if (old_last_cache(desc, a) == old_last_cache(desc, b) &&
                (desc->cpu[a].group[LEVEL_CORE] == DESC_NONE ||
                 desc->cpu[a].group[LEVEL_CORE] != desc->cpu[b].group[LEVEL_CORE]))
                return false;
    return true;
}

static void begin(struct json *json, const struct text_sink *sink, const struct old *old,
                  const struct old_options *options)
{
    static const char *const names[] = {"v1", "v2", "v5"};
    json_begin(json, sink);
    json_object(json, NULL);
    json_string(json, "machine", old->desc->name);
    json_string(json, "algorithm", names[options->algorithm]);
    json_uint(json, "bits", options->bits);
    json_bool(json, "private_last_caches", has_private_last_caches(old->desc));
    json_uint(json, "cache_size", options->cache_bytes);
    json_string(json, "noise", options->noise);
    json_uint(json, "seed", options->seed);
    json_uint(json, "runs", options->runs);
    json_uint(json, "touches", old->touches / options->runs);
    json_uint(json, "touched_bytes", touched_bytes(old) / options->runs);
    json_uint(json, "asked_bytes", old->asked_bytes / options->runs);
}

static uint64_t least_off_diagonal(const uint64_t *ns, unsigned n)
{
    uint64_t least = REPORT_2004_NO_DELTA;
    for (unsigned s = 0; s < n; s++)
        for (unsigned d = 0; d < n; d++)
            if (s != d && ns[(size_t)s * n + d] < least)
                least = ns[(size_t)s * n + d];
    return least;
}

void old_print_matrix(const struct old *old, const struct old_options *options, uint64_t *ns)
{
    const struct text_sink sink = {write_out, stdout};
    unsigned n = old->desc->cpu_count;
    uint64_t least = least_off_diagonal(ns, n);
    if (!options->json) {
        const struct report_2004 report = {
            .cpu_count = n,
            .raw_ns = ns,
            .cache_bytes = options->cache_bytes,
            .cpu_mhz = old->desc->clock.khz / 1000,
            .arch_decay_ns = arch_estimate_ns(old->desc->clock.khz, options->cache_bytes >> 10),
            .min_delta_ns = least,
            .decay_ns = least == REPORT_2004_NO_DELTA ? 0 : least,
            .units_2004 = true,
        };
        report_2004(&sink, &report);
        printf("bytes touched: %llu\n", (unsigned long long)touched_bytes(old));
        return;
    }
    struct json json;
    begin(&json, &sink, old, options);
    json_array(&json, "cost_ns");
    for (unsigned s = 0; s < n; s++) {
        json_array_row(&json, NULL);
        for (unsigned d = 0; d < n; d++)
            json_uint(&json, NULL, ns[(size_t)s * n + d]);
        json_close(&json);
    }
    json_close(&json);
    if (least != REPORT_2004_NO_DELTA)
        json_uint(&json, "min_delta_ns", least);
    json_close(&json);
}

static void print_pair(const struct old_pair *of, const struct old_options *options)
{
    printf("%-24s %4u %4u  %12llu %9u %9u %5s %14llu", of->name, of->a, of->b,
           (unsigned long long)of->found.max_ns, of->found.size, of->found.last,
           of->found.early ? "early" : "", (unsigned long long)of->touched_bytes);
    if (options->runs > 1)
        printf("  %12llu %12llu %12llu", (unsigned long long)of->median_ns,
               (unsigned long long)of->low_ns, (unsigned long long)of->high_ns);
    putchar('\n');
}

void old_print_search(const struct old *old, const struct old_options *options,
                      const struct old_pair *pairs, unsigned count)
{
    const struct text_sink sink = {write_out, stdout};
    if (!options->json) {
        printf("migration_cost=");
        for (unsigned i = 0; i < count; i++)
            printf("%s%llu", i ? "," : "", (unsigned long long)(pairs[i].found.cost_ns / 1000));
        printf("\n\n%-24s %4s %4s  %12s %9s %9s %5s %14s%s\n", "pair", "a", "b", "maximum/ns", "at",
               "last size", "end", "bytes touched",
               options->runs > 1 ? "     median/ns           5%          95%" : "");
        for (unsigned i = 0; i < count; i++)
            print_pair(&pairs[i], options);
        printf("\nbytes touched: %llu (%llu as the algorithm believes)\n",
               (unsigned long long)touched_bytes(old) / options->runs,
               (unsigned long long)old->asked_bytes / options->runs);
        return;
    }
    struct json json;
    begin(&json, &sink, old, options);
    json_array(&json, "pairs");
    for (unsigned i = 0; i < count; i++) {
        const struct old_pair *of = &pairs[i];
        json_object(&json, NULL);
        json_string(&json, "name", of->name);
        json_uint(&json, "a", of->a);
        json_uint(&json, "b", of->b);
        json_uint(&json, "cost_ns", of->found.cost_ns);
        json_uint(&json, "max_ns", of->found.max_ns);
        json_uint(&json, "size", of->found.size);
        json_uint(&json, "last_size", of->found.last);
        json_bool(&json, "stopped_early", of->found.early);
        json_uint(&json, "touched_bytes", of->touched_bytes);
        json_uint(&json, "asked_bytes", of->asked_bytes);
        json_uint(&json, "median_ns", of->median_ns);
        json_uint(&json, "percentile_5_ns", of->low_ns);
        json_uint(&json, "percentile_95_ns", of->high_ns);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}
