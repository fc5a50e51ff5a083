/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads pinned to CPUs, in the place of the CPUs that firmware lends: the same mailboxes and the
 * same touches as smp/mp.h has them. The calling thread is pinned too and runs the touches of its
 * own CPU, so that no CPU has two threads. A thread that a batch has a job for waits by PAUSE, as
 * a CPU that sleeps deeply loses the caches that are being measured; all others sleep. */
#ifndef LINUX_THREADS_H
#define LINUX_THREADS_H

#include "../smp/dispatch.h"
#include "cpu_list.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum thread_state { THREAD_STARTING = 0, THREAD_READY, THREAD_FAILED };

struct thread {
    struct threads *all;
    unsigned number; /* of Linux, not of APIC */
    uint32_t ticket;
    uint32_t state;  /* enum thread_state, written last by the thread */
    uint32_t wanted; /* 1: do not sleep; a futex */
    int error;       /* THREAD_FAILED: errno of the pinning */
    bool running;    /* there is a thread to join */
    pthread_t pthread;
};

struct threads {
    struct mp_team *team;  /* NULL: the calling thread alone */
    unsigned count;        /* CPUs, the calling thread's included: thread[0] is that one */
    bool crowded;          /* others want these CPUs: waiting threads let them run in between */
    struct thread *thread; /* [count] */
    struct cpuid_dump own_cpuid;
    struct cpu_set before; /* where the calling thread might run */
};

enum threads_status {
    THREADS_OK = 0,
    THREADS_NO_MEMORY, /* or no more threads; *ret_error is the errno */
    THREADS_NOT_PINNED /* *ret_error is the errno, *ret_number Linux's number of the CPU */
};

/* Pins the calling thread to numbers[0], starts one on each of the others and waits until all have
 * checked in. On failure nothing is left behind. */
enum threads_status threads_start(struct threads *threads, const unsigned *numbers, unsigned count,
                                  int *ret_error, unsigned *ret_number);

/* Before and after a batch in which these CPUs (indexes into numbers[]) have jobs. */
void threads_wake(struct threads *threads, unsigned index);
void threads_rest(struct threads *threads, unsigned index);

/* What CPUID says on that CPU. */
const struct cpuid_dump *threads_cpuid(const struct threads *threads, unsigned index);

/* One touch by the calling thread; smis becomes the number of times that another thread took its
 * CPU away meanwhile: what disturbs a pass here. */
void threads_touch(const struct mp_task *task, struct mp_answer *ret);

/* Ends and joins all threads, gives back the memory, and lets the calling thread run where it
 * might before. A thread that does not get its CPU is waited for: it has a touch to finish at most.
 */
void threads_stop(struct threads *threads);

#endif
