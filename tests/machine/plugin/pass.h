/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens between the two clock readings of a touch: each access is run through the model, and
 * before the second reading the host waits until as much time is over as the model's machine would
 * have taken. Knows nothing of QEMU. */
#ifndef TESTS_MACHINE_PLUGIN_PASS_H
#define TESTS_MACHINE_PLUGIN_PASS_H

#include "guest.h"
#include "host_clock.h"
#include <stdio.h>

#define PASS_FAR_LINES 12288u /* 768 KiB: beyond, QEMU finds few pages in its tables */

/* How the guest's time comes from the machine's: a pass over n lines that the machine does in t
 * takes slowdown * t + n * pad. The pad is the same for both legs of a move, so that it is in no
 * cost. */
struct pass_scale {
    uint32_t slowdown;
    uint64_t near_pad_ps, far_pad_ps; /* up to PASS_FAR_LINES, beyond; at a core's full speed */
};

/* The pass that a CPU is in. */
struct pass_state {
    bool active;
    uint32_t pattern, access;
    uint32_t lines, first, last; /* visited so far; smallest and largest */
    uint32_t newest;
    uint64_t start;           /* host clock */
    struct model_pass events; /* while another CPU uses the model's */
    uint32_t last_line, run;
    bool last_missed;
};

/* What is written of a pass. */
struct pass_told {
    unsigned cpu;
    uint32_t pattern, access;
    uint32_t first, lines;           /* lines 0: not one whole range, each line once */
    uint64_t machine_ps, due_ps;     /* of the model's machine; of the guest */
    uint64_t work_ticks, took_ticks; /* before the wait began; in all */
};

struct passes {
    const struct guest *guest;
    struct model *model;
    struct pass_scale scale;
    struct host_clock clock;
    FILE *trace;
    unsigned running;         /* CPU whose pass the model has; cpu_count: none */
    uint64_t strays;          /* accesses and ends without a begin: dropped */
    uint64_t outside;         /* accesses to what is no guest memory: dropped */
    struct pass_state *state; /* [cpu] */
    struct pass_told told;    /* the last pass, if has_told */
    bool has_told;
    bool hurries; /* told too: the host puts the thread before others */
};

/* False: out of memory. guest and trace must outlive it. */
bool passes_init(struct passes *passes, const struct guest *guest, struct pass_scale scale,
                 FILE *trace);
void passes_free(struct passes *passes);
/* Writes what is left to be told. */
void passes_finish(struct passes *passes);

/* The three events of a pass. cpu: of the machine file. */
void pass_begin(struct passes *passes, unsigned cpu, uint32_t pattern, uint32_t access);
void pass_visit(struct passes *passes, unsigned cpu, uint64_t address);
/* Waits. */
void pass_end(struct passes *passes, unsigned cpu);

/* Guest time of a pass over that many lines, ps. */
uint64_t pass_due_ps(const struct desc *desc, struct pass_scale scale, unsigned cpu, uint64_t lines,
                     uint64_t machine_ps);

#endif
