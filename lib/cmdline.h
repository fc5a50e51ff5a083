/* SPDX-License-Identifier: BSD-2-Clause */
/* LoadOptions bytes to tokens, and tokens to a child's LoadOptions: what loaders pass, byte for
 * byte (E1 to E8). */
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
    CMDLINE_NONE,    /* no options: size 0, NULL, only NULs or blanks (E4) */
    CMDLINE_GARBAGE, /* binary: ignore all and say so (E2) */
    CMDLINE_TOO_LONG
};

/* Decodes raw LoadOptions of `size` bytes into UTF-8: UTF-16LE, or ASCII where the odd bytes say so
 * (E5); skips a BOM (E6); unwraps a whole EFI_LOAD_OPTION (E3); stops at the first NUL; never reads
 * past size. */
enum cmdline_status cmdline_decode(const void *load_options, size_t size, char *text,
                                   size_t text_size);

/* Splits UTF-8 text at blanks into tokens that lie in text itself (it is changed). "..." groups,
 * quotes are removed; ^ is no escape. Returns the count, or -1 for more than max. offsets (may be
 * NULL) gets where each token began in text. */
int cmdline_split(char *text, char **tokens, size_t *offsets, unsigned max);

/* True if token 0 is a program name rather than an option: ends in ".efi" in any case (E1). */
bool cmdline_is_program_name(const char *token);

/* Builds a kernel command line: `rest` byte for byte, then a blank and `extra`, as UTF-16LE without
 * a newline. False and nothing written if it would exceed LINUX_CMDLINE_MAX bytes of UTF-8 or
 * `size` units. *ret_units counts the NUL. */
bool cmdline_append(const char *rest, const char *extra, uint16_t *ret_text, size_t size,
                    size_t *ret_units);

/* The hand-off text of a recommendation: " migcost.cache_decay_ns=N migcost.level_ns=L:N,..."
 * without the leading blank, or "sysctl.kernel.sched_migration_cost_ns=N". Integers only. False if
 * it does not fit. */
bool cmdline_handoff(const struct recommendation *recommendation, enum handoff handoff, char *text,
                     size_t size);

#endif
