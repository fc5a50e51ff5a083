/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs batches of touches over lanes, with a deadline for every wait: dispatch.h has the contract.
 */
#include "dispatch.h"

#include "../arch/x86/clock.h"

#define LINES_MANY 1024u /* of fewer, one disturbance says nothing of the speed */

static struct mp_mailbox *mailbox_of(const struct mp_dispatcher *dispatcher, unsigned cpu)
{
    /* Only CPUs of a team have a ticket.
     * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    return &dispatcher->team->mailbox[dispatcher->ticket_of[cpu]];
}

/* False where the job names something that is not there. */
static bool make_task(const struct mp_dispatcher *dispatcher, const struct touch_job *job,
                      struct mp_task *ret)
{
    if (job->cpu >= dispatcher->cpu_count || job->region >= dispatcher->region_count)
        return false;
    if (job->pattern >= TOUCH_PATTERNS || job->access >= TOUCH_ACCESSES)
        return false;
    const struct mp_region *region = &dispatcher->regions[job->region];
    if (job->bytes < dispatcher->line || job->bytes > region->bytes ||
        job->offset > region->bytes - job->bytes || job->offset % dispatcher->line != 0)
        return false;
    if (job->bytes != touch_round(job->bytes, dispatcher->line))
        return false;

    ret->base = region->base + job->offset;
    ret->bytes = job->bytes;
    ret->line = dispatcher->line;
    ret->pattern = job->pattern;
    ret->access = job->access;
    ret->count_smis = dispatcher->count_smis;
    return true;
}

static bool can_run(const struct mp_dispatcher *dispatcher, unsigned cpu)
{
    if ((dispatcher->cpus[cpu].flags & (CPU_LOST | CPU_DISABLED)) != 0)
        return false;
    return cpu == dispatcher->own_cpu ||
           (dispatcher->team && dispatcher->ticket_of[cpu] != MP_NO_TICKET);
}

static bool is_busy(const struct mp_mailbox *box)
{
    return __atomic_load_n(&box->done, __ATOMIC_ACQUIRE) != box->post;
}

static void post(struct mp_mailbox *box, enum mp_order order)
{
    box->order = order;
    __atomic_store_n(&box->post, box->post + 1, __ATOMIC_RELEASE);
}

static void fill(struct mp_dispatcher *dispatcher, const struct touch_job *job,
                 struct touch_result *result, const struct mp_answer *answer)
{
    uint64_t lines = job->bytes / dispatcher->line;

