/* SPDX-License-Identifier: BSD-2-Clause */
/* The text console: output through ConOut only, in the mode it is in; one line of progress; keys.
 * All of it may be called at TPL_CALLBACK, while other CPUs are out. With quiet, nothing here makes
 * a console call (G4). */
#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H

#include "../lib/machine.h"
#include "efi.h"

#define CONSOLE_PROGRESS_NS 100000000u /* at most 10 updates a second (G5) */

struct console {
    const struct efi *efi;
    bool quiet;
    unsigned columns;        /* of the current mode */
    struct text_sink sink;   /* UTF-8 in, "\n" ends a line */
    unsigned progress_width; /* of the progress line on the screen, 0: none */
    uint64_t progress_ns;    /* when it was last drawn */
};

void console_open(struct console *console, const struct efi *efi, bool quiet);

/* Columns to believe: what firmware says where it lies in 40..500, else 80 (G3). */
unsigned console_sane_columns(uint64_t columns);

/* Draws "step: done of total" over the last such line, at most every CONSOLE_PROGRESS_NS. now_ns
 * counts from any start. Other output clears the line first. */
void console_progress(struct console *console, const struct progress *progress, uint64_t now_ns);
void console_progress_end(struct console *console);

/* True if ESC was pressed since the last call; other keys are dropped. No key where there is no
 * keyboard, or where it answers with an error (G6). */
bool console_escape(struct console *console);

/* Waits for any key, at most `seconds`. True if one came. */
bool console_wait_key(struct console *console, unsigned seconds);

#endif
