/* SPDX-License-Identifier: BSD-2-Clause */
/* MP services of the firmware for tests, in which threads are the other CPUs, and what of the
 * processor only firmware may do: the linker puts these in the place of the real ones (--wrap). */
#include "private.h"

#include "../../arch/x86/clock.h"
#include "../../smp/dispatch.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define KHZ         2000000u /* of a clock that is not looked at closely */
#define COME_LOOKS  2000000u
#define STACK_BYTES (128u * 1024)
#define LEAVE_MS    20000u

static struct {
    mp_procedure procedure;
    VOID *argument;
    pthread_t threads[FW_CPUS];
    unsigned running;
    bool polled;
    EFI_EVENT_NOTIFY notify;
    VOID *notify_context;
    bool timer_set;
} cpus;
static bool events[2]; /* open: the one to wait for, the timer */
static _Thread_local uint32_t apic_id;

/* ---- The processor ---- */

/* These names are what ld --wrap asks for. NOLINTBEGIN(bugprone-reserved-identifier) */
void __wrap_cpuid_collect(struct cpuid_dump *ret);
void __wrap_memory_flush(const void *base, uint64_t bytes, uint32_t line);
void __wrap_clock_calibrate(const struct cpuid_features *features,
                            const struct clock_reference *references, unsigned count,
                            struct clock_info *ret, uint32_t *ret_flags);
void __real_mp_team_init(struct mp_team *team, void *workspace, uint32_t capacity,
                         const struct cpuid_features *features, bool privileged);
void __wrap_mp_team_init(struct mp_team *team, void *workspace, uint32_t capacity,
                         const struct cpuid_features *features, bool privileged);
/* NOLINTEND(bugprone-reserved-identifier) */

/* A guest's CPU without MSRs, MTRRs and MONITOR. */
void __wrap_cpuid_collect(struct cpuid_dump *ret)
{
    ret->count = 2;
    ret->leaf[0] = (struct cpuid_leaf){.eax = 1};
    ret->leaf[1] = (struct cpuid_leaf){.leaf = 1,
                                       .eax = fw_state.fw->signature,
                                       .ebx = apic_id << 24 | FW_CPUS << 16 | 8 << 8,
                                       .ecx = 1u << 31,
                                       .edx = 1u << 4 | 1u << 28};
}

void __wrap_memory_flush(const void *base, uint64_t bytes, uint32_t line)
{
    (void)base, (void)bytes, (void)line; /* takes longer than all the rest */
}

void __wrap_clock_calibrate(const struct cpuid_features *features,
                            const struct clock_reference *references, unsigned count,
                            struct clock_info *ret, uint32_t *ret_flags)
{
    (void)features;
    for (unsigned i = 0; i < count; i++)
        (void)references[i].wait(references[i].ctx, 10);
    *ret = (struct clock_info){.khz = KHZ, .resolution = 1, .source = CLOCK_STALL};
    *ret_flags = 0;
}

void __wrap_mp_team_init(struct mp_team *team, void *workspace, uint32_t capacity,
                         const struct cpuid_features *features, bool privileged)
{
    (void)privileged;
    __real_mp_team_init(team, workspace, capacity, features, false);
}

