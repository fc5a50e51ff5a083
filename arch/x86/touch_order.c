/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which touch.asm visits a working set. */
#include "touch_kernel.h"
#include <stddef.h>

/* touch.asm reads the structure through the same list. */
#define TOUCH_FIELD(name, offset)                                    \
    _Static_assert(offsetof(struct touch_order, name) == (offset) && \
                       sizeof(((struct touch_order *)0)->name) == 8, \
                   "touch_equates.inc: " #name);
#define TOUCH_VALUE(name, value) _Static_assert((name) == (value), "touch_equates.inc: " #name);
#include "touch_equates.inc"

/* Of all n/256, one of those with which the most frequent distance between consecutive lines is
 * least frequent, over the sizes from 16 KiB to 2 MiB, without bringing every third segment back to
 * the same offset as 2/3 does. */
#define TWIST_OF_256 173u

void touch_order_init(struct touch_order *ret, void *base, uint64_t bytes, uint32_t line)
{
    uint64_t segments = bytes / line;
    unsigned shift = 0;
    /* The last condition keeps each line in, whatever size a caller forgot to round. */
    while (segments > TOUCH_SEGMENTS_MAX && segments % 2 == 0) {
        segments /= 2;
        shift++;
    }
    uint64_t segment_lines = 1ull << shift;
    uint64_t twist = (segment_lines * TWIST_OF_256 / 256 | 1) * line;

    *ret = (struct touch_order){
        .base = base,
        .bytes = segments * segment_lines * line,
        .line = line,
        .segment_bytes = segment_lines * line,
        .mask = (segment_lines - 1) * line,
        .fold = shift / 2 + shift % 2 + (shift == 0),
        .twist = twist,
        .twist_start = 0 - segments * twist,
    };
}
