/* SPDX-License-Identifier: BSD-2-Clause */
/* Callbacks are of the CPU that runs them, also where QEMU names another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../machine/plugin/who.h"

/* Three CPUs: indexes 0, 2, 5 of QEMU, APIC ids 0, 4, 9. */
static const struct layout three = {
    .sockets = 3,
    .dies = 1,
    .cores = 1,
    .threads = 2,
    .cpu_count = 3,
    .cpu = {{.index = 0, .apic_id = 0}, {.index = 2, .apic_id = 4}, {.index = 5, .apic_id = 9}},
};
#define NONE      3u
#define ANY_INDEX 0u

static void indexes_of_qemu_are_believed_where_they_are_right(void **state)
{
    (void)state;
    static struct who who;
    who_init(&who, &three, false);
    assert_int_equal(who_begins(&who, 5, 0), 2);
    assert_int_equal(who_begins(&who, 2, 0), 1);
    assert_int_equal(who_visits(&who, 5, 0), 2);
    assert_int_equal(who_visits(&who, 0, 0), 0);
    assert_false(who_asks(&who));
    assert_int_equal(who_ends(&who, 2, 0), 1);
    assert_int_equal(who_visits(&who, 1, 0), NONE);
    assert_int_equal(who_visits(&who, LAYOUT_SLOTS, 0), NONE);
    assert_int_equal(who_visits(&who, UINT32_MAX, 0), NONE);
}

static void else_the_apic_tells_and_accesses_follow_the_pass(void **state)
{
    (void)state;
    static struct who who;
    who_init(&who, &three, true);
    assert_int_equal(who_visits(&who, ANY_INDEX, 0), NONE);
    assert_int_equal(who_begins(&who, ANY_INDEX, 9), 2);
    assert_false(who_asks(&who));
    assert_int_equal(who_visits(&who, ANY_INDEX, 0), 2);
    assert_int_equal(who_ends(&who, ANY_INDEX, 9), 2);
    assert_int_equal(who_visits(&who, ANY_INDEX, 0), NONE);
}

/* QEMU goes from CPU to CPU whenever an interrupt comes. */
static void passes_within_each_other_are_kept_apart(void **state)
{
    (void)state;
    static struct who who;
    who_init(&who, &three, true);
    who_begins(&who, ANY_INDEX, 9);
    who_begins(&who, ANY_INDEX, 4);
    assert_true(who_asks(&who));
    assert_int_equal(who_visits(&who, ANY_INDEX, 4), 1);
    assert_int_equal(who_visits(&who, ANY_INDEX, 9), 2);
    assert_int_equal(who_visits(&who, ANY_INDEX, 4), 1);
    assert_int_equal(who_ends(&who, ANY_INDEX, 9), 2);
    assert_false(who_asks(&who));
    assert_int_equal(who_visits(&who, ANY_INDEX, 0), 1);
}

static void a_cpu_that_begins_again_has_one_pass(void **state)
{
    (void)state;
    static struct who who;
    who_init(&who, &three, true);
    for (unsigned i = 0; i < 3 * LAYOUT_SLOTS; i++)
        assert_int_equal(who_begins(&who, ANY_INDEX, i % 2 ? 4 : 0), i % 2);
    assert_int_equal(who.open_count, 2);
    assert_int_equal(who_ends(&who, ANY_INDEX, 0), 0);
    assert_int_equal(who_visits(&who, ANY_INDEX, 0), 1);
}

static void an_id_that_no_cpu_has_opens_no_pass(void **state)
{
    (void)state;
    static struct who who;
    who_init(&who, &three, true);
    assert_int_equal(who_begins(&who, ANY_INDEX, 5), NONE);
    assert_int_equal(who_begins(&who, ANY_INDEX, UINT32_MAX), NONE);
    assert_int_equal(who_visits(&who, ANY_INDEX, 0), NONE);
    assert_int_equal(who_ends(&who, ANY_INDEX, 5), NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_of_qemu_are_believed_where_they_are_right),
        cmocka_unit_test(else_the_apic_tells_and_accesses_follow_the_pass),
        cmocka_unit_test(passes_within_each_other_are_kept_apart),
        cmocka_unit_test(a_cpu_that_begins_again_has_one_pass),
        cmocka_unit_test(an_id_that_no_cpu_has_opens_no_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
