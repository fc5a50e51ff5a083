/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options and what is printed from it. */
#include "options_private.h"
#include "touch.h"

#define HELP_INDENT 20u /* column at which the explanations begin */
#define HELP_WIDTH  79u /* consoles have 80 columns or more (G3), and some wrap at the last */

#define FIELD(member) .field = offsetof(struct options, member)

const struct option options_table[OPTION_IDS] = {
    [OPTION_SIZE] = {.name = "size",
                     .kind = KIND_BYTES,
                     .min = OPTIONS_BYTES_MIN,
                     .max = OPTIONS_BYTES_MAX,
                     FIELD(engine.size),
                     .measures = true},
    [OPTION_CAPACITY] = {.name = "capacity",
                         .kind = KIND_CAPACITY,
                         .min = OPTIONS_BYTES_MIN,
                         .max = OPTIONS_BYTES_MAX,
                         .measures = true},
    [OPTION_PATTERN] = {.name = "pattern",
                        .kind = KIND_CHOICE,
                        FIELD(engine.pattern),
                        .measures = true},
    [OPTION_ACCESS] = {.name = "access",
                       .kind = KIND_CHOICE,
                       FIELD(engine.access),
                       .measures = true},
    [OPTION_CPUS] = {.name = "cpus",
                     .kind = KIND_CPUS,
                     .max = OPTIONS_APIC_ID_MAX,
                     .measures = true},
    [OPTION_BUDGET] = {.name = "budget",
                       .kind = KIND_SECONDS,
                       .min = 1,
                       .max = ENGINE_BUDGET_MAX_S,
                       FIELD(engine.budget_ns),
                       .measures = true},
    [OPTION_START] = {.name = "start", .kind = KIND_CHOICE, FIELD(start), .measures = true},
    [OPTION_POLICY] = {.name = "policy", .kind = KIND_CHOICE, FIELD(policy), .measures = true},
    [OPTION_FACTOR] = {.name = "factor",
                       .kind = KIND_PERCENT,
                       .min = 1,
                       .max = FACTOR_MAX_PERCENT,
                       FIELD(factor_percent),
                       .measures = true},
    [OPTION_DECAY] = {.name = "decay",
                      .kind = KIND_NS,
                      .min = DECAY_MIN_NS,
                      .max = DECAY_MAX_NS,
                      FIELD(decay_ns),
                      .measures = true},
    [OPTION_FORMAT] = {.name = "format", .kind = KIND_CHOICE, FIELD(format), .measures = true},
    [OPTION_REPORT] = {.name = "report", .kind = KIND_FLAG, FIELD(report), .measures = true},
    [OPTION_QUIET] = {.name = "quiet", .letter = true, .kind = KIND_FLAG, FIELD(quiet)},
    [OPTION_FORCE] = {.name = "force", .kind = KIND_FLAG, FIELD(force)},
    [OPTION_VERIFY] = {.name = "verify", .kind = KIND_FLAG, FIELD(verify), .measures = true},
    [OPTION_STORE] = {.name = "store", .kind = KIND_CHOICE, FIELD(store)},
    [OPTION_NO_STORE] = {.name = "no-store", .kind = KIND_FLAG, FIELD(no_store), .measures = true},
    [OPTION_USB] = {.name = "usb", .kind = KIND_FLAG, FIELD(usb), .measures = true},
    [OPTION_CHAIN] = {.name = "chain", .kind = KIND_CHAIN, FIELD(chain_path), .measures = true},
    [OPTION_HANDOFF] = {.name = "handoff", .kind = KIND_CHOICE, FIELD(handoff), .measures = true},
    [OPTION_MODE] = {.name = "mode", .kind = KIND_CHOICE, FIELD(mode)},
    [OPTION_NO_CONF] = {.name = "no-conf", .kind = KIND_FLAG, FIELD(no_conf)},
    [OPTION_SHOW] = {.name = "show", .kind = KIND_ACTION},
    [OPTION_DELETE] = {.name = "delete", .kind = KIND_ACTION},
    [OPTION_HELP] = {.name = "help", .letter = true, .kind = KIND_ACTION},
    [OPTION_VERSION] = {.name = "version", .kind = KIND_ACTION},
};

/* What --help says of each option, in the order of enum option_id: the name of its value, a blank,
 * what it does. */
static const char usages[] =
    "BYTES working set, instead of searching for the dearest\0"
    "LEVEL[@LIST]=BYTES size of the L1, L2 or L3 caches (of these APIC ids), instead of CPUID's\0"
    "NAME order of the lines, default scatter\0"
    "NAME done to each line, default update\0"
    "LIST only CPUs with these APIC ids: 0,2,0x10-0x1f\0"
    "SECONDS time for measuring, default 60\0"
    "HOW start of the other CPUs, default auto\0"
    "NAME rule from costs to threshold, default levels\0"
    "PERCENT times the cost, default as the rule has it\0"
    "NS this threshold, by hand; suffixes us, ms\0"
    "NAME table for people, or the lines of the 2004 kernel patch\0"
    " write report.json, the whole result, to our volume\0"
    " print nothing and read no key\0"
    " measure despite a valid record or an unfinished run; replace or delete a foreign variable\0"
    " measure one pair of each class anew, compare with the record; --force: then all\0"
    "PLACE of the record: variable that stays, that does not, or file MigrationCost.bin\0"
    " write no variable\0"
    " store nothing, report on the stick, wait for a key or 60 s\0"
    "PATH start this image afterwards; all behind PATH is for it\0"
    "WAY append the result to its options, or write it for GRUB\0"
    "HOW it was started, where that is not recognised\0"
    " ignore migcost.conf, the options in a file beside this program\0"
    " print the stored record\0"
    " delete the stored record\0"
    " print this\0"
    " print the version\0";

