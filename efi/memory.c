/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates the buffer that is measured on: memory.h has the contract. */
#include "memory.h"

#include "../arch/x86/cpu.h"
#include "../lib/mem.h"

#define PAGE 4096ull

uint64_t arena_wish(uint64_t largest)
{
    if (largest > ARENA_LARGEST_BYTES / 4)
        return ARENA_LARGEST_BYTES;
    uint64_t wish = (3 * largest + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
    return wish > ARENA_DEFAULT_BYTES ? wish : ARENA_DEFAULT_BYTES;
}

uint32_t memory_home(const struct numa *numa, uint64_t base, uint64_t bytes)
{
    if (!numa)
        return NODE_UNKNOWN;
    for (unsigned i = 0; i < numa->range_count; i++) {
        const struct memory_range *range = &numa->range[i];
        if (base >= range->base && base - range->base < range->bytes &&
            bytes <= range->bytes - (base - range->base))
            return range->node;
    }
    return NODE_UNKNOWN;
}

void memory_flush(const void *base, uint64_t bytes, uint32_t line)
{
    for (uint64_t offset = 0; offset < bytes; offset += line)
        cpu_flush_line((const uint8_t *)base + offset);
}

/* Allocates with room to align, and gives back what lies around the aligned piece. */
static uint8_t *allocate_aligned(const struct efi *efi, uint64_t bytes)
{
    EFI_PHYSICAL_ADDRESS address = 0;
    uint64_t slack = ARENA_ALIGN - PAGE;

    if (EFI_ERROR(efi->bs->AllocatePages(AllocateAnyPages, EfiLoaderData, (bytes + slack) / PAGE,
                                         &address)))
        return NULL;
    uint64_t aligned = (address + slack) & ~(ARENA_ALIGN - 1);
    uint64_t before = aligned - address, after = slack - before;
    if (before > 0)
        (void)efi->bs->FreePages(address, before / PAGE);
    if (after > 0)
        (void)efi->bs->FreePages(aligned + bytes, after / PAGE);
    return (uint8_t *)(uintptr_t)aligned;
}

bool arena_open(const struct efi *efi, uint64_t wish, const struct numa *numa,
                const struct mtrr_state *mtrr, struct arena *ret)
{
    for (uint64_t bytes = wish & ~(ARENA_ALIGN - 1); bytes >= ARENA_FLOOR_BYTES;
         bytes = (bytes / 2) & ~(ARENA_ALIGN - 1)) {
        uint8_t *base = allocate_aligned(efi, bytes);
        if (!base)
            continue;
        memset(base, 0, bytes);
        ret->base = base;
        ret->bytes = bytes;
        ret->home = memory_home(numa, (uintptr_t)base, bytes);
        ret->type = mtrr ? mtrr_type(mtrr, (uintptr_t)base, bytes) : MEMORY_MIXED;
        return true;
    }
    *ret = (struct arena){.home = NODE_UNKNOWN, .type = MEMORY_MIXED};
    return false;
}

void arena_close(const struct efi *efi, struct arena *arena)
{
    if (arena->base)
        (void)efi->bs->FreePages((uintptr_t)arena->base, arena->bytes / PAGE);
    arena->base = NULL;
}
