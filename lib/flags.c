/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and sentences of the result flags. */
#include "flags.h"
#include <stddef.h>

static const struct {
    const char *name, *sentence;
} flags[FLAG_COUNT] = {
    {"hypervisor",
     "a hypervisor runs this machine: CPUs, clock and caches may be shared or emulated"},
    {"clock-not-invariant",
     "the time stamp counter is not invariant: its rate may follow the core clock"},
    {"clock-coarse",
     "the clock's steps are wide: small working sets are measured in fewer than 100 steps"},
    {"clock-trapped", "reading the clock costs over 1,000 ticks: it seems to be intercepted"},
    {"clock-disagrees",
     "the clock's rate could not be confirmed within 1 percent by a second source"},
    {"core-below-base",
     "the cores ran below their base clock while measuring: costs are higher than under load"},
    {"core-clock-unknown", "the core clock while measuring is not known (no APERF/MPERF)"},
    {"smi-seen", "system management interrupts hit some samples; those were discarded"},
    {"topology-untrusted", "CPUID, firmware and ACPI contradict each other about the topology"},
    {"cache-state-mismatch", "caches or MTRRs of some CPU are set unlike the boot CPU's"},
    {"first-visit", "the first visit of fresh memory costs over 1.3 times a revisit: a real first "
                    "move costs more"},
    {"budget-hit", "the time budget ended the run before every step was done"},
    {"cpus-left-out",
     "some CPUs were disabled, lost or did not answer: they are not in the figures"},
    {"under-os", "an operating system was running while measuring"},
    {"numa-placement", "several NUMA nodes, but the buffer was not placed on each of them"},
    {"cost-zero", "no cost could be told from zero"},
    {"memory-uncached", "the buffer's memory is not known to be cached write-back"},
    {"buffer-small", "the buffer is smaller than the working sets asked for"},
    {"stopped", "a key ended the run"},
    {"cpus-chosen", "only the CPUs named by --cpus were measured"},
    {"decay-by-hand", "the decay was given by --decay, not measured"},
    {"unsteady", "figures did not settle, or the pairs of a class fall into two groups"},
    {"no-mp", "no way to start other CPUs was found: boot CPU alone"},
    {"capacity-by-hand", "--size or --capacity replaced what CPUID says"},
    {"classes-differ", "the groups found in the matrix are not those that CPUID and ACPI claim"},
};

const char *flag_name(unsigned bit)
{
    return bit < FLAG_COUNT ? flags[bit].name : NULL;
}

const char *flag_sentence(unsigned bit)
{
    return bit < FLAG_COUNT ? flags[bit].sentence : NULL;
}
