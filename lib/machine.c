/* SPDX-License-Identifier: BSD-2-Clause */
/* What every user of the seam computes alike: ticks to time, and who takes part. */
#include "machine.h"

#define NS_PER_MS 1000000u

uint64_t machine_ns(const struct machine *machine, uint64_t ticks)
{
    uint64_t khz = machine->clock.khz;
    if (khz == 0)
        return ticks == 0 ? 0 : UINT64_MAX;

    uint64_t ms = ticks / khz, rest = ticks % khz;
    /* Beyond 18 THz the product below would wrap; such a clock can spare its low bits. */
    while (khz > UINT64_MAX / NS_PER_MS) {
        khz >>= 1;
        rest >>= 1;
    }
    uint64_t ns = rest * NS_PER_MS / khz;
    if (ms > (UINT64_MAX - ns) / NS_PER_MS)
        return UINT64_MAX;
    return ms * NS_PER_MS + ns;
}

bool machine_cpu_usable(const struct machine *machine, unsigned cpu)
{
    if (cpu >= machine->cpu_count)
        return false;
    return (machine->cpus[cpu].flags & (CPU_LOST | CPU_DISABLED | CPU_NOT_CHOSEN)) == 0;
}
