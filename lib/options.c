/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of the application's options. */
#include "options.h"
#include "mem.h"
#include "options_private.h"
#include "suggest.h"

/* "size", "size=4M" and "SIZE" are all alike for a suggestion. */
static const struct option *nearest(const char *word)
{
    char name[SUGGEST_WORD_MAX + 2];
    size_t length = 0;
    while (*word == '-' || *word == '/')
        word++;
    for (; word[length] != '\0' && word[length] != '='; length++) {
        if (length == SUGGEST_WORD_MAX)
            return NULL;
        name[length] = word[length];
    }
    name[length] = '\0';

    const struct option *best = NULL;
    unsigned best_distance = SUGGEST_FAR;
    for (unsigned i = 0; i < OPTION_IDS; i++) {
        unsigned distance = suggest_distance(name, options_table[i].name);
        if (distance < best_distance) {
            best_distance = distance;
            best = &options_table[i];
        }
    }
    return best;
}

static enum options_status unknown(struct options_parser *p, const char *token)
{
    const struct option *near = nearest(token);
    text_print(&p->message, "%s \"%s\"", token[0] == '-' ? "unknown option" : "unexpected argument",
               options_excerpt(token).text);
    if (near != NULL)
        text_print(&p->message, ": did you mean --%s?", near->name);
    else
        text_print(&p->message, "; --help lists what there is");
    return OPTIONS_UNKNOWN;
}

/* The option that a token names; *ret_value is what follows its '=', NULL without one. */
static const struct option *find(const char *token, const char **ret_value)
{
    *ret_value = NULL;
    if (token[0] != '-')
        return NULL;
    for (unsigned i = 0; i < OPTION_IDS; i++) {
        const struct option *option = &options_table[i];
        if (option->letter && token[1] == option->name[0] && token[2] == '\0')
            return option;
        if (token[1] != '-')
            continue;
        const char *at = token + 2, *name = option->name;
        for (; *name != '\0' && *at == *name; at++)
            name++;
        if (*name != '\0' || (*at != '\0' && *at != '='))
            continue;
        if (*at == '=')
            *ret_value = at + 1;
        return option;
    }
    return NULL;
}

static enum options_status take_option(struct options_parser *p, const struct option *option,
                                       const char *value)
{
    p->seen |= 1u << (option - options_table);
    if (option->kind == KIND_FLAG || option->kind == KIND_ACTION) {
        if (value != NULL) {
            text_print(&p->message, "--%s takes no value", option->name);
            return OPTIONS_VALUE;
        }
        if (option->kind == KIND_FLAG)
            options_set_field(p->options, option, &(bool){true}, sizeof(bool));
        return OPTIONS_OK;
    }
    /* No value begins like an option: "--size --quiet" forgot one. */
    const char *following = p->next < p->count ? p->tokens[p->next] : NULL;
    const char *none;
    if (value == NULL && following != NULL && following[0] != '\0' &&
        find(following, &none) == NULL && !(following[0] == '-' && following[1] == '-')) {
        value = following;
        p->next++;
    }
    if (value == NULL || value[0] == '\0') {
        char range[64];
        int length;
        const char *usage = options_usage(option, &length);
        options_range(option, range, sizeof range);
        text_print(&p->message, "--%s needs a value: %.*s%s%s%s", option->name, length, usage,
                   range[0] ? " (" : "", range, range[0] ? ")" : "");
        return OPTIONS_VALUE;
    }
    return options_take_value(p, option, value);
}

static bool seen(const struct options_parser *p, enum option_id id)
{
    return (p->seen >> id & 1) != 0;
}

static enum options_status exclude(struct options_parser *p, enum option_id a, enum option_id b)
{
    text_print(&p->message, "--%s and --%s exclude each other", options_table[a].name,
               options_table[b].name);
    return OPTIONS_CONFLICT;
}

