/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed touch kernel (touch.asm): one pass over a working set, every line exactly once. The
 * same object serves firmware and Linux; it uses general registers only and the System V calling
 * convention. */
#ifndef ARCH_X86_TOUCH_KERNEL_H
#define ARCH_X86_TOUCH_KERNEL_H

#include "../../lib/touch.h"
#include <stdint.h>

/* Markers: long NOPs around the two clock reads (and not between them), by which a QEMU plugin
 * finds the loop: bytes 0F 1F 84 00 and a displacement of TOUCH_MARK | (end << 8) | (pattern << 4)
 * | access. */
#define TOUCH_MARK     0x4D430000u /* 'MC' in the upper half */
#define TOUCH_MARK_END 0x100u

#define TOUCH_SEGMENTS_MIN \
    16u /* a working set is segments << shift lines with 16 <= segments < 32, .. */
#define TOUCH_SEGMENTS_MAX 31u /* .. or fewer than 16 lines with shift 0 */

/* Input of a pass, shared with touch.asm: offsets are checked at build time. */
struct touch_order {
    uint8_t *base;          /* first byte, aligned to line */
    uint64_t bytes;         /* whole working set */
    uint64_t line;          /* line size in bytes */
    uint64_t segment_bytes; /* bytes >> segment count: lines_per_segment * line, a power of two */
    uint64_t segments;
    uint64_t multiplier; /* full-period generator over byte offsets in a segment: x = (x *
                            multiplier + */
    uint64_t increment;  /* increment) & mask; increment an odd multiple of line, multiplier 1 mod 4
                            * .. */
    uint64_t mask;       /* segment_bytes - line */
    uint64_t fold; /* shift of the folding x ^ (x >> fold & mask) that hides the generator's weak
                      low bits */
    uint64_t
        twist; /* added to each next segment's offset (multiple of line), so that segments differ */
};

/* Fills *ret for a working set that touch_round() gave. base must be aligned to line. */
void touch_order_init(struct touch_order *ret, void *base, uint64_t bytes, uint32_t line);

/* One timed pass. Returns the difference of two reads of this CPU's time stamp counter, fences
 * included. Memory at +0 of each line is only read (a chase adds it to the next address, so it must
 * be 0), memory at +8 is written or updated. */
uint64_t touch_run(const struct touch_order *order, enum touch_pattern pattern,
                   enum touch_access access);

#endif
