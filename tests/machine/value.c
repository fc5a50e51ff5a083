/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the values of a machine file. */
#include "value.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_GROUPS 1024u

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit times[] = {{"ps", 1},          {"ns", 1000},         {"us", 1000000},
                                    {"ms", 1000000000}, {"s", 1000000000000}, {NULL, 0}};
static const struct unit sizes[] = {
    {"B", 1},          {"K", 1u << 10},   {"M", 1u << 20},     {"G", 1ull << 30},
    {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1ull << 30}, {NULL, 0}};
static const struct unit rates[] = {{"MB/s", 1}, {"GB/s", 1000}, {NULL, 0}};
static const struct unit clocks[] = {{"kHz", 1}, {"MHz", 1000}, {"GHz", 1000000}, {NULL, 0}};
static const struct unit percents[] = {{"%", 10}, {NULL, 0}};
static const struct unit ppms[] = {{"ppm", 1}, {"%", 10000}, {NULL, 0}};
static const struct unit ratios[] = {{"", 1000}, {NULL, 0}};
static const struct unit plain[] = {{"", 1}, {NULL, 0}};

static const struct unit *units_of(enum value_unit unit)
{
    switch (unit) {
    case UNIT_TIME:
        return times;
    case UNIT_SIZE:
        return sizes;
    case UNIT_RATE:
        return rates;
    case UNIT_CLOCK:
        return clocks;
    case UNIT_PERCENT:
        return percents;
    case UNIT_PPM:
        return ppms;
    case UNIT_RATIO:
        return ratios;
    default:
        return plain;
    }
}

