/* SPDX-License-Identifier: BSD-2-Clause */
/* The back end of lib/machine.h on pinned threads: touches through smp/dispatch.c, memory by mmap,
 * signals in between. */
#ifndef LINUX_THREADS_MACHINE_H
#define LINUX_THREADS_MACHINE_H

#include "../lib/machine.h"
#include "threads.h"
#include "threads_memory.h"

struct threads_machine {
    struct machine machine; /* give &machine to the engine */
    struct mp_dispatcher dispatcher;
    struct threads *threads;
    struct memory memory;
    uint64_t limit_ns;  /* of now(): the end, whatever the engine plans */
    uint32_t disturbed; /* touches that lost their CPU meanwhile */
    bool progress;      /* one line of it on standard error */
    bool shown;         /* it stands there */
    bool stopped;       /* SIGINT or SIGTERM */
    bool late;          /* limit_ns is over */
    uint32_t *ticket_of;
    struct mp_lane *lanes;
};

/* cpus[0 .. threads->count) are those of the threads, in their order; those beyond cannot be used.
 * All that is given must outlive the run. The clock is calibrated here, on the first CPU: its flags
 * become the machine's. False: no memory. threads_machine_close() is due after both. */
bool threads_machine_open(struct threads_machine *back_end, struct threads *threads,
                          struct cpu_info *cpus, unsigned cpu_count, const struct numa *numa,
                          uint64_t region_max, uint64_t limit_ns);
void threads_machine_close(struct threads_machine *back_end);

/* Calibrates the time stamp counter against the kernel's clock that no network time steers. */
void threads_clock(const struct cpuid_features *features, struct clock_info *ret,
                   uint32_t *ret_flags);

/* The signals that end a run are held back from now on and asked for between batches: no handler,
 * and nothing is interrupted in the middle. */
void threads_hold_signals(void);
/* Lets them through again, but for those that came already. */
void threads_release_signals(void);

#endif
