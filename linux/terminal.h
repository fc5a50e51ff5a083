/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard output as a sink of text, and how wide it is. */
#ifndef LINUX_TERMINAL_H
#define LINUX_TERMINAL_H

#include "../lib/text.h"

struct text_sink stdout_sink(void);
unsigned terminal_columns(void); /* 80 where nobody says */

#endif
