/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which a pass visits the lines of a working set: linear, or the scattered order of
 * the touch kernel (arch/x86/touch_kernel.h), line by line. */
#ifndef TESTS_MACHINE_ORDER_H
#define TESTS_MACHINE_ORDER_H

#include <stdint.h>

struct order {
    uint32_t lines;
    uint32_t segments, segment_lines; /* segments * segment_lines = lines */
    uint32_t fold, state, folded, segment, twist;
};

/* lines as touch_round() gives them. */
void order_begin(struct order *order, uint32_t lines);
/* The next line of the scattered order, 0..lines-1; call it `lines` times. */
uint32_t order_next(struct order *order);

#endif
