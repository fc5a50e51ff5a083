/* SPDX-License-Identifier: BSD-2-Clause */
/* What another CPU runs between the moment that firmware lends it and the moment it goes back:
 * mp.h has the contract. */
#include "mp.h"

#include "../arch/x86/touch_kernel.h"

#define CPUID_1_EDX_MSR     (1u << 5)
#define CPUID_1_EDX_MTRR    (1u << 12)
#define CPUID_1_ECX_MONITOR (1u << 3)

static bool own_cpuid(const struct mp_facts *facts, uint32_t *ret_ecx, uint32_t *ret_edx)
{
    const struct cpuid_leaf *leaf = cpuid_find(&facts->cpuid, 1, 0);
    if (!leaf)
        return false;
    *ret_ecx = leaf->ecx;
    *ret_edx = leaf->edx;
    return true;
}

static void publish(struct mp_team *team, struct mp_facts *facts)
{
    uint32_t ecx = 0, edx = 0;

    cpuid_collect(&facts->cpuid);
    if (team->privileged) {
        facts->cr0 = cpu_read_cr0();
        facts->has_mtrr = own_cpuid(facts, &ecx, &edx) && (edx & CPUID_1_EDX_MSR) != 0 &&
                          (edx & CPUID_1_EDX_MTRR) != 0;
        if (facts->has_mtrr)
            facts->mtrr_def_type = cpu_read_msr(MSR_MTRR_DEF_TYPE);
    }
    __atomic_store_n(&facts->arrived, 1, __ATOMIC_RELEASE);
}

static void ring(struct mp_team *team)
{
    __atomic_fetch_add(&team->bell, 1, __ATOMIC_RELEASE);
}

uint32_t mp_check_in(struct mp_team *team)
{
    uint32_t ticket = __atomic_fetch_add(&team->tickets, 1, __ATOMIC_RELAXED);

    if (ticket >= team->capacity)
        return MP_NO_TICKET;
    publish(team, &team->facts[ticket]);
    ring(team);
    return ticket;
}

uint32_t mp_wait_post(const struct mp_mailbox *box, uint32_t seen, bool monitor)
{
    for (;;) {
        uint32_t post = __atomic_load_n(&box->post, __ATOMIC_ACQUIRE);
        if (post != seen)
            return post;
        if (monitor)
            cpu_wait_line(&box->post, seen, false);
        else
            cpu_relax();
    }
}

void mp_touch(const struct mp_task *task, struct mp_answer *ret)
{
    struct touch_order order;
    uint64_t smis = 0;

    touch_order_init(&order, task->base, task->bytes, task->line);
    if (task->count_smis)
        smis = cpu_read_msr(MSR_SMI_COUNT);
    ret->ticks = touch_run(&order, task->pattern, task->access);
    if (task->count_smis)
        smis = cpu_read_msr(MSR_SMI_COUNT) - smis;
    ret->smis = (uint32_t)smis;
}

void mp_report(struct mp_team *team, struct mp_mailbox *box, uint32_t number)
{
    __atomic_store_n(&box->done, number, __ATOMIC_RELEASE);
    ring(team);
}

void mp_leave(struct mp_mailbox *box)
{
    __atomic_store_n(&box->left, 1, __ATOMIC_RELEASE);
}

void mp_worker(struct mp_team *team)
{
    uint32_t ticket = mp_check_in(team);
    if (ticket == MP_NO_TICKET)
        return;

    struct mp_mailbox *box = &team->mailbox[ticket];
    uint32_t ecx = 0, edx = 0;
    bool monitor = team->monitor && own_cpuid(&team->facts[ticket], &ecx, &edx) &&
                   (ecx & CPUID_1_ECX_MONITOR) != 0;

    for (uint32_t seen = 0;;) {
        seen = mp_wait_post(box, seen, monitor);
        if (box->order != MP_TOUCH)
            break;
        mp_touch(&box->task, &box->answer);
        mp_report(team, box, seen);
    }
    mp_leave(box);
}
