/* SPDX-License-Identifier: BSD-2-Clause */
/* What options*.c share and nobody else needs: the one table of options, which drives the parser,
 * --help, ranges and suggestions, and the state of a parser. */
#ifndef LIB_OPTIONS_PRIVATE_H
#define LIB_OPTIONS_PRIVATE_H

#include "options.h"

enum option_id {
    OPTION_SIZE = 0,
    OPTION_CAPACITY,
    OPTION_PATTERN,
    OPTION_ACCESS,
    OPTION_CPUS,
    OPTION_BUDGET,
    OPTION_START,
    OPTION_POLICY,
    OPTION_FACTOR,
    OPTION_DECAY,
    OPTION_FORMAT,
    OPTION_REPORT,
    OPTION_QUIET,
    OPTION_FORCE,
    OPTION_VERIFY,
    OPTION_STORE,
    OPTION_NO_STORE,
    OPTION_USB,
    OPTION_CHAIN,
    OPTION_HANDOFF,
    OPTION_MODE,
    OPTION_NO_CONF,
    OPTION_SHOW,
    OPTION_DELETE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_IDS
};

enum option_kind {
    KIND_FLAG = 0, /* bool; takes no value */
    KIND_ACTION,   /* takes no value; looked at when all is read */
    KIND_CHOICE,   /* uint8_t: position among the names that options_choice() gives */
    KIND_PERCENT,  /* uint32_t */
    KIND_BYTES,    /* uint64_t */
    KIND_NS,       /* uint32_t */
    KIND_SECONDS,  /* uint64_t, kept in ns */
    KIND_CAPACITY, /* LEVEL[@LIST]=BYTES into capacity_...[] */
    KIND_CPUS,     /* a list of APIC ids into cpu_range[] */
    KIND_CHAIN     /* a path, and the end of our options */
};

struct option {
    uint32_t min, max; /* KIND_PERCENT to KIND_CAPACITY, both allowed */
    uint16_t field;    /* offset in struct options */
    uint8_t kind : 4;
    bool letter : 1;   /* its first letter stands for it too: "-q" */
    bool measures : 1; /* says how to measure or what to do with a result: not with --show,
                          --delete */
    char name[9];      /* without dashes */
};

extern const struct option options_table[OPTION_IDS]; /* by enum option_id */

/* What --help says of it: the name of its value, which is empty where it takes none, then a blank
 * and the rest. */
const char *options_usage(const struct option *option, int *ret_value_length);

/* The names that a KIND_CHOICE takes, in the order of their numbers; NULL behind the last. */
const char *options_choice(const struct option *option, unsigned index);

/* What values it takes, for messages and --help: "1 KiB to 1 GiB", "linear, scatter, chase". */
void options_range(const struct option *option, char *text, size_t size);

struct options_parser {
    struct options *options;
    const char *const *tokens;
    unsigned count, next;
    uint32_t seen; /* bit by enum option_id */
    struct text_sink message;
    struct text_buffer buffer;
};
_Static_assert(OPTION_IDS <= 32, "seen has a bit for each option");

/* Takes the non-empty value of an option that has one, or says in parser->message what is wrong
 * with it. */
enum options_status options_take_value(struct options_parser *parser, const struct option *option,
                                       const char *value);

/* Stores a value of that size in the option's field. */
void options_set_field(struct options *options, const struct option *option, const void *value,
                       size_t size);

/* What a message shows of a foreign token: cut, and nothing in it that moves a cursor. */
struct options_excerpt {
    char text[48];
};
struct options_excerpt options_excerpt(const char *token);

#endif