/* ---- Events ---- */

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify,
                                      VOID *context, EFI_EVENT *ret)
{
    FW_ENTER(FW_CREATE_EVENT);
    bool timer = (type & EVT_TIMER) != 0;

    if (timer && level != TPL_CALLBACK)
        fw_misuse(FW_CREATE_EVENT, "above TPL_CALLBACK");
    if (events[timer])
        fw_misuse(FW_CREATE_EVENT, "of what is there");
    if (timer) {
        cpus.notify = notify;
        cpus.notify_context = context;
    }
    events[timer] = true;
    fw_state.fw->events_open++;
    *ret = &events[timer];
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    const enum fw_fate fate = fw_enter(FW_CLOSE_EVENT);
    bool *open = event;

    if (!*open)
        fw_misuse(FW_CLOSE_EVENT, "of what is not open");
    *open = false;
    fw_state.fw->events_open--;
    FW_LEAVE_FREED(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 time)
{
    FW_ENTER(FW_SET_TIMER);
    if (event != &events[1] || type != TimerRelative || time == 0)
        fw_misuse(FW_SET_TIMER, "of another kind");
    cpus.timer_set = true;
    FW_LEAVE(EFI_SUCCESS);
}

/* ---- The other CPUs ---- */

static void *run(void *number)
{
    apic_id = (uint32_t)(uintptr_t)number;
    cpus.procedure(cpus.argument);
    return NULL;
}

static void start_threads(void)
{
    pthread_attr_t small; /* a large stack takes longer to make than a boot to run */

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    fw_state.aps_out = true;
    cpus.polled = false;
    while (cpus.running + 1 < FW_CPUS) {
        uintptr_t number = ++cpus.running;
        if (pthread_create(&cpus.threads[number], &small, run, (void *)number) != 0)
            abort();
    }
    pthread_attr_destroy(&small);
}

static void join_threads(void)
{
    for (; cpus.running > 0; cpus.running--)
        pthread_join(cpus.threads[cpus.running], NULL);
    fw_state.aps_out = false;
}

/* The callback would look again and again: the host may take its time to start a thread. */
static void wait_until_inside(const struct mp_team *team)
{
    for (unsigned i = 0; i < COME_LOOKS && team->tickets < FW_CPUS - 1; i++)
        sched_yield();
}

static EFI_STATUS EFIAPI start_all(struct mp_protocol *self, mp_procedure procedure, BOOLEAN single,
                                   EFI_EVENT event, UINTN timeout_us, VOID *argument,
                                   UINTN **failed)
{
    (void)self, (void)failed;
    fw_state.fw->starts++;
    if (single || timeout_us == 0)
        fw_misuse(FW_MP_START, "one after the other, or for ever");
    FW_ENTER(FW_MP_START);
    if (event && fw_state.fw->refuse_event)
        FW_LEAVE(EFI_UNSUPPORTED);
    cpus.procedure = procedure;
    cpus.argument = argument;
    start_threads();
    if (event)
        FW_LEAVE(EFI_SUCCESS);
    wait_until_inside(argument);
    while (cpus.timer_set) {
        cpus.timer_set = false;
        fw_state.level = TPL_CALLBACK;
        cpus.notify(&events[1], cpus.notify_context);
        fw_state.level = TPL_APPLICATION;
    }
    join_threads();
    FW_LEAVE(EFI_SUCCESS);
}

/* Firmware sees that they are back when its timer ticks: not at the first look (A34). */
static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    FW_ENTER(FW_CHECK_EVENT);
    if (event != &events[0] || !events[0])
        fw_misuse(FW_CHECK_EVENT, "of what is not open");
    if (!cpus.polled) {
        cpus.polled = true;
        FW_LEAVE(EFI_NOT_READY);
    }
    join_threads();
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI count_cpus(struct mp_protocol *self, UINTN *total, UINTN *enabled)
{
    FW_ENTER(FW_MP_COUNT);
    (void)self;
    *total = *enabled = FW_CPUS;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI info(struct mp_protocol *self, UINTN number, struct mp_processor_info *ret)
{
    FW_ENTER(FW_MP_INFO);
    (void)self;
    ret->processor_id = number;
    ret->status = MP_STATUS_ENABLED | MP_STATUS_HEALTHY | (number == 0 ? MP_STATUS_BSP : 0);
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI who(struct mp_protocol *self, UINTN *number)
{
    FW_ENTER(FW_MP_WHO);
    (void)self;
    *number = 0;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI never(VOID)
{
    fw_misuse(FW_NEVER, "of the MP services is never to be called (A5, A8, A35)");
    return EFI_UNSUPPORTED;
}

void fw_cpus_open(void)
{
    EFI_BOOT_SERVICES *boot = &fw_state.boot;

    memset(&cpus, 0, sizeof(cpus));
    events[0] = events[1] = false;
    boot->CreateEvent = create_event;
    boot->CloseEvent = close_event;
    boot->SetTimer = set_timer;
    boot->CheckEvent = check_event;
    fw_state.mp = (struct mp_protocol){count_cpus,    info,          start_all, (VOID *)never,
                                       (VOID *)never, (VOID *)never, who};
}

/* Whoever is still inside when the power goes. */
void fw_cpus_close(void)
{
    if (cpus.running > 0)
        (void)mp_dismiss(cpus.argument, LEAVE_MS * (uint64_t)KHZ, NULL);
    join_threads();
}
