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
    uint32_t leaf;
    uint8_t subleaves;
    uint8_t sequence;
};
static const struct wanted wanted[] = {
    {0x00000001u, 1, SINGLE},          {0x00000004u, SUBLEAVES, BY_TYPE},
    {0x00000005u, 1, SINGLE},          {0x00000006u, 1, SINGLE},
    {0x00000007u, 1, SINGLE},          {0x0000000Bu, SUBLEAVES, BY_LEVEL},
    {0x00000015u, 1, SINGLE},          {0x00000016u, 1, SINGLE},
    {0x0000001Au, 1, SINGLE},          {0x0000001Fu, SUBLEAVES, BY_LEVEL},
    {0x00000021u, 1, SINGLE},          {0x40000000u, 1, SINGLE},
    {0x40000010u, 1, SINGLE},          {0x80000000u, 1, SINGLE},
    {0x80000001u, 1, SINGLE},          {0x80000002u, 1, SINGLE},
    {0x80000003u, 1, SINGLE},          {0x80000004u, 1, SINGLE},
    {0x80000005u, 1, SINGLE},          {0x80000006u, 1, SINGLE},
    {0x80000007u, 1, SINGLE},          {0x80000008u, 1, SINGLE},
    {0x8000001Du, SUBLEAVES, BY_TYPE}, {0x8000001Eu, 1, SINGLE},
    {0x8000001Fu, 1, SINGLE},          {0x80000026u, SUBLEAVES, BY_LEVEL},
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
        if (!has_leaf(ret, wanted[w].leaf))
            continue;
        for (uint32_t sub = 0; sub < wanted[w].subleaves && ret->count < CPUID_LEAVES; sub++) {
            struct cpuid_leaf *got = &ret->leaf[ret->count];

            *got = read_leaf(wanted[w].leaf, sub);
            if (is_last(got, wanted[w].sequence))
                break;
            ret->count++;
        }
    }
}
