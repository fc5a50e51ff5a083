/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts other CPUs by INIT and SIPI: sipi.h has the contract. */
#include "sipi.h"

#include "../../lib/mem.h"
#include "cpu.h"
#include <stddef.h>

/* trampoline.asm reads the page through the same list. */
#define TRAMPOLINE_FIELD(name, offset)                                                      \
    _Static_assert(offsetof(struct trampoline, name) == (offset), "trampoline_equates.inc:" \
                                                                  " " #name);
#define TRAMPOLINE_VALUE(name, value) \
    _Static_assert((name) == (value), "trampoline_equates.inc: " #name);
#include "trampoline_equates.inc"

#define PAGE              4096u
#define CR3_ADDRESS       0xFFFFFFFFFFFFF000ull /* no PCID, and the table itself cached */
#define CR4_PAE           (1u << 5)
#define CR4_LA57          (1u << 12)
#define MSR_EFER          0xC0000080u
#define EFER_LME          (1u << 8)
#define EFER_NXE          (1u << 11)
#define GATE_INTERRUPT    0x8E00u
#define VECTOR_NMI        2u
#define CAPABILITY_COUNT  0xFFu
#define CAPABILITY_FIXED  (1u << 8)
#define MSR_MTRR_CAPABLE  0xFEu
#define MSR_MTRR_VARIABLE 0x200u
#define MSR_PAT           0x277u
#define CANARY            0x4D434D434D434D43ull

unsigned sipi_list_msrs(uint64_t mtrr_capability, bool pat, struct trampoline_msr *ret)
{
    /* 0x200 + n each: one of 512 KiB, two of 128, eight of 32. */
    static const uint8_t fixed[] = {0x50, 0x58, 0x59, 0x68, 0x69, 0x6A,
                                    0x6B, 0x6C, 0x6D, 0x6E, 0x6F};
    unsigned count = 0;
    unsigned variable = 2 * (unsigned)(mtrr_capability & CAPABILITY_COUNT);

    if (pat)
        ret[count++].number = MSR_PAT;
    if ((mtrr_capability & CAPABILITY_FIXED) != 0)
        for (unsigned i = 0; i < sizeof(fixed); i++)
            ret[count++].number = MSR_MTRR_VARIABLE + fixed[i];
    for (unsigned i = 0; i < variable && count < TRAMPOLINE_MSRS - 2; i++)
        ret[count++].number = MSR_MTRR_VARIABLE + i;
    ret[count++].number = MSR_MTRR_DEF_TYPE;
    ret[count].number = 0;
    return count;
}

static void copy_msrs(const struct sipi *sipi, struct trampoline *page)
{
    if (!sipi->mtrr)
        return;
    unsigned count = sipi_list_msrs(cpu_read_msr(MSR_MTRR_CAPABLE), sipi->pat, page->msr);
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = cpu_read_msr(page->msr[i].number);
        page->msr[i].low = (uint32_t)value;
        page->msr[i].high = (uint32_t)(value >> 32);
    }
}

static void fill_gates(struct trampoline *page, uint32_t base)
{
    for (unsigned vector = 0; vector < TRAMPOLINE_IDT_GATES; vector++) {
        uint16_t *gate = page->idt[vector];
        uint32_t handler = base + (vector == VECTOR_NMI ? page->nmi : page->park);

        gate[0] = (uint16_t)handler;
        gate[1] = TRAMPOLINE_CODE_64;
        gate[2] = GATE_INTERRUPT;
        gate[3] = (uint16_t)(handler >> 16);
    }
}

static uint64_t *canary_of(const struct sipi *sipi, uint32_t index)
{
    return (uint64_t *)(void *)(sipi->stacks + (size_t)index * TRAMPOLINE_STACK_BYTES);
}

void sipi_prepare(struct sipi *sipi)
{
    struct trampoline *page = (struct trampoline *)(void *)sipi->low;
    uint32_t base = (uint32_t)(uintptr_t)sipi->low;
    uint64_t cr3 = cpu_read_cr3() & CR3_ADDRESS;

    memset(sipi->low, 0, SIPI_LOW_BYTES);
    memcpy(page, &trampoline_image, trampoline_image.size);
    /* The table itself may lie above 4 GiB, where 32-bit code cannot name it (A26). */
    memcpy(sipi->low + PAGE, (const void *)(uintptr_t)cr3, PAGE);

    page->idtr_base = base + offsetof(struct trampoline, idt);
    page->gdtr_base = base + offsetof(struct trampoline, gdt);
    page->protected_offset += base;
    page->long_offset += base;
    page->root = base + PAGE;
    page->cr4 = (uint32_t)cpu_read_cr4() & (CR4_PAE | CR4_LA57);
    page->efer = EFER_LME | ((uint32_t)cpu_read_msr(MSR_EFER) & EFER_NXE);
    page->cr3 = cr3;
    page->target_count = sipi->count;
    page->entry = (uintptr_t)sipi->entry;
    page->argument = (uintptr_t)sipi->argument;
    page->targets = (uintptr_t)sipi->target;
    page->stacks = (uintptr_t)sipi->stacks;
    fill_gates(page, base);
    copy_msrs(sipi, page);
    for (uint32_t i = 0; i < sipi->count; i++) {
        sipi->target[i].state = TRAMPOLINE_CLOSED;
        *canary_of(sipi, i) = CANARY;
    }
}

static bool is_alive(const struct trampoline_target *target)
{
    return __atomic_load_n(&target->state, __ATOMIC_ACQUIRE) == TRAMPOLINE_ALIVE;
}

static void send_to_silent(struct sipi *sipi, uint32_t command)
{
    /* An id that cannot be sent to stays silent, and is told as such. */
    for (uint32_t i = 0; i < sipi->count; i++)
        if (!is_alive(&sipi->target[i]))
            (void)apic_send(&sipi->apic, sipi->target[i].apic_id, command);
}

static uint32_t count_alive(const struct sipi *sipi)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sipi->count; i++)
        count += is_alive(&sipi->target[i]);
    return count;
}

