/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages on standard error. */
#include "say.h"
#include <stdarg.h>
#include <stdio.h>

void message_set(struct message *message, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message->text, sizeof message->text, format, args);
    va_end(args);
}

void say_error(const struct message *message)
{
    fprintf(stderr, "migcost: %s\n", message->text);
}

void say_try_help(void)
{
    fputs("migcost: try migcost --help\n", stderr);
}

void say_note(const char *format, ...)
{
    va_list args;
    fputs("migcost: note: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}
