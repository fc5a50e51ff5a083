/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs, classes and matrices of report.json. */
#include "report_json.h"

static void cpu_object(struct json *json, const struct result *result, unsigned index)
{
    const struct cpu_info *cpu = &result->cpus[index];
    json_object(json, NULL);
    json_uint(json, "apic_id", cpu->apic_id);
    json_names(json, "flags", "boot\0lost\0disabled\0cache-state\0not-chosen\0", cpu->flags);
    json_id(json, "node", cpu->node);
    json_uint(json, "core_kind", cpu->core_kind);
    json_uint(json, "line_bytes", cpu->line_bytes);
    json_object_row(json, "share");
    for (unsigned level = LEVEL_CORE; level <= LEVEL_NODE; level++)
        json_id(json, level_name(level), cpu->share[level]);
    json_close(json);
    json_array(json, "caches");
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        if (!cpu->cache_bytes[level])
            continue;
        json_object_row(json, NULL);
        json_uint(json, "level", level);
        json_uint(json, "bytes", cpu->cache_bytes[level]);
        json_known(json, "ways", cpu->cache_ways[level]);
        json_close(json);
    }
    json_close(json);
    if (result->stay) {
        json_array(json, "stay");
        for (unsigned level = 0; level < CACHE_LEVELS; level++)
            json_figure(json, NULL, &result->stay[index].stay[level]);
        json_close(json);
        json_bool(json, "odd", result->stay[index].odd);
    }
    json_close(json);
}

void json_cpus(struct json *json, const struct result *result)
{
    json_array(json, "cpus");
    for (unsigned i = 0; i < result->cpu_count; i++)
        cpu_object(json, result, i);
    json_close(json);
}

static void curve_array(struct json *json, const struct class_result *class)
{
    json_array(json, "curve");
    for (unsigned i = 0; i < class->point_count && i < MAX_CURVE_POINTS; i++) {
        json_object_row(json, NULL);
        json_uint(json, "bytes", class->point[i].bytes);
        json_figure(json, "cost", &class->point[i].cost);
        json_figure(json, "stay", &class->point[i].stay);
        json_close(json);
    }
    json_close(json);
}

static void class_object(struct json *json, const struct result *result,
                         const struct class_result *class)
{
    bool pair = class->cpu_a < result->cpu_count && class->cpu_b < result->cpu_count;
    json_object(json, NULL);
    json_string(json, "level", level_name(class->key.level));
    json_uint(json, "distance", class->key.distance);
    json_array_row(json, "core_kinds");
    json_uint(json, NULL, class->key.kind_low);
    json_uint(json, NULL, class->key.kind_high);
    json_close(json);
    json_class_flags(json, class->flags);
    json_uint(json, "pairs", class->pairs);
    json_array_row(json, "measured_pair");
    if (pair && class->cpu_a != class->cpu_b) {
        json_uint(json, NULL, result->cpus[class->cpu_a].apic_id);
        json_uint(json, NULL, result->cpus[class->cpu_b].apic_id);
    }
    json_close(json);
    json_uint(json, "working_set_bytes", class->working_set);
    json_figure(json, "cost", &class->cost);
    json_figure(json, "linear", &class->linear);
    json_figure(json, "chase", &class->chase);
    if (class->cost.samples && class->min_ns <= class->max_ns) {
        json_int(json, "min_ns", class->min_ns);
        json_int(json, "max_ns", class->max_ns);
    } else {
        json_null(json, "min_ns");
        json_null(json, "max_ns");
    }
    json_int(json, "placement_ns", class->placement_ns);
    json_known(json, "first_visit_percent", class->first_visit_percent);
    json_known(json, "evict_bytes", class->evict_bytes);
    json_known(json, "evict_footprint_bytes", class->evict_bytes ? class->footprint : 0);
    json_known(json, "evict_ns", class->evict_ns);
    curve_array(json, class);
    json_close(json);
}

void json_classes(struct json *json, const struct result *result)
{
    json_array(json, "classes");
    for (unsigned i = 0; i < result->class_count && i < MAX_CLASSES; i++)
        class_object(json, result, &result->classes[i]);
    json_close(json);
}

typedef void (*put_cell)(struct json *json, const struct result *result, unsigned cell);

static void put_cost(struct json *json, const struct result *result, unsigned cell)
{
    if (result->cost_ns[cell] == COST_UNKNOWN)
        json_null(json, NULL);
    else
        json_int(json, NULL, result->cost_ns[cell]);
}

static void put_raw(struct json *json, const struct result *result, unsigned cell)
{
    json_known(json, NULL, result->raw_ns[cell]);
}

static void put_class(struct json *json, const struct result *result, unsigned cell)
{
    if (result->class_of[cell] == CLASS_NONE)
        json_null(json, NULL);
    else
        json_uint(json, NULL, result->class_of[cell]);
}

static void put_source(struct json *json, const struct result *result, unsigned cell)
{
    json_uint(json, NULL, result->source[cell]);
}

static void square(struct json *json, const char *key, const struct result *result,
                   const void *cells, put_cell put)
{
    if (!cells) {
        json_null(json, key);
        return;
    }
    json_array(json, key);
    for (unsigned s = 0; s < result->cpu_count; s++) {
        json_array_row(json, NULL);
        for (unsigned d = 0; d < result->cpu_count; d++)
            put(json, result, result_cell(result, s, d));
        json_close(json);
    }
    json_close(json);
}

void json_matrix(struct json *json, const struct result *result)
{
    json_object(json, "matrix");
    json_array_row(json, "apic_ids");
    for (unsigned i = 0; i < result->cpu_count; i++)
        json_uint(json, NULL, result->cpus[i].apic_id);
    json_close(json);
    square(json, "cost_ns", result, result->cost_ns, put_cost);
    square(json, "raw_ns", result, result->raw_ns, put_raw);
    square(json, "class", result, result->class_of, put_class);
    square(json, "source", result, result->source, put_source);
    json_close(json);
}
