/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware back end of lib/machine.h: touches through smp/, memory out of the arena, progress
 * and keys through the console. */
#ifndef EFI_BACKEND_H
#define EFI_BACKEND_H

#include "../lib/machine.h"
#include "../smp/dispatch.h"
#include "console.h"
#include "memory.h"
#include "regions.h"

struct backend {
    struct machine machine; /* give &machine to the engine */
    struct mp_dispatcher dispatcher;
    struct regions regions;
    const struct arena *arena;
    struct console *console;
    const struct efi *efi;
    uint64_t start;    /* ticks when the run began */
    uint64_t limit_ns; /* after start: the other CPUs must be sent back in time */
    bool stopped;      /* ESC */
    bool late;         /* limit_ns is over */
};

/* What the back end is made of: all of it is the caller's and must outlive the run. */
struct backend_parts {
    const struct efi *efi;
    struct console *console;
    const struct arena *arena;
    struct mp_team *team; /* NULL: this CPU is alone */
    struct cpu_info *cpus;
    unsigned cpu_count, own_cpu;
    const uint32_t *ticket_of; /* [cpu_count]; NULL without a team */
    const struct numa *numa;   /* NULL without SRAT */
    struct mp_region *regions; /* [REGIONS_MAX], zeroed */
    struct mp_lane *lanes;     /* [cpu_count] */
    struct clock_info clock;
    bool monitor, count_smis;
    uint64_t start, limit_ns;
    uint32_t flags; /* FLAG_... known so far */
};
void backend_init(struct backend *backend, const struct backend_parts *parts);

#endif
