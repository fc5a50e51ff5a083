/* SPDX-License-Identifier: BSD-2-Clause */
/* Lends the other CPUs from firmware and gives them back: mp_services.h has the contract. */
#include "mp_services.h"

static const EFI_GUID mp_services_guid = {
    0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

#define END_OF_CPU_LIST 0xFFFFFFFFu /* not (UINTN)-1 (A7) */

#define WORK_DELAY_100NS 200000u /* before the callback looks whether a CPU is inside: 20 ms */
#define WORK_LOOKS_MAX   100u    /* after that many looks the work is done without them */

#define WAIT_STEP_US   1000u
#define WAIT_TELL_US   2000000u /* then the user is told that we wait */
#define ANSWER_US      1000000u
#define WAIT_MARGIN_US 10000000u /* after firmware's own timeout; its timer may be slow (A34) */

/* Firmware writes here when it gives up on a CPU, whenever that is: it must outlive every stack
 * frame (A7). */
static UINTN *failed_list;

/* Firmware calls it as the Microsoft ABI says (H8). */
static VOID EFIAPI ap_entry(VOID *argument)
{
    mp_worker(argument);
}

bool mp_services_open(struct mp_services *mp, const struct efi *efi)
{
    VOID *interface = NULL;
    UINTN total = 0, enabled = 0;

    *mp = (struct mp_services){.efi = efi};
    mp->status = efi->bs->LocateProtocol(EFI_CONST(&mp_services_guid), NULL, &interface);
    if (EFI_ERROR(mp->status) || !interface)
        return false;
    mp->protocol = interface;
    mp->status = mp->protocol->get_number_of_processors(mp->protocol, &total, &enabled);
    if (EFI_ERROR(mp->status) || total == 0 || total > UINT32_MAX) {
        mp->protocol = NULL;
        return false;
    }
    mp->total = (unsigned)total;
    mp->enabled = (unsigned)(enabled < total ? enabled : total);
    return true;
}

static bool describe(struct mp_services *mp, unsigned number, struct cpu_info *ret)
{
    struct mp_processor_info info = {0};

    if (EFI_ERROR(mp->protocol->get_processor_info(mp->protocol, number, &info)))
        return false;
    topology_cpu_init(ret, (uint32_t)info.processor_id);
    if (info.status & MP_STATUS_BSP)
        ret->flags |= CPU_BOOT;
    else if (!(info.status & MP_STATUS_ENABLED) || !(info.status & MP_STATUS_HEALTHY))
        ret->flags |= CPU_DISABLED;
    return true;
}

/* Marks the CPU that this code runs on, and no other, whatever firmware's flags say. */
static void mark_boot(struct cpu_info *cpus, unsigned count, unsigned own)
{
    for (unsigned i = 0; i < count; i++)
        cpus[i].flags &= ~CPU_BOOT;
    cpus[own].flags = CPU_BOOT;
}

unsigned mp_services_list(struct mp_services *mp, struct cpu_info *cpus, unsigned room,
                          unsigned *ret_left_out)
{
    UINTN own_number = 0;
    unsigned count = 0, own = UINT32_MAX;
    bool own_known = !EFI_ERROR(mp->protocol->who_am_i(mp->protocol, &own_number));

    *ret_left_out = 0;
    for (unsigned number = 0; number < mp->total; number++) {
        struct cpu_info cpu;
        if (!describe(mp, number, &cpu)) {
            ++*ret_left_out;
            continue;
        }
        bool is_own = own_known ? number == own_number : (cpu.flags & CPU_BOOT) != 0;
        if (count == room) {
            ++*ret_left_out;
            if (!is_own)
                continue;
            count--; /* the last one makes room for the boot CPU */
        }
        if (is_own)
            own = count;
        cpus[count++] = cpu;
    }
    if (count > 0)
        mark_boot(cpus, count, own < count ? own : 0);
    return count;
}

/* Reads firmware's list of CPUs that it gave up, and frees it. */
static void read_failed(const struct mp_services *mp, struct mp_run *ret)
{
    if (!failed_list)
        return;
    for (unsigned i = 0; i < mp->total; i++) {
        if ((UINT32)failed_list[i] == END_OF_CPU_LIST)
            break;
        if (ret->failed++ == 0)
            ret->first_failed = (unsigned)failed_list[i];
    }
    (void)mp->efi->bs->FreePool(failed_list);
    failed_list = NULL;
}

/* Polls, since a wait for an event has no end. True once firmware has signalled it. */
static bool wait_back(const struct mp_services *mp, EFI_EVENT event, uint64_t limit_us,
                      void (*waiting)(void *ctx), void *ctx)
{
    for (uint64_t waited = 0; waited < limit_us; waited += WAIT_STEP_US) {
        if (mp->efi->bs->CheckEvent(event) == EFI_SUCCESS)
            return true;
        (void)mp->efi->bs->Stall(WAIT_STEP_US);
        if (waited == WAIT_TELL_US && waiting)
            waiting(ctx);
    }
    return false;
}

struct blocking_work {
    const struct mp_services *mp;
    const struct mp_team *team;
    EFI_EVENT timer;
    void (*work)(void *ctx);
    void *ctx;
    unsigned looks;
    bool done;
};

/* One shot, and again until the first CPU is inside: the timer may be faster than the start. */
static VOID EFIAPI on_timer(EFI_EVENT event, VOID *argument)
{
    struct blocking_work *work = argument;

    (void)event;
    if (work->done)
        return;
    if (work->team->tickets == 0 && ++work->looks < WORK_LOOKS_MAX &&
        !EFI_ERROR(work->mp->efi->bs->SetTimer(work->timer, TimerRelative, WORK_DELAY_100NS)))
        return;
    work->done = true;
    work->work(work->ctx);
}

void mp_work_alone(struct mp_team *team, void (*work)(void *ctx), void *ctx)
{
    team->capacity = 0;
    work(ctx);
}

static enum mp_end run_blocking(struct mp_services *mp, struct mp_team *team, uint64_t timeout_us,
                                void (*do_work)(void *ctx), void *ctx, struct mp_run *ret)
{
    EFI_BOOT_SERVICES *bs = mp->efi->bs;
    struct blocking_work work = {.mp = mp, .team = team, .work = do_work, .ctx = ctx};

    ret->blocking = true;
    ret->status =
        bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_timer, &work, &work.timer);
    if (!EFI_ERROR(ret->status)) {
        ret->status = bs->SetTimer(work.timer, TimerRelative, WORK_DELAY_100NS);
        if (!EFI_ERROR(ret->status))
            ret->status = mp->protocol->startup_all_aps(mp->protocol, ap_entry, FALSE, NULL,
                                                        timeout_us, team, &failed_list);
        (void)bs->CloseEvent(work.timer);
    }
    bool done = work.done, came = team->tickets > 0;
    work.done = true;
    read_failed(mp, ret);
    if (!done)
        mp_work_alone(team, do_work, ctx);
    if (!came)
        return MP_NOT_STARTED;
    return EFI_ERROR(ret->status) || ret->failed > 0 ? MP_LOST : MP_ALL_BACK;
}

