/* SPDX-License-Identifier: BSD-2-Clause */
/* Who came: tickets of the CPUs that checked in, matched to the CPUs that firmware speaks of. */
#ifndef SMP_ROSTER_H
#define SMP_ROSTER_H

#include "mp.h"

/* Waits until `expected` CPUs have checked in, at most `ticks` of this CPU's clock. Returns how
 * many did. A team without capacity is not waited for. */
uint32_t roster_wait(const struct mp_team *team, uint32_t expected, uint64_t ticks);

struct roster {
    uint32_t arrived;   /* CPUs that checked in */
    uint32_t strangers; /* of these: APIC id unknown to firmware, or there twice (A16, A21) */
    uint32_t missing;   /* CPUs that firmware should have started and that did not come */
};

/* Gives every CPU its ticket: ticket_of[i] for cpus[i], MP_NO_TICKET for the boot CPU, for disabled
 * ones, and for those that did not come, which get CPU_LOST. The key is firmware's APIC id; a CPU
 * whose CPUID claims an id that firmware does not know takes the first place that is left over, so
 * that the matrix stays whole, and is counted as a stranger (A21). Call it once, after
 * roster_wait(): who checks in later has no place and is sent back by mp_dismiss(). */
void roster_match(const struct mp_team *team, struct cpu_info *cpus, unsigned cpu_count,
                  uint32_t *ticket_of, struct roster *ret);

/* Marks the CPUs whose caches are not in the state of the boot CPU's: CR0.CD set, or another
 * MTRRdefType (A31). boot_has_mtrr and boot_mtrr_def_type are the boot CPU's. Returns how many. */
uint32_t roster_mark_cache_state(const struct mp_team *team, struct cpu_info *cpus,
                                 unsigned cpu_count, const uint32_t *ticket_of, bool boot_has_mtrr,
                                 uint64_t boot_mtrr_def_type);

#endif
