/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts other CPUs by INIT and SIPI, and puts them back to wait for one. Knows no firmware:
 * memory, delays and the list of CPUs are passed in. Intel SDM volume 3A, 9.4; field notes A12 to
 * A18.
 *
 * All CPUs go through each step together, so that the time does not grow with their number:
 *     INIT, 10 ms, SIPI, 200 us, SIPI to those that are still silent, up to 500 ms for them (A12);
 *     all of it once more for those that are silent then (A33: a late INIT can swallow a SIPI).
 * Who is silent after that is not there (A16). */
#ifndef ARCH_X86_SIPI_H
#define ARCH_X86_SIPI_H

#include "apic.h"
#include "trampoline.h"

#define SIPI_LOW_BYTES 8192u    /* the trampoline, and a copy of the top page table */
#define SIPI_LOW_FIRST 0x1000u  /* where it may lie: not in page 0 (C6) .. */
#define SIPI_LOW_LAST  0x9FFFFu /* .. and below what a PC has at 640 KiB */

#define SIPI_INIT_US  10000u
#define SIPI_AGAIN_US 200u
#define SIPI_POLL_US  100u
#define SIPI_POLLS    5000u
#define SIPI_ATTEMPTS 2u

struct sipi {
    /* The caller fills it, and keeps what it points to until sipi_stop() has returned. */
    struct apic apic;
    uint8_t *low; /* SIPI_LOW_BYTES, in whole pages, executable, mapped one to one */
    struct trampoline_target *target; /* apic_id of each; never the boot CPU's */
    uint32_t count;
    uint8_t *stacks; /* TRAMPOLINE_STACK_BYTES for each, aligned to 16 */
    bool mtrr, pat;  /* there are such registers: other CPUs get the boot CPU's values */
    void (*entry)(void *argument); /* what each CPU runs, once */
    void *argument;
    void (*delay)(void *ctx, uint32_t us); /* at least that long */
    void *ctx;
};

/* Writes the trampoline, with what this CPU's registers say of page tables and memory types. */
void sipi_prepare(struct sipi *sipi);

/* Starts them. Returns how many run entry(), or have: those whose target is TRAMPOLINE_ALIVE. The
 * others will not, however late they come. */
uint32_t sipi_start(struct sipi *sipi);

/* INIT to all: whatever they were doing, they wait for a SIPI then, as after a reset; 10 ms later
 * the memory is the caller's again. False: one has used up its stack (A25). */
bool sipi_stop(struct sipi *sipi);

/* Numbers of the registers that make up memory types, the default type last, then 0. Returns how
 * many, without the 0. */
unsigned sipi_list_msrs(uint64_t mtrr_capability, bool pat, struct trampoline_msr *ret);

#endif
