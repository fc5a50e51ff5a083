/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/cmdline to words: blanks outside double quotes separate, as in the kernel's next_arg(). */
#include "cmdline_words.h"
#include "files.h"
#include <string.h>

#define CMDLINE_BYTES 8192u /* COMMAND_LINE_SIZE is 2048 on x86; boot configs may add to it */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Cuts one word out at *at, which moves behind it. Quotes around the value are taken off. */
static char *take_word(char **at)
{
    char *word = *at, *c = word;
    bool quoted = false;
    for (; *c && (quoted || !is_blank(*c)); c++)
        if (*c == '"')
            quoted = !quoted;
    *at = c;
    if (*c) {
        *c = '\0';
        *at = c + 1;
    }
    return word;
}

static char *unquote(char *value)
{
    size_t length = strlen(value);
    if (*value != '"')
        return value;
    if (length > 1 && value[length - 1] == '"')
        value[length - 1] = '\0';
    return value + 1;
}

int cmdline_words(const char *root, bool (*each)(void *ctx, const char *key, const char *value),
                  void *ctx)
{
    char line[CMDLINE_BYTES];
    int error = file_read_text(root, "/proc/cmdline", line, sizeof line);
    if (error)
        return error;
    for (char *at = line;;) {
        while (is_blank(*at))
            at++;
        if (!*at)
            return 0;
        char *key = take_word(&at);
        if (strcmp(key, "--") == 0)
            return 0;
        char *value = strchr(key, '=');
        if (value) {
            *value = '\0';
            value = unquote(value + 1);
        }
        if (!each(ctx, key, value))
            return 0;
    }
}