const char *options_usage(const struct option *option, int *ret_value_length)
{
    const char *usage = text_nth(usages, (unsigned)(option - options_table));
    int length = 0;
    while (usage[length] != ' ')
        length++;
    *ret_value_length = length;
    return usage;
}

/* Headings of --help, and the option that each stands before. */
static const struct {
    uint8_t before;
    char text[27];
} sections[] = {
    {OPTION_SIZE, "What is measured"},           {OPTION_POLICY, "What is recommended"},
    {OPTION_FORMAT, "What is shown and stored"}, {OPTION_CHAIN, "What is started afterwards"},
    {OPTION_MODE, "How it is started"},          {OPTION_SHOW, "Instead of measuring"},
};

const char *options_choice(const struct option *option, unsigned index)
{
    switch (option - options_table) {
    case OPTION_PATTERN:
        return touch_pattern_name(index);
    case OPTION_ACCESS:
        return touch_access_name(index);
    case OPTION_START:
        return text_nth("auto\0mp\0sipi\0", index);
    case OPTION_MODE:
        return text_nth("auto\0shell\0boot\0sysprep\0", index);
    case OPTION_STORE:
        return text_nth("nvram\0volatile\0esp\0", index);
    case OPTION_POLICY:
        return policy_name(index);
    case OPTION_FORMAT:
        return text_nth("table\0"
                        "2004\0"
                        "2004-units\0",
                        index);
    default:
        return text_nth("none\0cmdline\0sysctl\0grub\0", index); /* OPTION_HANDOFF */
    }
}

static size_t put_bytes(char *text, size_t size, uint64_t value)
{
    return text_bytes(text, size, value);
}

static size_t put_ns(char *text, size_t size, uint64_t value)
{
    if (value % 1000000 == 0)
        return text_format(text, size, "%llu ms", (unsigned long long)value / 1000000);
    if (value % 1000 == 0)
        return text_format(text, size, "%llu us", (unsigned long long)value / 1000);
    return text_format(text, size, "%llu ns", (unsigned long long)value);
}

static size_t put_plain(char *text, size_t size, uint64_t value)
{
    return text_format(text, size, "%llu", (unsigned long long)value);
}

void options_range(const struct option *option, char *text, size_t size)
{
    struct text_buffer buffer;
    const struct text_sink sink = text_buffer_sink(&buffer, text, size);
    if (option->kind == KIND_CHOICE) {
        const char *name;
        for (unsigned i = 0; (name = options_choice(option, i)) != NULL; i++)
            text_print(&sink, "%s%s", i > 0 ? ", " : "", name);
        return;
    }
    if (option->max == 0)
        return;
    char low[32], high[32];
    size_t (*put)(char *, size_t, uint64_t) =
        option->kind == KIND_NS                                       ? put_ns
        : option->kind == KIND_BYTES || option->kind == KIND_CAPACITY ? put_bytes
                                                                      : put_plain;
    put(low, sizeof low, option->min);
    put(high, sizeof high, option->max);
    text_print(&sink, "%s to %s", low, high);
}

/* One word behind the others of its line, or on a new line; returns the column behind it. */
static size_t put_word(const struct text_sink *sink, const char *word, size_t length, size_t column)
{
    if (column > HELP_INDENT && column + 1 + length > HELP_WIDTH) {
        text_print(sink, "\n%*s", (int)HELP_INDENT, "");
        column = HELP_INDENT;
    }
    text_print(sink, "%s%.*s", column > HELP_INDENT ? " " : "", (int)length, word);
    return column + (column > HELP_INDENT ? 1 : 0) + length;
}

static void put_option(const struct text_sink *sink, const struct option *option)
{
    char left[64], range[64];
    int value_length;
    const char *usage = options_usage(option, &value_length);
    size_t used;
    if (value_length > 0)
        used = text_format(left, sizeof left, "  --%s %.*s", option->name, value_length, usage);
    else if (option->letter)
        used = text_format(left, sizeof left, "  --%s, -%c", option->name, option->name[0]);
    else
        used = text_format(left, sizeof left, "  --%s", option->name);
    text_print(sink, "%s", left);
    if (used >= HELP_INDENT) {
        text_print(sink, "\n");
        used = 0;
    }
    text_print(sink, "%*s", (int)(HELP_INDENT - used), "");

    size_t column = HELP_INDENT;
    for (const char *word = usage + value_length + 1; *word != '\0';) {
        size_t length = 0;
        while (word[length] != '\0' && word[length] != ' ')
            length++;
        column = put_word(sink, word, length, column);
        word += length;
        while (*word == ' ')
            word++;
    }
    options_range(option, range, sizeof range);
    if (range[0] != '\0' && option->kind != KIND_CPUS) { /* any 32-bit number: no help */
        size_t length = text_format(left, sizeof left, "(%s)", range);
        put_word(sink, left, length, column);
    }
    text_print(sink, "\n");
}

void options_help(const struct text_sink *sink)
{
    text_print(sink, "usage: migcost.efi [OPTION...] [--chain PATH [ITS OPTIONS...]]\n"
                     "Measures what moving a task from one CPU to another costs, and stores it.\n"
                     "Values follow as --option VALUE or --option=VALUE; BYTES take K, M and G.\n");
    for (unsigned i = 0; i < OPTION_IDS; i++) {
        for (unsigned k = 0; k < sizeof sections / sizeof sections[0]; k++)
            if (sections[k].before == i)
                text_print(sink, "\n%s\n", sections[k].text);
        put_option(sink, &options_table[i]);
    }
}
