/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks to nanoseconds at the edges of 64 bits, and which CPUs take part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/machine.h"

static uint64_t ns_at(uint64_t khz, uint64_t ticks)
{
    struct machine machine = {.clock = {.khz = khz}};
    return machine_ns(&machine, ticks);
}

static void ticks_become_nanoseconds(void **state)
{
    (void)state;
    static const struct {
        uint64_t khz, ticks, ns;
    } rows[] = {
        {1000000, 0, 0},
        {1000000, 1, 1},
        {1000000, UINT64_MAX, UINT64_MAX},
        {2500000, 5, 2},
        {2596000, 2596000, 1000000},
        {2596000, 2595999, 999999},
        {10000000, 1ull << 63, 922337203685477580ull},
        {3, 1, 333333},
        {1, 1, 1000000},
        {1, UINT64_MAX / 1000000, UINT64_MAX / 1000000 * 1000000},
        {100000, 123456789, 1234567890},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ns_at(rows[i].khz, rows[i].ticks), rows[i].ns);
}

static void nanoseconds_saturate_instead_of_wrapping(void **state)
{
    (void)state;
    assert_int_equal(ns_at(1, UINT64_MAX / 1000000 + 1), UINT64_MAX);
    assert_int_equal(ns_at(999999, UINT64_MAX), UINT64_MAX);
    assert_int_equal(ns_at(1000, 1ull << 63), UINT64_MAX);
    /* A rate of 0 is against the contract; it must not divide by zero. */
    assert_int_equal(ns_at(0, 1), UINT64_MAX);
    assert_int_equal(ns_at(0, 0), 0);
}

static void absurd_rates_do_not_overflow(void **state)
{
    (void)state;
    assert_int_equal(ns_at(UINT64_MAX, UINT64_MAX), 1000000);
    assert_in_range(ns_at(UINT64_MAX, UINT64_MAX / 2), 499999, 500000);
    assert_in_range(ns_at(1ull << 63, 1ull << 62), 499999, 500000);
}

static void more_ticks_are_never_fewer_nanoseconds(void **state)
{
    (void)state;
    static const uint64_t khz[] = {1, 7, 1000, 99999, 2596123, 9999999, 10000000};
    for (size_t k = 0; k < sizeof(khz) / sizeof(khz[0]); k++) {
        uint64_t last = 0;
        for (uint64_t ticks = 1; ticks < 1ull << 63; ticks += ticks / 3 + 1) {
            uint64_t ns = ns_at(khz[k], ticks);
            assert_true(ns >= last);
            last = ns;
        }
    }
}

static void lost_disabled_and_unchosen_cpus_take_no_part(void **state)
{
    (void)state;
    static const struct cpu_info cpus[] = {
        {.flags = 0},
        {.flags = CPU_BOOT},
        {.flags = CPU_LOST},
        {.flags = CPU_DISABLED},
        {.flags = CPU_NOT_CHOSEN},
        {.flags = CPU_CACHE_STATE},
        {.flags = CPU_BOOT | CPU_NOT_CHOSEN},
    };
    static const bool usable[] = {true, true, false, false, false, true, false};
    struct machine machine = {.cpus = cpus, .cpu_count = 7};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(machine_cpu_usable(&machine, i), usable[i]);
    assert_false(machine_cpu_usable(&machine, 7));
    assert_false(machine_cpu_usable(&machine, UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_become_nanoseconds),
        cmocka_unit_test(nanoseconds_saturate_instead_of_wrapping),
        cmocka_unit_test(absurd_rates_do_not_overflow),
        cmocka_unit_test(more_ticks_are_never_fewer_nanoseconds),
        cmocka_unit_test(lost_disabled_and_unchosen_cpus_take_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
