/* SPDX-License-Identifier: BSD-2-Clause */
/* Markers, and what lies between them: watch.h has the contract. */
#include "watch.h"
#include "../../../arch/x86/touch_kernel.h"
#include <stdbool.h>
#include <string.h>

#define MARKER_SIZE 8u

/* The displacement of a marker, 0 where the instruction is none. */
static uint32_t marker(const uint8_t *bytes, size_t size)
{
    static const uint8_t long_nop[] = {0x0F, 0x1F, 0x84, 0x00};
    if (size != MARKER_SIZE || memcmp(bytes, long_nop, sizeof long_nop) != 0)
        return 0;
    uint32_t mark = (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16 |
                    (uint32_t)bytes[7] << 24;
    uint32_t pattern = mark >> 4 & 0xF, access = mark & 0xF;
    bool ours = (mark & ~(TOUCH_MARK_END | 0xFFu)) == TOUCH_MARK && pattern < TOUCH_PATTERNS &&
                access < TOUCH_ACCESSES;
    return ours ? mark : 0;
}

static bool reads_clock(const uint8_t *bytes, size_t size)
{
    return size == 2 && bytes[0] == 0x0F && bytes[1] == 0x31;
}

/* The loop whose begin marker lies nearest before an address, if it lies near enough. */
static struct watch_loop *before(struct watch *watch, uint64_t address)
{
    struct watch_loop *nearest = NULL;
    for (unsigned i = 0; i < watch->count; i++) {
        struct watch_loop *loop = &watch->loop[i];
        if (loop->begin <= address && (!nearest || loop->begin > nearest->begin))
            nearest = loop;
    }
    return nearest && address - nearest->begin <= WATCH_LOOP_SIZE ? nearest : NULL;
}

/* Where its end is already known it stays so: the block with the end marker need not be translated
 * again. */
static void begin(struct watch *watch, uint64_t address, uint32_t pattern, uint32_t access)
{
    struct watch_loop *loop = before(watch, address);
    watch->found++;
    if (loop && loop->begin == address && loop->pattern == pattern && loop->access == access)
        return;
    if (!loop || loop->begin != address) {
        loop = &watch->loop[watch->next];
        watch->next = (watch->next + 1) % WATCH_LOOPS;
        if (watch->count < WATCH_LOOPS)
            watch->count++;
    }
    *loop = (struct watch_loop){.begin = address, .pattern = pattern, .access = access};
}

enum watch_what watch_insn(struct watch *watch, uint64_t address, const uint8_t *bytes, size_t size,
                           const struct watch_loop **ret_loop)
{
    uint32_t mark = marker(bytes, size), pattern = mark >> 4 & 0xF, access = mark & 0xF;
    if (mark && !(mark & TOUCH_MARK_END)) {
        begin(watch, address, pattern, access);
        return WATCH_NOTHING;
    }
    struct watch_loop *loop = before(watch, address);
    if (!loop)
        return WATCH_NOTHING;
    if (mark) {
        if (pattern == loop->pattern && access == loop->access)
            loop->end = address;
        return WATCH_NOTHING;
    }
    if (loop->end && address > loop->end)
        return WATCH_NOTHING;
    *ret_loop = loop;
    if (!reads_clock(bytes, size))
        return loop->first_read ? WATCH_INSIDE : WATCH_NOTHING;
    if (!loop->first_read)
        loop->first_read = address;
    return address == loop->first_read ? WATCH_FIRST_READ : WATCH_SECOND_READ;
}
