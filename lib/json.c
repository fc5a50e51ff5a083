/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer of JSON through a text sink. */
#include "json.h"

#define REPLACEMENT "\\ufffd"

void json_begin(struct json *json, const struct text_sink *sink)
{
    *json = (struct json){.sink = sink, .empty = true};
}

static void new_line(struct json *json)
{
    text_print(json->sink, "\n%*s", (int)(2 * json->depth), "");
}

static void put_text(struct json *json, const char *text);

/* Comma, line end and key before a value. */
static void begin_value(struct json *json, const char *key)
{
    if (!json->empty)
        text_print(json->sink, json->row ? ", " : ",");
    if (json->depth && !json->row)
        new_line(json);
    json->empty = false;
    if (!key)
        return;
    put_text(json, key);
    text_print(json->sink, ": ");
}

static void open(struct json *json, const char *key, bool array, bool row)
{
    begin_value(json, key);
    text_print(json->sink, array ? "[" : "{");
    json->depth++;
    json->empty = true;
    if (row && !json->row)
        json->row = json->depth;
    uint32_t bit = 1u << (json->depth % JSON_MAX_DEPTH);
    json->arrays = array ? json->arrays | bit : json->arrays & ~bit;
}

void json_object(struct json *json, const char *key)
{
    open(json, key, false, false);
}

void json_array(struct json *json, const char *key)
{
    open(json, key, true, false);
}

void json_object_row(struct json *json, const char *key)
{
    open(json, key, false, true);
}

void json_array_row(struct json *json, const char *key)
{
    open(json, key, true, true);
}

void json_close(struct json *json)
{
    if (!json->depth)
        return;
    bool array = json->arrays >> (json->depth % JSON_MAX_DEPTH) & 1;
    json->depth--;
    if (!json->empty && !json->row)
        new_line(json);
    text_print(json->sink, array ? "]" : "}");
    if (json->row > json->depth)
        json->row = 0;
    json->empty = false;
    if (!json->depth)
        text_print(json->sink, "\n");
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    text_print(json->sink, "%llu", (unsigned long long)value);
}

void json_int(struct json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    text_print(json->sink, "%lld", (long long)value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    text_print(json->sink, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
    begin_value(json, key);
    text_print(json->sink, "null");
}

void json_string(struct json *json, const char *key, const char *text)
{
    if (!text) {
        json_null(json, key);
        return;
    }
    begin_value(json, key);
    put_text(json, text);
}

/* Length of the UTF-8 sequence at text, which ends in a NUL; 0 where there is none: overlong forms,
 * surrogates and code points past U+10FFFF are none (RFC 3629). */
static unsigned utf8_length(const unsigned char *text)
{
    unsigned length = text[0] < 0xC2   ? 0
                      : text[0] < 0xE0 ? 2
                      : text[0] < 0xF0 ? 3
                      : text[0] < 0xF5 ? 4
                                       : 0;
    for (unsigned i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    if ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) ||
        (text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F))
        return 0;
    return length;
}

static void put_text(struct json *json, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    text_print(json->sink, "\"");
    while (*at) {
        unsigned length = 1;
        if (*at == '"' || *at == '\\') {
            text_print(json->sink, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7F) {
            text_print(json->sink, "\\u%04x", *at);
        } else if (*at < 0x80) {
            text_print(json->sink, "%c", *at);
        } else if ((length = utf8_length(at)) > 0) {
            json->sink->write(json->sink->ctx, (const char *)at, length);
        } else {
            text_print(json->sink, REPLACEMENT);
            length = 1;
        }
        at += length;
    }
    text_print(json->sink, "\"");
}
