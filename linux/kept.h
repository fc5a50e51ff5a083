/* SPDX-License-Identifier: BSD-2-Clause */
/* The value that the knob had before the first `apply`, kept until `restore` or the next boot. */
#ifndef LINUX_KEPT_H
#define LINUX_KEPT_H

#include "knob.h"

#define KEPT_FOLDER "/run/migcost"
#define KEPT_FILE   "/run/migcost/knob"

/* Keeps *knob unless something is kept already: that is the older value. *ret_new (may be NULL):
 * it was kept now. */
enum status kept_put(const char *root, const struct knob *knob, bool *ret_new,
                     struct message *message);

/* STATUS_NOTHING_KEPT where there is nothing. */
enum status kept_get(const char *root, struct knob *ret, struct message *message);

void kept_drop(const char *root);

#endif