bool value_fail(struct value_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error->text[0] = '\0'; /* so that cppcheck sees that it is written only */
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits of a given base; false: none, or more than 64 bits. */
static bool read_digits(const char **text, unsigned base, uint64_t *ret)
{
    const char *at = *text;
    uint64_t value = 0;
    for (;; at++) {
        unsigned digit;
        if (is_digit(*at))
            digit = (unsigned)(*at - '0');
        else if (base == 16 && isxdigit((unsigned char)*at))
            digit = (unsigned)(tolower((unsigned char)*at) - 'a' + 10);
        else
            break;
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    if (at == *text)
        return false;
    *text = at;
    *ret = value;
    return true;
}

/* The names of the units, for messages. */
static void name_units(const struct unit *units, char *buffer, size_t size)
{
    buffer[0] = '\0';
    for (; units->name; units++) {
        size_t used = strlen(buffer);
        snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", units->name);
    }
}

static bool no_number(const char *text, const struct unit *units, struct value_error *error)
{
    char names[60];
    name_units(units, names, sizeof names);
    if (!names[0])
        return value_fail(error, "not a number: '%.40s'", text);
    return value_fail(error, "not a number with a unit (%s): '%.40s'", names, text);
}

bool value_number(const char *text, enum value_unit unit, uint64_t min, uint64_t max, uint64_t *ret,
                  struct value_error *error)
{
    const struct unit *units = units_of(unit);
    const char *at = skip_blanks(text);
    uint64_t whole = 0, part = 0, scale = 1;
    bool hex = unit == UNIT_NONE && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    if (hex)
        at += 2;
    if (!read_digits(&at, hex ? 16 : 10, &whole))
        return no_number(text, units, error);
    if (*at == '.' && unit != UNIT_NONE) {
        const char *digits = ++at;
        if (!read_digits(&at, 10, &part) || at - digits > 6)
            return value_fail(error, "at most 6 decimals: '%.40s'", text);
        for (; digits < at; digits++)
            scale *= 10;
    }
    at = skip_blanks(at);
    while (units->name && strcmp(units->name, at) != 0)
        units++;
    if (!units->name)
        return no_number(text, units_of(unit), error);

    uint64_t value, fraction;
    if (__builtin_mul_overflow(whole, units->factor, &value) ||
        __builtin_mul_overflow(part, units->factor, &fraction))
        return value_fail(error, "too large: '%.40s'", text);
    if (fraction % scale != 0)
        return value_fail(error, "finer than can be kept: '%.40s'", text);
    if (__builtin_add_overflow(value, fraction / scale, &value) || value < min || value > max)
        return value_fail(error, "out of range: '%.40s'", text);
    *ret = value;
    return true;
}

bool value_signed(const char *text, enum value_unit unit, int64_t min, int64_t max, int64_t *ret,
                  struct value_error *error)
{
    const char *at = skip_blanks(text);
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    uint64_t size;
    if (!value_number(at, unit, 0, INT64_MAX, &size, error))
        return false;
    int64_t value = negative ? -(int64_t)size : (int64_t)size;
    if (value < min || value > max)
        return value_fail(error, "out of range: '%.40s'", text);
    *ret = value;
    return true;
}

bool value_flag(const char *text, bool *ret, struct value_error *error)
{
    static const char *const words[] = {"no", "yes"};
    unsigned which = 0;
    if (!value_word(text, words, 2, &which, error))
        return false;
    *ret = which == 1;
    return true;
}

bool value_word(const char *text, const char *const *words, unsigned count, unsigned *ret,
                struct value_error *error)
{
    char names[100] = "";
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *ret = i;
            return true;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", words[i]);
    }
    return value_fail(error, "'%.30s' is none of: %s", text, names);
}

static bool read_cpu(const char **at, unsigned count, uint64_t *ret, struct value_error *error)
{
    const char *start = *at;
    if (!read_digits(at, 10, ret))
        return value_fail(error, "not a CPU number: '%.20s'", start);
    if (*ret >= count)
        return value_fail(error, "CPU %llu: there are 0 to %u", (unsigned long long)*ret,
                          count - 1);
    return true;
}

bool value_cpus(const char *text, const char *ends, unsigned count, bool *ret_in,
                const char **ret_rest, struct value_error *error)
{
    memset(ret_in, 0, count * sizeof *ret_in);
    const char *at = skip_blanks(text);
    if (strncmp(at, "all", 3) == 0) {
        at = skip_blanks(at + 3);
        if (*at && !strchr(ends, *at))
            return value_fail(error, "not a set of CPUs: '%.30s'", text);
        memset(ret_in, 1, count * sizeof *ret_in);
        *ret_rest = at;
        return true;
    }
    bool any = false;
    while (*at && !strchr(ends, *at)) {
        uint64_t first, last;
        if (!read_cpu(&at, count, &first, error))
            return false;
        last = first;
        if (*at == '-') {
            at++;
            if (!read_cpu(&at, count, &last, error))
                return false;
            if (last < first)
                return value_fail(error, "a range that ends before it begins: '%.30s'", text);
        }
        for (uint64_t cpu = first; cpu <= last; cpu++) {
            if (ret_in[cpu])
                return value_fail(error, "CPU %llu twice", (unsigned long long)cpu);
            ret_in[cpu] = true;
        }
        any = true;
        if (*at && *at != ' ' && *at != '\t' && *at != ',' && !strchr(ends, *at))
            return value_fail(error, "not a set of CPUs: '%.30s'", text);
        if (*at == ',' && !strchr(ends, ','))
            at++;
        at = skip_blanks(at);
    }
    if (!any)
        return value_fail(error, "an empty set of CPUs");
    *ret_rest = at;
    return true;
}

/* "each" and "each N". */
static bool read_each(const char *text, unsigned count, uint16_t *ret_group, unsigned *ret_groups,
                      struct value_error *error)
{
    uint64_t size = 1;
    const char *at = skip_blanks(text);
    if (*at && !value_number(at, UNIT_NONE, 1, count, &size, error))
        return false;
    if (count % size != 0)
        return value_fail(error, "%u CPUs do not make groups of %llu", count,
                          (unsigned long long)size);
    for (unsigned cpu = 0; cpu < count; cpu++)
        ret_group[cpu] = (uint16_t)(cpu / size);
    *ret_groups = (unsigned)(count / size);
    return true;
}

bool value_groups(const char *text, unsigned count, uint16_t *ret_group, unsigned *ret_groups,
                  struct value_error *error)
{
    text = skip_blanks(text);
    if (strncmp(text, "each", 4) == 0)
        return read_each(text + 4, count, ret_group, ret_groups, error);
    bool in[MAX_GROUPS];
    for (unsigned cpu = 0; cpu < count; cpu++)
        ret_group[cpu] = VALUE_NO_GROUP;
    for (unsigned group = 0;; group++) {
        if (!value_cpus(text, ";", count, in, &text, error))
            return false;
        for (unsigned cpu = 0; cpu < count; cpu++) {
            if (!in[cpu])
                continue;
            if (ret_group[cpu] != VALUE_NO_GROUP)
                return value_fail(error, "CPU %u in two groups", cpu);
            ret_group[cpu] = (uint16_t)group;
        }
        *ret_groups = group + 1;
        if (!*text)
            return true;
        text++;
    }
}

bool value_list(const char *text, enum value_unit unit, uint64_t min, uint64_t max, unsigned room,
                uint64_t *ret, unsigned *ret_count, struct value_error *error)
{
    /* Items are separated by commas where units may stand apart from their numbers, or by blanks.
     */
    const char *separators = strchr(text, ',') ? "," : " \t";
    unsigned count = 0;
    text = skip_blanks(text);
    while (*text) {
        char item[40];
        size_t length = strcspn(text, separators);
        if (length >= sizeof item || count == room)
            return value_fail(error, "more than %u values", room);
        memcpy(item, text, length);
        while (length && (item[length - 1] == ' ' || item[length - 1] == '\t'))
            length--;
        item[length] = '\0';
        if (!value_number(item, unit, min, max, &ret[count++], error))
            return false;
        text += strcspn(text, separators);
        text = skip_blanks(*text == ',' ? text + 1 : text);
    }
    *ret_count = count;
    return true;
}
