/* SPDX-License-Identifier: BSD-2-Clause */
/* MTRRs: read on this CPU, and decoded for a range. */
#include "memtype.h"
#include "cpu.h"

#define CAPABILITY_COUNT 0xFFu
#define CAPABILITY_FIXED (1u << 8)
#define DEF_TYPE_TYPE    0xFFu
#define DEF_TYPE_FIXED   (1u << 10)
#define DEF_TYPE_ENABLE  (1u << 11)
#define BASE_TYPE        0xFFu
#define MASK_VALID       (1u << 11)
#define PAGE_MASK        0xFFFull
#define FIXED_END        0x100000ull
#define FORCED_WB_START  0x100000000ull
#define ADDRESS_BITS     36u /* of a CPU that does not say */
#define ADDRESS_BITS_MAX 52u
#define PARTS_MAX        65536u /* masks with holes may cut a range into any number of parts */

#define MSR_MTRR_CAPABILITY 0xFEu
#define MSR_MTRR_BASE       0x200u
#define MSR_MTRR_MASK       0x201u

#define MSR_AMD_SYSCFG        0xC0010010u
#define SYSCFG_TOM2_ENABLE    (1u << 21)
#define SYSCFG_TOM2_FORCED_WB (1u << 22)
#define MSR_AMD_TOM2          0xC001001Du
#define TOM2_ADDRESS          0x000FFFFFFF800000ull

/* AMD's model-specific registers are not asked for under a hypervisor (A27). */
static uint64_t read_forced_wb(const struct cpuid_features *features)
{
    if (!features->amd || features->hypervisor)
        return 0;
    uint64_t wanted = SYSCFG_TOM2_ENABLE | SYSCFG_TOM2_FORCED_WB;
    if ((cpu_read_msr(MSR_AMD_SYSCFG) & wanted) != wanted)
        return 0;
    return cpu_read_msr(MSR_AMD_TOM2) & TOM2_ADDRESS;
}

static uint64_t address_mask(const struct cpuid_dump *dump)
{
    const struct cpuid_leaf *leaf = cpuid_find(dump, 0x80000008u, 0);
    unsigned bits = leaf ? leaf->eax & 0xFF : 0;
    if (bits < ADDRESS_BITS)
        bits = ADDRESS_BITS;
    if (bits > ADDRESS_BITS_MAX)
        bits = ADDRESS_BITS_MAX;
    return (1ull << bits) - 1;
}

bool mtrr_read(const struct cpuid_dump *dump, struct mtrr_state *ret)
{
    struct cpuid_features features;
    cpuid_features(dump, &features);
    if (!features.msr || !features.mtrr)
        return false;

    uint64_t capability = cpu_read_msr(MSR_MTRR_CAPABILITY);
    if ((capability & CAPABILITY_COUNT) > MTRR_VARIABLE_MAX)
        return false;
    *ret = (struct mtrr_state){
        .capability = capability,
        .def_type = cpu_read_msr(MSR_MTRR_DEF_TYPE),
        .variable_count = (unsigned)(capability & CAPABILITY_COUNT),
        .address_mask = address_mask(dump),
        .forced_wb = read_forced_wb(&features),
    };
    for (unsigned i = 0; i < ret->variable_count; i++) {
        ret->base[i] = cpu_read_msr(MSR_MTRR_BASE + 2 * i);
        ret->mask[i] = cpu_read_msr(MSR_MTRR_MASK + 2 * i);
    }
    return true;
}

static enum memory_type type_of(uint64_t code)
{
    switch (code) {
    case MEMORY_WC:
    case MEMORY_WT:
    case MEMORY_WP:
    case MEMORY_WB:
        return (enum memory_type)code;
    default:
        return MEMORY_UC; /* reserved ones too */
    }
}

static enum memory_type overlap(enum memory_type a, enum memory_type b)
{
    if (a == b)
        return a;
    if ((a == MEMORY_WT && b == MEMORY_WB) || (a == MEMORY_WB && b == MEMORY_WT))
        return MEMORY_WT;
    return MEMORY_UC;
}

/* The address bits that a range compares; 0 bits: every address matches. False: not in force. */
static bool range_mask(const struct mtrr_state *state, unsigned i, uint64_t *ret_mask)
{
    *ret_mask = state->mask[i] & state->address_mask & ~PAGE_MASK;
    return (state->mask[i] & MASK_VALID) != 0;
}

static enum memory_type type_at(const struct mtrr_state *state, uint64_t address)
{
    enum memory_type type = MEMORY_UC;
    bool found = false;
    for (unsigned i = 0; i < state->variable_count && i < MTRR_VARIABLE_MAX; i++) {
        uint64_t mask;
        if (!range_mask(state, i, &mask) || (address & mask) != (state->base[i] & mask))
            continue;
        enum memory_type here = type_of(state->base[i] & BASE_TYPE);
        type = found ? overlap(type, here) : here;
        found = true;
    }
    if (found)
        return type;
    if (address >= FORCED_WB_START && address < state->forced_wb)
        return MEMORY_WB;
    return type_of(state->def_type & DEF_TYPE_TYPE);
}

static uint64_t nearer(uint64_t after, uint64_t boundary, uint64_t best)
{
    return boundary > after && boundary < best ? boundary : best;
}

/* The next address at which the type may be another; end if none is before it. */
static uint64_t next_boundary(const struct mtrr_state *state, uint64_t address, uint64_t end)
{
    uint64_t best = nearer(address, FORCED_WB_START, end);
    best = nearer(address, state->forced_wb, best);
    for (unsigned i = 0; i < state->variable_count && i < MTRR_VARIABLE_MAX; i++) {
        uint64_t mask;
        if (!range_mask(state, i, &mask) || mask == 0)
            continue;
        uint64_t size = mask & (0 - mask), start = state->base[i] & mask;
        if (mask == (state->address_mask & ~(size - 1))) {
            best = nearer(address, start, best);
            best = nearer(address, start + size, best);
        } else {
            best = nearer(address, (address | (size - 1)) + 1, best);
        }
    }
    return best;
}

enum memory_type mtrr_type(const struct mtrr_state *state, uint64_t base, uint64_t bytes)
{
    uint64_t last = base + (bytes > 0 ? bytes - 1 : 0);
    if ((state->def_type & DEF_TYPE_ENABLE) == 0)
        return MEMORY_UC;
    if (last < base || last == UINT64_MAX || last > state->address_mask)
        return MEMORY_MIXED;
    if (base < FIXED_END && (state->def_type & DEF_TYPE_FIXED) != 0 &&
        (state->capability & CAPABILITY_FIXED) != 0)
        return MEMORY_MIXED;

    enum memory_type type = type_at(state, base);
    uint64_t address = base;
    for (unsigned parts = 1; parts < PARTS_MAX; parts++) {
        address = next_boundary(state, address, last + 1);
        if (address > last)
            return type;
        if (type_at(state, address) != type)
            return MEMORY_MIXED;
    }
    return MEMORY_MIXED;
}
