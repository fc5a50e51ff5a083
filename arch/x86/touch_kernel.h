/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed touch kernel (touch.asm): one pass over a working set, every line exactly once. The
 * same object serves firmware and Linux; it uses general registers only and the System V calling
 * convention. */
#ifndef ARCH_X86_TOUCH_KERNEL_H
#define ARCH_X86_TOUCH_KERNEL_H

#include "../../lib/touch.h"
#include <stdint.h>

/* Markers: long NOPs around the two clock reads (and not between them), by which a QEMU plugin
 * finds the loop: bytes 0F 1F 84 00 and a displacement of TOUCH_MARK, plus TOUCH_MARK_END for the
 * one behind the loop, plus (pattern << 4) | access. */
#define TOUCH_MARK     0x4D430000u /* 'MC' in the upper half */
#define TOUCH_MARK_END 0x100u

#define TOUCH_DATA       8u /* offset in each line of what is written; +0 is only read */
#define TOUCH_MULTIPLIER 1664525u

/* Input of a pass. Written by touch_order_init(), read by touch.asm through touch_equates.inc.
 *
 * Linear: line after line. Scatter and chase: the working set is cut into S segments of L lines, L
 * a power of two. A round touches one line of every segment, in turn; L rounds make a pass. In
 * round r, the line of segment j is number
 *     fold(x) XOR (j - S) * t, modulo L,    with fold(x) = x XOR (x >> n)
 * where x starts at 0 and is x * TOUCH_MULTIPLIER - 1, modulo L, in the next round: a generator of
 * full period (multiplier 1 mod 4, odd increment: Hull and Dobell 1962). Each of the three steps is
 * one to one in x, so each segment sees each of its lines once.
 *
 * What it is for: no address depends on a load, and costs about two cycles, so that misses overlap
 * as far as the core can; consecutive lines lie in different segments, so in different pages from
 * 64 KiB on; within a page the order is irregular, since folding hides the short periods of the
 * generator's low bits and the twist gives each segment another order. Below 16 KiB a segment has
 * so few lines that the order is regular; up to TOUCH_SEGMENTS_MAX lines it is ascending.
 *
 * A chase takes the same order, but adds the value loaded from each line, 0, to the next address.
 */
struct touch_order {
    uint8_t *base;          /* first byte, aligned to line */
    uint64_t bytes;         /* whole working set: S * segment_bytes */
    uint64_t line;          /* line size in bytes */
    uint64_t segment_bytes; /* L * line */
    uint64_t mask;          /* (L - 1) * line: where in a segment a line can begin */
    uint64_t fold;          /* n, in bits; at least 1 */
    uint64_t twist;         /* t * line, never 0 */
    uint64_t twist_start;   /* -S * t * line: counts up to 0 in a round, and so ends it */
};

/* Fills *ret for a working set that touch_round() gave. base must be aligned to line, and line at
 * least 2 * TOUCH_DATA. */
void touch_order_init(struct touch_order *ret, void *base, uint64_t bytes, uint32_t line);

/* One timed pass. Returns the difference of two reads of this CPU's time stamp counter, fences
 * included; 0, with nothing touched, for a pattern or access that does not exist.
 *
 * Read: loads from +0 of each line. Write: stores to +8 the low half of the counter at the start.
 * Update: adds one to the 8 bytes at +8. A chase also loads from +0 where it writes or updates.
 * Memory at +0 must be 0, and stays so: a chase adds it to the next address. */
uint64_t touch_run(const struct touch_order *order, enum touch_pattern pattern,
                   enum touch_access access);

#endif
