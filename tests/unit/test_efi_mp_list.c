/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs there are, as a firmware tells that may know little or contradict itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_mp.h"

#include "../../efi/efi.c"
#include "../../efi/mp_services.c"

static int set_up(void **state)
{
    (void)state;
    firmware_open();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    firmware_close();
    return 0;
}

/* A1. */
static void no_protocol_is_a_normal_answer(void **state)
{
    struct mp_services mp;
    (void)state;
    firmware->absent = true;
    assert_false(mp_services_open(&mp, &mock->efi));
    assert_null(mp.protocol);
    assert_int_equal(mp.status, EFI_NOT_FOUND);
}

static void a_protocol_that_cannot_count_is_none(void **state)
{
    struct mp_services mp;
    (void)state;
    firmware->count_status = EFI_UNSUPPORTED;
    assert_false(mp_services_open(&mp, &mock->efi));
    firmware->count_status = EFI_SUCCESS;
    firmware->total = 0;
    assert_false(mp_services_open(&mp, &mock->efi));
    assert_null(mp.protocol);
}

static unsigned list(struct cpu_info *cpus, unsigned room, unsigned *left_out)
{
    struct mp_services mp;
    assert_true(mp_services_open(&mp, &mock->efi));
    return mp_services_list(&mp, cpus, room, left_out);
}

/* A9: calls grow with the number of CPUs, not with its square. */
static void each_cpu_is_asked_for_once(void **state)
{
    struct cpu_info cpus[CPUS_MAX];
    unsigned left_out;
    (void)state;
    assert_int_equal(list(cpus, CPUS_MAX, &left_out), 4);
    assert_int_equal(left_out, 0);
    assert_int_equal(firmware->infos, 4);
    assert_int_equal(firmware->counts + firmware->whos, 2);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(cpus[i].apic_id, 10 + i);
        assert_int_equal(cpus[i].flags, i == 0 ? CPU_BOOT : 0);
        assert_int_equal(cpus[i].node, NODE_UNKNOWN);
        assert_int_equal(cpus[i].share[LEVEL_CORE], SHARE_UNKNOWN);
        assert_int_equal(cpus[i].share[LEVEL_SYSTEM], 0);
    }
}

/* A8: left alone, and listed. */
static void disabled_and_unhealthy_cpus_are_listed_as_such(void **state)
{
    struct cpu_info cpus[CPUS_MAX];
    unsigned left_out;
    (void)state;
    firmware->status[1] = MP_STATUS_HEALTHY;
    firmware->status[2] = MP_STATUS_ENABLED;
    assert_int_equal(list(cpus, CPUS_MAX, &left_out), 4);
    const uint32_t flags[] = {CPU_BOOT, CPU_DISABLED, CPU_DISABLED, 0};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(cpus[i].flags, flags[i]);
}

static void the_boot_cpu_is_the_one_that_we_run_on(void **state)
{
    struct cpu_info cpus[CPUS_MAX];
    unsigned left_out;
    (void)state;
    firmware->own = 2; /* while the flag says 0 */
    assert_int_equal(list(cpus, CPUS_MAX, &left_out), 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(cpus[i].flags, i == 2 ? CPU_BOOT : 0);

    firmware->who_status = EFI_UNSUPPORTED; /* then the flag counts */
    assert_int_equal(list(cpus, CPUS_MAX, &left_out), 4);
    assert_int_equal(cpus[0].flags, CPU_BOOT);
    assert_int_equal(cpus[2].flags, 0);
}

static void a_cpu_that_cannot_be_described_is_left_out(void **state)
{
    struct cpu_info cpus[CPUS_MAX];
    unsigned left_out;
    (void)state;
    firmware->bad_info = 2;
    assert_int_equal(list(cpus, CPUS_MAX, &left_out), 3);
    assert_int_equal(left_out, 1);
    assert_int_equal(cpus[2].apic_id, 13);
}

static void the_boot_cpu_has_a_place_even_where_there_are_too_few(void **state)
{
    struct cpu_info cpus[2];
    unsigned left_out;
    (void)state;
    firmware->own = 3;
    assert_int_equal(list(cpus, 2, &left_out), 2);
    assert_int_equal(left_out, 2);
    assert_int_equal(cpus[0].apic_id, 10);
    assert_int_equal(cpus[1].apic_id, 13);
    assert_int_equal(cpus[1].flags, CPU_BOOT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_protocol_is_a_normal_answer),
        TEST(a_protocol_that_cannot_count_is_none),
        TEST(each_cpu_is_asked_for_once),
        TEST(disabled_and_unhealthy_cpus_are_listed_as_such),
        TEST(the_boot_cpu_is_the_one_that_we_run_on),
        TEST(a_cpu_that_cannot_be_described_is_left_out),
        TEST(the_boot_cpu_has_a_place_even_where_there_are_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
