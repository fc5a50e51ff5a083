/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard output for reports. */
#include "terminal.h"
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80u /* where nobody says; JSON has every cell */

static void write_stdout(void *ctx, const char *text, size_t length)
{
    (void)ctx;
    fwrite(text, 1, length, stdout);
}

struct text_sink stdout_sink(void)
{
    return (struct text_sink){write_stdout, NULL};
}

unsigned terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return COLUMNS_DEFAULT;
}
