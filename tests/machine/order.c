/* SPDX-License-Identifier: BSD-2-Clause */
/* The scattered order: in each round one line of every segment, the rounds by a full-period
 * generator modulo the segment (multiplier 1 mod 4, odd increment). */
#include "order.h"

#define MULTIPLIER 0x9E3779B5u

void order_begin(struct order *order, uint32_t lines)
{
    uint32_t shift = 0;
    while (lines >> shift >= 32)
        shift++;
    order->lines = lines;
    order->segments = lines >> shift;
    order->segment_lines = 1u << shift;
    order->fold = (shift + 1) / 2;
    order->state = order->folded = order->segment = order->twist = 0;
}

uint32_t order_next(struct order *order)
{
    uint32_t mask = order->segment_lines - 1;
    uint32_t line = order->segment * order->segment_lines + ((order->folded ^ order->twist) & mask);
    order->twist += MULTIPLIER >> 8;
    if (++order->segment == order->segments) {
        order->segment = order->twist = 0;
        order->state = (order->state * MULTIPLIER - 1) & mask;
        order->folded = order->state ^ order->state >> order->fold;
    }
    return line;
}
