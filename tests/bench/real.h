/* SPDX-License-Identifier: BSD-2-Clause */
/* Two CPUs of the machine at hand, for benchmarks: the back end of `migcost measure` on two pinned
 * threads, V5 as a user may run it, and a fingerprint that tells whether the machine is still the
 * same. */
#ifndef TESTS_BENCH_REAL_H
#define TESTS_BENCH_REAL_H

#include "../../linux/threads_machine.h"
#include "v5.h"

#define REAL_CAPACITIES 3u

struct real {
    struct threads threads;
    struct threads_machine back_end;
    struct cpu_info cpus[2];
    unsigned number[2]; /* Linux's */
    unsigned capacity_count;
    struct {
        unsigned level;
        uint64_t bytes;
    } capacity[REAL_CAPACITIES]; /* of the caches that the two do not share, from the inside */
    uint16_t region;             /* of the fingerprint */
};

/* The first and the last CPU that this process may use. NULL, or why that is not to be. */
const char *real_open(struct real *real);
void real_close(struct real *real);

/* The engine's cost of the pair at one working set, ns. False: it has none. */
bool real_cost(struct real *real, uint64_t bytes, int64_t *ret_ns);

/* Lower quartiles of a few touches each, ticks: the clock of either CPU, the second cache and a
 * memory-sized piece as a chase, and a transfer. */
enum { PRINT_CLOCK_A = 0, PRINT_CLOCK_B, PRINT_CACHE, PRINT_FAR, PRINT_MOVE, PRINTS };
struct real_print {
    uint64_t ticks[PRINTS];
};
bool real_fingerprint(struct real *real, struct real_print *ret);
const char *real_print_name(unsigned component);

/* real_v5.c. One task that goes from CPU to CPU by sched_setaffinity(), memory in 4 KiB pages as
 * vmalloc() gave. WBINVD is the kernel's: CLFLUSH of every line of the buffer stands for it. */
struct real_v5 {
    unsigned number[2];
    uint8_t *buffer;
    uint64_t bytes;
    uint32_t line;
    unsigned preempted; /* times that another thread took the CPU within a touch */
};
bool real_v5_open(struct real_v5 *v5, const struct real *real, uint64_t bytes);
void real_v5_close(struct real_v5 *v5);
struct v5_machine real_v5_machine(struct real_v5 *v5);
/* Back to where the threads expect this thread. */
void real_v5_home(const struct real_v5 *v5);

#endif
