/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs of callbacks: who.h has the contract. */
#include "who.h"
#include <string.h>

void who_init(struct who *who, const struct layout *layout, bool asks_apic)
{
    memset(who, 0, sizeof *who);
    who->layout = layout;
    who->asks_apic = asks_apic;
    for (unsigned i = 0; i < LAYOUT_SLOTS; i++)
        who->cpu_of[i] = layout_cpu_of_index(layout, i);
}

static unsigned told(const struct who *who, unsigned index, uint32_t apic_id)
{
    unsigned cpu = 0;
    if (!who->asks_apic)
        return index < LAYOUT_SLOTS ? who->cpu_of[index] : who->layout->cpu_count;
    while (cpu < who->layout->cpu_count && who->layout->cpu[cpu].apic_id != apic_id)
        cpu++;
    return cpu;
}

/* Takes a CPU out of those in a pass. */
static void close_pass(struct who *who, unsigned cpu)
{
    unsigned left = 0;
    for (unsigned i = 0; i < who->open_count; i++)
        if (who->open[i] != cpu)
            who->open[left++] = who->open[i];
    who->open_count = left;
}

unsigned who_begins(struct who *who, unsigned index, uint32_t apic_id)
{
    unsigned cpu = told(who, index, apic_id);
    if (!who->asks_apic || cpu == who->layout->cpu_count)
        return cpu;
    close_pass(who, cpu); /* one that never ended */
    who->open[who->open_count++] = cpu;
    return cpu;
}

unsigned who_visits(const struct who *who, unsigned index, uint32_t apic_id)
{
    if (!who->asks_apic || who_asks(who))
        return told(who, index, apic_id);
    return who->open_count ? who->open[0] : who->layout->cpu_count;
}

unsigned who_ends(struct who *who, unsigned index, uint32_t apic_id)
{
    unsigned cpu = told(who, index, apic_id);
    if (who->asks_apic)
        close_pass(who, cpu);
    return cpu;
}
