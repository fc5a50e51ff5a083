/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the host's clock, and waiting for it. */
#define _GNU_SOURCE
#include "host_clock.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>

#define SPIN_NS 300000u /* a sleeper may come this late on a busy host */

typedef unsigned __int128 wide;

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t host_clock_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

void host_clock_start(struct host_clock *clock)
{
    *clock = (struct host_clock){.start_ticks = host_clock_ticks(), .start_ns = monotonic_ns()};
}

void host_clock_settle(struct host_clock *clock)
{
    uint64_t ticks = host_clock_ticks() - clock->start_ticks;
    uint64_t ns = monotonic_ns() - clock->start_ns;
    clock->khz = (uint64_t)((wide)ticks * 1000000 / (ns ? ns : 1));
    if (!clock->khz)
        clock->khz = 1;
}

uint64_t host_clock_ps(const struct host_clock *clock, uint64_t ticks)
{
    return (uint64_t)((wide)ticks * 1000000000 / clock->khz);
}

uint64_t host_clock_ticks_of(const struct host_clock *clock, uint64_t ps)
{
    return (uint64_t)((wide)ps * clock->khz / 1000000000);
}

void host_clock_wait(const struct host_clock *clock, uint64_t until_ticks)
{
    int64_t left = (int64_t)(until_ticks - host_clock_ticks());
    if (left <= 0)
        return;
    uint64_t ns = host_clock_ps(clock, (uint64_t)left) / 1000;
    if (ns > 2 * SPIN_NS) {
        uint64_t wake = monotonic_ns() + ns - SPIN_NS;
        struct timespec until = {(time_t)(wake / 1000000000), (long)(wake % 1000000000)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
            continue;
    }
    while ((int64_t)(until_ticks - host_clock_ticks()) > 0)
        __builtin_ia32_pause();
}

bool host_clock_hurry(void)
{
    const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) == 0;
}
