/* SPDX-License-Identifier: BSD-2-Clause */
/* Lending CPUs from a firmware that may refuse, hang, lose some, or say nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_mp.h"

#include "../../efi/efi.c"
#include "../../efi/mp_services.c"
#include "../../smp/dispatch.h"
#include "../../smp/roster.h"

#define FOREVER (UINT64_MAX / 4)

struct run {
    struct mp_team *team;
    unsigned works, waits;
    unsigned arrived;
    EFI_TPL level; /* in work */
};

static void work(void *ctx)
{
    struct run *run = ctx;
    run->works++;
    run->level = mock->level;
    run->arrived = roster_wait(run->team, firmware->enabled - 1, FOREVER);
    assert_int_equal(mp_dismiss(run->team, FOREVER, NULL), 0);
}

static void waiting(void *ctx)
{
    struct run *run = ctx;
    run->waits++;
}

static int set_up(void **state)
{
    struct run *run = calloc(1, sizeof(*run));
    struct cpuid_features features = {0};
    size_t bytes = sizeof(struct mp_team) + mp_team_bytes(CPUS_MAX);

    firmware_open();
    run->team = aligned_alloc(CPU_LINE, (bytes + CPU_LINE - 1) / CPU_LINE * CPU_LINE);
    memset(run->team, 0, bytes);
    mp_team_init(run->team, run->team + 1, CPUS_MAX, &features, false);
    *state = run;
    return 0;
}

static int tear_down(void **state)
{
    struct run *run = *state;
    firmware_close();
    free(run->team);
    free(run);
    return 0;
}

static enum mp_end do_run(struct run *run, struct mp_run *ret)
{
    struct mp_services mp;
    assert_true(mp_services_open(&mp, &mock->efi));
    enum mp_end end = mp_services_run(&mp, run->team, 5000000, work, waiting, run, ret);
    assert_int_equal(run->works, 1);
    assert_false(firmware->timer_open);
    return end;
}

/* A5, A9: one start for all, none for a single CPU. A34: who came is read from memory, at the TPL
 * of applications. */
static void all_cpus_come_and_go_back_in_one_start(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    assert_int_equal(do_run(run, &ret), MP_ALL_BACK);
    assert_int_equal(run->arrived, 3);
    assert_int_equal(run->level, TPL_APPLICATION);
    assert_false(ret.blocking);
    assert_int_equal(firmware->starts, 1);
    assert_int_equal(firmware->timeout_us, 5000000);
    assert_false(firmware->event_open);
}

/* A36: the same, out of the timer's callback. */
static void where_waiting_calls_are_refused_the_blocking_form_serves(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    firmware->refuse_event = true;
    assert_int_equal(do_run(run, &ret), MP_ALL_BACK);
    assert_true(ret.blocking);
    assert_int_equal(run->arrived, 3);
    assert_int_equal(run->level, TPL_CALLBACK);
    assert_int_equal(firmware->starts, 1);
    assert_false(firmware->event_open);
}

static void without_an_event_the_blocking_form_serves(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    firmware->create_status = EFI_OUT_OF_RESOURCES;
    assert_int_equal(do_run(run, &ret), MP_ALL_BACK);
    assert_true(ret.blocking);
    assert_int_equal(firmware->starts, 1);
}

/* A2: one CPU, or none enabled; and whatever else a firmware says instead of starting. */
static void what_is_not_started_is_worked_without(void **state)
{
    const EFI_STATUS statuses[] = {EFI_NOT_STARTED, EFI_NOT_READY, EFI_DEVICE_ERROR,
                                   EFI_INVALID_PARAMETER};
    struct run *run = *state;
    struct mp_run ret;
    for (unsigned i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        run->works = 0;
        firmware->start_status = statuses[i];
        assert_int_equal(do_run(run, &ret), MP_NOT_STARTED);
        assert_int_equal(ret.status, statuses[i]);
        assert_int_equal(run->arrived, 0);
        assert_false(firmware->event_open);
    }
}

static void a_blocking_start_that_fails_is_worked_without(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    firmware->refuse_event = true;
    firmware->start_status = EFI_NOT_STARTED;
    assert_int_equal(do_run(run, &ret), MP_NOT_STARTED);
    assert_int_equal(ret.status, EFI_NOT_STARTED);
}

/* A11, A34: the wait for firmware ends, and its event stays open: it may still be signalled. */
static void a_firmware_that_never_says_so_has_lost_them(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    firmware->stuck = true;
    assert_int_equal(do_run(run, &ret), MP_LOST);
    assert_int_equal(run->waits, 1);
    assert_true(firmware->event_open);
    assert_true(mock->stalled_us >= 5000000);
    assert_true(mock->stalled_us <= 5000000 + 2 * WAIT_MARGIN_US);
}

