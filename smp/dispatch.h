/* SPDX-License-Identifier: BSD-2-Clause */
/* The dispatching CPU's side: runs batches of touches on a team of other CPUs and on itself. */
#ifndef SMP_DISPATCH_H
#define SMP_DISPATCH_H

#include "mp.h"

/* Where the memory of a region lies. bytes 0: not in use. */
struct mp_region {
    uint8_t *base;
    uint64_t bytes;
};

/* State of one lane within a batch. */
struct mp_lane {
    unsigned next;     /* first job of the batch not looked at yet */
    unsigned job;      /* in flight, or MP_NO_JOB */
    uint64_t deadline; /* of the job in flight */
    bool over;         /* nothing more to run here */
};
#define MP_NO_JOB 0xFFFFFFFFu

/* The caller fills it, owns what it points to, and keeps it until mp_dismiss(). */
struct mp_dispatcher {
    struct mp_team *team;      /* NULL: this CPU is alone */
    struct cpu_info *cpus;     /* a CPU that does not answer gets CPU_LOST */
    unsigned cpu_count;        /* .. */
    const uint32_t *ticket_of; /* [cpu_count], from roster_match(); NULL without a team */
    unsigned own_cpu;          /* index of the dispatching CPU */
    const struct mp_region *regions;
    unsigned region_count;
    struct mp_lane *lanes; /* scratch */
    unsigned lane_count;   /* lanes of a batch beyond that are not run */
    uint32_t line;         /* bytes of a cache line */
    bool count_smis;       /* MSR 0x34 may be read */
    bool monitor;          /* wait by MONITOR/MWAIT: an interrupt must end the wait */
    uint64_t grace_ticks;  /* a touch may take this long .. */
    uint64_t line_ticks;   /* .. and this for each of its lines, before its CPU counts as lost */
    uint64_t end; /* of the clock: a touch that is expected to take longer is not begun, one
                     that does counts as lost after grace_ticks more; 0: no end */
    uint64_t slowest_line; /* ticks: what a touch is expected to take for each line: the most that
                              one of many lines took until now */
    bool out_of_time;      /* a touch was not begun */

    /* Carries out the dispatching CPU's own touch: mp_touch() with interrupts held off. */
    void (*own_touch)(void *ctx, const struct mp_task *task, struct mp_answer *ret);
    void *ctx;
};

/* Runs a batch as machine_ops.run says. A CPU that does not answer by its deadline is lost for the
 * rest of the run, and nothing is ever asked of it again but to leave; what is left of its lane is
 * skipped. A job that names no CPU or goes beyond its region is skipped too, and so is the rest of
 * its lane. False: there were other CPUs, and all of them are lost. */
bool mp_dispatch(struct mp_dispatcher *dispatcher, const struct touch_job *jobs,
                 struct touch_result *ret_results, unsigned count);

/* Tells every CPU to leave, also those that are late or lost, and waits until all who ever checked
 * in have left, at most `ticks`. Returns how many are still inside; *ret_apic_id (may be NULL) is
 * one of them. */
uint32_t mp_dismiss(struct mp_team *team, uint64_t ticks, uint32_t *ret_apic_id);

#endif
