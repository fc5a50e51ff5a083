/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and sentences of the result flags. */
#include "flags.h"
#include "text.h"
#include <stddef.h>

/* In the order of their bits: a name, and what it says, which together fit a line of the report. */
static const char flags[] = "hypervisor\0CPUs, clock and caches may be emulated\0"
                            "clock-not-invariant\0its rate may follow the core clock\0"
                            "clock-coarse\0small working sets take under 100 steps\0"
                            "clock-trapped\0a read costs over 1,000 ticks\0"
                            "clock-disagrees\0no second source confirms its rate\0"
                            "core-below-base\0the cores ran slowly: costs are too high\0"
                            "core-clock-unknown\0no APERF/MPERF to see it by\0"
                            "smi-seen\0SMIs hit some samples, which were discarded\0"
                            "topology-untrusted\0CPUID, firmware and ACPI disagree\0"
                            "cache-state-mismatch\0caches or MTRRs of CPUs are set unlike\0"
                            "first-visit\0fresh memory costs over 1.3 times a revisit\0"
                            "budget-hit\0the time was over before every step was done\0"
                            "cpus-left-out\0some were disabled, lost or did not answer\0"
                            "under-os\0an operating system was running\0"
                            "numa-placement\0several nodes, but the buffer is on one\0"
                            "cost-zero\0no cost could be told from zero\0"
                            "memory-uncached\0the buffer is not known to be write-back\0"
                            "buffer-small\0smaller than the working sets asked for\0"
                            "stopped\0a key ended the run\0"
                            "cpus-chosen\0only the CPUs named by --cpus were measured\0"
                            "decay-by-hand\0it was given by --decay, not measured\0"
                            "unsteady\0figures did not settle, or a class has two peaks\0"
                            "no-mp\0no way to start other CPUs: boot CPU alone\0"
                            "capacity-by-hand\0--size or --capacity replaced CPUID's\0"
                            "classes-differ\0the matrix has other groups than CPUID and ACPI\0";

const char *flag_name(unsigned bit)
{
    return bit < FLAG_COUNT ? text_nth(flags, 2 * bit) : NULL;
}

const char *flag_sentence(unsigned bit)
{
    return bit < FLAG_COUNT ? text_nth(flags, 2 * bit + 1) : NULL;
}
