/* SPDX-License-Identifier: BSD-2-Clause */
/* The scattered order of the touch kernel, line by line: the model visits what the kernel would. */
#ifndef TESTS_MACHINE_ORDER_H
#define TESTS_MACHINE_ORDER_H

#include "../../arch/x86/touch_kernel.h"
#include <stddef.h>

struct order {
    struct touch_order touch; /* with lines of one byte, so that its offsets are line numbers */
    uint64_t segment, state, folded, twist;
};

/* lines as touch_round() gives them. */
static inline void order_begin(struct order *order, uint32_t lines)
{
    touch_order_init(&order->touch, NULL, lines, 1);
    order->segment = order->state = order->folded = 0;
    order->twist = order->touch.twist_start;
}

/* The next line, 0..lines-1; call it `lines` times. */
static inline uint32_t order_next(struct order *order)
{
    const struct touch_order *touch = &order->touch;
    uint64_t line = order->segment + ((order->twist ^ order->folded) & touch->mask);
    order->segment += touch->segment_bytes;
    order->twist += touch->twist;
    if (order->twist == 0) {
        order->segment = 0;
        order->state = (order->state * TOUCH_MULTIPLIER - 1) & touch->mask;
        order->folded = order->state ^ order->state >> touch->fold;
        order->twist = touch->twist_start;
    }
    return (uint32_t)line;
}

#endif
