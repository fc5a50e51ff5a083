/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines: tokens, and what of the typed text belongs to a chained image. */
#include "cmdline.h"
#include "mem.h"
#include "utf.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

static char *skip_blanks(char *text)
{
    while (is_blank(*text))
        text++;
    return text;
}

/* The next character of the token at *text, which moves; 0 at its end. Quotes group, also within a
 * token (--chain="a b"), and an open one lasts to the end; ^ is no escape. */
static char token_next(const char **text, bool *quoted)
{
    for (; **text == '"'; (*text)++)
        *quoted = !*quoted;
    if (is_blank(**text) && !*quoted)
        return '\0';
    return **text != '\0' ? *(*text)++ : '\0';
}

int cmdline_split(char *text, char **tokens, size_t *offsets, unsigned max)
{
    char *at = skip_blanks(text);
    unsigned count = 0;
    for (; *at != '\0'; count++) {
        if (count == max)
            return -1;
        tokens[count] = at;
        if (offsets != NULL)
            offsets[count] = (size_t)(at - text);
        /* In place: a token is never longer than what was typed, its NUL replaces its blank. */
        const char *from = at;
        char *to = at, c;
        for (bool quoted = false; (c = token_next(&from, &quoted)) != '\0';)
            *to++ = c;
        at = text + (from - text);
        if (*at != '\0')
            at = skip_blanks(at + 1);
        *to = '\0';
    }
    return (int)count;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (lower(a[i]) != lower(b[i]))
            return false;
    }
    return true;
}

static const char extension[] = ".efi";
#define EXTENSION_LENGTH (sizeof extension - 1)

bool cmdline_is_program_name(const char *token)
{
    const size_t length = length_of(token);
    return token[0] != '-' && length > EXTENSION_LENGTH &&
           same(token + length - EXTENSION_LENGTH, extension, EXTENSION_LENGTH);
}

static bool is_path_to(const char *token, const char *own_name)
{
    const char *name = token;
    for (const char *at = token; *at != '\0'; at++) {
        if (*at == '\\' || *at == '/')
            name = at + 1;
    }
    if (own_name == NULL || token[0] == '-' || name == token || *name == '\0')
        return false;
    const size_t named = length_of(name), own = length_of(own_name);
    return named <= own && same(name, own_name, named) &&
           (named == own || (own - named == EXTENSION_LENGTH &&
                             same(own_name + named, extension, EXTENSION_LENGTH)));
}

enum cmdline_status cmdline_from_load_options(struct cmdline *ret, const void *load_options,
                                              size_t size, const char *own_name)
{
    char *tokens[OPTIONS_MAX_TOKENS + 2]; /* the name, ours, and one too many */
    size_t offsets[OPTIONS_MAX_TOKENS + 2];
    const unsigned max = sizeof tokens / sizeof tokens[0];
    *ret = (struct cmdline){.count = 0};
    const enum cmdline_status status =
        cmdline_decode(load_options, size, ret->raw, sizeof ret->raw);
    if (status != CMDLINE_OK)
        return status;

    memcpy(ret->words, ret->raw, sizeof ret->words);
    const int split = cmdline_split(ret->words, tokens, offsets, max);
    const unsigned found = split < 0 ? max : (unsigned)split;
    const bool named =
        found > 0 && (cmdline_is_program_name(tokens[0]) || is_path_to(tokens[0], own_name));
    for (unsigned i = named ? 1 : 0; i < found && ret->count <= OPTIONS_MAX_TOKENS; i++) {
        ret->tokens[ret->count] = tokens[i];
        ret->raw_offset[ret->count++] = offsets[i];
    }
    ret->raw_count = ret->count;
    return ret->count > 0 ? CMDLINE_OK : CMDLINE_NONE;
}

/* Shells differ in whether they leave quotes within a parameter: no option of ours has any. */
static void drop_quotes(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        if (*text != '"')
            *to++ = *text;
    }
    *to = '\0';
}

/* Finds in the typed line where the tokens of argv begin, as far as the two agree. */
static void match_raw(struct cmdline *c)
{
    char *at = skip_blanks(c->raw);
    for (unsigned i = 0; *at != '\0'; i++) { /* 0 is the program, which argv may name otherwise */
        const char *from = at, *token = i > 0 ? c->tokens[i - 1] : NULL;
        bool quoted = false, equal = true;
        for (char typed; (typed = token_next(&from, &quoted)) != '\0';)
            equal = equal && (token == NULL || *token++ == typed);
        if (!equal || (token != NULL && *token != '\0'))
            return;
        at = skip_blanks(at + (from - at));
        if (i == c->count || *at == '\0')
            return;
        c->raw_offset[i] = (size_t)(at - c->raw);
        c->raw_count = i + 1;
    }
}

enum cmdline_status cmdline_from_argv(struct cmdline *ret, const uint16_t *const *argv, size_t argc,
                                      const void *load_options, size_t size)
{
    *ret = (struct cmdline){.argv = argv, .argc = argc};
    size_t used = 0;
    for (size_t i = 1; i < argc && ret->count <= OPTIONS_MAX_TOKENS; i++) {
        char *word = ret->words + used;
        const size_t room = sizeof ret->words - used;
        if (utf8_from_utf16(argv[i], SIZE_MAX / 2, word, room) >= room) {
            ret->count = 0;
            return CMDLINE_TOO_LONG;
        }
        drop_quotes(word);
        ret->tokens[ret->count++] = word;
        used += length_of(word) + 1;
    }
    if (ret->count == 0)
        return CMDLINE_NONE;
    if (load_options != NULL &&
        utf8_from_utf16(load_options, size / 2, ret->raw, sizeof ret->raw) < sizeof ret->raw)
        match_raw(ret);
    return CMDLINE_OK;
}

/* argv from `first` on, as one line. */
static bool join(const struct cmdline *c, size_t first, char *ret, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return false;
    ret[0] = '\0';
    for (size_t i = first; i < c->argc; i++) {
        bool blank = c->argv[i][0] == 0, quote = false;
        for (const uint16_t *at = c->argv[i]; *at != 0; at++) {
            blank = blank || *at == ' ' || *at == '\t';
            quote = quote || *at == '"';
        }
        const char *mark = blank && !quote ? "\"" : "";
        used += text_format(ret + used, size - used, "%s%s", i > first ? " " : "", mark);
        if (used >= size)
            return false;
        used += utf8_from_utf16(c->argv[i], SIZE_MAX / 2, ret + used, size - used);
        if (used >= size)
            return false;
        used += text_format(ret + used, size - used, "%s", mark);
        if (used >= size)
            return false;
    }
    return true;
}

bool cmdline_rest(const struct cmdline *cmdline, unsigned token, char *ret, size_t size)
{
    if (token >= cmdline->count)
        return text_format(ret, size, "%s", "") < size;
    /* Behind a program name alone nothing has been compared yet. */
    if (token < cmdline->raw_count && (token > 0 || cmdline->argv == NULL))
        return text_format(ret, size, "%s", cmdline->raw + cmdline->raw_offset[token]) < size;
    return join(cmdline, (size_t)token + 1, ret, size);
}
