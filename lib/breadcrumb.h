/* SPDX-License-Identifier: BSD-2-Clause */
/* The breadcrumb: what a run leaves behind before it starts other CPUs, and takes away when it has
 * come to its end. A later run that finds one knows that something hung or reset the machine (A3,
 * F6). docs/record.md has its bytes.
 *
 * One unfinished run is tried again. Two of the same kind are not, until the machine or the program
 * is another, or the user says so. Pure: who keeps the bytes, and where, is the caller's business.
 */
#ifndef LIB_BREADCRUMB_H
#define LIB_BREADCRUMB_H

#include "record.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BREADCRUMB_BYTES 16u
#define BREADCRUMB_TRIES 2u /* unfinished runs at one stage: no more are made then */

/* How the other CPUs were to be started: what hung with one may work with the other. */
enum breadcrumb_stage { BREADCRUMB_MP = 1, BREADCRUMB_SIPI = 2, BREADCRUMB_STAGES };

struct breadcrumb {
    uint8_t stage;    /* enum breadcrumb_stage */
    uint8_t count;    /* unfinished runs, the one that begins included; 1 to 255 */
    uint32_t subject; /* breadcrumb_subject() */
};

/* Sum over what identifies the machine, and the program's version: another one is tried anew. */
uint32_t breadcrumb_subject(const struct record_identity *identity, const char *version);

void breadcrumb_encode(const struct breadcrumb *breadcrumb, uint8_t ret_bytes[BREADCRUMB_BYTES]);
/* False where it is not one of ours, or damaged: that counts as none. */
bool breadcrumb_decode(const uint8_t *bytes, size_t length, struct breadcrumb *ret);

/* What to leave behind before a run at that stage. found is NULL where none was found. False: two
 * runs did not come to their end there, and the user did not say so (force); *ret is then
 * untouched.
 */
bool breadcrumb_next(const struct breadcrumb *found, enum breadcrumb_stage stage, uint32_t subject,
                     bool force, struct breadcrumb *ret);

#endif