/* Nothing that was asked for is dropped in silence: what has no meaning together is refused. */
static enum options_status check_conflicts(struct options_parser *p)
{
    if (seen(p, OPTION_SHOW) && seen(p, OPTION_DELETE))
        return exclude(p, OPTION_SHOW, OPTION_DELETE);
    if (seen(p, OPTION_USB) && seen(p, OPTION_QUIET))
        return exclude(p, OPTION_USB, OPTION_QUIET);
    if (seen(p, OPTION_STORE) && seen(p, OPTION_NO_STORE))
        return exclude(p, OPTION_STORE, OPTION_NO_STORE);
    enum option_id instead = seen(p, OPTION_SHOW) ? OPTION_SHOW : OPTION_DELETE;
    for (unsigned i = 0; seen(p, instead) && i < OPTION_IDS; i++) {
        if (seen(p, i) && options_table[i].measures)
            return exclude(p, instead, i);
    }
    if (seen(p, OPTION_HANDOFF) && !p->options->chain &&
        (p->options->handoff == HANDOFF_CMDLINE || p->options->handoff == HANDOFF_SYSCTL)) {
        text_print(&p->message, "--%s needs --%s", options_table[OPTION_HANDOFF].name,
                   options_table[OPTION_CHAIN].name);
        return OPTIONS_CONFLICT;
    }
    return OPTIONS_OK;
}

void options_default(struct options *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->engine.pattern = TOUCH_SCATTER;
    ret->engine.access = TOUCH_UPDATE;
    ret->engine.budget_ns = ENGINE_BUDGET_DEFAULT_S * 1000000000ull;
}

enum options_status options_parse(struct options *options, const char *const *tokens,
                                  unsigned count, char *message, size_t message_size)
{
    struct options_parser p = {.options = options, .tokens = tokens, .count = count};
    p.message = text_buffer_sink(&p.buffer, message, message_size);
    while (p.next < p.count) {
        if (p.next >= OPTIONS_MAX_TOKENS) {
            text_print(&p.message, "more than %u arguments", OPTIONS_MAX_TOKENS);
            return OPTIONS_TOO_MANY;
        }
        const char *token = p.tokens[p.next++], *value;
        const struct option *option = find(token, &value);
        enum options_status status =
            option != NULL ? take_option(&p, option, value) : unknown(&p, token);
        if (status != OPTIONS_OK)
            return status;
    }
    if (seen(&p, OPTION_HELP) || seen(&p, OPTION_VERSION)) {
        options->action = seen(&p, OPTION_HELP) ? ACTION_HELP : ACTION_VERSION;
        return OPTIONS_OK;
    }
    if (seen(&p, OPTION_SHOW) || seen(&p, OPTION_DELETE))
        options->action = seen(&p, OPTION_SHOW) ? ACTION_SHOW : ACTION_DELETE;
    return check_conflicts(&p);
}

static bool within(const struct options_range *range, uint32_t apic_id)
{
    return apic_id >= range->first && apic_id <= range->last;
}

bool options_capacities(const struct options *options, struct cpu_info *cpus, unsigned cpu_count)
{
    for (unsigned i = 0; i < options->capacity_count; i++)
        for (unsigned c = 0; c < cpu_count; c++)
            if (within(&options->capacity_range[i], cpus[c].apic_id))
                cpus[c].cache_bytes[options->capacity_level[i]] = options->capacity_bytes[i];
    return options->capacity_count > 0;
}

bool options_cpu_chosen(const struct options *options, uint32_t apic_id)
{
    for (unsigned i = 0; i < options->cpu_range_count; i++) {
        if (within(&options->cpu_range[i], apic_id))
            return true;
    }
    return options->cpu_range_count == 0;
}

bool options_cpus_exist(const struct options *options, const struct cpu_info *cpus,
                        unsigned cpu_count, unsigned *ret_range)
{
    for (unsigned i = 0; i < options->cpu_range_count; i++) {
        bool found = false;
        for (unsigned c = 0; c < cpu_count && !found; c++)
            found = within(&options->cpu_range[i], cpus[c].apic_id);
        if (!found) {
            *ret_range = i;
            return false;
        }
    }
    return true;
}
