/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the result comes from: kernel command line, EFI variable, file, in this order (D13). */
#ifndef LINUX_SOURCE_H
#define LINUX_SOURCE_H

#include "../lib/record.h"
#include "files.h"
#include "say.h"
#include "status.h"
#include <stdbool.h>
#include <stdint.h>

#define VARIABLE_PATH   "/sys/firmware/efi/efivars/MigrationCost-947a949a-b9cc-4678-b178-443eddc5a6e7"
#define ATTRIBUTE_BYTES 4u /* efivarfs puts a variable's attributes before its content */

enum source_kind { SOURCE_CMDLINE, SOURCE_VARIABLE, SOURCE_FILE };

struct source {
    enum source_kind kind;
    char name[PATH_SIZE]; /* for people */
    uint32_t decay_ns;
    /* The command line's levels, if it has them. */
    unsigned level_count;
    struct {
        uint8_t level;
        uint32_t decay_ns; /* 0 or within range */
    } level[LEVELS];
    /* A command line says no more than the number. The variable's record goes with it where it
     * holds the same number, since the same run then wrote both. */
    bool has_record;
    struct record record;
    uint8_t buffer[RECORD_MAX_BYTES];
};

/* Finds the result. file NULL: look in all places; else only there. On failure *message says why.
 */
enum status source_find(const char *root, const char *file, struct source *ret,
                        struct message *message);

/* Each place by itself. STATUS_NO_RECORD: nothing there, look further. */
enum status source_cmdline(const char *root, struct source *ret, struct message *message);
enum status source_variable(const char *root, struct source *ret, struct message *message);
/* The record as it is, or with the attributes before it as efivarfs shows it. */
enum status source_file(const char *root, const char *path, struct source *ret,
                        struct message *message);

#endif
