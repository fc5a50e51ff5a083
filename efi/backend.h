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

/* All that it points to is the caller's and must outlive the run. */
struct backend {
    /* Filled by the caller, the rest zeroed. */
    const struct efi *efi;
    struct console *console;
    const struct arena *arena;
    uint64_t start;         /* ticks when the run began */
    uint64_t limit_ns;      /* after start: the other CPUs must be sent back in time */
    struct machine machine; /* numa, clock, flags; give &machine to the engine afterwards */
    struct mp_dispatcher dispatcher; /* team, cpus, cpu_count, ticket_of, own_cpu, count_smis,
                                        monitor; lanes: [cpu_count] */
    struct regions regions;          /* list: [REGIONS_MAX], zeroed */

    bool stopped; /* ESC */
    bool late;    /* limit_ns is over */
};
/* Completes it. */
void backend_init(struct backend *backend);

#endif
