/* SPDX-License-Identifier: BSD-2-Clause */
/* One-line messages on standard error, under the program's name. */
#ifndef LINUX_SAY_H
#define LINUX_SAY_H

#include <stddef.h>

#define MESSAGE_MAX 1024u

/* Why something failed, kept until it is known whether that matters. */
struct message {
    char text[MESSAGE_MAX];
};

void message_set(struct message *message, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void say_error(const struct message *message); /* "migcost: ..." */
void say_try_help(void);                       /* after a wrong command line */
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "... note: ..." */

#endif