/* Lets the silent ones in, or no longer. One that was faster is left as it is. */
static void set_doors(struct sipi *sipi, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < sipi->count; i++) {
        uint32_t expected = from;
        (void)__atomic_compare_exchange_n(&sipi->target[i].state, &expected, to, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

uint32_t sipi_start(struct sipi *sipi)
{
    uint32_t vector = (uint32_t)(uintptr_t)sipi->low / PAGE & 0xFF;

    for (unsigned attempt = 0; attempt < SIPI_ATTEMPTS; attempt++) {
        send_to_silent(sipi, APIC_INIT);
        sipi->delay(sipi->ctx, SIPI_INIT_US);
        set_doors(sipi, TRAMPOLINE_CLOSED, TRAMPOLINE_EXPECTED);
        send_to_silent(sipi, APIC_SIPI | vector);
        sipi->delay(sipi->ctx, SIPI_AGAIN_US);
        send_to_silent(sipi, APIC_SIPI | vector);
        for (unsigned i = 0; i < SIPI_POLLS && count_alive(sipi) < sipi->count; i++)
            sipi->delay(sipi->ctx, SIPI_POLL_US);
        /* Before another INIT: a CPU on its way in must not be counted and then reset. */
        set_doors(sipi, TRAMPOLINE_EXPECTED, TRAMPOLINE_CLOSED);
        if (count_alive(sipi) == sipi->count)
            break;
    }
    return count_alive(sipi);
}

bool sipi_stop(struct sipi *sipi)
{
    bool sound = true;

    for (uint32_t i = 0; i < sipi->count; i++)
        (void)apic_send(&sipi->apic, sipi->target[i].apic_id, APIC_INIT);
    sipi->delay(sipi->ctx, SIPI_INIT_US);
    for (uint32_t i = 0; i < sipi->count; i++)
        sound &= *canary_of(sipi, i) == CANARY;
    return sound;
}