    result->ticks = answer->ticks;
    result->noise = answer->smis;
    result->status = TOUCH_DONE;
    if (lines >= LINES_MANY && answer->ticks / lines > dispatcher->slowest_line)
        dispatcher->slowest_line = answer->ticks / lines;
}

/* Firmware takes its CPUs back by force some time after the end: none may be at work then (A6). */
static bool in_time(struct mp_dispatcher *dispatcher, const struct touch_job *job)
{
    uint64_t takes = job->bytes / dispatcher->line * dispatcher->slowest_line;

    if (dispatcher->end != 0 && (int64_t)(clock_read() + takes - dispatcher->end) >= 0)
        dispatcher->out_of_time = true;
    return !dispatcher->out_of_time;
}

static uint64_t deadline_of(const struct mp_dispatcher *dispatcher, const struct touch_job *job)
{
    uint64_t deadline = clock_read() + dispatcher->grace_ticks +
                        job->bytes / dispatcher->line * dispatcher->line_ticks;
    uint64_t latest = dispatcher->end + dispatcher->grace_ticks;

    return dispatcher->end != 0 && (int64_t)(deadline - latest) > 0 ? latest : deadline;
}

/* Looks after the job in flight: true while it still is. */
static bool still_flying(struct mp_dispatcher *dispatcher, struct mp_lane *lane,
                         const struct touch_job *jobs, struct touch_result *results)
{
    unsigned cpu = jobs[lane->job].cpu;
    const struct mp_mailbox *box = mailbox_of(dispatcher, cpu);
    /* The clock first: an answer that came while this CPU was away is never too late. */
    uint64_t now = clock_read();

    if (!is_busy(box)) {
        fill(dispatcher, &jobs[lane->job], &results[lane->job], &box->answer);
        lane->job = MP_NO_JOB;
        return false;
    }
    if ((int64_t)(now - lane->deadline) < 0)
        return true;
    dispatcher->cpus[cpu].flags |= CPU_LOST;
    results[lane->job].status = TOUCH_LOST;
    lane->job = MP_NO_JOB;
    lane->over = true;
    return false;
}

enum step { STEP_OVER, STEP_FLYING, STEP_OWN };

/* Starts the next job of a lane that has none in flight. An own job is only named, in lane->job. */
static enum step start_next(struct mp_dispatcher *dispatcher, struct mp_lane *lane, unsigned number,
                            const struct touch_job *jobs, struct touch_result *results,
                            unsigned count)
{
    while (!lane->over && lane->next < count && jobs[lane->next].lane != number)
        lane->next++;
    if (lane->over || lane->next == count) {
        lane->over = true;
        return STEP_OVER;
    }

    unsigned index = lane->next++;
    const struct touch_job *job = &jobs[index];
    struct mp_task task;
    lane->over = true;
    if (!make_task(dispatcher, job, &task))
        return STEP_OVER;
    if (!can_run(dispatcher, job->cpu)) {
        results[index].status = TOUCH_LOST;
        return STEP_OVER;
    }
    if (!in_time(dispatcher, job))
        return STEP_OVER;
    if (job->cpu == dispatcher->own_cpu) {
        lane->over = false;
        lane->job = index;
        return STEP_OWN;
    }

    struct mp_mailbox *box = mailbox_of(dispatcher, job->cpu);
    if (is_busy(box)) /* a CPU in two lanes */
        return STEP_OVER;
    lane->over = false;
    lane->job = index;
    box->task = task;
    lane->deadline = deadline_of(dispatcher, job);
    post(box, MP_TOUCH);
    return STEP_FLYING;
}

static void run_own(struct mp_dispatcher *dispatcher, struct mp_lane *lane,
                    const struct touch_job *jobs, struct touch_result *results)
{
    struct mp_task task;
    struct mp_answer answer;
    if (make_task(dispatcher, &jobs[lane->job], &task)) {
        dispatcher->own_touch(dispatcher->ctx, &task, &answer);
        fill(dispatcher, &jobs[lane->job], &results[lane->job], &answer);
    }
    lane->job = MP_NO_JOB;
}

static bool others_left(const struct mp_dispatcher *dispatcher)
{
    bool any = false;
    for (unsigned i = 0; i < dispatcher->cpu_count; i++) {
        if (i == dispatcher->own_cpu || !dispatcher->ticket_of ||
            dispatcher->ticket_of[i] == MP_NO_TICKET)
            continue;
        if ((dispatcher->cpus[i].flags & CPU_LOST) == 0)
            return true;
        any = true;
    }
    return !any; /* nobody was there to lose */
}

static unsigned set_up_lanes(struct mp_dispatcher *dispatcher, const struct touch_job *jobs,
                             struct touch_result *results, unsigned count)
{
    unsigned lanes = 0;
    for (unsigned i = 0; i < count; i++) {
        results[i] = (struct touch_result){0, 0, TOUCH_SKIPPED};
        if (jobs[i].lane >= lanes && jobs[i].lane < dispatcher->lane_count)
            lanes = jobs[i].lane + 1u;
    }
    for (unsigned i = 0; i < lanes; i++)
        dispatcher->lanes[i] = (struct mp_lane){0, MP_NO_JOB, 0, false};
    return lanes;
}

bool mp_dispatch(struct mp_dispatcher *dispatcher, const struct touch_job *jobs,
                 struct touch_result *ret_results, unsigned count)
{
    struct mp_team *team = dispatcher->team;
    unsigned lanes = set_up_lanes(dispatcher, jobs, ret_results, count);

    for (;;) {
        /* Read before the lanes are looked at: whoever answers later changes it. */
        uint32_t bell = team ? __atomic_load_n(&team->bell, __ATOMIC_ACQUIRE) : 0;
        unsigned flying = 0;
        struct mp_lane *own = NULL;

        for (unsigned i = 0; i < lanes; i++) {
            struct mp_lane *lane = &dispatcher->lanes[i];
            enum step step = STEP_FLYING;
            if (lane->over)
                continue;
            if (lane->job != MP_NO_JOB && jobs[lane->job].cpu == dispatcher->own_cpu)
                step = STEP_OWN;
            else if (lane->job == MP_NO_JOB || !still_flying(dispatcher, lane, jobs, ret_results))
                step = start_next(dispatcher, lane, i, jobs, ret_results, count);
            if (step == STEP_OWN)
                own = lane;
            else if (step == STEP_FLYING)
                flying++;
        }
        if (own) /* after all others were sent off, so that lanes do run at the same time */
            run_own(dispatcher, own, jobs, ret_results);
        else if (flying == 0)
            break;
        else if (team && dispatcher->monitor)
            cpu_wait_line(&team->bell, bell, true);
        else
            cpu_relax();
    }
    return others_left(dispatcher);
}

uint32_t mp_dismiss(struct mp_team *team, uint64_t ticks, uint32_t *ret_apic_id)
{
    for (uint32_t ticket = 0; ticket < team->capacity; ticket++)
        post(&team->mailbox[ticket], MP_LEAVE);

    uint64_t start = clock_read();
    for (;;) {
        bool late = clock_read() - start > ticks;
        uint32_t tickets = __atomic_load_n(&team->tickets, __ATOMIC_ACQUIRE);
        uint32_t inside = 0;
        for (uint32_t i = 0; i < tickets && i < team->capacity; i++) {
            if (__atomic_load_n(&team->mailbox[i].left, __ATOMIC_ACQUIRE))
                continue;
            inside++;
            if (ret_apic_id)
                *ret_apic_id = cpuid_apic_id(&team->facts[i].cpuid);
        }
        if (inside == 0 || late)
            return inside;
        cpu_relax();
    }
}
