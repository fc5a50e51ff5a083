/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and sentences of the result flags. */
#include "flags.h"
#include "text.h"
#include <stddef.h>

/* In the order of their bits: a name, a sentence. */
static const char flags[] =
    "hypervisor\0"
    "a hypervisor runs this machine: CPUs, clock and caches may be shared or emulated\0"
    "clock-not-invariant\0"
    "the time stamp counter is not invariant: its rate may follow the core clock\0"
    "clock-coarse\0"
    "the clock's steps are wide: small working sets are measured in fewer than 100 steps\0"
    "clock-trapped\0"
    "reading the clock costs over 1,000 ticks: it seems to be intercepted\0"
    "clock-disagrees\0"
    "the clock's rate could not be confirmed within 1 percent by a second source\0"
    "core-below-base\0"
    "the cores ran below their base clock while measuring: costs are higher than under load\0"
    "core-clock-unknown\0"
    "the core clock while measuring is not known (no APERF/MPERF)\0"
    "smi-seen\0"
    "system management interrupts hit some samples; those were discarded\0"
    "topology-untrusted\0"
    "CPUID, firmware and ACPI contradict each other about the topology\0"
    "cache-state-mismatch\0"
    "caches or MTRRs of some CPU are set unlike the boot CPU's\0"
    "first-visit\0"
    "the first visit of fresh memory costs over 1.3 times a revisit: a real first move costs "
    "more\0"
    "budget-hit\0"
    "the time budget ended the run before every step was done\0"
    "cpus-left-out\0"
    "some CPUs were disabled, lost or did not answer: they are not in the figures\0"
    "under-os\0"
    "an operating system was running while measuring\0"
    "numa-placement\0"
    "several NUMA nodes, but the buffer was not placed on each of them\0"
    "cost-zero\0"
    "no cost could be told from zero\0"
    "memory-uncached\0"
    "the buffer's memory is not known to be cached write-back\0"
    "buffer-small\0"
    "the buffer is smaller than the working sets asked for\0"
    "stopped\0"
    "a key ended the run\0"
    "cpus-chosen\0"
    "only the CPUs named by --cpus were measured\0"
    "decay-by-hand\0"
    "the decay was given by --decay, not measured\0"
    "unsteady\0"
    "figures did not settle, or the pairs of a class fall into two groups\0"
    "no-mp\0"
    "no way to start other CPUs was found: boot CPU alone\0"
    "capacity-by-hand\0"
    "--size or --capacity replaced what CPUID says\0"
    "classes-differ\0"
    "the groups found in the matrix are not those that CPUID and ACPI claim\0";

const char *flag_name(unsigned bit)
{
    return bit < FLAG_COUNT ? text_nth(flags, 2 * bit) : NULL;
}

const char *flag_sentence(unsigned bit)
{
    return bit < FLAG_COUNT ? text_nth(flags, 2 * bit + 1) : NULL;
}
