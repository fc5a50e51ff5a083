/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration file: config.h has the contract. */
#include "config.h"
#include "cmdline.h"
#include "mem.h"
#include "utf.h"

#define NOT_CHAIN 0xFFFFFFFFu

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Makes terminated UTF-8 of the file, where it is text at all. */
static bool decode(struct config *config, size_t length)
{
    static const char bom[] = "\xEF\xBB\xBF";
    char *raw = config->raw;

    if (length >= 2 && memcmp(raw, "\xFF\xFE", 2) == 0) {
        length = utf8_from_utf16(raw + 2, (length - 2) / 2, config->words, sizeof config->raw);
        if (length >= sizeof config->raw)
            return false;
        memcpy(raw, config->words, length);
    } else if (length >= sizeof bom - 1 && memcmp(raw, bom, sizeof bom - 1) == 0) {
        memset(raw, ' ', sizeof bom - 1);
    }
    while (length > 0 && raw[length - 1] == '\0')
        length--;
    raw[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)raw[i] < ' ' && raw[i] != '\t' && !is_line_end(raw[i])) ||
            raw[i] == 0x7F)
            return false;
    return true;
}

/* Ends a line before its comment and the blanks there. */
static void cut_comment(char *line)
{
    char *end = line;
    bool quoted = false, blank = true;
    for (char *at = line; *at != '\0' && (quoted || !blank || *at != '#'); at++) {
        quoted ^= *at == '"';
        blank = is_blank(*at);
        if (!blank)
            end = at + 1;
    }
    *end = '\0';
}

/* One line, without its end, onto *options; false with a message where it is wrong. */
static bool apply_line(struct config *config, const char *line, struct options *options,
                       char *message)
{
    char *tokens[OPTIONS_MAX_TOKENS + 1];
    size_t offsets[OPTIONS_MAX_TOKENS + 1];
    char *words = config->words + 2;
    struct options next = *options;

    text_format(words, CONFIG_MAX, "%s", line);
    int split = cmdline_split(words, tokens, offsets, OPTIONS_MAX_TOKENS + 1);
    unsigned count = split < 0 ? OPTIONS_MAX_TOKENS + 1 : (unsigned)split;
    if (tokens[0][0] != '-') {
        tokens[0] -= 2;
        memcpy(tokens[0], "--", 2);
    }
    /* --handoff needs --chain, but on another line, or on the command line. */
    next.chain = true;
    next.chain_first_token = NOT_CHAIN;
    if (options_parse(&next, (const char *const *)tokens, count, message, OPTIONS_MESSAGE_SIZE) !=
        OPTIONS_OK)
        return false;
    if (next.action != ACTION_MEASURE) {
        text_format(message, OPTIONS_MESSAGE_SIZE, "%s is for the command line alone", tokens[0]);
        return false;
    }
    if (next.chain_first_token != NOT_CHAIN) {
        next.chain_options =
            next.chain_first_token < count ? line + offsets[next.chain_first_token] : "";
    } else {
        next.chain = options->chain;
        next.chain_first_token = options->chain_first_token;
    }
    *options = next;
    return true;
}

void config_apply(struct config *config, size_t length, struct options *options)
{
    struct text_buffer buffer;
    const struct text_sink notes = text_buffer_sink(&buffer, config->notes, sizeof config->notes);
    unsigned number = 0, ignored = 0;

    config->taken = 0;
    if (length >= CONFIG_MAX || !decode(config, length)) {
        text_print(&notes,
                   "migcost: " CONFIG_NAME " is ignored: it is no text, or of more than %u bytes\n",
                   CONFIG_MAX - 1);
        return;
    }
    for (char *line = config->raw, *next; *line != '\0'; line = next) {
        char message[OPTIONS_MESSAGE_SIZE] = "";
        char *end = line;
        number++;
        while (*end != '\0' && !is_line_end(*end))
            end++;
        next = end;
        if (*next != '\0')
            next += next[0] == '\r' && next[1] == '\n' ? 2 : 1;
        *end = '\0';

        while (is_blank(*line))
            line++;
        cut_comment(line);
        if (*line == '\0')
            continue;
        if (apply_line(config, line, options, message))
            config->taken++;
        else if (++ignored <= CONFIG_NOTES_MAX)
            text_print(&notes, "migcost: " CONFIG_NAME ", line %u is ignored: %s\n", number,
                       message);
    }
    if (ignored > CONFIG_NOTES_MAX)
        text_print(&notes, "migcost: " CONFIG_NAME ": %u more lines are ignored\n",
                   ignored - CONFIG_NOTES_MAX);
}
