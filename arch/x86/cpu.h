/* SPDX-License-Identifier: BSD-2-Clause */
/* The few instructions that portable code needs of the processor: relax, wait on a line, order
 * stores, read an MSR. */
#ifndef ARCH_X86_CPU_H
#define ARCH_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_LINE                                                                              \
    128u /* mailboxes lie this far apart: two lines, since the adjacent-line prefetcher pulls \
            pairs (A30) */

#define MSR_SMI_COUNT     0x34u
#define MSR_MPERF         0xE7u
#define MSR_APERF         0xE8u
#define MSR_MTRR_DEF_TYPE 0x2FFu

static inline void cpu_relax(void)
{
    __asm__ volatile("pause" ::: "memory");
}

/* Waits until *line != seen may hold: arms MONITOR, looks again, MWAITs once at hint 0. May
 * return early; callers loop. break_on_interrupt: an interrupt ends the wait even while masked
 * (needs cpuid_features.monitor_break). */
static inline void cpu_wait_line(const volatile uint32_t *line, uint32_t seen,
                                 bool break_on_interrupt)
{
    __asm__ volatile("monitor" ::"a"(line), "c"(0), "d"(0) : "memory");
    if (*line == seen)
        __asm__ volatile("mwait" ::"a"(0), "c"(break_on_interrupt ? 1 : 0) : "memory");
}

/* Takes the line that holds address out of all caches; every x86-64 CPU can. */
static inline void cpu_flush_line(const void *address)
{
    __asm__ volatile("clflush (%0)" ::"r"(address) : "memory");
}

static inline uint64_t cpu_read_msr(uint32_t msr)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

/* What was stored before is seen by others before the write takes effect: writes of x2APIC
 * registers wait for nothing by themselves (Intel SDM volume 3A, 11.12.3). */
static inline void cpu_write_msr_fenced(uint32_t msr, uint64_t value)
{
    __asm__ volatile("mfence\n\tlfence\n\twrmsr" ::"c"(msr), "a"((uint32_t)value),
                     "d"((uint32_t)(value >> 32))
                     : "memory");
}

static inline uint64_t cpu_read_cr0(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr0, %0" : "=r"(value));
    return value;
}

static inline uint64_t cpu_read_cr3(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr3, %0" : "=r"(value));
    return value;
}

static inline uint64_t cpu_read_cr4(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr4, %0" : "=r"(value));
    return value;
}

static inline void cpu_out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint32_t cpu_in32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

#endif
