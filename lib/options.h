/* SPDX-License-Identifier: BSD-2-Clause */
/* The application's options: one table, one parser, for the shell, LoadOptions and the
 * configuration file. */
#ifndef LIB_OPTIONS_H
#define LIB_OPTIONS_H

#include "engine.h"
#include "recommend.h"
#include "text.h"
#include "topology.h"
#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_MAX_TOKENS 64u   /* of our own; those of a chained image are not counted */
#define OPTIONS_BYTES_MIN  1024u /* --size, --capacity: smallest .. */
#define OPTIONS_BYTES_MAX                                                                         \
    (1024u << 20)                        /* .. and largest: firmware that gives more is rare (C8) \
                                          */
#define OPTIONS_APIC_ID_MAX  0xFFFFFFFEu /* 0xFFFFFFFF is everyone */
#define OPTIONS_MESSAGE_SIZE 256u        /* no message of options_parse() is longer */

enum output_format { FORMAT_TABLE = 0, FORMAT_2004 = 1, FORMAT_2004_UNITS = 2 };
enum action { ACTION_MEASURE = 0, ACTION_HELP, ACTION_VERSION, ACTION_SHOW, ACTION_DELETE };
enum handoff { HANDOFF_NONE = 0, HANDOFF_CMDLINE, HANDOFF_SYSCTL, HANDOFF_GRUB };
enum start_method {
    START_AUTO = 0, /* the firmware's MP services, or else our own INIT and SIPI */
    START_MP = 1,
    START_SIPI = 2
}; /* --start */

enum store_place { STORE_IN_NVRAM = 0, STORE_IN_MEMORY, STORE_IN_ESP }; /* --store */
enum started_as { AS_FOUND = 0, AS_SHELL, AS_BOOT, AS_SYSPREP };        /* --mode */

/* APIC ids, both included. */
struct options_range {
    uint32_t first, last;
};

/* Everything a command line can ask for. */
struct options {
    uint8_t action;  /* enum action */
    uint8_t format;  /* enum output_format */
    uint8_t handoff; /* enum handoff */
    uint8_t policy;  /* enum policy */
    uint8_t start;   /* enum start_method */
    uint8_t mode;    /* enum started_as */
    uint8_t store;   /* enum store_place */
    bool quiet, force, no_store, report, verify;
    bool usb; /* removable-path image: store nothing, report on the stick, wait for a key or 60 s */
    uint32_t factor_percent; /* 0: the policy's default */
    uint32_t decay_ns;       /* --decay, 0: none */
    struct engine_options engine;
    unsigned cpu_range_count;           /* 0: all CPUs */
    struct options_range cpu_range[64]; /* as given */
    unsigned capacity_count;            /* of --capacity, in the order given: the last one counts */
    struct options_range capacity_range[32];
    uint64_t capacity_bytes[32];
    uint8_t capacity_level[32];
    char chain_path[256];       /* "" none; as typed, UTF-8 */
    unsigned chain_first_token; /* index of the first token that belongs to the chained image */
    bool chain;
    bool no_conf;              /* leave the configuration file alone */
    const char *chain_options; /* where a configuration file says what is chained: the text behind
                                  its path; NULL: the tokens from chain_first_token on */
};

enum options_status {
    OPTIONS_OK = 0,
    OPTIONS_UNKNOWN,  /* no such option */
    OPTIONS_VALUE,    /* value missing, not a number, or out of its range */
    OPTIONS_CONFLICT, /* two options that exclude each other */
    OPTIONS_TOO_MANY  /* more tokens or ranges than fit */
};

void options_default(struct options *ret);

/* Parses count tokens (UTF-8, NUL-terminated) on top of *options. Values follow as "--opt=value" or
 * "--opt value"; of an option given twice the last counts, but for --capacity, which is one for
 * each level and set of CPUs. After --chain PATH all further tokens belong to the chained image and
 * are not looked at. On failure a one-line message without newline is put into message: what was
 * wrong, and the nearest right option or the range. *options is then unspecified. What a message
 * repeats of a token is cut and free of control characters. */
enum options_status options_parse(struct options *options, const char *const *tokens,
                                  unsigned count, char *message, size_t message_size);

/* The --help text: usage and one line an option, from the same table that parses. */
void options_help(const struct text_sink *sink);

/* Puts what --capacity says into cpus[].cache_bytes, behind what CPUID said. What identifies the
 * machine has to be taken before. False if there is nothing to put. */
bool options_capacities(const struct options *options, struct cpu_info *cpus, unsigned cpu_count);

/* True if this APIC id is asked for (always with no --cpus). */
bool options_cpu_chosen(const struct options *options, uint32_t apic_id);

/* False if a number or range of --cpus names no CPU of this machine: *ret_range is then its index
 * in cpu_range. */
bool options_cpus_exist(const struct options *options, const struct cpu_info *cpus,
                        unsigned cpu_count, unsigned *ret_range);

#endif
