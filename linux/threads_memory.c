/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions by mmap: threads_memory.h has the contract. Each is mapped anew, so that no touch has
 * seen its lines; faulted in and zeroed before its first touch, so that no page fault is timed; and
 * flushed, so that its first touch finds it in memory. */
#define _GNU_SOURCE
#include "threads_memory.h"

#include "../arch/x86/cpu.h"
#include "files.h"
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_SMALL    4096ull
#define NODES_OF_MASK 1024u
#define SMAPS_BYTES   (1u << 20)

const char *pages_name(enum pages pages)
{
    static const char *const names[] = {"none", "2 MiB, hugetlb", "2 MiB, transparent", "4 KiB"};
    return names[pages];
}

uint64_t memory_field(const char *text, const char *end, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line && *line && (!end || line < end);) {
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            return strtoull(line + length + 1, NULL, 10) << 10;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return 0;
}

/* The line "begin-end rights ..." of a mapping: its two addresses. */
static bool is_mapping(const char *line, uint64_t *ret_begin, uint64_t *ret_end)
{
    char *at;
    *ret_begin = strtoull(line, &at, 16);
    if (at == line || *at != '-')
        return false;
    line = at + 1;
    *ret_end = strtoull(line, &at, 16);
    return at != line && *at == ' ';
}

uint64_t memory_huge_bytes(const char *smaps, uint64_t address)
{
    const char *found = NULL;
    for (const char *line = smaps; line && *line;) {
        uint64_t begin, end;
        if (is_mapping(line, &begin, &end)) {
            if (found)
                return memory_field(found, line, "AnonHugePages");
            if (begin <= address && address < end)
                found = line;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return found ? memory_field(found, NULL, "AnonHugePages") : 0;
}

static bool is_all_huge(const struct mp_region *region)
{
    char *text = malloc(SMAPS_BYTES);
    size_t length = 0;
    bool huge = false;
    if (text && file_read("", "/proc/self/smaps", text, SMAPS_BYTES - 1, &length) == 0) {
        text[length] = '\0';
        huge = memory_huge_bytes(text, (uint64_t)(uintptr_t)region->base) >=
               region->bytes / PAGE_LARGE * PAGE_LARGE;
    }
    free(text);
    return huge;
}

uint64_t memory_most(const char *root)
{
    char text[8192];
    if (file_read_text(root, "/proc/meminfo", text, sizeof text) != 0)
        return 0;
    return memory_field(text, NULL, "MemAvailable") / 2;
}

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) / to * to;
}

/* By preference: a node without room lets the pages lie elsewhere, and *ret_home says so. */
static void place(void *base, uint64_t bytes, uint32_t node)
{
    unsigned long mask[NODES_OF_MASK / 64] = {0};
    if (node >= NODES_OF_MASK)
        return;
    mask[node / 64] = 1ul << node % 64;
    (void)syscall(SYS_mbind, base, bytes, MPOL_PREFERRED, mask, (unsigned long)NODES_OF_MASK, 0u);
}

static uint32_t home_of(const void *base)
{
    int node = -1;
    if (syscall(SYS_get_mempolicy, &node, NULL, 0ul, base,
                (unsigned long)(MPOL_F_NODE | MPOL_F_ADDR)) != 0 ||
        node < 0)
        return NODE_UNKNOWN;
    return (uint32_t)node;
}

static bool map_hugetlb(uint64_t bytes, struct mp_region *region, void **ret_base,
                        uint64_t *ret_bytes)
{
    *ret_bytes = round_up(bytes, PAGE_LARGE);
    /* Without MAP_NORESERVE: what the pool lacks is refused here, not by a signal later. */
    *ret_base = mmap(NULL, *ret_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    region->base = *ret_base;
    return *ret_base != MAP_FAILED;
}

/* With a border that no access is allowed to on both sides, so that the kernel makes no one mapping
 * of two neighbours, and their huge pages are counted apart. */
static bool map_aligned(uint64_t bytes, struct mp_region *region, void **ret_base,
                        uint64_t *ret_bytes)
{
    uint64_t wanted = round_up(bytes, PAGE_SMALL);
    *ret_bytes = wanted + 2 * PAGE_LARGE;
    *ret_base =
        mmap(NULL, *ret_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*ret_base == MAP_FAILED)
        return false;
    uint64_t start = round_up((uint64_t)(uintptr_t)*ret_base + PAGE_SMALL, PAGE_LARGE);
    region->base = (uint8_t *)*ret_base + (start - (uint64_t)(uintptr_t)*ret_base);
    if (mprotect(region->base, wanted, PROT_READ | PROT_WRITE) != 0) {
        munmap(*ret_base, *ret_bytes);
        return false;
    }
    (void)madvise(region->base, wanted, MADV_HUGEPAGE);
    return true;
}

static unsigned free_entry(const struct memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++)
        if (memory->region[i].bytes == 0)
            return i;
    return memory->count;
}

bool memory_get(struct memory *memory, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                uint32_t *ret_home)
{
    unsigned entry = free_entry(memory);
    struct mp_region region = {NULL, bytes};
    void *base;
    uint64_t mapped;

    if (bytes == 0 || bytes > UINT64_MAX / 2 || entry == MEMORY_REGIONS_MAX)
        return false;
    /* A whole page of the pool for a small region would be a waste. */
    bool large = bytes >= PAGE_LARGE;
    enum pages pages = PAGES_SMALL;
    if (large && map_hugetlb(bytes, &region, &base, &mapped))
        pages = PAGES_HUGETLB;
    else if (!map_aligned(bytes, &region, &base, &mapped))
        return false;
    place(region.base, round_up(bytes, PAGE_SMALL), node);
    memset(region.base, 0, bytes);
    for (uint64_t offset = 0; offset < bytes; offset += memory->line)
        cpu_flush_line(region.base + offset);

    if (pages != PAGES_HUGETLB && large && is_all_huge(&region))
        pages = PAGES_THP;
    if (large && pages > memory->pages)
        memory->pages = pages;
    memory->region[entry] = region;
    memory->mapping[entry].base = base;
    memory->mapping[entry].bytes = mapped;
    if (entry == memory->count)
        memory->count++;
    *ret_region = (uint16_t)entry;
    *ret_home = home_of(region.base);
    return true;
}

void memory_put(struct memory *memory, uint16_t region)
{
    if (region >= memory->count || memory->region[region].bytes == 0)
        return;
    munmap(memory->mapping[region].base, memory->mapping[region].bytes);
    memory->region[region] = (struct mp_region){NULL, 0};
}

void memory_close(struct memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++)
        memory_put(memory, (uint16_t)i);
}
