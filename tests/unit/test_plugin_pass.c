/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses that QEMU reports one by one cost what the model says of whole passes. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/touch.h"
#include "../machine/order.h"
#include "../machine/plugin/pass.h"

#define FIRST 4096u /* line */
#define LINES 1024u

struct fixture {
    struct guest guest;
    struct model *reference;
    struct passes passes;
    char *text;
    size_t length;
};

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    char reason[300];
    assert_non_null(f);
    assert_true(
        guest_load(&f->guest, "tests/machine/machines/two-groups.machine", reason, sizeof reason));
    f->reference = model_new(f->guest.desc);
    assert_non_null(f->reference);
    FILE *trace = open_memstream(&f->text, &f->length);
    assert_non_null(trace);
    const struct pass_scale no_waiting = {0, 0, 0};
    assert_true(passes_init(&f->passes, &f->guest, no_waiting, trace));
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    fclose(f->passes.trace);
    passes_free(&f->passes);
    model_free(f->reference);
    guest_free(&f->guest);
    free(f->text);
    free(f);
    return 0;
}

static uint64_t address(uint32_t line)
{
    return (uint64_t)line * GUEST_LINE + TOUCH_DATA;
}

static void visit_all(struct fixture *f, unsigned cpu, uint32_t from, uint32_t to, unsigned pattern,
                      unsigned access)
{
    struct order order;
    order_begin(&order, LINES);
    for (uint32_t i = 0; i < LINES; i++) {
        uint32_t line = pattern == TOUCH_LINEAR ? i : order_next(&order);
        if (i < from || i >= to)
            continue;
        pass_visit(&f->passes, cpu, address(FIRST + line));
        if (access == TOUCH_UPDATE) /* the store behind the load */
            pass_visit(&f->passes, cpu, address(FIRST + line));
    }
}

static uint64_t expected(struct fixture *f, unsigned cpu, unsigned pattern, unsigned access)
{
    const struct model_job job = {cpu, FIRST, LINES, pattern, access};
    model_run(f->reference, &job);
    return f->reference->pass.ps;
}

static void a_pass_costs_what_the_model_says(void **state)
{
    struct fixture *f = *state;
    static const unsigned cpus[] = {0, 0, 1, 1, 4, 4, 0, 3};
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++) {
        for (unsigned access = 0; access < TOUCH_ACCESSES; access++) {
            for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
                pass_begin(&f->passes, cpus[i], pattern, access);
                visit_all(f, cpus[i], 0, LINES, pattern, access);
                pass_end(&f->passes, cpus[i]);
                assert_int_equal(f->passes.told.machine_ps, expected(f, cpus[i], pattern, access));
                assert_int_equal(f->passes.told.lines, LINES);
                assert_int_equal(f->passes.told.first, FIRST);
            }
        }
    }
    assert_int_equal(f->passes.strays + f->passes.outside, 0);
}

/* With one host thread for all CPUs, QEMU may let another go on in the middle of a pass. */
static void a_pass_within_a_pass_changes_neither_cost(void **state)
{
    struct fixture *f = *state;
    const uint32_t other = FIRST + 8 * LINES;
    pass_begin(&f->passes, 2, TOUCH_SCATTER, TOUCH_UPDATE);
    visit_all(f, 2, 0, LINES / 2, TOUCH_SCATTER, TOUCH_UPDATE);
    pass_begin(&f->passes, 5, TOUCH_LINEAR, TOUCH_READ);
    for (uint32_t i = 0; i < 16; i++)
        pass_visit(&f->passes, 5, address(other + i));
    pass_end(&f->passes, 5);
    uint64_t inner = f->passes.told.machine_ps;
    visit_all(f, 2, LINES / 2, LINES, TOUCH_SCATTER, TOUCH_UPDATE);
    pass_end(&f->passes, 2);
    assert_int_equal(f->passes.told.machine_ps, expected(f, 2, TOUCH_SCATTER, TOUCH_UPDATE));
    const struct model_job job = {5, other, 16, TOUCH_LINEAR, TOUCH_READ};
    model_run(f->reference, &job);
    assert_int_equal(inner, f->reference->pass.ps);
}

static void every_pass_is_told_once_and_in_order(void **state)
{
    struct fixture *f = *state;
    for (unsigned cpu = 0; cpu < 3; cpu++) {
        pass_begin(&f->passes, cpu, TOUCH_SCATTER, TOUCH_UPDATE);
        visit_all(f, cpu, 0, LINES, TOUCH_SCATTER, TOUCH_UPDATE);
        pass_end(&f->passes, cpu);
    }
    passes_finish(&f->passes);
    fflush(f->passes.trace);
    unsigned next = 0, ends = 0;
    for (char *rest = f->text, *line; (line = strtok_r(NULL, "\n", &rest));) {
        unsigned cpu, first, lines;
        if (sscanf(line, "pass %u %u %u", &cpu, &first, &lines) == 3) {
            assert_int_equal(cpu, next++);
            assert_int_equal(lines, LINES);
        }
        ends += strncmp(line, "end ", 4) == 0;
    }
    assert_int_equal(next, 3);
    assert_int_equal(ends, 1);
}

static void what_is_no_pass_is_counted_and_dropped(void **state)
{
    struct fixture *f = *state;
    pass_visit(&f->passes, 1, address(FIRST));
    pass_end(&f->passes, 1);
    assert_int_equal(f->passes.strays, 2);
    assert_false(f->passes.has_told);
    pass_begin(&f->passes, 1, TOUCH_SCATTER, TOUCH_UPDATE);
    pass_visit(&f->passes, 1, f->guest.desc->memory_bytes);
    pass_visit(&f->passes, 1, UINT64_MAX);
    assert_int_equal(f->passes.outside, 2);
    pass_visit(&f->passes, 1, address(FIRST));
    pass_visit(&f->passes, 1, address(FIRST + 2)); /* a line left out */
    pass_end(&f->passes, 1);
    assert_int_equal(f->passes.told.lines, 0);
}

static void guest_time_is_slower_and_padded_by_the_cores_speed(void **state)
{
    struct fixture *f = *state;
    const struct pass_scale scale = {20, 3000, 5000};
    assert_int_equal(pass_due_ps(f->guest.desc, scale, 0, 100, 7000), 20 * 7000 + 100 * 3000);
    assert_int_equal(pass_due_ps(f->guest.desc, scale, 0, PASS_FAR_LINES, 0),
                     PASS_FAR_LINES * 3000ull);
    assert_int_equal(pass_due_ps(f->guest.desc, scale, 0, PASS_FAR_LINES + 1, 0),
                     (PASS_FAR_LINES + 1) * 5000ull);
    f->guest.desc->cpu[1].speed_permille = 500;
    assert_int_equal(pass_due_ps(f->guest.desc, scale, 1, 100, 7000), 20 * 7000 + 100 * 6000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pass_costs_what_the_model_says, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(a_pass_within_a_pass_changes_neither_cost, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(every_pass_is_told_once_and_in_order, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(what_is_no_pass_is_counted_and_dropped, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(guest_time_is_slower_and_padded_by_the_cores_speed,
                                        open_fixture, close_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
