/* SPDX-License-Identifier: BSD-2-Clause */
/* A firmware with MP Services for tests, in which threads stand in for CPUs. Include it after
 * mock_efi.h; where CPUs are started, also efi/mp_services.c and smp/. */
#ifndef TESTS_MOCK_MP_H
#define TESTS_MOCK_MP_H

#include <pthread.h>

#include "mock_efi.h"

#define CPUS_MAX 8u

/* How this firmware behaves. */
struct firmware {
    struct mp_protocol protocol; /* calls that are never to be made stay NULL (A5, A8, A35) */
    bool absent;
    unsigned total, enabled;
    UINT32 status[CPUS_MAX];
    UINT64 apic_id[CPUS_MAX];
    EFI_STATUS count_status, who_status;
    UINTN own;
    unsigned bad_info; /* GetProcessorInfo fails for this number; 0: none */

    EFI_STATUS start_status; /* of every start */
    bool refuse_event;       /* non-blocking starts (A36) */
    bool no_timer;           /* the timer never fires while the call blocks */
    bool stuck;              /* firmware does not signal, or times out */
    UINTN failed[CPUS_MAX];  /* list given back after a timeout, failed_count entries and .. */
    unsigned failed_count;   /* .. */
    UINTN terminator;        /* .. the terminator */

    unsigned starts, infos, counts, whos; /* calls */
    UINTN timeout_us;
    pthread_t threads[CPUS_MAX];
    unsigned running;

    bool event_open, timer_open;
    unsigned events_created, timers_set;
    EFI_STATUS create_status;
    EFI_EVENT_NOTIFY notify;
    VOID *notify_context;
    bool timer_set;
};

static struct firmware *firmware;

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI locate(EFI_GUID *guid, VOID *registration, VOID **interface)
{
    (void)registration;
    assert_int_equal(guid->Data1, 0x3fdda605);
    *interface = firmware->absent ? NULL : &firmware->protocol;
    return firmware->absent ? EFI_NOT_FOUND : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI count_cpus(struct mp_protocol *self, UINTN *total, UINTN *enabled)
{
    (void)self;
    firmware->counts++;
    *total = firmware->total;
    *enabled = firmware->enabled;
    return firmware->count_status;
}

static EFI_STATUS EFIAPI info(struct mp_protocol *self, UINTN number, struct mp_processor_info *ret)
{
    (void)self;
    firmware->infos++;
    assert_true(number < firmware->total);
    if (firmware->bad_info != 0 && number == firmware->bad_info)
        return EFI_DEVICE_ERROR;
    ret->processor_id = firmware->apic_id[number];
    ret->status = firmware->status[number];
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI who(struct mp_protocol *self, UINTN *number)
{
    (void)self;
    firmware->whos++;
    *number = firmware->own;
    return firmware->who_status;
}

struct thread_argument {
    mp_procedure procedure;
    VOID *argument;
};
static struct thread_argument thread_argument;

static void *thread(void *argument)
{
    struct thread_argument *call = argument;
    call->procedure(call->argument);
    return NULL;
}

static void start_threads(mp_procedure procedure, VOID *argument)
{
    thread_argument = (struct thread_argument){procedure, argument};
    for (unsigned i = 0; i + 1 < firmware->enabled; i++)
        assert_int_equal(
            pthread_create(&firmware->threads[firmware->running++], NULL, thread, &thread_argument),
            0);
}

static void join_threads(void)
{
    while (firmware->running > 0)
        pthread_join(firmware->threads[--firmware->running], NULL);
}

static void give_failed(UINTN **list)
{
    if (firmware->failed_count == 0 && firmware->terminator == 0)
        return;
    *list = calloc(firmware->failed_count + 1, sizeof(**list));
    memcpy(*list, firmware->failed, firmware->failed_count * sizeof(**list));
    (*list)[firmware->failed_count] = firmware->terminator;
}

static EFI_STATUS EFIAPI start(struct mp_protocol *self, mp_procedure procedure, BOOLEAN single,
                               EFI_EVENT event, UINTN timeout_us, VOID *argument, UINTN **list)
{
    (void)self;
    assert_false(single);
    assert_true(timeout_us > 0); /* 0 is for ever: a lost CPU would never be taken back */
    firmware->timeout_us = timeout_us;
    if (event && firmware->refuse_event)
        return EFI_UNSUPPORTED;
    firmware->starts++;
    if (EFI_ERROR(firmware->start_status))
        return firmware->start_status;
    start_threads(procedure, argument);
    if (event) {
        give_failed(list);
        return EFI_SUCCESS;
    }
    while (firmware->timer_set && !firmware->no_timer) {
        firmware->timer_set = false;
        mock->level = TPL_CALLBACK;
        firmware->notify(NULL, firmware->notify_context);
        mock->level = TPL_APPLICATION;
    }
    give_failed(list);
    return firmware->stuck ? EFI_TIMEOUT : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify,
                                      VOID *context, EFI_EVENT *ret)
{
    firmware->events_created++;
    if (type == 0 && EFI_ERROR(firmware->create_status))
        return firmware->create_status;
    if (type == 0) {
        firmware->event_open = true;
        *ret = &firmware->event_open;
        return EFI_SUCCESS;
    }
    assert_int_equal(type, EVT_TIMER | EVT_NOTIFY_SIGNAL);
    assert_int_equal(level, TPL_CALLBACK);
    firmware->notify = notify;
    firmware->notify_context = context;
    firmware->timer_open = true;
    *ret = &firmware->timer_open;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    bool *open = event;
    assert_true(*open);
    *open = false;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    assert_ptr_equal(event, &firmware->event_open);
    assert_true(firmware->event_open);
    return firmware->stuck ? EFI_NOT_READY : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 time)
{
    assert_ptr_equal(event, &firmware->timer_open);
    assert_int_equal(type, TimerRelative);
    assert_true(time > 0);
    firmware->timer_set = true;
    firmware->timers_set++;
    return EFI_SUCCESS;
}

static void firmware_open(void)
{
    mock_open(calloc(1, sizeof(struct mock)));
    firmware = calloc(1, sizeof(*firmware));
    firmware->protocol.get_number_of_processors = count_cpus;
    firmware->protocol.get_processor_info = info;
    firmware->protocol.startup_all_aps = start;
    firmware->protocol.who_am_i = who;
    mock->boot.LocateProtocol = locate;
    mock->boot.CreateEvent = create_event;
    mock->boot.CloseEvent = close_event;
    mock->boot.CheckEvent = check_event;
    mock->boot.SetTimer = set_timer;
    firmware->total = firmware->enabled = 4;
    for (unsigned i = 0; i < CPUS_MAX; i++) {
        firmware->apic_id[i] = 10 + i;
        firmware->status[i] = MP_STATUS_ENABLED | MP_STATUS_HEALTHY | (i == 0 ? MP_STATUS_BSP : 0);
    }
}

static void firmware_close(void)
{
    struct mock *services = mock;
    join_threads();
    free(firmware);
    mock_close();
    free(services);
}

#endif
