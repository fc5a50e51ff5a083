/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up the memory that CPUs share, and finds out who came: mp.h and roster.h have the contract.
 */
#include "roster.h"

#include "../arch/x86/clock.h"

#define CR0_CD            (1ull << 30)
#define MTRR_DEF_TYPE_USE 0xCFFull /* type, fixed enable, enable: the rest is reserved */

size_t mp_team_bytes(uint32_t capacity)
{
    return capacity * (sizeof(struct mp_mailbox) + sizeof(struct mp_facts));
}

void mp_team_init(struct mp_team *team, void *workspace, uint32_t capacity,
                  const struct cpuid_features *features, bool privileged)
{
    team->mailbox = workspace;
    team->facts = (struct mp_facts *)(void *)(team->mailbox + capacity);
    team->capacity = capacity;
    team->monitor = privileged && features->monitor;
    team->privileged = privileged;
    team->count_smis = privileged && features->smi_counter;
    team->tickets = 0;
    team->bell = 0;
}

static uint32_t taken(const struct mp_team *team)
{
    uint32_t tickets = __atomic_load_n(&team->tickets, __ATOMIC_ACQUIRE);
    return tickets < team->capacity ? tickets : team->capacity;
}

static bool is_there(const struct mp_team *team, uint32_t ticket)
{
    return __atomic_load_n(&team->facts[ticket].arrived, __ATOMIC_ACQUIRE) != 0;
}

static uint32_t count_arrived(const struct mp_team *team)
{
    uint32_t count = 0;
    for (uint32_t ticket = 0; ticket < taken(team); ticket++)
        count += is_there(team, ticket);
    return count;
}

uint32_t roster_wait(const struct mp_team *team, uint32_t expected, uint64_t ticks)
{
    uint64_t start = clock_read();
    for (;;) {
        uint32_t arrived = count_arrived(team);
        if (arrived >= expected || arrived >= team->capacity || clock_read() - start > ticks)
            return arrived;
        cpu_relax();
    }
}

static bool takes_part(const struct cpu_info *cpu)
{
    return (cpu->flags & (CPU_BOOT | CPU_DISABLED)) == 0;
}

/* The CPU with that APIC id that has no ticket yet, or cpu_count. One that firmware calls unhealthy
 * may come nevertheless: it is known, but nothing is asked of it (A8). */
static unsigned find_place(const struct cpu_info *cpus, unsigned cpu_count,
                           const uint32_t *ticket_of, uint32_t apic_id)
{
    for (unsigned i = 0; i < cpu_count; i++)
        if ((cpus[i].flags & CPU_BOOT) == 0 && cpus[i].apic_id == apic_id &&
            ticket_of[i] == MP_NO_TICKET)
            return i;
    return cpu_count;
}

static bool has_place(const uint32_t *ticket_of, unsigned cpu_count, uint32_t ticket)
{
    for (unsigned i = 0; i < cpu_count; i++)
        if (ticket_of[i] == ticket)
            return true;
    return false;
}

/* Strangers take what is left over, in the order in which they came. */
static void seat_strangers(const struct mp_team *team, uint32_t tickets,
                           const struct cpu_info *cpus, unsigned cpu_count, uint32_t *ticket_of)
{
    unsigned place = 0;
    for (uint32_t ticket = 0; ticket < tickets; ticket++) {
        if (!is_there(team, ticket) || has_place(ticket_of, cpu_count, ticket))
            continue;
        while (place < cpu_count && (!takes_part(&cpus[place]) || ticket_of[place] != MP_NO_TICKET))
            place++;
        if (place == cpu_count)
            return;
        ticket_of[place] = ticket;
    }
}

void roster_match(const struct mp_team *team, struct cpu_info *cpus, unsigned cpu_count,
                  uint32_t *ticket_of, struct roster *ret)
{
    uint32_t tickets = taken(team);
    *ret = (struct roster){0, 0, 0};
    for (unsigned i = 0; i < cpu_count; i++)
        ticket_of[i] = MP_NO_TICKET;

    for (uint32_t ticket = 0; ticket < tickets; ticket++) {
        if (!is_there(team, ticket))
            continue;
        ret->arrived++;
        uint32_t apic_id = cpuid_apic_id(&team->facts[ticket].cpuid);
        unsigned place = find_place(cpus, cpu_count, ticket_of, apic_id);
        if (place < cpu_count)
            ticket_of[place] = ticket;
        else
            ret->strangers++;
    }
    if (ret->strangers > 0)
        seat_strangers(team, tickets, cpus, cpu_count, ticket_of);

    for (unsigned i = 0; i < cpu_count; i++) {
        if (!takes_part(&cpus[i]) || ticket_of[i] != MP_NO_TICKET)
            continue;
        cpus[i].flags |= CPU_LOST;
        ret->missing++;
    }
}

uint32_t roster_mark_cache_state(const struct mp_team *team, struct cpu_info *cpus,
                                 unsigned cpu_count, const uint32_t *ticket_of, bool boot_has_mtrr,
                                 uint64_t boot_mtrr_def_type)
{
    uint32_t marked = 0;
    for (unsigned i = 0; i < cpu_count; i++) {
        if (ticket_of[i] == MP_NO_TICKET)
            continue;
        const struct mp_facts *facts = &team->facts[ticket_of[i]];
        bool other_type = facts->has_mtrr && boot_has_mtrr &&
                          ((facts->mtrr_def_type ^ boot_mtrr_def_type) & MTRR_DEF_TYPE_USE) != 0;
        if ((facts->cr0 & CR0_CD) == 0 && !other_type)
            continue;
        cpus[i].flags |= CPU_CACHE_STATE;
        marked++;
    }
    return marked;
}
