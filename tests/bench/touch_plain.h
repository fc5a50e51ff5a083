/* SPDX-License-Identifier: BSD-2-Clause */
/* The touch kernel in plain C. */
#ifndef TESTS_BENCH_TOUCH_PLAIN_H
#define TESTS_BENCH_TOUCH_PLAIN_H

#include "../../arch/x86/touch_kernel.h"
#include <stdbool.h>

/* As touch_run(). */
uint64_t touch_plain(const struct touch_order *order, enum touch_pattern pattern,
                     enum touch_access access);

#endif
