/* SPDX-License-Identifier: BSD-2-Clause */
/* What every user of the seam computes alike: ticks to time, and who takes part. */
#include "machine.h"

#define MILLION 1000000u

uint64_t machine_million(uint64_t value, uint64_t divisor)
{
    if (divisor == 0)
        return value == 0 ? 0 : UINT64_MAX;

    uint64_t whole = value / divisor, rest = value % divisor;
    /* So that the product below does not wrap: a divisor this large can spare its low bits. */
    while (divisor > UINT64_MAX / MILLION) {
        divisor >>= 1;
        rest >>= 1;
    }
    uint64_t part = rest * MILLION / divisor;
    if (whole > (UINT64_MAX - part) / MILLION)
        return UINT64_MAX;
    return whole * MILLION + part;
}

uint64_t machine_ns(const struct machine *machine, uint64_t ticks)
{
    return machine_million(ticks, machine->clock.khz);
}

bool machine_cpu_usable(const struct machine *machine, unsigned cpu)
{
    if (cpu >= machine->cpu_count)
        return false;
    return (machine->cpus[cpu].flags & (CPU_LOST | CPU_DISABLED | CPU_NOT_CHOSEN)) == 0;
}

unsigned machine_usable_count(const struct machine *machine)
{
    unsigned count = 0;
    for (unsigned i = 0; i < machine->cpu_count; i++)
        count += machine_cpu_usable(machine, i);
    return count;
}
