/* SPDX-License-Identifier: BSD-2-Clause */
/* Who started us, and with which words: the shell's argv, or LoadOptions as loaders pass them (E1
 * to E6, F2). */
#ifndef EFI_ARGUMENTS_H
#define EFI_ARGUMENTS_H

#include "../lib/cmdline.h"
#include "efi.h"

/* Who waits for our status. */
enum start_mode {
    STARTED_BY_SHELL,   /* shell parameters on our handle */
    STARTED_BY_BOOT,    /* BootCurrent is set: a Boot#### entry, or a loader that one started; or
                           whoever else boots images */
    STARTED_BY_SYSPREP, /* neither, and there are SysPrep#### entries: they run before BootCurrent
                           is set. Without such entries this is an odd way to boot, not SysPrep. */
};

enum arguments_status {
    ARGUMENTS_OK = 0,
    ARGUMENTS_GARBAGE, /* binary options: ignored, count is 0 (E2) */
    ARGUMENTS_TOO_LONG /* refused: more text or tokens than fit */
};

struct arguments {
    enum start_mode mode;
    enum arguments_status status;
    unsigned count;             /* tokens, without the program's name */
    const char *const *tokens;  /* into line */
    struct cmdline line;        /* must stay where it was read */
    char rest[2 * CMDLINE_MAX]; /* of arguments_rest() */
};

void arguments_read(const struct efi *efi, struct arguments *ret);

/* The text from that token on, byte for byte as it was typed; "" beyond the last. It lies in
 * *arguments until the next call. */
const char *arguments_rest(struct arguments *arguments, unsigned token);

#endif
