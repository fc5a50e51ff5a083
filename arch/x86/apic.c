/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends INIT and SIPI through the local APIC: apic.h has the contract. */
#include "apic.h"

#include "cpu.h"
#include <stddef.h>

#define MSR_APIC_BASE   0x1Bu
#define BASE_ENABLED    (1ull << 11)
#define BASE_X2APIC     (1ull << 10)
#define BASE_ADDRESS    0x000FFFFFFFFFF000ull
#define MSR_X2APIC_ID   0x802u
#define MSR_X2APIC_ICR  0x830u
#define XAPIC_ID        0x20u /* bytes */
#define XAPIC_ICR       0x300u
#define XAPIC_ICR_HIGH  0x310u
#define ICR_PENDING     (1u << 12)
#define XAPIC_ID_SHIFT  24u
#define X2APIC_ID_SHIFT 32u

bool apic_open(struct apic *ret)
{
    uint64_t base = cpu_read_msr(MSR_APIC_BASE);
    bool x2apic = (base & BASE_X2APIC) != 0;

    *ret = (struct apic){x2apic, NULL};
    if (!x2apic)
        ret->registers = (volatile uint32_t *)(uintptr_t)(base & BASE_ADDRESS);
    return (base & BASE_ENABLED) != 0;
}

static uint32_t read_register(const struct apic *apic, uint32_t offset)
{
    return apic->registers[offset / sizeof(uint32_t)];
}

uint32_t apic_own_id(const struct apic *apic)
{
    if (apic->x2apic)
        return (uint32_t)cpu_read_msr(MSR_X2APIC_ID);
    return read_register(apic, XAPIC_ID) >> XAPIC_ID_SHIFT;
}

static bool wait_idle(const struct apic *apic)
{
    for (unsigned i = 0; i < APIC_IDLE_READS; i++) {
        if ((read_register(apic, XAPIC_ICR) & ICR_PENDING) == 0)
            return true;
        cpu_relax();
    }
    return false;
}

bool apic_send(const struct apic *apic, uint32_t id, uint32_t command)
{
    if (id == APIC_NOBODY)
        return false;
    if (apic->x2apic) { /* one write, and no state to wait for */
        cpu_write_msr_fenced(MSR_X2APIC_ICR, (uint64_t)id << X2APIC_ID_SHIFT | command);
        return true;
    }
    if (id >= APIC_XAPIC_NOBODY || !wait_idle(apic))
        return false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* all that the other CPU will read is written */
    apic->registers[XAPIC_ICR_HIGH / sizeof(uint32_t)] = id << XAPIC_ID_SHIFT;
    apic->registers[XAPIC_ICR / sizeof(uint32_t)] = command;
    return wait_idle(apic);
}
