/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of options: read, checked against their range, stored. */
#include "mem.h"
#include "number.h"
#include "options_private.h"
#include "utf.h"

struct options_excerpt options_excerpt(const char *token)
{
    struct options_excerpt e;
    size_t length = 0;
    while (*token != '\0' && length + UTF8_CHAR_MAX + sizeof "..." <= sizeof e.text) {
        uint32_t c = utf8_next(&token);
        bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
        length += utf8_put(e.text + length, control ? '?' : c);
    }
    text_format(e.text + length, sizeof e.text - length, "%s", *token != '\0' ? "..." : "");
    return e;
}

static enum options_status bad_value(struct options_parser *p, const struct option *option,
                                     const char *value, const char *what)
{
    char range[64];
    options_range(option, range, sizeof range);
    text_print(&p->message, "--%s: \"%s\" %s%s%s%s", option->name, options_excerpt(value).text,
               what, range[0] ? " (" : "", range, range[0] ? ")" : "");
    return OPTIONS_VALUE;
}

static bool equal(const char *a, const char *b)
{
    for (; *a != '\0' && *a == *b; a++)
        b++;
    return *a == *b;
}

void options_set_field(struct options *options, const struct option *option, const void *value,
                       size_t size)
{
    memcpy((char *)options + option->field, value, size);
}

static enum options_status take_choice(struct options_parser *p, const struct option *option,
                                       const char *value)
{
    const char *name;
    for (unsigned i = 0; (name = options_choice(option, i)) != NULL; i++) {
        if (!equal(value, name))
            continue;
        options_set_field(p->options, option, &(uint8_t){(uint8_t)i}, sizeof(uint8_t));
        return OPTIONS_OK;
    }
    return bad_value(p, option, value, "is not known");
}

/* A number within the option's range; units as its kind has them. */
static enum options_status take_number(struct options_parser *p, const struct option *option,
                                       const char *value, uint64_t *ret)
{
    static const struct number_unit plain = {"", 1};
    enum number_status status = NUMBER_BAD;
    switch (option->kind) {
    case KIND_BYTES:
    case KIND_CAPACITY:
        status = number_parse_bytes(value, ret);
        break;
    case KIND_NS:
        status = number_parse_ns(value, ret);
        break;
    default:
        status = number_parse(value, &plain, 1, ret);
        break;
    }
    if (status == NUMBER_BAD)
        return bad_value(p, option, value, "is not such a number");
    if (status == NUMBER_TOO_BIG || *ret < option->min || *ret > option->max)
        return bad_value(p, option, value, "is out of range");
    return OPTIONS_OK;
}

/* Numbers and ranges of APIC ids up to the character `end`, to which *at moves, into list[*count]
 * and on. */
static enum options_status take_ids(struct options_parser *p, const struct option *option,
                                    const char *value, const char **at, char end,
                                    struct options_range *list, unsigned room, unsigned *count)
{
    for (;; (*at)++) {
        uint64_t first = 0, last = 0;
        enum number_status status = number_take(at, &first);
        last = first;
        if (status == NUMBER_OK && **at == '-') {
            (*at)++;
            status = number_take(at, &last);
        }
        if (status == NUMBER_TOO_BIG || first > OPTIONS_APIC_ID_MAX || last > OPTIONS_APIC_ID_MAX)
            return bad_value(p, option, value, "is out of range");
        if (status != NUMBER_OK || (**at != ',' && **at != end))
            return bad_value(p, option, value, "is not a list of APIC ids such as 0,2,0x10-0x1f");
        if (first > last)
            return bad_value(p, option, value, "has a range that runs backwards");
        if (*count == room) {
            text_print(&p->message, "--%s: more than %u ids and ranges", option->name, room);
            return OPTIONS_TOO_MANY;
        }
        list[(*count)++] = (struct options_range){(uint32_t)first, (uint32_t)last};
        if (**at == end)
            return OPTIONS_OK;
    }
}

static enum options_status take_capacity(struct options_parser *p, const struct option *option,
                                         const char *value)
{
    struct options *options = p->options;
    unsigned level, count = options->capacity_count;
    const char *at = value, *all = "0-0xFFFFFFFE=";
    if (*at == 'L' || *at == 'l')
        at++;
    level = (unsigned)(*at - '0');
    if (*at < '1' || level >= CACHE_LEVELS || (at[1] != '=' && at[1] != '@'))
        return bad_value(p, option, value, "is not LEVEL[@LIST]=BYTES with LEVEL L1, L2 or L3");
    at += 2;
    enum options_status status =
        take_ids(p, option, value, at[-1] == '@' ? &at : &all, '=', options->capacity_range,
                 sizeof options->capacity_level, &options->capacity_count);
    if (status != OPTIONS_OK)
        return status;
    uint64_t bytes;
    status = take_number(p, option, *at == '=' ? at + 1 : at, &bytes);
    for (; status == OPTIONS_OK && count < options->capacity_count; count++) {
        options->capacity_bytes[count] = bytes;
        options->capacity_level[count] = (uint8_t)level;
    }
    return status;
}

static enum options_status take_cpus(struct options_parser *p, const struct option *option,
                                     const char *value)
{
    struct options *options = p->options;
    options->cpu_range_count = 0;
    return take_ids(p, option, value, &(const char *){value}, '\0', options->cpu_range,
                    sizeof options->cpu_range / sizeof options->cpu_range[0],
                    &options->cpu_range_count);
}

static enum options_status take_chain(struct options_parser *p, const struct option *option,
                                      const char *value)
{
    struct options *options = p->options;
    size_t length = text_format(options->chain_path, sizeof options->chain_path, "%s", value);
    if (length >= sizeof options->chain_path) {
        text_print(&p->message, "--%s: the path is longer than %zu bytes", option->name,
                   sizeof options->chain_path - 1);
        return OPTIONS_VALUE;
    }
    options->chain = true;
    options->chain_options = NULL;
    options->chain_first_token = p->next;
    p->next = p->count;
    return OPTIONS_OK;
}

enum options_status options_take_value(struct options_parser *p, const struct option *option,
                                       const char *value)
{
    uint64_t number = 0;
    enum options_status status;
    switch (option->kind) {
    case KIND_CHOICE:
        return take_choice(p, option, value);
    case KIND_CAPACITY:
        return take_capacity(p, option, value);
    case KIND_CPUS:
        return take_cpus(p, option, value);
    case KIND_CHAIN:
        return take_chain(p, option, value);
    default:
        break;
    }
    status = take_number(p, option, value, &number);
    if (status != OPTIONS_OK)
        return status;
    if (option->kind == KIND_SECONDS)
        number *= 1000000000u;
    if (option->kind == KIND_PERCENT || option->kind == KIND_NS)
        options_set_field(p->options, option, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    else
        options_set_field(p->options, option, &number, sizeof number);
    return OPTIONS_OK;
}
