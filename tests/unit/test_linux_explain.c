/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of a working set of any size, from a level's cost at one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* explain_level() alone: the subcommand is tested as people call it, in tests/linux/. */
#include "../../linux/explain_level.c"

static const struct record_class one_mib = {.working_set = 1 << 20,
                                            .cost_ns = 100000,
                                            .spread_ns = 2000,
                                            .linear_ns = 30000,
                                            .chase_ns = 1000000};

static void costs_go_in_proportion_up_to_the_working_set(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        int32_t cost, linear, chase;
        uint32_t spread;
        bool beyond;
    } cases[] = {
        {1, 0, 0, 0, 0, false},
        {64, 6, 1, 61, 0, false},
        {1 << 18, 25000, 7500, 250000, 500, false},
        {1 << 19, 50000, 15000, 500000, 1000, false},
        {1 << 20, 100000, 30000, 1000000, 2000, false},
        {(1 << 20) + 1, 100000, 30000, 1000000, 2000, true},
        {UINT64_MAX, 100000, 30000, 1000000, 2000, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct explained is;
        explain_level(&one_mib, cases[i].bytes, &is);
        assert_true(is.known);
        assert_true(is.range_known);
        assert_false(is.zero);
        assert_int_equal(is.cost_ns, cases[i].cost);
        assert_int_equal(is.linear_ns, cases[i].linear);
        assert_int_equal(is.chase_ns, cases[i].chase);
        assert_int_equal(is.spread_ns, cases[i].spread);
        assert_int_equal(is.beyond, cases[i].beyond);
    }
}

static void what_the_record_does_not_say_is_not_made_up(void **state)
{
    (void)state;
    struct explained is;
    struct record_class class = one_mib;

    class.chase_ns = 0;
    explain_level(&class, 4096, &is);
    assert_true(is.known);
    assert_false(is.range_known);
    class.working_set = 0;
    explain_level(&class, 4096, &is);
    assert_false(is.known);
    assert_false(is.range_known);
    class = one_mib;
    class.flags = CLASS_ZERO;
    explain_level(&class, 4096, &is);
    assert_true(is.zero);
}

/* A record is foreign: any figure of 32 bits may stand in it. */
static void extreme_figures_do_not_overflow(void **state)
{
    (void)state;
    const struct record_class class = {.working_set = UINT32_MAX,
                                       .cost_ns = INT32_MIN + 1,
                                       .spread_ns = UINT32_MAX,
                                       .linear_ns = INT32_MIN + 1,
                                       .chase_ns = INT32_MAX};
    struct explained is;
    explain_level(&class, UINT32_MAX - 1ull, &is);
    assert_int_equal(is.cost_ns, INT32_MIN + 2);
    assert_int_equal(is.chase_ns, INT32_MAX - 1);
    assert_int_equal(is.spread_ns, UINT32_MAX - 1);
    explain_level(&class, UINT64_MAX, &is);
    assert_int_equal(is.cost_ns, INT32_MIN + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_go_in_proportion_up_to_the_working_set),
        cmocka_unit_test(what_the_record_does_not_say_is_not_made_up),
        cmocka_unit_test(extreme_figures_do_not_overflow),
    };
    return cmocka_run_group_tests_name("linux_explain", tests, NULL, NULL);
}
