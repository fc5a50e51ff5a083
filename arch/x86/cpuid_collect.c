/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads CPUID on the CPU that it runs on, AP or not: no call, no division, no fault, and a few
 * dozen bytes of stack (A25, A26, A28). */
#include "cpuid_internal.h"

/* What ends a leaf's subleaves. */
enum sequence {
    SINGLE,   /* subleaf 0 is all there is, or all we want */
    BY_TYPE,  /* cache leaves: EAX[4:0] is 0 after the last */
    BY_LEVEL, /* topology leaves: ECX[15:8] is 0 after the last */
};
struct wanted {
    uint8_t range, number; /* leaf: range << 24 | number */
    uint8_t sequence;
};
static const struct wanted wanted[] = {
    {0x00, 0x01, SINGLE}, {0x00, 0x04, BY_TYPE},  {0x00, 0x05, SINGLE},  {0x00, 0x06, SINGLE},
    {0x00, 0x07, SINGLE}, {0x00, 0x0B, BY_LEVEL}, {0x00, 0x15, SINGLE},  {0x00, 0x16, SINGLE},
    {0x00, 0x1A, SINGLE}, {0x00, 0x1F, BY_LEVEL}, {0x00, 0x21, SINGLE},  {0x40, 0x00, SINGLE},
    {0x40, 0x10, SINGLE}, {0x80, 0x00, SINGLE},   {0x80, 0x01, SINGLE},  {0x80, 0x02, SINGLE},
    {0x80, 0x03, SINGLE}, {0x80, 0x04, SINGLE},   {0x80, 0x05, SINGLE},  {0x80, 0x06, SINGLE},
    {0x80, 0x07, SINGLE}, {0x80, 0x08, SINGLE},   {0x80, 0x1D, BY_TYPE}, {0x80, 0x1E, SINGLE},
    {0x80, 0x1F, SINGLE}, {0x80, 0x26, BY_LEVEL},
};
/* 21 single leaves with leaf 0, five with subleaves. */
_Static_assert(22u + 5u * SUBLEAVES <= CPUID_LEAVES, "a dump holds all that can be read");

static inline struct cpuid_leaf read_leaf(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_leaf got = {.leaf = leaf, .subleaf = subleaf};

    __asm__ volatile("cpuid"
                     : "=a"(got.eax), "=b"(got.ebx), "=c"(got.ecx), "=d"(got.edx)
                     : "0"(leaf), "2"(subleaf));
    return got;
}

/* Whether the CPU has that leaf. Above the highest of a range Intel CPUs answer with their highest
 * basic leaf: such leaves must not be read at all. */
static bool has_leaf(const struct cpuid_dump *dump, uint32_t leaf)
{
    uint32_t range = leaf & 0xFFFF0000u, highest;

    if (range == 0)
        return dump->leaf[0].eax >= leaf;
    if (range == 0x40000000u && !(cpuid_get(dump, 1)->ecx >> 31 & 1))
        return false;
    if (leaf == range)
        return true;
    highest = cpuid_get(dump, range)->eax;
    return (highest & 0xFFFF0000u) == range && highest >= leaf;
}

static bool is_last(const struct cpuid_leaf *got, unsigned sequence)
{
    return (sequence == BY_TYPE && (got->eax & 0x1F) == 0) ||
           (sequence == BY_LEVEL && (got->ecx >> 8 & 0xFF) == 0);
}

void cpuid_collect(struct cpuid_dump *ret)
{
    ret->count = 1;
    ret->leaf[0] = read_leaf(0, 0);
    for (unsigned w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        uint32_t leaf = (uint32_t)wanted[w].range << 24 | wanted[w].number;
        uint32_t subleaves = wanted[w].sequence == SINGLE ? 1 : SUBLEAVES;

        if (!has_leaf(ret, leaf))
            continue;
        for (uint32_t sub = 0; sub < subleaves && ret->count < CPUID_LEAVES; sub++) {
            struct cpuid_leaf *got = &ret->leaf[ret->count];

            *got = read_leaf(leaf, sub);
            if (is_last(got, wanted[w].sequence))
                break;
            ret->count++;
        }
    }
}
