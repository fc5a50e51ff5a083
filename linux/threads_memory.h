/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions of memory for the threads back end: mapped for each, in large pages where there are. */
#ifndef LINUX_THREADS_MEMORY_H
#define LINUX_THREADS_MEMORY_H

#include "../smp/dispatch.h"
#include <stdbool.h>
#include <stdint.h>

#define MEMORY_REGIONS_MAX 256u
#define PAGE_LARGE         (2ull << 20)

/* What a region's pages are. A region of small pages is no contiguous memory: it may not use all of
 * a cache that is indexed by physical addresses, and its page walks are part of its cost. */
enum pages {
    PAGES_NONE = 0,
    PAGES_HUGETLB, /* of the pool that an administrator set up */
    PAGES_THP,     /* transparent huge pages, all of the region */
    PAGES_SMALL,   /* 4 KiB, at least in part */
};
const char *pages_name(enum pages pages);

struct memory {
    struct mp_region region[MEMORY_REGIONS_MAX]; /* for the dispatcher */
    struct {
        void *base; /* what was mapped, room to align included */
        uint64_t bytes;
    } mapping[MEMORY_REGIONS_MAX];
    unsigned count;   /* of region[], free entries included */
    uint32_t line;    /* bytes of a cache line */
    enum pages pages; /* of all regions so far: the worst that a large one got */
};

/* As machine_ops has them. `node` is Linux's number, or NODE_UNKNOWN. */
bool memory_get(struct memory *memory, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                uint32_t *ret_home);
void memory_put(struct memory *memory, uint16_t region);
void memory_close(struct memory *memory); /* gives all back */

/* Half of what the kernel says is available now: the most that a region should have. */
uint64_t memory_most(const char *root);

/* The number behind "KEY:" of a line of /proc/meminfo or of a mapping's lines in /proc/self/smaps,
 * in bytes, looked for from `text` on; 0 where it is not there. end: NULL, or where to stop. */
uint64_t memory_field(const char *text, const char *end, const char *key);

/* Bytes of transparent huge pages in the mapping at address, out of the text of smaps. */
uint64_t memory_huge_bytes(const char *smaps, uint64_t address);

#endif
