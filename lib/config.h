/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration file beside the image, for loaders that pass no options on (E7): options as on
 * the command line, one a line, with or without their dashes; "#" at the start of a word begins a
 * comment, but not within quotes.
 *
 * Nothing in it is fatal: it can be edited by hand, torn, or overwritten with something else, and
 * the machine must still boot. */
#ifndef LIB_CONFIG_H
#define LIB_CONFIG_H

#include "options.h"

#define CONFIG_NAME       "migcost.conf"
#define CONFIG_MAX        4096u /* bytes; a longer file is ignored as a whole */
#define CONFIG_NOTES_MAX  3u    /* lines told of; the others are counted */
#define CONFIG_NOTES_SIZE ((CONFIG_NOTES_MAX + 1) * (OPTIONS_MESSAGE_SIZE + 64))

/* Caller's memory, 10 KiB; not to be moved: options.chain_options points into it. */
struct config {
    char raw[CONFIG_MAX];          /* in: the file; then its lines */
    unsigned taken;                /* out: lines whose options hold */
    char notes[CONFIG_NOTES_SIZE]; /* out: whole lines for the console, each what was ignored and
                                      why; "" nothing */
    char words[CONFIG_MAX + 2];    /* of the line being read, and room for two dashes */
};

/* Applies the first `length` bytes of config->raw on top of *options. UTF-8, or UTF-16LE that
 * begins with a byte order mark, as the UEFI shell's editor writes it; lines end in LF, CR LF or
 * CR; NULs behind the text are ignored. A file that is longer than CONFIG_MAX - 1 bytes or holds
 * other control characters is no text of ours: nothing of it holds (E2). A line that does not
 * parse, or asks for --help, --show or the like, does not hold; the others do. */
void config_apply(struct config *config, size_t length, struct options *options);

#endif
