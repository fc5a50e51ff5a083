/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts the arena into regions: regions.h has the contract. */
#include "regions.h"

#include "../lib/mem.h"
#include "memory.h"

#define PAGE 4096ull

void regions_init(struct regions *regions, uint8_t *base, uint64_t bytes, uint32_t line,
                  struct mp_region *list)
{
    *regions = (struct regions){base, bytes, 0, line, 0, list};
}

static uint64_t align_up(uint64_t offset, uint64_t bytes)
{
    uint64_t align = bytes >= REGION_LARGE ? ARENA_ALIGN : PAGE;
    return (offset + align - 1) & ~(align - 1);
}

static bool fits(const struct regions *regions, uint64_t offset, uint64_t bytes)
{
    return offset <= regions->bytes && bytes <= regions->bytes - offset;
}

/* The end of a live region that overlaps the piece, 0 if none does. */
static uint64_t overlap_end(const struct regions *regions, uint64_t offset, uint64_t bytes)
{
    for (unsigned i = 0; i < regions->count; i++) {
        const struct mp_region *region = &regions->list[i];
        uint64_t start = (uint64_t)(region->base - regions->base);
        if (region->bytes > 0 && start < offset + bytes && offset < start + region->bytes)
            return start + region->bytes;
    }
    return 0;
}

/* The lowest free piece of used memory: hops over what lies in the way. */
static bool find_used(const struct regions *regions, uint64_t bytes, uint64_t *ret_offset)
{
    uint64_t offset = 0;
    while (fits(regions, offset, bytes)) {
        uint64_t end = overlap_end(regions, offset, bytes);
        if (end == 0) {
            *ret_offset = offset;
            return true;
        }
        offset = align_up(end, bytes);
    }
    return false;
}

static unsigned free_entry(const struct regions *regions)
{
    for (unsigned i = 0; i < regions->count; i++)
        if (regions->list[i].bytes == 0)
            return i;
    return regions->count;
}

bool regions_get(struct regions *regions, uint64_t bytes, uint16_t *ret_region, bool *ret_fresh)
{
    unsigned entry = free_entry(regions);
    uint64_t offset = align_up(regions->fresh, bytes);

    if (bytes == 0 || entry == REGIONS_MAX)
        return false;
    *ret_fresh = fits(regions, offset, bytes);
    if (!*ret_fresh) {
        if (!find_used(regions, bytes, &offset))
            return false;
        memset(regions->base + offset, 0, bytes);
        memory_flush(regions->base + offset, bytes, regions->line);
    }
    if (offset + bytes > regions->fresh)
        regions->fresh = offset + bytes;
    regions->list[entry] = (struct mp_region){regions->base + offset, bytes};
    if (entry == regions->count)
        regions->count++;
    *ret_region = (uint16_t)entry;
    return true;
}

void regions_put(struct regions *regions, uint16_t region)
{
    if (region < regions->count)
        regions->list[region].bytes = 0;
}
