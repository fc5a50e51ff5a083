/* SPDX-License-Identifier: BSD-2-Clause */
/* The contract of code that runs on other CPUs, and the memory they share with the dispatching one.
 *
 * mp_worker() and all that it calls (worker.c, cpuid_collect(), the touch kernel) runs on a CPU
 * that firmware lends for one call. There it
 *   - makes no firmware call of any kind, and no indirect call, so that a look at the object code
 *     can prove it (A28);
 *   - uses less than 2 KiB of stack: whatever is larger lies in memory that the dispatcher gave
 *     (A25);
 *   - installs nothing (no IDT, GDT, CR or MSR write) and executes nothing that may fault: an MSR
 *     is read only where this CPU's own CPUID and the dispatcher's knowledge both allow it (A10,
 *     A26, A27);
 *   - takes no lock and waits for nothing but its own mailbox; a CPU that is reset in the middle of
 *     this code (A6) leaves nothing behind that another one waits for without an end.
 *
 * Life of a worker: it takes a ticket, which is the index of its mailbox and its facts; publishes
 * its facts; then waits on its own mailbox, does what is posted there, answers, and rings the bell,
 * until told to leave. A ticket beyond the capacity makes it leave at once. A worker that comes
 * late finds the order to leave in its mailbox.
 *
 * The dispatcher is the only writer of `post` and what lies before it on that line; the worker is
 * the only writer of the answer. All waiting on the dispatcher's side ends by its own clock. */
#ifndef SMP_MP_H
#define SMP_MP_H

#include "../arch/x86/cpu.h"
#include "../arch/x86/cpuid.h"
#include "../lib/machine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_NO_TICKET 0xFFFFFFFFu

/* What a CPU is told to do. */
enum mp_order {
    MP_TOUCH = 1, /* one timed pass over task.base */
    MP_LEAVE = 2, /* return to firmware */
};

/* One pass, as a CPU needs it. */
struct mp_task {
    uint8_t *base;   /* first byte, aligned to line_bytes */
    uint64_t bytes;  /* as touch_round() gives them */
    uint32_t line;   /* line size in bytes */
    uint8_t pattern; /* enum touch_pattern */
    uint8_t access;  /* enum touch_access */
    bool count_smis; /* MSR 0x34 may be read on this machine */
};
struct mp_answer {
    uint64_t ticks; /* of this CPU's own counter */
    uint32_t smis;  /* system management interrupts that hit the pass; 0 where not counted */
};

/* A line for each direction, on a pair of lines of its own (A30): while it waits, a CPU reads
 * nothing that changes for another one. */
struct mp_mailbox {
    volatile uint32_t post; /* counts orders up; the CPU waits for it to change */
    uint32_t order;         /* enum mp_order */
    struct mp_task task;
    uint8_t fill_post[64 - 8 - sizeof(struct mp_task)];

    volatile uint32_t done; /* the last order that was carried out */
    volatile uint32_t left; /* 1: the last thing that mp_worker() writes */
    struct mp_answer answer;
    uint8_t fill_done[64 - 8 - sizeof(struct mp_answer)];
};
_Static_assert(sizeof(struct mp_mailbox) == CPU_LINE, "a mailbox fills its pair of lines");
_Static_assert(offsetof(struct mp_mailbox, done) == 64, "one line for each direction");

/* What a CPU says of itself when it checks in. Its APIC id is cpuid_apic_id() of its dump: decoding
 * is left to the dispatcher. */
struct mp_facts {
    volatile uint32_t arrived; /* 1: all below is there */
    uint64_t cr0;              /* 0 where not read */
    uint64_t mtrr_def_type;    /* MSR 0x2FF; 0 where not read: look at has_mtrr */
    bool has_mtrr;
    struct cpuid_dump cpuid;
};

/* What the dispatcher and its workers share. The caller gives the memory, zeroed, and keeps it
 * until mp_dismiss() said that no worker is inside. */
struct mp_team {
    /* Set by mp_team_init(), only read by workers. */
    struct mp_mailbox *mailbox; /* [capacity], aligned to CPU_LINE */
    struct mp_facts *facts;     /* [capacity] */
    uint32_t capacity;
    bool monitor;    /* workers may use MONITOR/MWAIT if their own CPUID has it */
    bool privileged; /* workers run in ring 0: CR0 and MSRs can be read */
    bool count_smis; /* MSR 0x34 may be read (cpuid_features.smi_counter) */

    /* Written by workers, each on a line of its own. */
    _Alignas(CPU_LINE) volatile uint32_t tickets; /* taken so far, also those turned away */
    _Alignas(CPU_LINE) volatile uint32_t bell;    /* rung after checking in and every answer */
    uint8_t fill[CPU_LINE - 4];
};

/* Bytes of workspace for a team of that many other CPUs; it must be zeroed and aligned to CPU_LINE.
 */
size_t mp_team_bytes(uint32_t capacity);
/* features are those of the dispatching CPU. privileged: see struct mp_team. */
void mp_team_init(struct mp_team *team, void *workspace, uint32_t capacity,
                  const struct cpuid_features *features, bool privileged);

/* worker.c: what another CPU runs, from its first instruction to its last. */
void mp_worker(struct mp_team *team);
/* Its parts. mp_check_in() returns the ticket, or MP_NO_TICKET where there is no room. */
uint32_t mp_check_in(struct mp_team *team);
/* Waits for an order beyond `seen` and returns its number. */
uint32_t mp_wait_post(const struct mp_mailbox *box, uint32_t seen, bool monitor);
/* Carries a task out on the calling CPU. */
void mp_touch(const struct mp_task *task, struct mp_answer *ret);
/* Says that order `number` is done. */
void mp_report(struct mp_team *team, struct mp_mailbox *box, uint32_t number);
/* Says that this CPU goes back to firmware: its last store in here. */
void mp_leave(struct mp_mailbox *box);

#endif
