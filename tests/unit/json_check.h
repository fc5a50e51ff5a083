/* SPDX-License-Identifier: BSD-2-Clause */
/* A checker of JSON for tests: grammar of RFC 8259, and numbers that are integers, as ours are. */
#ifndef TESTS_UNIT_JSON_CHECK_H
#define TESTS_UNIT_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *json_skip_value(const char *at); /* NULL: none here */

static const char *json_skip_blanks(const char *at)
{
    return at ? at + strspn(at, " \t\r\n") : NULL;
}

static const char *json_skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            if (strspn(at + 1, "0123456789abcdefABCDEF") < 4)
                return NULL;
            at += 4;
        } else if (*at == '\0' || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static const char *json_skip_integer(const char *at)
{
    if (*at == '-')
        at++;
    size_t digits = strspn(at, "0123456789");
    return digits == 0 || (digits > 1 && *at == '0') ? NULL : at + digits;
}

static const char *json_skip_container(const char *at, bool object)
{
    char end = object ? '}' : ']';
    at = json_skip_blanks(at + 1);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (object) {
            at = json_skip_blanks(json_skip_string(at));
            if (!at || *at != ':')
                return NULL;
            at = json_skip_blanks(at + 1);
        }
        at = json_skip_blanks(json_skip_value(at));
        if (!at)
            return NULL;
        if (*at == end)
            return at + 1;
        if (*at != ',')
            return NULL;
        at = json_skip_blanks(at + 1);
    }
}

static const char *json_skip_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    if (*at == '{' || *at == '[')
        return json_skip_container(at, *at == '{');
    return *at == '"' ? json_skip_string(at) : json_skip_integer(at);
}

static bool json_is_valid(const char *text)
{
    const char *end = json_skip_blanks(json_skip_value(json_skip_blanks(text)));
    return end && *end == '\0';
}

#endif
