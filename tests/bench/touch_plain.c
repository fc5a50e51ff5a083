/* SPDX-License-Identifier: BSD-2-Clause */
/* The passes of touch.asm as anyone would write them in C, in the same order, between the same
 * fences: what the assembly is worth, and that it does nothing else. */
#include "touch_plain.h"

#define AT(order, offset) ((uint64_t *)(void *)((order)->base + (offset)))

static inline uint64_t clock_now(void)
{
    uint32_t low, high;
    __asm__ volatile("mfence; lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

/* One line; what was read is returned. */
static inline uint64_t visit(const struct touch_order *order, uint64_t offset, unsigned access,
                             bool chase, uint64_t value)
{
    uint64_t read = 0;
    if (access == TOUCH_READ || chase)
        read = *AT(order, offset);
    if (access == TOUCH_WRITE)
        *AT(order, offset + TOUCH_DATA) = value;
    else if (access == TOUCH_UPDATE)
        *AT(order, offset + TOUCH_DATA) += 1;
    return read;
}

static inline uint64_t linear(const struct touch_order *order, unsigned access, uint64_t value)
{
    uint64_t sum = 0;
    for (uint64_t offset = 0; offset < order->bytes; offset += order->line)
        sum += visit(order, offset, access, false, value);
    return sum;
}

static inline uint64_t scatter(const struct touch_order *order, unsigned access, bool chase,
                               uint64_t value)
{
    uint64_t sum = 0, state = 0, loaded = 0;
    do {
        uint64_t folded = state ^ state >> order->fold, twist = order->twist_start;
        for (uint64_t segment = 0; segment < order->bytes; segment += order->segment_bytes) {
            uint64_t offset = segment + ((twist ^ folded) & order->mask);
            uint64_t read = visit(order, offset + (chase ? loaded : 0), access, chase, value);
            if (chase)
                loaded = read;
            sum += read;
            twist += order->twist;
        }
        state = (state * TOUCH_MULTIPLIER - order->line) & order->mask;
    } while (state);
    return sum;
}

/* Each pattern and access a loop of its own, as in assembly. */
static inline uint64_t pass(const struct touch_order *order, unsigned pattern, unsigned access,
                            uint64_t value)
{
    switch (pattern) {
    case TOUCH_LINEAR:
        return linear(order, access, value);
    case TOUCH_SCATTER:
        return scatter(order, access, false, value);
    default:
        return scatter(order, access, true, value);
    }
}

#define CASE(pattern, access)                          \
    case (pattern)*TOUCH_ACCESSES + (access):          \
        sum = pass(order, (pattern), (access), start); \
        break;

uint64_t touch_plain(const struct touch_order *order, enum touch_pattern pattern,
                     enum touch_access access)
{
    uint64_t sum = 0, start = clock_now();
    switch ((unsigned)pattern * TOUCH_ACCESSES + (unsigned)access) {
        CASE(TOUCH_LINEAR, TOUCH_READ)
        CASE(TOUCH_LINEAR, TOUCH_WRITE)
        CASE(TOUCH_LINEAR, TOUCH_UPDATE)
        CASE(TOUCH_SCATTER, TOUCH_READ)
        CASE(TOUCH_SCATTER, TOUCH_WRITE)
        CASE(TOUCH_SCATTER, TOUCH_UPDATE)
        CASE(TOUCH_CHASE, TOUCH_READ)
        CASE(TOUCH_CHASE, TOUCH_WRITE)
        CASE(TOUCH_CHASE, TOUCH_UPDATE)
    default:
        return 0;
    }
    __asm__ volatile("" ::"r"(sum) : "memory");
    return clock_now() - start;
}
