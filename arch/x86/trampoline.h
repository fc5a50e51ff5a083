/* SPDX-License-Identifier: BSD-2-Clause */
/* What trampoline.asm and C share: the page in which a CPU begins to run, and the list by which it
 * finds its stack. */
#ifndef ARCH_X86_TRAMPOLINE_H
#define ARCH_X86_TRAMPOLINE_H

#include <stdint.h>

/* A CPU to be started. The boot CPU opens the door (CLOSED to EXPECTED) and closes it; the CPU goes
 * through it once, EXPECTED to ALIVE, by compare and exchange: one that comes a second time, or too
 * late, parks itself. So no two runs share a stack (A12). */
#define TRAMPOLINE_CLOSED   0u
#define TRAMPOLINE_EXPECTED 1u
#define TRAMPOLINE_ALIVE    2u
struct trampoline_target {
    uint32_t apic_id; /* as its local APIC has it: the address of its INIT and SIPI */
    volatile uint32_t state;
};

#define TRAMPOLINE_STACK_SHIFT 14u
#define TRAMPOLINE_STACK_BYTES (1u << TRAMPOLINE_STACK_SHIFT) /* (A25) */

/* A register that is to be as it is on the boot CPU; number 0 ends the list. */
struct trampoline_msr {
    uint32_t number, low, high;
};
#define TRAMPOLINE_MSRS      213u /* that fit the page, with the end of the list */
#define TRAMPOLINE_IDT_GATES 32u
#define TRAMPOLINE_CODE_64   24u /* selector of 64-bit code */

/* The page. What stands before idt is copied from trampoline_image; sipi.c fills in the rest. */
struct trampoline {
    uint8_t start[6]; /* a jump, in 16-bit code */
    uint16_t idtr_limit;
    uint64_t idtr_base;
    uint64_t gdt[4];
    uint16_t size; /* of the image, in bytes */
    uint16_t gdtr_limit;
    uint32_t gdtr_base;
    uint32_t protected_offset; /* where 32-bit code begins: from the page, then from 0 */
    uint16_t protected_selector;
    uint16_t park;        /* where a CPU waits for its INIT: from the page */
    uint32_t long_offset; /* where 64-bit code begins: like protected_offset */
    uint16_t long_selector;
    uint16_t nmi;          /* handler: from the page */
    uint32_t root;         /* CR3 on the way to 64 bits: a copy of the boot CPU's top table */
    uint32_t cr4, efer;    /* bits to set */
    uint32_t target_count; /* entries of targets */
    uint64_t cr3;          /* CR3 from then on */
    uint64_t entry;        /* function, and .. */
    uint64_t argument;     /* .. what it gets */
    uint64_t targets;      /* struct trampoline_target[target_count] */
    uint64_t stacks;       /* TRAMPOLINE_STACK_BYTES for each of them, aligned to 16 */
    uint8_t code[896];
    uint16_t idt[TRAMPOLINE_IDT_GATES][8];
    struct trampoline_msr msr[TRAMPOLINE_MSRS];
    uint32_t fill;
};
_Static_assert(sizeof(struct trampoline) == 4096, "a SIPI names a page");

/* trampoline.asm: the first `size` bytes, for any page below 1 MiB. */
extern const struct trampoline trampoline_image;

#endif
