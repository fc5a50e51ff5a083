/* SPDX-License-Identifier: BSD-2-Clause */
/* The pieces of report.json. Used by lib/report_json*.c only; docs/report.md is the schema. */
#ifndef LIB_REPORT_JSON_H
#define LIB_REPORT_JSON_H

#include "json.h"
#include "report_parts.h"

#define REPORT_JSON_VERSION 1u /* raised when a key changes its meaning or goes away */

/* 0 stands for "not known" and is written as null. */
void json_known(struct json *json, const char *key, uint64_t value);
/* SHARE_UNKNOWN and NODE_UNKNOWN are written as null. */
void json_id(struct json *json, const char *key, uint32_t id);

/* "kernel-default", "outermost", "no-one-number", "policy", "by-hand"; NULL for others. */
const char *json_basis(unsigned basis);
void json_flags(struct json *json, uint32_t flags);
void json_class_flags(struct json *json, uint16_t flags);
/* The names of the bits set, out of a list (text_nth()), as an array. */
void json_names(struct json *json, const char *key, const char *names, uint32_t bits);
void json_figure(struct json *json, const char *key, const struct figure *figure);
void json_cpus(struct json *json, const struct result *result);
void json_classes(struct json *json, const struct result *result);
void json_matrix(struct json *json, const struct result *result);
/* What of the record stands nowhere else in a report of the run. */
void json_record(struct json *json, const struct record *record);

#endif
