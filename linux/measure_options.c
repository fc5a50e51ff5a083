/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `migcost measure`: those of the firmware application that make sense under an OS,
 * through its parser, and a few of our own. */
#include "measure.h"
#include <string.h>

/* What lib/options.c knows and what has a meaning here. */
static const char *const shared[] = {"size",   "capacity", "pattern", "access", "cpus",
                                     "budget", "policy",   "factor",  "decay",  "quiet"};
static const char *const firmware_only[] = {"start",  "report", "force",   "no-store",
                                            "usb",    "chain",  "handoff", "show",
                                            "delete", "format", "help",    "version"};

static bool is_one_of(const char *word, const char *const *names, size_t count)
{
    if (strncmp(word, "--", 2) != 0)
        return false;
    size_t length = strcspn(word + 2, "=");
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(word + 2, names[i], length) == 0)
            return true;
    return false;
}

/* Our own options. *ret_used: words taken, 0: not one of ours. */
static bool take_own(const char *const *words, unsigned count, struct measure_options *options,
                     unsigned *ret_used, struct message *message)
{
    *ret_used = 1;
    if (strcmp(words[0], "--json") == 0) {
        options->json = true;
        return true;
    }
    if (strncmp(words[0], "--save=", 7) == 0) {
        options->save = words[0] + 7;
    } else if (strcmp(words[0], "--save") == 0 && count > 1) {
        options->save = words[1];
        *ret_used = 2;
    } else if (is_one_of(words[0], (const char *const[]){"save", "json"}, 2)) {
        message_set(message, "%.40s: takes %s value", words[0], words[0][2] == 's' ? "a" : "no");
        return false;
    } else {
        *ret_used = 0;
        return true;
    }
    if (options->save[0] != '\0')
        return true;
    message_set(message, "--save: takes a value");
    return false;
}

bool measure_options_take(const char *const *words, unsigned count, struct measure_options *ret,
                          struct message *message)
{
    const char *rest[OPTIONS_MAX_TOKENS];
    unsigned rest_count = 0;

    *ret = (struct measure_options){.json = false};
    options_default(&ret->options);
    for (unsigned i = 0; i < count;) {
        unsigned used;
        if (!take_own(words + i, count - i, ret, &used, message))
            return false;
        i += used;
        if (used > 0)
            continue;
        if (is_one_of(words[i], firmware_only, sizeof firmware_only / sizeof firmware_only[0])) {
            message_set(message, "measure does not take %.*s", (int)strcspn(words[i], "="),
                        words[i]);
            return false;
        }
        if (rest_count == OPTIONS_MAX_TOKENS) {
            message_set(message, "more than %u words", OPTIONS_MAX_TOKENS);
            return false;
        }
        rest[rest_count++] = words[i++];
        /* The value of an option is no option, whatever it looks like: the parser judges it. */
        const char *option = rest[rest_count - 1];
        if (is_one_of(option, shared, sizeof shared / sizeof shared[0]) && !strchr(option, '=') &&
            strcmp(option, "--quiet") != 0 && i < count && rest_count < OPTIONS_MAX_TOKENS &&
            words[i][0] != '-')
            rest[rest_count++] = words[i++];
    }
    char said[OPTIONS_MESSAGE_SIZE];
    if (options_parse(&ret->options, rest, rest_count, said, sizeof said) != OPTIONS_OK) {
        message_set(message, "%s", said);
        return false;
    }
    return true;
}
