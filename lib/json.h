/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer of JSON (RFC 8259) through a text sink: integers, strings from anywhere, no allocation.
 *
 * Every value is given with its key inside an object, and with NULL as key inside an array or as
 * the whole text. The writer puts commas, line ends and indentation; the caller closes what it
 * opens. */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include "text.h"
#include <stdbool.h>
#include <stdint.h>

#define JSON_MAX_DEPTH 32u /* bits of json.arrays */

struct json {
    const struct text_sink *sink;
    unsigned depth;  /* open objects and arrays */
    unsigned row;    /* depth of the outermost one that is kept on one line, 0: none */
    uint32_t arrays; /* bit n: what was opened at depth n is an array */
    bool empty;      /* nothing was put yet into the innermost one */
};

void json_begin(struct json *json, const struct text_sink *sink);

void json_object(struct json *json,
                 const char *key);                   /* opens an object, its members line by line */
void json_array(struct json *json, const char *key); /* opens an array, likewise */
/* The same, with all that is inside on one line. */
void json_object_row(struct json *json, const char *key);
void json_array_row(struct json *json, const char *key);
void json_close(struct json *json); /* the innermost; a newline after the outermost */

void json_uint(struct json *json, const char *key, uint64_t value);
void json_int(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* Any bytes: quotes, backslashes and control characters are escaped, bytes that are not UTF-8
 * become U+FFFD, as firmware strings are foreign. NULL is written as null. */
void json_string(struct json *json, const char *key, const char *text);

#endif
