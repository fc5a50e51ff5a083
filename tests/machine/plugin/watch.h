/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the loops of the touch kernel by their marker instructions while QEMU translates code.
 * arch/x86/touch_kernel.h has the markers. Knows nothing of QEMU. */
#ifndef TESTS_MACHINE_PLUGIN_WATCH_H
#define TESTS_MACHINE_PLUGIN_WATCH_H

#include <stddef.h>
#include <stdint.h>

#define WATCH_LOOPS     64u  /* nine a copy of the kernel; the oldest are forgotten */
#define WATCH_LOOP_SIZE 192u /* bytes from a begin marker to its end marker at most */
#define WATCH_INSN_SIZE 15u  /* no x86 instruction is longer */

struct watch_loop {
    uint64_t begin, end; /* addresses of the two markers; end 0: not seen yet */
    uint64_t first_read; /* address of the first clock reading, 0: not seen yet */
    uint32_t pattern, access;
};

struct watch {
    struct watch_loop loop[WATCH_LOOPS];
    unsigned count, next;
    uint64_t found; /* begin markers seen, repeated ones too */
};

enum watch_what {
    WATCH_NOTHING = 0, /* not an instruction of a loop, or none that matters */
    WATCH_FIRST_READ,  /* the clock reading before the loop */
    WATCH_INSIDE,      /* an instruction of the loop: its memory accesses are touches */
    WATCH_SECOND_READ  /* the clock reading behind it */
};

/* One instruction that is about to be translated: blocks may come in any order, but the one with
 * the begin marker comes before all others of its loop. *ret_loop, where the result is not
 * WATCH_NOTHING, is good until the next call. */
enum watch_what watch_insn(struct watch *watch, uint64_t address, const uint8_t *bytes, size_t size,
                           const struct watch_loop **ret_loop);

#endif
