/* SPDX-License-Identifier: BSD-2-Clause */
/* Ratios of firmware's costs to Linux's, and the counters of /proc/schedstat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The sums alone: the subcommands are tested as people call them, in tests/linux/. */
#include "../../linux/remeasure.c"

#include <string.h>

static struct record_class cost(uint8_t level, uint8_t distance, uint32_t bytes, int32_t ns)
{
    return (struct record_class){
        .level = level, .distance = distance, .working_set = bytes, .cost_ns = ns};
}

static struct ratio ratio_of(struct record_class firmware, struct record_class here)
{
    struct record record;
    struct ratio ratio;
    memset(&record, 0, sizeof record);
    record.class_count = 1;
    record.classes[0] = here;
    remeasure_ratio(&firmware, &record, &ratio);
    return ratio;
}

static void ratios_are_apart_outside_0_8_to_1_25(void **state)
{
    (void)state;
    static const struct {
        int32_t firmware, here;
        uint32_t permille;
        bool apart;
    } cases[] = {
        {1000, 1000, 1000, false}, {800, 1000, 800, false},  {799, 1000, 799, true},
        {1250, 1000, 1250, false}, {1251, 1000, 1251, true}, {INT32_MAX, 1, 1000000, true},
        {1, INT32_MAX, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ratio ratio =
            ratio_of(cost(3, 10, 4096, cases[i].firmware), cost(3, 10, 4096, cases[i].here));
        assert_true(ratio.known);
        assert_int_equal(ratio.permille, cases[i].permille);
        assert_int_equal(ratio.apart, cases[i].apart);
    }
}

static void costs_are_compared_at_one_working_set(void **state)
{
    (void)state;
    struct ratio ratio = ratio_of(cost(3, 10, 8192, 2000), cost(3, 10, 4096, 1000));
    assert_true(ratio.known);
    assert_int_equal(ratio.permille, 1000);
    assert_int_equal(ratio.here_ns, 2000);
    /* Beyond what a figure can be it is cut, not turned round. */
    ratio = ratio_of(cost(3, 10, UINT32_MAX, INT32_MAX), cost(3, 10, 1, INT32_MAX));
    assert_true(ratio.known);
    assert_int_equal(ratio.here_ns, INT32_MAX);
}

static void what_has_no_cost_or_no_like_is_not_compared(void **state)
{
    (void)state;
    struct record_class zero = cost(3, 10, 4096, 100);
    zero.flags = CLASS_ZERO;
    assert_false(ratio_of(zero, cost(3, 10, 4096, 100)).known);
    assert_false(ratio_of(cost(3, 10, 4096, 100), zero).known);
    assert_false(ratio_of(cost(3, 10, 4096, -5), cost(3, 10, 4096, 100)).known);
    assert_false(ratio_of(cost(3, 10, 4096, 100), cost(3, 10, 4096, 0)).known);
    assert_false(ratio_of(cost(3, 10, 4096, 100), cost(7, 10, 4096, 100)).known);
    struct record_class kinds = cost(3, 10, 4096, 100);
    kinds.kind_high = 0x40;
    assert_false(ratio_of(kinds, cost(3, 10, 4096, 100)).known);
    /* An OS may know no distances. */
    assert_true(ratio_of(cost(7, 21, 4096, 100), cost(7, 10, 4096, 100)).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_are_apart_outside_0_8_to_1_25),
        cmocka_unit_test(costs_are_compared_at_one_working_set),
        cmocka_unit_test(what_has_no_cost_or_no_like_is_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
