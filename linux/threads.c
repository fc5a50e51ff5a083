/* SPDX-License-Identifier: BSD-2-Clause */
/* A team of pinned threads: threads.h has the contract. */
#define _GNU_SOURCE
#include "threads.h"

#include "../arch/x86/clock.h"
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES    (256u << 10)
#define SPINS_A_LOOK   4096u /* turns of PAUSE, tens of microseconds, between looks at the rest */
#define LINGER_NS      2000000u /* a thread that is not wanted may be, in the next batch */
#define CHECK_IN_MAX_S 30u      /* a CPU that others hold for longer is none to measure on */

static int pin(const struct cpu_set *set)
{
    return syscall(SYS_sched_setaffinity, 0, sizeof *set, set) < 0 ? errno : 0;
}

/* On that CPU now, or the errno. */
static int pin_to(unsigned number)
{
    struct cpu_set set = {{0}};
    cpu_set_add(&set, number);
    return pin(&set);
}

static void futex(uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static long preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

void threads_touch(const struct mp_task *task, struct mp_answer *ret)
{
    long before = preemptions();
    mp_touch(task, ret);
    ret->smis = (uint32_t)(preemptions() - before);
}

/* mp_wait_post() for a thread: gives the CPU to others where they want it, and sleeps once no batch
 * needs it. */
static uint32_t wait_post(struct thread *thread, const struct mp_mailbox *box, uint32_t seen)
{
    uint64_t idle_since = 0;
    for (unsigned spins = 1;; spins++) {
        uint32_t post = __atomic_load_n(&box->post, __ATOMIC_ACQUIRE);
        if (post != seen)
            return post;
        cpu_relax();
        if (spins % SPINS_A_LOOK != 0)
            continue;
        if (thread->all->crowded)
            sched_yield();
        if (__atomic_load_n(&thread->wanted, __ATOMIC_ACQUIRE) != 0)
            idle_since = 0;
        else if (idle_since == 0)
            idle_since = now_ns();
        else if (now_ns() - idle_since > LINGER_NS)
            futex(&thread->wanted, FUTEX_WAIT_PRIVATE, 0);
    }
}

static void *work(void *argument)
{
    struct thread *thread = argument;
    struct mp_team *team = thread->all->team;

    thread->error = pin_to(thread->number);
    if (thread->error != 0) {
        __atomic_store_n(&thread->state, THREAD_FAILED, __ATOMIC_RELEASE);
        return NULL;
    }
    thread->ticket = mp_check_in(team);
    __atomic_store_n(&thread->state, THREAD_READY, __ATOMIC_RELEASE);

    struct mp_mailbox *box = &team->mailbox[thread->ticket];
    for (uint32_t seen = 0;;) {
        seen = wait_post(thread, box, seen);
        if (box->order != MP_TOUCH)
            break;
        threads_touch(&box->task, &box->answer);
        mp_report(team, box, seen);
    }
    mp_leave(box);
    return NULL;
}

static int launch(struct thread *thread)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    error = pthread_create(&thread->pthread, &attributes, work, thread);
    pthread_attr_destroy(&attributes);
    thread->running = error == 0;
    return error;
}

static uint32_t wait_state(const struct thread *thread, uint64_t until_ns)
{
    for (;;) {
        uint32_t state = __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE);
        if (state != THREAD_STARTING || now_ns() > until_ns)
            return state;
        sched_yield();
    }
}

static enum threads_status start_all(struct threads *threads, int *ret_error, unsigned *ret_number)
{
    uint64_t until_ns = now_ns() + CHECK_IN_MAX_S * 1000000000ull;

    for (unsigned i = 1; i < threads->count; i++) {
        *ret_error = launch(&threads->thread[i]);
        if (*ret_error != 0)
            return THREADS_NO_MEMORY;
    }
    for (unsigned i = 1; i < threads->count; i++) {
        uint32_t state = wait_state(&threads->thread[i], until_ns);
        if (state == THREAD_READY)
            continue;
        *ret_error = state == THREAD_FAILED ? threads->thread[i].error : ETIMEDOUT;
        *ret_number = threads->thread[i].number;
        return THREADS_NOT_PINNED;
    }
    return THREADS_OK;
}

static bool allocate(struct threads *threads, unsigned count)
{
    threads->thread = calloc(count, sizeof *threads->thread);
    if (!threads->thread)
        return false;
    threads->count = count;
    if (count < 2)
        return true;

    static const struct cpuid_features no_features;
    size_t bytes = sizeof *threads->team + mp_team_bytes(count - 1);
    bytes = (bytes + CPU_LINE - 1) / CPU_LINE * CPU_LINE;
    threads->team = aligned_alloc(CPU_LINE, bytes);
    if (!threads->team)
        return false;
    memset(threads->team, 0, bytes);
    mp_team_init(threads->team, threads->team + 1, count - 1, &no_features, false);
    return true;
}

enum threads_status threads_start(struct threads *threads, const unsigned *numbers, unsigned count,
                                  int *ret_error, unsigned *ret_number)
{
    *threads = (struct threads){.crowded = threads->crowded};
    *ret_error = ENOMEM;
    if (syscall(SYS_sched_getaffinity, 0, sizeof threads->before, &threads->before) < 0)
        memset(&threads->before, 0xFF, sizeof threads->before);
    if (!allocate(threads, count)) {
        threads_stop(threads);
        return THREADS_NO_MEMORY;
    }
    for (unsigned i = 0; i < count; i++)
        threads->thread[i] =
            (struct thread){.all = threads, .number = numbers[i], .ticket = MP_NO_TICKET};

    enum threads_status status = THREADS_NOT_PINNED;
    *ret_number = numbers[0];
    *ret_error = pin_to(numbers[0]);
    if (*ret_error == 0) {
        cpuid_collect(&threads->own_cpuid);
        status = start_all(threads, ret_error, ret_number);
    }
    if (status != THREADS_OK)
        threads_stop(threads);
    return status;
}

void threads_wake(struct threads *threads, unsigned index)
{
    struct thread *thread = &threads->thread[index];
    if (__atomic_exchange_n(&thread->wanted, 1, __ATOMIC_SEQ_CST) == 0)
        futex(&thread->wanted, FUTEX_WAKE_PRIVATE, 1);
}

void threads_rest(struct threads *threads, unsigned index)
{
    __atomic_store_n(&threads->thread[index].wanted, 0, __ATOMIC_RELEASE);
}

const struct cpuid_dump *threads_cpuid(const struct threads *threads, unsigned index)
{
    if (index == 0)
        return &threads->own_cpuid;
    return &threads->team->facts[threads->thread[index].ticket].cpuid;
}

void threads_stop(struct threads *threads)
{
    if (threads->team)
        (void)mp_dismiss(threads->team, 0, NULL);
    for (unsigned i = 0; threads->thread && i < threads->count; i++) {
        if (!threads->thread[i].running)
            continue;
        threads_wake(threads, i);
        pthread_join(threads->thread[i].pthread, NULL);
    }
    (void)pin(&threads->before);
    free(threads->team);
    free(threads->thread);
    threads->team = NULL;
    threads->thread = NULL;
    threads->count = 0;
}
