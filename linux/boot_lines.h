/* SPDX-License-Identifier: BSD-2-Clause */
/* The result as kernel parameters to paste. */
#ifndef LINUX_BOOT_LINES_H
#define LINUX_BOOT_LINES_H

#include "source.h"
#include <stdio.h>

/* migration_cost=US,US,... for Linux 2.6.16 to 2.6.22, and migcost.cache_decay_ns=N ... for this
 * program and for kernels that have its patch, each below a line that begins with '#'. */
void boot_lines(FILE *to, const struct source *source);

#endif
