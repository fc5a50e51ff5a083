/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses rows of words as options, for tests. */
#ifndef TESTS_OPTIONS_PARSE_H
#define TESTS_OPTIONS_PARSE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/options.h"

#define MAX_WORDS 8

struct parsed {
    struct options options;
    enum options_status status;
    char message[OPTIONS_MESSAGE_SIZE];
};

static inline struct parsed parse(const char *const *tokens, unsigned count)
{
    struct parsed p;
    options_default(&p.options);
    memset(p.message, 'X', sizeof p.message);
    p.status = options_parse(&p.options, tokens, count, p.message, sizeof p.message);
    return p;
}

static inline struct parsed parse_words(const char *const words[MAX_WORDS])
{
    unsigned count = 0;
    while (count < MAX_WORDS && words[count] != NULL)
        count++;
    return parse(words, count);
}

static inline void assert_fails(const char *const words[MAX_WORDS], enum options_status status,
                                const char *message)
{
    struct parsed p = parse_words(words);
    assert_string_equal(p.message, message);
    assert_int_equal(p.status, status);
}

#define FAILS(status, message, ...) \
    assert_fails((const char *const[MAX_WORDS]){__VA_ARGS__}, status, message)

#endif