enum mp_end mp_services_run(struct mp_services *mp, struct mp_team *team, uint64_t timeout_us,
                            void (*work)(void *ctx), void (*waiting)(void *ctx), void *ctx,
                            struct mp_run *ret)
{
    EFI_BOOT_SERVICES *bs = mp->efi->bs;
    EFI_EVENT event = NULL;

    *ret = (struct mp_run){0};
    failed_list = NULL;
    ret->status = bs->CreateEvent(0, 0, NULL, NULL, &event);
    if (EFI_ERROR(ret->status))
        return run_blocking(mp, team, timeout_us, work, ctx, ret);

    ret->status = mp->protocol->startup_all_aps(mp->protocol, ap_entry, FALSE, event, timeout_us,
                                                team, &failed_list);
    if (EFI_ERROR(ret->status)) {
        (void)bs->CloseEvent(event);
        if (ret->status == EFI_UNSUPPORTED) /* after READY_TO_BOOT (A36) */
            return run_blocking(mp, team, timeout_us, work, ctx, ret);
        mp_work_alone(team, work, ctx);
        return MP_NOT_STARTED;
    }

    work(ctx);
    if (!wait_back(mp, event, timeout_us + WAIT_MARGIN_US, waiting, ctx))
        return MP_LOST; /* the event stays open: firmware may still signal it */
    (void)bs->CloseEvent(event);
    read_failed(mp, ret);
    return ret->failed > 0 ? MP_LOST : MP_ALL_BACK;
}

static VOID EFIAPI do_nothing(VOID *argument)
{
    (void)argument;
}

bool mp_services_answer(struct mp_services *mp, struct mp_run *ret)
{
    failed_list = NULL;
    ret->status = mp->protocol->startup_all_aps(mp->protocol, do_nothing, FALSE, NULL, ANSWER_US,
                                                NULL, &failed_list);
    read_failed(mp, ret);
    return !EFI_ERROR(ret->status) || ret->status == EFI_NOT_STARTED; /* (A2) */
}
