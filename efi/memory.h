/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffer that is measured on: one contiguous piece, its home node, its memory type. */
#ifndef EFI_MEMORY_H
#define EFI_MEMORY_H

#include "../arch/x86/memtype.h"
#include "../lib/topology.h"
#include "efi.h"

#define ARENA_ALIGN         (2ull << 20)  /* one large page, whatever lies around it */
#define ARENA_DEFAULT_BYTES (64ull << 20) /* larger requests fail or take minutes (C8) */
#define ARENA_LARGEST_BYTES (1ull << 30)
#define ARENA_FLOOR_BYTES   (2ull << 20) /* with less than this nothing is measured */

struct arena {
    uint8_t *base;         /* aligned to ARENA_ALIGN */
    uint64_t bytes;        /* ARENA_FLOOR_BYTES .. what was asked for; a multiple of ARENA_ALIGN */
    uint32_t home;         /* node, NODE_UNKNOWN where SRAT does not say, or says two */
    enum memory_type type; /* as the MTRRs say; MEMORY_MIXED where they do not say (C10) */
};

/* How much to ask for: enough for three working sets of `largest` bytes, between the default and
 * the largest. */
uint64_t arena_wish(uint64_t largest);

/* Allocates `wish` bytes, or half, or a quarter, .. down to ARENA_FLOOR_BYTES (C7, C8). numa may
 * be NULL; mtrr NULL: the CPU has none. False: not even the floor was to be had. */
bool arena_open(const struct efi *efi, uint64_t wish, const struct numa *numa,
                const struct mtrr_state *mtrr, struct arena *ret);
void arena_close(const struct efi *efi, struct arena *arena);

/* Node of a range: the one whose memory holds all of it, else NODE_UNKNOWN. */
uint32_t memory_home(const struct numa *numa, uint64_t base, uint64_t bytes);

/* Takes the range out of this CPU's caches, so that it lies in memory alone. */
void memory_flush(const void *base, uint64_t bytes, uint32_t line);

#endif
