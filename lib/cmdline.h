/* SPDX-License-Identifier: BSD-2-Clause */
/* From what a loader or a shell passes to tokens, and from there to a child's LoadOptions: byte for
 * byte what was typed (E1 to E6, E8). */
#ifndef LIB_CMDLINE_H
#define LIB_CMDLINE_H

#include "options.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CMDLINE_MAX \
    4096u /* UTF-8 bytes of a whole option text, NUL included; longer is refused, never cut */
#define LINUX_CMDLINE_MAX 2047u /* bytes of a kernel command line on x86, NUL excluded (E8) */

enum cmdline_status {
    CMDLINE_OK = 0,
    CMDLINE_NONE,    /* no options: size 0 or 1, NULL, first character NUL, only blanks (E4) */
    CMDLINE_GARBAGE, /* binary: ignore all, run with the defaults, and say so (E2) */
    CMDLINE_TOO_LONG /* CMDLINE_MAX: nothing is used */
};

/* A sentence part for a message: "option text is binary data", ... */
const char *cmdline_status_text(enum cmdline_status status);

/* A command line and its tokens. Caller's memory, 9 KiB; not to be copied or moved: tokens point
 * into it. */
struct cmdline {
    unsigned count; /* tokens kept; one more than OPTIONS_MAX_TOKENS says that there are more */
    const char *tokens[OPTIONS_MAX_TOKENS + 1]; /* without program name and without quotes */

    /* for cmdline_rest() */
    unsigned raw_count;                        /* how many of raw_offset are known */
    size_t raw_offset[OPTIONS_MAX_TOKENS + 1]; /* where token i was typed, in raw */
    const uint16_t *const *argv;               /* NULL: from LoadOptions */
    size_t argc;
    char raw[CMDLINE_MAX];   /* as typed, UTF-8 */
    char words[CMDLINE_MAX]; /* tokens lie here */
};

/* From LoadOptions, for every way of starting but the shell: cmdline_decode(), split at blanks, the
 * program name dropped if one is there: it ends in ".efi", or is a path to own_name, the file name
 * of our image or NULL, with or without its extension (E1). count is 0 unless CMDLINE_OK; a program
 * name alone is CMDLINE_NONE. */
enum cmdline_status cmdline_from_load_options(struct cmdline *ret, const void *load_options,
                                              size_t size, const char *own_name);

/* From the shell's parameters protocol, preferred where it is there (E1). argv[0] is the program
 * and argv must outlive ret. The shell leaves the typed line in LoadOptions too: where it says the
 * same as argv, cmdline_rest() takes it from there. */
enum cmdline_status cmdline_from_argv(struct cmdline *ret, const uint16_t *const *argv, size_t argc,
                                      const void *load_options, size_t size);

/* All from that token on (options.chain_first_token) for the chained image, byte for byte as it was
 * typed, quotes and blanks between included; "" if there is none. Where only argv is known it is
 * joined anew, tokens with blanks in quotes. False if it does not fit. */
bool cmdline_rest(const struct cmdline *cmdline, unsigned token, char *ret, size_t size);

/* Decodes raw LoadOptions of `size` bytes into UTF-8: UTF-16LE, or ASCII where the odd bytes say so
 * (E5); skips a BOM (E6); unwraps a whole EFI_LOAD_OPTION (E3); stops at the first NUL; never reads
 * past size (E4). Anything but blank, tab and printable ASCII in it makes it CMDLINE_GARBAGE (E2).
 */
enum cmdline_status cmdline_decode(const void *load_options, size_t size, char *text,
                                   size_t text_size);

/* Splits UTF-8 text at blanks into tokens that lie in text itself (it is changed). "..." groups,
 * also within a token, quotes are removed, an open one lasts to the end; ^ is no escape. Returns
 * the count, or -1 for more than max, of which the first max are there. offsets (may be NULL) gets
 * where each token began in text. */
int cmdline_split(char *text, char **tokens, size_t *offsets, unsigned max);

/* True if token 0 is a program name rather than an option: ends in ".efi" in any case (E1). */
bool cmdline_is_program_name(const char *token);

/* Builds a child's options: `rest` byte for byte, a blank, and `extra`, as UTF-16LE without a
 * newline. Where `extra` would not reach the kernel behind `rest`, since a quote is left open there
 * or "--" hands all that follows to init, it comes first. False and nothing written if it exceeds
 * `size` units, or, with an `extra`, LINUX_CMDLINE_MAX bytes of UTF-8, or if a newline in rest
 * would end the kernel's reading (E8). Without an `extra` rest is passed on whatever it is.
 * *ret_units counts the NUL. */
bool cmdline_append(const char *rest, const char *extra, uint16_t *ret_text, size_t size,
                    size_t *ret_units);

/* The hand-off text of a recommendation: "migcost.cache_decay_ns=N migcost.level_ns=L:N,..." with
 * the number of each level (enum level), once, and its largest decay; or
 * "sysctl.kernel.sched_migration_cost_ns=N"; or "" for HANDOFF_NONE. Integers only, N clamped to
 * what may be applied (I5). False if it does not fit. */
bool cmdline_handoff(const struct recommendation *recommendation, enum handoff handoff, char *text,
                     size_t size);

#endif
