/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of a kernel: what is added to it, and whether it still fits. */
#include "cmdline.h"
#include "utf.h"

/* What of a kernel command line decides whether parameters behind it would be seen. */
struct line_end {
    bool newline;    /* the EFI stub stops there */
    bool open_quote; /* all behind would be part of a value */
    bool dashes;     /* "--": all behind is for init */
};

static struct line_end look_at_end(const char *line)
{
    struct line_end end = {false, false, false};
    const char *word = line;
    for (const char *at = line;; at++) {
        const bool blank = *at == ' ' || *at == '\t';
        if (*at == '\n' || *at == '\r')
            end.newline = true;
        if (*at == '\0' || (blank && !end.open_quote)) {
            end.dashes = end.dashes || (at - word == 2 && word[0] == '-' && word[1] == '-');
            word = at + 1;
        }
        if (*at == '\0')
            return end;
        if (*at == '"')
            end.open_quote = !end.open_quote;
    }
}

bool cmdline_append(const char *rest, const char *extra, uint16_t *ret_text, size_t size,
                    size_t *ret_units)
{
    const char *first = rest, *second = extra;
    if (extra[0] != '\0') {
        const struct line_end end = look_at_end(rest);
        if (end.newline)
            return false;
        if (end.open_quote || end.dashes) {
            first = extra;
            second = rest;
        }
    }
    const bool blank = first[0] != '\0' && second[0] != '\0';
    const size_t bytes = text_format(NULL, 0, "%s%s%s", first, blank ? " " : "", second);
    const size_t units_first = utf16_from_utf8(first, NULL, 0);
    const size_t units = units_first + (blank ? 1 : 0) + utf16_from_utf8(second, NULL, 0);
    if (units >= size || (extra[0] != '\0' && bytes > LINUX_CMDLINE_MAX))
        return false;

    utf16_from_utf8(first, ret_text, size);
    size_t used = units_first;
    if (blank)
        ret_text[used++] = ' ';
    utf16_from_utf8(second, ret_text + used, size - used);
    *ret_units = units + 1;
    return true;
}

static unsigned clamp(unsigned ns, unsigned least)
{
    return ns < least ? least : ns > DECAY_MAX_NS ? DECAY_MAX_NS : ns;
}

bool cmdline_handoff(const struct recommendation *recommendation, enum handoff handoff, char *text,
                     size_t size)
{
    struct text_buffer buffer;
    const struct text_sink sink = text_buffer_sink(&buffer, text, size);
    const unsigned decay = clamp(recommendation->decay_ns, DECAY_MIN_NS);
    if (handoff == HANDOFF_SYSCTL)
        text_print(&sink, "sysctl.kernel.sched_migration_cost_ns=%u", decay);
    if (handoff != HANDOFF_CMDLINE)
        return buffer.length < size;

    text_print(&sink, "migcost.cache_decay_ns=%u", decay);
    const char *before = " migcost.level_ns=";
    for (unsigned level = 0; level < LEVELS; level++) {
        bool there = false;
        unsigned largest = 0;
        for (unsigned i = 0; i < recommendation->level_count && i < MAX_CLASSES; i++) {
            if (recommendation->level[i].level != level)
                continue;
            there = true;
            if (recommendation->level[i].decay_ns > largest)
                largest = recommendation->level[i].decay_ns;
        }
        if (!there || (largest == 0 && level != LEVEL_CORE)) /* not told from zero: not handed on */
            continue;
        text_print(&sink, "%s%u:%u", before, level, clamp(largest, 0));
        before = ",";
    }
    return buffer.length < size;
}
