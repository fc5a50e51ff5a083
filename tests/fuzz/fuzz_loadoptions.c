/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes what loaders and shells pass: LoadOptions bytes (first byte even), or the words of a
 * shell's argv with its LoadOptions beside them (first byte odd). Tokens must say what the text
 * says, the rest must be the end of what was typed, and a kernel's line must keep it whole. */
#include "../../lib/cmdline.h"
#include "../../lib/utf.h"
#include "../unit/exact.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

#define MAX_WORDS 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cmdline cmdline;
static char rest[4 * CMDLINE_MAX], back[4 * CMDLINE_MAX];
static uint16_t units[2 * CMDLINE_MAX];

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return tail <= length && strcmp(text + length - tail, end) == 0;
}

/* A line without and with a result: rest is in it byte for byte, at one of its ends. */
static void check_append(const char *typed)
{
    static const char extra[] = "migcost.cache_decay_ns=1624000";
    size_t count = 0;
    if (cmdline_append(typed, "", units, sizeof units / sizeof units[0], &count)) {
        REQUIRE(utf8_from_utf16(units, count, back, sizeof back) < sizeof back);
        REQUIRE(strcmp(back, typed) == 0);
    }
    if (!cmdline_append(typed, extra, units, sizeof units / sizeof units[0], &count))
        return;
    size_t length = utf8_from_utf16(units, count, back, sizeof back);
    REQUIRE(length <= LINUX_CMDLINE_MAX && strchr(back, '\n') == NULL);
    REQUIRE(strstr(back, extra) != NULL);
    REQUIRE(strncmp(back, typed, strlen(typed)) == 0 || ends_with(back, typed));
}

static void check_options(void)
{
    struct options options;
    char message[OPTIONS_MESSAGE_SIZE];
    options_default(&options);
    if (options_parse(&options, cmdline.tokens, cmdline.count, message, sizeof message) !=
        OPTIONS_OK)
        return;
    REQUIRE(options.chain_first_token <= cmdline.count);
    if (options.chain && cmdline_rest(&cmdline, options.chain_first_token, rest, sizeof rest))
        check_append(rest);
}

static void check_load_options(const uint8_t *data, size_t size)
{
    void *bytes = exact_copy(data, size);
    enum cmdline_status status = cmdline_from_load_options(&cmdline, bytes, size, "migcost.efi");
    free(bytes);
    REQUIRE((status == CMDLINE_OK) == (cmdline.count > 0));
    REQUIRE(cmdline.count <= OPTIONS_MAX_TOKENS + 1);
    for (unsigned i = 0; i < cmdline.count; i++) {
        REQUIRE(strchr(cmdline.tokens[i], '"') == NULL);
        REQUIRE(cmdline_rest(&cmdline, i, rest, sizeof rest));
        REQUIRE(ends_with(cmdline.raw, rest));
        char *tokens[OPTIONS_MAX_TOKENS + 1];
        REQUIRE(cmdline_split(rest, tokens, NULL, OPTIONS_MAX_TOKENS + 1) != 0);
        for (unsigned t = i; t < cmdline.count; t++) /* split anew it gives the same words */
            REQUIRE(strcmp(tokens[t - i], cmdline.tokens[t]) == 0);
    }
    check_options();
}

/* Words end at a NUL unit; what is behind the last is the typed line. */
static void check_argv(const uint8_t *data, size_t size)
{
    uint16_t *text = exact_copy(data, size);
    const uint16_t *argv[MAX_WORDS];
    size_t argc = 0, start = 0, count = size / 2;
    for (size_t i = 0; i < count && argc < MAX_WORDS; i++) {
        if (text[i] != 0)
            continue;
        argv[argc++] = text + start;
        start = i + 1;
    }
    enum cmdline_status status =
        cmdline_from_argv(&cmdline, argv, argc, text + start, size - 2 * start);
    REQUIRE((status == CMDLINE_OK) == (cmdline.count > 0));
    for (unsigned i = 0; i < cmdline.count; i++) {
        REQUIRE(strchr(cmdline.tokens[i], '"') == NULL);
        if (!cmdline_rest(&cmdline, i, rest, sizeof rest))
            continue;
        if (i > 0 && i < cmdline.raw_count)
            REQUIRE(ends_with(cmdline.raw, rest));
    }
    if (cmdline.count > 0)
        check_options();
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 1)
        check_argv(data + 1, size - 1);
    else
        check_load_options(data + 1, size - 1);
    return 0;
}
