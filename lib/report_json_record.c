/* SPDX-License-Identifier: BSD-2-Clause */
/* A record as JSON: inside report.json, and alone for `migcost show --json`. */
#include "report_json.h"

const char *json_basis(unsigned basis)
{
    return text_nth("kernel-default\0outermost\0no-one-number\0policy\0by-hand\0", basis);
}

static void identity_object(struct json *json, const struct record_identity *identity)
{
    json_object(json, "identity");
    json_uint(json, "cpu_signature", identity->cpu_signature);
    json_uint(json, "microcode", identity->microcode);
    json_uint(json, "apic_ids_crc", identity->apic_ids_crc);
    json_uint(json, "caches_crc", identity->caches_crc);
    json_uint(json, "numa_crc", identity->numa_crc);
    json_uint(json, "firmware_crc", identity->firmware_crc);
    json_uint(json, "method", identity->method);
    json_close(json);
}

/* 0 stands for "not done". */
static void bare_figure(struct json *json, const char *key, int32_t ns)
{
    if (ns)
        json_int(json, key, ns);
    else
        json_null(json, key);
}

static void class_object(struct json *json, const struct record_class *class)
{
    json_object(json, NULL);
    json_string(json, "level", level_name(class->level));
    json_uint(json, "distance", class->distance);
    json_array_row(json, "core_kinds");
    json_uint(json, NULL, class->kind_low);
    json_uint(json, NULL, class->kind_high);
    json_close(json);
    json_class_flags(json, class->flags);
    json_uint(json, "pairs", class->pairs);
    json_uint(json, "working_set_bytes", class->working_set);
    json_int(json, "cost_ns", class->cost_ns);
    json_uint(json, "spread_ns", class->spread_ns);
    bare_figure(json, "linear_ns", class->linear_ns);
    bare_figure(json, "chase_ns", class->chase_ns);
    json_known(json, "first_visit_percent", class->first_visit_percent);
    json_uint(json, "decay_ns", class->decay_ns);
    json_known(json, "evict_bytes", class->evict_bytes);
    json_known(json, "evict_ns", class->evict_ns);
    json_close(json);
}

static void cell_rows(struct json *json, const struct record *record, const uint8_t *buffer)
{
    if (!buffer || record->cells == CELLS_NONE) {
        json_null(json, "cost_ns");
        return;
    }
    json_array(json, "cost_ns");
    for (unsigned s = 0; s < record->cpu_count; s++) {
        json_array_row(json, NULL);
        for (unsigned d = 0; d < record->cpu_count; d++) {
            int32_t ns;
            bool exact;
            if (s != d && record_cell(record, buffer, s, d, &ns, &exact))
                json_int(json, NULL, ns);
            else
                json_null(json, NULL);
        }
        json_close(json);
    }
    json_close(json);
}

/* What a report of the run says nowhere else: whose record it is, and how much of the matrix it
 * keeps. */
static void own_fields(struct json *json, const struct record *record)
{
    identity_object(json, &record->identity);
    json_string(json, "cells", text_nth("none\0exact\0class\0tree\0", record->cells));
    bool class_coded = record->cells == CELLS_CLASS || record->cells == CELLS_TREE;
    if (class_coded && record->bound_permille != RECORD_NO_BOUND)
        json_uint(json, "bound_permille", record->bound_permille);
    else
        json_null(json, "bound_permille");
}

static void fields(struct json *json, const struct record *record, const uint8_t *buffer)
{
    json_uint(json, "decay_ns", record->decay_ns);
    json_string(json, "policy", policy_name(record->policy));
    json_uint(json, "factor_percent", record->factor_percent);
    json_string(json, "basis", json_basis(record->basis));
    json_string(json, "pattern", report_pattern(record->pattern));
    json_string(json, "access", report_access(record->access));
    json_known(json, "started_s", record->started);
    json_uint(json, "duration_ms", record->duration_ms);
    json_uint(json, "tsc_khz", record->tsc_khz);
    json_flags(json, record->flags);
    json_uint(json, "cpu_count", record->cpu_count);
    if (record->apic_ids_known) {
        json_array_row(json, "apic_ids");
        for (unsigned i = 0; i < record->cpu_count; i++)
            json_uint(json, NULL, record->apic_ids[i]);
        json_close(json);
    } else {
        json_null(json, "apic_ids");
    }
    json_array(json, "classes");
    for (unsigned i = 0; i < record->class_count; i++)
        class_object(json, &record->classes[i]);
    json_close(json);
    own_fields(json, record);
    cell_rows(json, record, buffer);
}

void json_record(struct json *json, const struct record *record)
{
    json_object(json, "record");
    own_fields(json, record);
    json_close(json);
}

void report_record_json(const struct text_sink *sink, const struct record *record,
                        const uint8_t *buffer)
{
    struct json json;
    json_begin(&json, sink);
    json_object(&json, NULL);
    json_string(&json, "format", "migcost-record");
    json_uint(&json, "version", REPORT_JSON_VERSION);
    fields(&json, record, buffer);
    json_close(&json);
}
