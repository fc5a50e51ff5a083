/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC as a sender of INIT and SIPI, in the mode in which it is found: it is read, and
 * its interrupt command register written, nothing else. Intel SDM volume 3A, chapter 11. */
#ifndef ARCH_X86_APIC_H
#define ARCH_X86_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define APIC_INIT         0x4500u /* edge, assert */
#define APIC_SIPI         0x4600u /* | page number of the first instruction */
#define APIC_XAPIC_NOBODY 0xFFu   /* as a destination: everyone */
#define APIC_NOBODY       0xFFFFFFFFu

struct apic {
    bool x2apic;
    volatile uint32_t *registers; /* NULL in x2APIC mode */
};

/* Reads IA32_APIC_BASE: only where CPUID has APIC and MSRs. The mode is never changed (A14):
 * writing it back faults on some parts. False: the APIC is off. */
bool apic_open(struct apic *ret);

/* The id of the CPU that this runs on, under which others would call it. */
uint32_t apic_own_id(const struct apic *apic);

/* Sends one command to one CPU. Waits for the one before it to be on its way, and for this one,
 * each for APIC_IDLE_READS reads at most. False: it was not sent, or is not known to be on its way;
 * ids that would reach everyone, or that the mode has no room for, are not sent to. */
#define APIC_IDLE_READS 100000u /* of an uncached register: several ms */
bool apic_send(const struct apic *apic, uint32_t id, uint32_t command);

#endif
