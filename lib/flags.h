/* SPDX-License-Identifier: BSD-2-Clause */
/* The result flags: everything that makes a figure less than it claims. A flagged result is shown
 * and stored, but not applied by the Linux side unless forced. Bit numbers are part of the record
 * (docs/record.md): never renumber. */
#ifndef LIB_FLAGS_H
#define LIB_FLAGS_H

#include <stdint.h>

#define FLAG_HYPERVISOR \
    (1u << 0) /* CPUID.1:ECX[31]: CPUs, clock and caches may be scheduled or emulated (B10) */
#define FLAG_CLOCK_NOT_INVARIANT \
    (1u << 1) /* CPUID.80000007:EDX[8] clear: rate may change with the core clock (B1) */
#define FLAG_CLOCK_COARSE \
    (1u << 2) /* steps too wide for the smallest sample (fewer than 100 steps in it) */
#define FLAG_CLOCK_TRAPPED (1u << 3) /* one clock read costs more than 1,000 ticks (B10) */
#define FLAG_CLOCK_DISAGREES \
    (1u << 4) /* rate and second source differ by more than 1 percent, or no second (B3) */
#define FLAG_CORE_BELOW_BASE    (1u << 5) /* APERF/MPERF below 1 while measuring (B8) */
#define FLAG_CORE_CLOCK_UNKNOWN (1u << 6) /* no APERF/MPERF (B8) */
#define FLAG_SMI_SEEN \
    (1u << 7) /* the SMI counter moved during a sample; those samples were discarded (B7) */
#define FLAG_TOPOLOGY_UNTRUSTED \
    (1u << 8) /* CPUID, MP Services and ACPI contradict each other (A21, A22) */
#define FLAG_CACHE_STATE_MISMATCH \
    (1u << 9) /* CR0.CD set, or MTRRdefType of an AP differs from the boot CPU's (A31) */
#define FLAG_FIRST_VISIT   (1u << 10) /* a first visit costs over 1.3 times a revisit */
#define FLAG_BUDGET_HIT    (1u << 11) /* the time budget ended the run before every step was done */
#define FLAG_CPUS_LEFT_OUT (1u << 12) /* a CPU was disabled, lost, or not answering */
#define FLAG_UNDER_OS      (1u << 13) /* measured by the Linux program */
#define FLAG_NUMA_PLACEMENT \
    (1u << 14)                    /* several nodes, but the buffer is not placed on each of them */
#define FLAG_COST_ZERO (1u << 15) /* no cost could be told from zero */
#define FLAG_MEMORY_UNCACHED \
    (1u << 16) /* the buffer's memory type is not write-back, or is not known (C10) */
#define FLAG_BUFFER_SMALL                                                   \
    (1u << 17) /* the buffer is smaller than the working set asked for (C8) \
                */
#define FLAG_STOPPED          (1u << 18) /* a key ended the run */
#define FLAG_CPUS_CHOSEN      (1u << 19) /* --cpus: only some CPUs were measured */
#define FLAG_DECAY_BY_HAND    (1u << 20) /* --decay: the number is not a measurement */
#define FLAG_UNSTEADY         (1u << 21) /* warm-up did not settle, or a class has two peaks */
#define FLAG_NO_MP            (1u << 22) /* no way to start other CPUs: boot CPU alone (A1) */
#define FLAG_CAPACITY_BY_HAND (1u << 23) /* --size or --capacity replaced what CPUID says */
#define FLAG_CLASSES_DIFFER \
    (1u << 24) /* classes found in the matrix are not those that CPUID and ACPI claim */
#define FLAG_COUNT 25

/* Short name of a flag bit for machines ("hypervisor"), and a sentence for people. bit is
 * 0..FLAG_COUNT-1; NULL for any other. */
const char *flag_name(unsigned bit);
const char *flag_sentence(unsigned bit);

#endif
