/* SPDX-License-Identifier: BSD-2-Clause */
/* The result that migcost.efi put on the kernel command line: migcost.cache_decay_ns=N
 * migcost.level_ns=L:N,... It needs no runtime services (D13), and kexec may keep it (I11). */
#include "cmdline_words.h"
#include "source.h"
#include <stdio.h>
#include <string.h>

struct words {
    bool decay_seen, decay_ok, levels_ok;
    struct source *source;
};

static bool decay_ok(uint32_t ns)
{
    return ns >= DECAY_MIN_NS && ns <= DECAY_MAX_NS;
}

/* "L:N,L:N": every level at most once, in rising order. */
static bool take_levels(struct source *source, const char *text)
{
    source->level_count = 0;
    for (;;) {
        uint32_t level, ns;
        if (!text_take_u32(&text, &level) || *text++ != ':' || !text_take_u32(&text, &ns))
            return false;
        unsigned count = source->level_count;
        if (level >= LEVELS || (ns && !decay_ok(ns)) ||
            (count && source->level[count - 1].level >= level))
            return false;
        source->level[count].level = (uint8_t)level;
        source->level[count].decay_ns = ns;
        source->level_count++;
        if (!*text)
            return true;
        if (*text++ != ',')
            return false;
    }
}

/* The last of several counts, as with the kernel's own parameters. */
static bool take_word(void *ctx, const char *key, const char *value)
{
    struct words *words = ctx;
    if (strcmp(key, "migcost.cache_decay_ns") == 0) {
        words->decay_seen = true;
        words->decay_ok = value && text_to_u32(value, &words->source->decay_ns) &&
                          decay_ok(words->source->decay_ns);
    }
    if (strcmp(key, "migcost.level_ns") == 0)
        words->levels_ok = value && take_levels(words->source, value);
    return true;
}

enum status source_cmdline(const char *root, struct source *ret, struct message *message)
{
    memset(ret, 0, sizeof *ret);
    struct words words = {.levels_ok = true, .source = ret};
    cmdline_words(root, take_word, &words);
    if (!words.decay_seen) {
        message_set(message, "nothing on the kernel command line");
        return STATUS_NO_RECORD;
    }
    if (!words.decay_ok) {
        message_set(message,
                    "kernel command line: migcost.cache_decay_ns is no number from %u to %u",
                    DECAY_MIN_NS, DECAY_MAX_NS);
        return STATUS_BAD_RECORD;
    }
    if (!words.levels_ok) {
        message_set(message, "kernel command line: migcost.level_ns is no list of LEVEL:NS");
        return STATUS_BAD_RECORD;
    }
    ret->kind = SOURCE_CMDLINE;
    snprintf(ret->name, sizeof ret->name, "kernel command line");
    return STATUS_OK;
}
