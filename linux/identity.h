/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a record is of this machine, as far as an operating system can tell (I8, I9, D16). */
#ifndef LINUX_IDENTITY_H
#define LINUX_IDENTITY_H

#include "../lib/record.h"
#include "say.h"
#include <stdbool.h>

/* Compares CPU signature, firmware version and online APIC ids. What cannot be compared is a note.
 * False: *message says what differs. */
bool identity_same(const char *root, const struct record *record, struct message *message);

#endif
