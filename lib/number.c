/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people type them. */
#include "number.h"
#include <stdbool.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(const char *a, const char *b)
{
    for (; *a != '\0' && lower(*a) == lower(*b); a++)
        b++;
    return lower(*a) == lower(*b);
}

/* 16 and more for what is no digit. */
static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = lower(c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

enum number_status number_take(const char **text, uint64_t *ret)
{
    const char *at = *text;
    unsigned base = 10;
    if (at[0] == '0' && lower(at[1]) == 'x' && digit(at[2]) < 16) {
        base = 16;
        at += 2;
    }
    if (digit(*at) >= base)
        return NUMBER_BAD;
    uint64_t value = 0;
    bool too_big = false;
    for (; digit(*at) < base; at++) {
        const unsigned next = digit(*at);
        too_big = too_big || value > (UINT64_MAX - next) / base;
        if (!too_big)
            value = value * base + next;
    }
    *text = at;
    if (too_big)
        return NUMBER_TOO_BIG;
    *ret = value;
    return NUMBER_OK;
}

enum number_status number_parse(const char *text, const struct number_unit *units, size_t count,
                                uint64_t *ret)
{
    uint64_t value = 0;
    const enum number_status status = number_take(&text, &value);
    if (status == NUMBER_BAD)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (!same(text, units[i].name))
            continue;
        if (status == NUMBER_TOO_BIG || value > UINT64_MAX / units[i].factor)
            return NUMBER_TOO_BIG;
        *ret = value * units[i].factor;
        return NUMBER_OK;
    }
    return NUMBER_BAD;
}

enum number_status number_parse_bytes(const char *text, uint64_t *ret)
{
    static const struct number_unit units[] = {
        {"", 1},           {"K", 1u << 10},   {"M", 1u << 20},  {"G", 1u << 30},
        {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}};
    return number_parse(text, units, sizeof units / sizeof units[0], ret);
}

enum number_status number_parse_ns(const char *text, uint64_t *ret)
{
    static const struct number_unit units[] = {
        {"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    return number_parse(text, units, sizeof units / sizeof units[0], ret);
}
