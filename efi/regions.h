/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts the arena into regions: memory that no touch has seen first, and once that is used up, what
 * was given back. Only arithmetic: runs on the host as it is. */
#ifndef EFI_REGIONS_H
#define EFI_REGIONS_H

#include "../smp/dispatch.h"

#define REGIONS_MAX  (2 * MAX_CPUS) /* two for each lane of the widest batch, and to spare */
#define REGION_LARGE (1ull << 20)   /* from here on regions are aligned to a large page */

struct regions {
    uint8_t *base;
    uint64_t bytes;
    uint64_t fresh; /* nothing beyond this offset was ever given out */
    uint32_t line;
    unsigned count;         /* entries of region[] that were ever in use */
    struct mp_region *list; /* [REGIONS_MAX], zeroed; bytes 0: free entry */
};

void regions_init(struct regions *regions, uint8_t *base, uint64_t bytes, uint32_t line,
                  struct mp_region *list);

/* False where no piece of that size is free. Memory that was used before is zeroed and taken out
 * of the caches again; *ret_fresh tells. */
bool regions_get(struct regions *regions, uint64_t bytes, uint16_t *ret_region, bool *ret_fresh);
void regions_put(struct regions *regions, uint16_t region);

#endif
