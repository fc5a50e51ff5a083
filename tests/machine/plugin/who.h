/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPU runs a callback. QEMU says its index, but from 10.0 on, with one host thread for all
 * CPUs, it says that of the CPU which ran the code first. There the CPU's local APIC is asked when
 * a pass begins and when it ends. Accesses belong to the pass that is open; the APIC is asked for
 * each only while several are, since that takes longer than all else. */
#ifndef TESTS_MACHINE_PLUGIN_WHO_H
#define TESTS_MACHINE_PLUGIN_WHO_H

#include "layout.h"
#include <stdbool.h>

struct who {
    const struct layout *layout;
    unsigned cpu_of[LAYOUT_SLOTS]; /* [QEMU's index]; cpu_count: none of the machine file */
    bool asks_apic;
    unsigned open[LAYOUT_SLOTS], open_count; /* CPUs in a pass */
};

void who_init(struct who *who, const struct layout *layout, bool asks_apic);

/* Must the APIC be asked for the next access? */
static inline bool who_asks(const struct who *who)
{
    return who->open_count > 1;
}

/* CPU of the machine file; cpu_count if it is none. apic_id is looked at where it was asked for. */
unsigned who_begins(struct who *who, unsigned index, uint32_t apic_id);
unsigned who_visits(const struct who *who, unsigned index, uint32_t apic_id);
unsigned who_ends(struct who *who, unsigned index, uint32_t apic_id);

#endif
