/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory type of a physical range from MTRR values (C10). Intel SDM volume 3A, 12.11; AMD64
 * APM volume 2, 7.7 and 7.9. */
#ifndef ARCH_X86_MEMTYPE_H
#define ARCH_X86_MEMTYPE_H

#include "cpuid.h"
#include <stdbool.h>
#include <stdint.h>

#define MTRR_VARIABLE_MAX 32u
enum memory_type {
    MEMORY_UC = 0,
    MEMORY_WC = 1,
    MEMORY_WT = 4,
    MEMORY_WP = 5,
    MEMORY_WB = 6,
    MEMORY_MIXED = 0xFE /* several types, or not known */
};

/* MTRR contents as read (pure decoder) or as mtrr_read() fills them on this CPU. */
struct mtrr_state {
    uint64_t capability, def_type;
    unsigned variable_count;
    uint64_t base[MTRR_VARIABLE_MAX], mask[MTRR_VARIABLE_MAX];
    uint64_t address_mask; /* physical address bits, from CPUID.80000008:EAX[7:0] */
    uint64_t forced_wb;    /* AMD: 4 GiB to here is WB where no MTRR says otherwise; 0: nothing is.
                              Without it, all memory above 4 GiB would seem uncached there */
};

/* Reads MSRs: in ring 0 only. False where CPUID has no MTRR, and where they cannot be understood.
 */
bool mtrr_read(const struct cpuid_dump *dump, struct mtrr_state *ret);

/* Type of base..base+bytes: one type, or MEMORY_MIXED. With MTRRs disabled, and where ranges
 * overlap in a way the architecture leaves undefined: UC. Fixed ranges are not read: where they are
 * in force, what reaches below 1 MiB is MEMORY_MIXED, and so is what lies beyond the address bits.
 */
enum memory_type mtrr_type(const struct mtrr_state *state, uint64_t base, uint64_t bytes);

#endif
