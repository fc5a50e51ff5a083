/* SPDX-License-Identifier: BSD-2-Clause */
/* V5 in user space: its loop, its two touches and its clock, with the task moved by the scheduler.
 */
#define _GNU_SOURCE
#include "real.h"
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

bool real_v5_open(struct real_v5 *v5, const struct real *real, uint64_t bytes)
{
    *v5 = (struct real_v5){.number = {real->number[0], real->number[1]},
                           .bytes = bytes,
                           .line = real->back_end.memory.line};
    void *buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED)
        return false;
    madvise(buffer, bytes, MADV_NOHUGEPAGE);
    memset(buffer, 1, bytes); /* its first touch took page faults, and a dry run hid them */
    v5->buffer = buffer;
    return true;
}

void real_v5_close(struct real_v5 *v5)
{
    if (v5->buffer)
        munmap(v5->buffer, v5->bytes);
    v5->buffer = NULL;
}

/* Six streams over thirds of the buffer, entered at the first, third or fifth and falling through
 * to the last: a third of the lines is left out. */
static void touch(unsigned long *cache, uint64_t bytes)
{
    uint64_t longs = bytes / sizeof *cache, one = longs / 3, two = 2 * longs / 3;
    for (uint64_t i = 0; i < longs / 6; i += 8) {
        switch (i % 6) {
        case 0:
            cache[i]++;
            cache[longs - 1 - i]++;
            /* fall through */
        case 2:
            cache[one - i]++;
            cache[one + i]++;
            /* fall through */
        default:
            cache[two - i]++;
            cache[two + i]++;
        }
    }
    __asm__ volatile("" ::: "memory");
}

static void flush(const struct real_v5 *v5, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += v5->line)
        __asm__ volatile("clflush %0" : "+m"(v5->buffer[at]));
    __asm__ volatile("mfence" ::: "memory");
}

static void move_to(const struct real_v5 *v5, unsigned index)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(v5->number[index], &set);
    sched_setaffinity(0, sizeof set, &set);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static unsigned long preemptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (unsigned long)usage.ru_nivcsw;
}

static uint64_t timed_touch(struct real_v5 *v5, uint32_t size)
{
    unsigned long before = preemptions();
    uint64_t start = now_ns();
    touch((unsigned long *)(void *)v5->buffer, size);
    uint64_t ns = now_ns() - start;
    v5->preempted += (unsigned)(preemptions() - before);
    return ns;
}

static uint64_t measure_one(void *ctx, uint32_t size, unsigned source, unsigned target)
{
    struct real_v5 *v5 = ctx;
    flush(v5, size);
    move_to(v5, source);
    uint64_t ns = timed_touch(v5, size);
    move_to(v5, target);
    ns += timed_touch(v5, size);
    flush(v5, size);
    return ns;
}

struct v5_machine real_v5_machine(struct real_v5 *v5)
{
    return (struct v5_machine){measure_one, v5};
}

void real_v5_home(const struct real_v5 *v5)
{
    move_to(v5, 0);
}
