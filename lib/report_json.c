/* SPDX-License-Identifier: BSD-2-Clause */
/* report.json: everything a run found. docs/report.md names every key and its unit. */
#include "report_json.h"

void json_known(struct json *json, const char *key, uint64_t value)
{
    if (value)
        json_uint(json, key, value);
    else
        json_null(json, key);
}

void json_id(struct json *json, const char *key, uint32_t id)
{
    if (id == SHARE_UNKNOWN)
        json_null(json, key);
    else
        json_uint(json, key, id);
}

static void machine_object(struct json *json, const struct report_machine *machine)
{
    json_object(json, "machine");
    json_string(json, "vendor", machine->vendor);
    json_string(json, "model", machine->model);
    json_string(json, "firmware", machine->firmware);
    json_uint(json, "cpu_signature", machine->cpu_signature);
    json_known(json, "madt_cpus", machine->madt_cpus);
    json_known(json, "mp_cpus", machine->mp_cpus);
    json_array_row(json, "capacity_bytes");
    for (unsigned level = 1; level < CACHE_LEVELS; level++)
        json_known(json, NULL, machine->capacity[level]);
    json_close(json);
    json_string(json, "capacity_source", machine->capacity_source);
    json_close(json);
}

static void clock_object(struct json *json, const struct clock_info *clock)
{
    static const char names[] = "cpuid\0pm-timer\0stall\0os\0model\0";
    json_object(json, "clock");
    json_uint(json, "khz", clock->khz);
    json_string(json, "source", text_nth(names, clock->source));
    json_string(json, "second",
                clock->second != clock->source ? text_nth(names, clock->second) : NULL);
    json_uint(json, "error_ppm", clock->error_ppm);
    json_uint(json, "resolution_ticks", clock->resolution);
    json_uint(json, "read_cost_ticks", clock->read_cost);
    json_known(json, "core_permille", clock->core_permille);
    json_close(json);
}

static void run_object(struct json *json, const struct result *result)
{
    json_object(json, "run");
    json_string(json, "pattern", report_pattern(result->pattern));
    json_string(json, "access", report_access(result->access));
    json_known(json, "started_s", result->started);
    json_uint(json, "duration_ns", result->duration_ns);
    json_uint(json, "touches", result->touches);
    json_uint(json, "touched_bytes", result->touched_bytes);
    json_object(json, "touched_bytes_for");
    for (unsigned i = 0; i < PURPOSES; i++)
        json_uint(json, touch_purpose_name(i), result->touched_for[i]);
    json_close(json);
    json_uint(json, "longest_touch_ns", result->longest_touch_ns);
    json_uint(json, "region_bytes", result->region_bytes);
    json_id(json, "region_node", result->region_home);
    json_uint(json, "raw_working_set_bytes", result->raw_working_set);
    json_close(json);
}

void json_flags(struct json *json, uint32_t flags)
{
    json_object(json, "flags");
    json_uint(json, "bits", flags);
    json_array_row(json, "names");
    for (unsigned bit = 0; bit < FLAG_COUNT; bit++)
        if (flags >> bit & 1)
            json_string(json, NULL, flag_name(bit));
    json_close(json);
    json_close(json);
}

void json_names(struct json *json, const char *key, const char *names, uint32_t bits)
{
    const char *name;
    json_array_row(json, key);
    for (unsigned bit = 0; (name = text_nth(names, bit)) != NULL; bit++)
        if (bits >> bit & 1)
            json_string(json, NULL, name);
    json_close(json);
}

void json_figure(struct json *json, const char *key, const struct figure *figure)
{
    if (!figure->samples) {
        json_null(json, key);
        return;
    }
    json_object_row(json, key);
    json_int(json, "ns", figure->ns);
    json_uint(json, "spread_ns", figure->spread_ns);
    json_uint(json, "samples", figure->samples);
    json_close(json);
}

static void numa_object(struct json *json, const struct numa *numa)
{
    if (!numa) {
        json_null(json, "numa");
        return;
    }
    json_object(json, "numa");
    json_array_row(json, "nodes");
    for (unsigned i = 0; i < numa->node_count; i++)
        json_uint(json, NULL, numa->node_id[i]);
    json_close(json);
    json_array(json, "distance");
    for (unsigned a = 0; a < numa->node_count; a++) {
        json_array_row(json, NULL);
        for (unsigned b = 0; b < numa->node_count; b++)
            json_uint(json, NULL, numa->distance[a][b]);
        json_close(json);
    }
    json_close(json);
    json_array(json, "memory");
    for (unsigned i = 0; i < numa->range_count; i++) {
        json_object_row(json, NULL);
        json_uint(json, "base", numa->range[i].base);
        json_uint(json, "bytes", numa->range[i].bytes);
        json_uint(json, "node", numa->range[i].node);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

void json_class_flags(struct json *json, uint16_t flags)
{
    json_names(json, "flags", "zero\0split\0two-peaks\0first-visit\0no-capacity\0edge\0", flags);
}

static void recommendation_object(struct json *json, const struct result *result,
                                  const struct recommendation *recommendation,
                                  const struct report_machine *machine)
{
    json_object(json, "recommendation");
    json_uint(json, "decay_ns", recommendation->decay_ns);
    json_bool(json, "clamped", recommendation->clamped);
    json_string(json, "policy", policy_name(recommendation->policy));
    json_uint(json, "factor_percent", recommendation->factor_percent);
    json_string(json, "basis", json_basis(recommendation->basis));
    json_string(json, "basis_sentence", basis_sentence(recommendation->basis));
    json_known(json, "ratio_percent", recommendation->ratio_percent);
    json_array(json, "levels");
    for (unsigned i = 0; i < recommendation->level_count; i++) {
        const struct level_decay *level = &recommendation->level[i];
        json_object_row(json, NULL);
        json_string(json, "level", level_name(level->level));
        json_uint(json, "distance", level->distance);
        json_uint(json, "cost_ns", level->cost_ns);
        json_uint(json, "decay_ns", level->decay_ns);
        json_bool(json, "zero", level->zero);
        json_bool(json, "clamped", level->clamped);
        json_close(json);
    }
    json_close(json);
    json_uint(json, "kernel_default_ns", KERNEL_DEFAULT_NS);
    json_known(json, "arch_estimate_ns", report_arch_estimate(result, machine));
    json_close(json);
}

void report_json(const struct text_sink *sink, const struct result *result,
                 const struct recommendation *recommendation, const struct record *record,
                 const struct report_machine *machine)
{
    struct json json;
    json_begin(&json, sink);
    json_object(&json, NULL);
    json_string(&json, "format", "migcost-report");
    json_uint(&json, "version", REPORT_JSON_VERSION);
    machine_object(&json, machine);
    clock_object(&json, &result->clock);
    run_object(&json, result);
    json_flags(&json, result->flags);
    json_cpus(&json, result);
    numa_object(&json, result->numa);
    json_classes(&json, result);
    json_matrix(&json, result);
    recommendation_object(&json, result, recommendation, machine);
    if (record)
        json_record(&json, record);
    else
        json_null(&json, "record");
    json_close(&json);
}
