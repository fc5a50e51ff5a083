/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost` on Linux: reads what migcost.efi stored and hands it to the scheduler, or measures on
 * its own. This file knows the command line and nothing else. */
#define _GNU_SOURCE
#include "../lib/number.h"
#include "../lib/suggest.h"
#include "command.h"
#include "say.h"
#include <errno.h>
#include <getopt.h>
#include <string.h>

enum {
    OPTION_JSON = 256,
    OPTION_FORMAT,
    OPTION_FILE,
    OPTION_FORCE,
    OPTION_VALUE,
    OPTION_DRY_RUN,
    OPTION_WSS,
    OPTION_REMEASURE,
    OPTION_ROOT,
    OPTION_HELP,
    OPTION_VERSION
};

#define WORDS_MAX 128u /* of measure: more than its parser takes */

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"file", required_argument, NULL, OPTION_FILE},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"value", required_argument, NULL, OPTION_VALUE},
    {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
    {"wss", required_argument, NULL, OPTION_WSS},
    {"remeasure", no_argument, NULL, OPTION_REMEASURE},
    {"root", required_argument, NULL, OPTION_ROOT},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static const struct subcommand {
    const char *name;
    enum status (*run)(const struct command *command); /* NULL: see run_measure() */
    const char *options; /* those that it takes besides --root, each followed by a blank */
} subcommands[] = {
    {"show", command_show, "json format file "},
    {"apply", command_apply, "file force value dry-run "},
    {"restore", command_restore, "dry-run "},
    {"status", command_status, "json file "},
    {"check", command_check, "json file remeasure "},
    {"explain", command_explain, "json file wss "},
    {"measure", NULL, ""},
};
#define SUBCOMMANDS (sizeof subcommands / sizeof subcommands[0])

static void print_help(FILE *to)
{
    fputs("usage: migcost show [--json | --format=text|json|cmdline] [--file=FILE]\n"
          "       migcost apply [--force] [--value=NS | --file=FILE] [--dry-run]\n"
          "       migcost restore [--dry-run]\n"
          "       migcost status [--json] [--file=FILE]\n"
          "       migcost check [--remeasure] [--json] [--file=FILE]\n"
          "       migcost explain --wss=BYTES [--json] [--file=FILE]\n"
          "       migcost measure [--json] [--save=FILE] [OPTIONS OF MEASURE]\n"
          "\n"
          "Shows the task-migration cost that migcost.efi measured in firmware, and hands it to\n"
          "the scheduler; or measures it here, where the result is flagged for the OS below it.\n"
          "\n"
          "  show     the stored result; --format=cmdline: as kernel parameters to paste\n"
          "  apply    write the recommended value into the scheduler's knob\n"
          "  restore  put the knob back to what it was before the first apply\n"
          "  status   the value wanted, the value there, the value kept for restore, and what\n"
          "           else sets it or makes it matter less\n"
          "  check    whether the result is of this machine and unflagged\n"
          "  explain  what moving a working set of that size costs, level by level\n"
          "  measure  measure on threads pinned to the CPUs; stores nothing\n"
          "\n"
          "  --file=FILE   a record in a file, raw or with efivarfs's 4 bytes of attributes,\n"
          "                instead of looking for one (kernel command line, EFI variable, then\n"
          "                MigrationCost.bin in /boot/efi, /efi, /boot)\n"
          "  --json        the same as --format=json\n"
          "  --value=NS    this value instead of the measured one: 1us to 10ms; to 100ms with "
          "--force\n"
          "  --force       apply also what is flagged, of another machine, or above 10 ms\n"
          "  --dry-run     check and say all, write nothing\n"
          "  --remeasure   measure here, and give the ratio firmware to here for each level\n"
          "  --wss=BYTES   the working set to explain; BYTES take K, M and G\n"
          "  --root=DIR    look for /proc, /sys, /run and /boot below DIR (for tests)\n"
          "  --help, --version\n"
          "\n"
          "options of measure, as those of migcost.efi:\n"
          "  --save=FILE         write the record into a file, for show and explain\n"
          "  --size=BYTES        working set, instead of searching for the dearest\n"
          "  --capacity=LEVEL[@LIST]=BYTES  size of the L1, L2 or L3 caches (of the CPUs with "
          "these APIC\n"
          "                          ids), instead of CPUID's\n"
          "  --pattern=NAME      linear, scatter (default) or chase\n"
          "  --access=NAME       read, write or update (default)\n"
          "  --cpus=LIST         only CPUs with these APIC ids: 0,2,0x10-0x1f\n"
          "  --budget=SECONDS    time for measuring, default 60\n"
          "  --policy=NAME       levels (default), v1, v5, expected or decay\n"
          "  --factor=PERCENT    times the cost, default as the policy has it\n"
          "  --decay=NS          this threshold, by hand\n"
          "  --quiet             no table, notes and progress\n"
          "\n"
          "exit status:\n",
          to);
    status_list(to);
}

static enum status usage_error(struct message *message)
{
    say_error(message);
    say_try_help();
    return STATUS_USAGE;
}

/* The nearest known word, NULL if none is near. */
static const char *nearest_option(const char *typed)
{
    const char *best = NULL;
    unsigned least = SUGGEST_FAR;
    for (const struct option *option = long_options; option->name; option++) {
        unsigned distance = suggest_distance(typed, option->name);
        if (distance < least) {
            least = distance;
            best = option->name;
        }
    }
    return best;
}

static enum status unknown_option(char **argv, struct message *message)
{
    /* A short one stands in optopt; a long one in the word just passed. */
    if (optopt && optopt < 256) {
        message_set(message, "unknown option -%c", optopt);
        return usage_error(message);
    }
    const char *word = argv[optind - 1];
    if (optopt) {
        message_set(message, "%s: takes %s value", word, strchr(word, '=') ? "no" : "a");
        return usage_error(message);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *near = nearest_option(name + strspn(name, "-"));
    if (near)
        message_set(message, "unknown option %s; did you mean --%s?", name, near);
    else
        message_set(message, "unknown option %s", name);
    return usage_error(message);
}

static bool take_format(const char *text, enum show_format *ret)
{
    if (strcmp(text, "text") == 0)
        *ret = SHOW_TEXT;
    else if (strcmp(text, "json") == 0)
        *ret = SHOW_JSON;
    else if (strcmp(text, "cmdline") == 0)
        *ret = SHOW_CMDLINE;
    else
        return false;
    return true;
}

/* One option into *command. False: *message says what is wrong with its value. */
static bool take_option(int option, const char *value, struct command *command,
                        struct message *message)
{
    uint64_t ns;
    switch (option) {
    case OPTION_JSON:
        command->format = SHOW_JSON;
        return true;
    case OPTION_FORMAT:
        if (take_format(value, &command->format))
            return true;
        message_set(message, "--format=%.40s: not text, json or cmdline", value);
        return false;
    case OPTION_FILE:
        command->file = value;
        return true;
    case OPTION_FORCE:
        command->force = true;
        return true;
    case OPTION_DRY_RUN:
        command->dry_run = true;
        return true;
    case OPTION_REMEASURE:
        command->remeasure = true;
        return true;
    case OPTION_ROOT:
        command->root = strcmp(value, "/") == 0 ? "" : value;
        return true;
    case OPTION_WSS:
        if (number_parse_bytes(value, &command->wss) == NUMBER_OK && command->wss > 0)
            return true;
        message_set(message, "--wss=%.40s: not a number of bytes (or with K, M, G)", value);
        return false;
    case OPTION_VALUE:
        /* What is too large for the kernel is out of range, not a wrong command line. */
        if (number_parse_ns(value, &ns) == NUMBER_OK) {
            command->by_hand = true;
            command->value_ns = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
            return true;
        }
        message_set(message, "--value=%.40s: not a number of ns (or with us, ms)", value);
        return false;
    default:
        return false;
    }
}

static const struct subcommand *find_subcommand(const char *name, struct message *message)
{
    const struct subcommand *near = NULL;
    unsigned least = SUGGEST_FAR;
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
        unsigned distance = suggest_distance(name, subcommands[i].name);
        if (distance < least) {
            least = distance;
            near = &subcommands[i];
        }
    }
    if (near)
        message_set(message, "unknown command %.40s; did you mean %s?", name, near->name);
    else
        message_set(
            message,
            "unknown command %.40s: show, apply, restore, status, check, explain or measure", name);
    return NULL;
}

/* The first option given that this subcommand does not take; NULL: none. */
static const char *misplaced(const struct subcommand *subcommand, unsigned given)
{
    for (unsigned i = 0; long_options[i].name; i++) {
        char word[32];
        if (!(given >> (long_options[i].val - OPTION_JSON) & 1) ||
            long_options[i].val == OPTION_ROOT)
            continue;
        snprintf(word, sizeof word, "%s ", long_options[i].name);
        if (!strstr(subcommand->options, word))
            return long_options[i].name;
    }
    return NULL;
}

/* Where the word "measure" stands: the first that is no option; 0: it is another one. */
static int find_measure(int argc, char **argv)
{
    int at = 1;
    while (at < argc && argv[at][0] == '-')
        at++;
    return at < argc && strcmp(argv[at], "measure") == 0 ? at : 0;
}

/* All words but for "measure" and --root; --help and --version count wherever they stand. */
static enum status run_measure(int argc, char **argv, int measure)
{
    const char *words[WORDS_MAX];
    const char *root = "";
    unsigned count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help(stdout);
            return STATUS_OK;
        }
        if (strcmp(argv[i], "--version") == 0) {
            puts("migcost " MIGCOST_VERSION);
            return STATUS_OK;
        }
        if (strncmp(argv[i], "--root=", 7) == 0)
            root = strcmp(argv[i] + 7, "/") == 0 ? "" : argv[i] + 7;
        else if (i != measure && count < WORDS_MAX)
            words[count++] = argv[i];
    }
    return command_measure(root, words, count);
}

static enum status run(int argc, char **argv)
{
    int measure = find_measure(argc, argv);
    if (measure)
        return run_measure(argc, argv, measure);

    struct message message;
    struct command command = {.root = ""};
    unsigned given = 0;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
        if (option == OPTION_HELP) {
            print_help(stdout);
            return STATUS_OK;
        }
        if (option == OPTION_VERSION) {
            puts("migcost " MIGCOST_VERSION);
            return STATUS_OK;
        }
        if (option == '?')
            return unknown_option(argv, &message);
        if (!take_option(option, optarg, &command, &message))
            return usage_error(&message);
        given |= 1u << (option - OPTION_JSON);
    }
    if (optind == argc) {
        message_set(&message,
                    "no command: show, apply, restore, status, check, explain or measure");
        return usage_error(&message);
    }
    const struct subcommand *subcommand = find_subcommand(argv[optind], &message);
    if (!subcommand)
        return usage_error(&message);
    const char *wrong = misplaced(subcommand, given);
    if (optind + 1 < argc)
        message_set(&message, "%.40s: one word too many", argv[optind + 1]);
    else if (!subcommand->run)
        message_set(&message, "put the options of %s behind it", subcommand->name);
    else if (wrong)
        message_set(&message, "%s does not take --%s", subcommand->name, wrong);
    else if (subcommand->run == command_explain && !command.wss)
        message_set(&message, "explain needs --wss=BYTES");
    else if (command.by_hand && command.file)
        message_set(&message, "--value and --file exclude each other");
    else
        return subcommand->run(&command);
    return usage_error(&message);
}

int main(int argc, char **argv)
{
    enum status status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "migcost: standard output: %s\n", strerror(errno));
        return status ? (int)status : STATUS_FAILED;
    }
    return (int)status;
}