/* A7: both terminators, and none within the number of CPUs. */
static void the_list_of_failed_cpus_is_read_to_its_end_and_not_beyond(void **state)
{
    const struct {
        UINTN entries[4];
        unsigned count;
        UINTN terminator;
        unsigned failed, first;
    } cases[] = {
        {{0}, 0, 0xFFFFFFFFu, 0, 0},
        {{2}, 1, 0xFFFFFFFFu, 1, 2},
        {{3, 1}, 2, (UINTN)-1, 2, 3},
        {{3, 2, 1, 0}, 4, 7, 4, 3},
    };
    struct run *run = *state;
    struct mp_run ret;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run->works = 0;
        memcpy(firmware->failed, cases[i].entries, sizeof(cases[i].entries));
        firmware->failed_count = cases[i].count;
        firmware->terminator = cases[i].terminator;
        mp_team_init(run->team, run->team + 1, CPUS_MAX, &(struct cpuid_features){0}, false);
        memset(run->team->mailbox, 0, mp_team_bytes(CPUS_MAX));
        assert_int_equal(do_run(run, &ret), cases[i].failed ? MP_LOST : MP_ALL_BACK);
        assert_int_equal(ret.failed, cases[i].failed);
        assert_int_equal(ret.first_failed, cases[i].first);
        join_threads();
    }
}

/* A6, A11. */
static void a_blocking_call_that_timed_out_has_lost_cpus(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    firmware->refuse_event = firmware->stuck = true;
    firmware->failed[0] = 3;
    firmware->failed_count = 1;
    firmware->terminator = 0xFFFFFFFFu;
    assert_int_equal(do_run(run, &ret), MP_LOST);
    assert_int_equal(ret.status, EFI_TIMEOUT);
    assert_int_equal(ret.first_failed, 3);
}

/* Firmware that lets no timer run while it blocks: whoever came is gone again, and not waited for.
 */
static void work_that_was_never_let_in_is_done_alone_afterwards(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    firmware->refuse_event = firmware->no_timer = firmware->stuck = true;
    firmware->enabled = 1; /* so that no thread is left inside; one came and was reset */
    run->team->tickets = 1;
    assert_int_equal(do_run(run, &ret), MP_LOST);
    assert_int_equal(run->arrived, 0);
    assert_int_equal(run->level, TPL_APPLICATION);
}

/* The timer may be faster than the start: it looks again, and not for ever. */
static void a_timer_that_is_early_looks_again(void **state)
{
    struct run *run = *state;
    struct mp_run ret;
    firmware->refuse_event = true;
    firmware->enabled = 1; /* nobody will ever come */
    assert_int_equal(do_run(run, &ret), MP_NOT_STARTED);
    assert_int_equal(firmware->timers_set, WORK_LOOKS_MAX);
    assert_int_equal(run->level, TPL_CALLBACK);
}

/* A11: after they were started behind its back, firmware shows that it can wake them. */
static void firmware_is_asked_whether_it_can_wake_its_cpus(void **state)
{
    (void)state;
    struct mp_services mp;
    struct mp_run ret = {0};
    assert_true(mp_services_open(&mp, &mock->efi));
    assert_true(mp_services_answer(&mp, &ret));
    assert_int_equal(firmware->starts, 1);
    join_threads();

    firmware->start_status = EFI_NOT_STARTED; /* none enabled (A2) */
    assert_true(mp_services_answer(&mp, &ret));
    firmware->start_status = EFI_SUCCESS;
    firmware->stuck = true;
    firmware->failed[0] = 2;
    firmware->failed_count = 1;
    firmware->terminator = 0xFFFFFFFFu;
    assert_false(mp_services_answer(&mp, &ret));
    assert_int_equal(ret.status, EFI_TIMEOUT);
    assert_int_equal(ret.failed, 1);
    assert_int_equal(ret.first_failed, 2);
    assert_int_equal(firmware->events_created, 0); /* blocking: it has an end of its own */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_cpus_come_and_go_back_in_one_start),
        TEST(where_waiting_calls_are_refused_the_blocking_form_serves),
        TEST(without_an_event_the_blocking_form_serves),
        TEST(what_is_not_started_is_worked_without),
        TEST(a_blocking_start_that_fails_is_worked_without),
        TEST(a_firmware_that_never_says_so_has_lost_them),
        TEST(the_list_of_failed_cpus_is_read_to_its_end_and_not_beyond),
        TEST(a_blocking_call_that_timed_out_has_lost_cpus),
        TEST(work_that_was_never_let_in_is_done_alone_afterwards),
        TEST(a_timer_that_is_early_looks_again),
        TEST(firmware_is_asked_whether_it_can_wake_its_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
