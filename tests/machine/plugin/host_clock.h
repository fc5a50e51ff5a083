/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's time stamp counter, which is the guest's but for an offset. */
#ifndef TESTS_MACHINE_PLUGIN_HOST_CLOCK_H
#define TESTS_MACHINE_PLUGIN_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct host_clock {
    uint64_t start_ticks, start_ns;
    uint64_t khz; /* 0 until host_clock_settle() */
};

void host_clock_start(struct host_clock *clock);
/* The rate, from all the time since the start. */
void host_clock_settle(struct host_clock *clock);

uint64_t host_clock_ticks(void);
uint64_t host_clock_ps(const struct host_clock *clock, uint64_t ticks);
uint64_t host_clock_ticks_of(const struct host_clock *clock, uint64_t ps);

/* Returns at that time of the counter or a little later; most of a long wait is slept away, so that
 * the host has a core for others and then one for us. */
void host_clock_wait(const struct host_clock *clock, uint64_t until_ticks);

/* Puts the calling thread before all others of the host that are not in a hurry themselves. False
 * where that is not allowed: its waits then end late whenever the host is busy. */
bool host_clock_hurry(void);

#endif
