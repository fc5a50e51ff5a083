/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in QEMU passes only if figures and groups are right, the plugin saw all, and the host kept
 * the time. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../lib/touch.h"
#include "../machine/plugin/accounting.h"
#include "../machine/plugin/measured.h"
#include "../machine/plugin/verdict.h"

#define FILE_NAME "tests/machine/machines/two-pairs.machine"
#define SET       (256u << 10)
#define SET_LINES (SET / GUEST_LINE)
#define SLOWDOWN  3u
#define ROUNDS    3u

struct fixture {
    struct guest guest;
    struct model *model;
    struct memo memo;
    struct truth truth;
    char trace[40], report[40];
};

/* What a run tells, and how it differs from a good one. */
struct story {
    unsigned cost_permille[2]; /* of both classes in the report; 1000 true */
    unsigned shown_permille;   /* of moves in the trace */
    bool swapped;              /* pairs are in each other's class */
    bool one_class;            /* all pairs in the first */
    unsigned disturbed, late;  /* percent of passes */
    unsigned strays, outside;  /* accesses */
    bool broken, cut, empty;   /* a pass in pieces; no end; no pass at all */
    unsigned cpus;             /* in the report */
    uint32_t first_apic;       /* APIC id of the first */
    bool clock_doubted;
};

static const struct story good = {{1000, 1000}, 1000,  false, false, 0, 0,    0, 0,
                                  false,        false, false, 4,     0, false};

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    char reason[300];
    assert_non_null(f);
    assert_true(guest_load(&f->guest, FILE_NAME, reason, sizeof reason));
    f->model = model_new(f->guest.desc);
    assert_non_null(f->model);
    assert_true(memo_init(&f->memo, f->model));
    assert_true(truth_init(&f->truth, &f->memo));
    strcpy(f->trace, "/tmp/plugin-trace-XXXXXX");
    strcpy(f->report, "/tmp/plugin-report-XXXXXX");
    int trace = mkstemp(f->trace), report = mkstemp(f->report);
    assert_true(trace >= 0 && report >= 0);
    close(trace);
    close(report);
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    unlink(f->trace);
    unlink(f->report);
    truth_free(&f->truth);
    memo_free(&f->memo);
    model_free(f->model);
    guest_free(&f->guest);
    free(f);
    return 0;
}

static struct truth_legs legs(struct fixture *f, unsigned s, unsigned d)
{
    const struct truth_work work = {SET, TOUCH_SCATTER, TOUCH_UPDATE, 0};
    struct truth_legs ret;
    assert_true(truth_legs(&f->truth, s, d, work, &ret));
    return ret;
}

static void tell_pass(FILE *file, const struct story *story, unsigned number, unsigned cpu,
                      uint64_t ps)
{
    uint64_t due = ps * SLOWDOWN, work = due / 2, took = due;
    if (number % 100 < story->disturbed)
        took = due * 2;
    if (number % 100 < story->late)
        took = work = due * 2;
    fprintf(file, "pass %u %u %u %d %d %llu %llu %llu %llu\n", cpu, 1000u,
            story->broken && number == 5 ? 0 : SET_LINES, TOUCH_SCATTER, TOUCH_UPDATE,
            (unsigned long long)ps, (unsigned long long)due, (unsigned long long)work,
            (unsigned long long)took);
}

static void write_trace(struct fixture *f, const struct story *story)
{
    FILE *file = fopen(f->trace, "w");
    unsigned number = 0;
    assert_non_null(file);
    fprintf(file, "scale %u 0 0\n", SLOWDOWN);
    for (unsigned s = 0; s < 4 && !story->empty; s++) {
        for (unsigned d = 0; d < 4; d++) {
            if (d == s)
                continue;
            struct truth_legs of = legs(f, s, d);
            uint64_t move = of.move_ps * story->shown_permille / 1000;
            uint64_t back = of.move_back_ps * story->shown_permille / 1000;
            for (unsigned round = 0; round < ROUNDS; round++) {
                tell_pass(file, story, number++, s, back);
                tell_pass(file, story, number++, s, of.stay_back_ps);
                tell_pass(file, story, number++, d, move);
                tell_pass(file, story, number++, d, of.stay_ps);
            }
        }
    }
    if (!story->cut)
        fprintf(file, "end 2000000 1 %u %u\nloops 9\n", story->strays, story->outside);
    fclose(file);
}

static bool same_pair(unsigned a, unsigned b)
{
    return a / 2 == b / 2;
}

static long long guest_cost(struct fixture *f, const struct story *story, unsigned s, unsigned d)
{
    struct truth_legs of = legs(f, s, d);
    int64_t ps = (int64_t)(of.move_ps - of.stay_ps) * SLOWDOWN / 1000;
    return ps * story->cost_permille[same_pair(s, d) ? 0 : 1] / 1000;
}

static void write_report(struct fixture *f, const struct story *story)
{
    FILE *file = fopen(f->report, "w");
    assert_non_null(file);
    fprintf(file, "run %d %d %u - %u\n", TOUCH_SCATTER, TOUCH_UPDATE, SET, story->clock_doubted);
    for (unsigned i = 0; i < story->cpus; i++)
        fprintf(file, "cpu %u\n", i ? i : story->first_apic);
    fprintf(file, "class %lld 1000 6 %u 2 1 0 0 - - -\n", guest_cost(f, story, 0, 1), SET);
    if (!story->one_class)
        fprintf(file, "class %lld 1000 6 %u 4 0 2 0 - - -\n", guest_cost(f, story, 0, 2), SET);
    for (unsigned s = 0; s < story->cpus; s++) {
        for (unsigned d = 0; d < story->cpus; d++) {
            unsigned class = same_pair(s, d) == story->swapped && !story->one_class;
            if (s == d)
                fprintf(file, "cell %u %u - %llu -\n", s, d,
                        (unsigned long long)legs(f, 0, 1).stay_ps * SLOWDOWN / 1000);
            else
                fprintf(file, "cell %u %u %lld - %u\n", s, d, guest_cost(f, story, s % 4, d % 4),
                        class);
        }
    }
    fclose(file);
}

static int told(void **state, struct story story)
{
    struct fixture *f = *state;
    write_trace(f, &story);
    write_report(f, &story);
    return verdict(&f->guest, &f->truth, f->trace, f->report, 10);
}

static void a_good_run_passes(void **state)
{
    struct story story = good;
    assert_int_equal(told(state, story), VERDICT_GOOD);
    story.cost_permille[0] = 1090;
    story.cost_permille[1] = 920;
    assert_int_equal(told(state, story), VERDICT_GOOD);
}

static void a_cost_beyond_the_tolerance_fails(void **state)
{
    static const unsigned off[] = {850, 1120, 3000};
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned class = 0; class < 2; class ++) {
            struct story story = good;
            story.cost_permille[class] = off[i];
            assert_int_equal(told(state, story), VERDICT_BEYOND);
        }
    }
}

/* The file says one thing, the guest was shown another. */
static void a_plugin_that_shows_another_machine_fails(void **state)
{
    struct story story = good;
    story.shown_permille = 1200;
    assert_int_equal(told(state, story), VERDICT_BEYOND);
}

static void wrong_groups_fail_whatever_they_cost(void **state)
{
    struct story story = good;
    story.one_class = true;
    assert_int_equal(told(state, story), VERDICT_BEYOND);
    story = good;
    story.swapped = true;
    assert_int_equal(told(state, story), VERDICT_BEYOND);
}

static void a_busy_or_slow_host_never_passes(void **state)
{
    struct story story = good;
    story.disturbed = 5;
    assert_int_equal(told(state, story), VERDICT_GOOD);
    story.disturbed = 30;
    assert_int_equal(told(state, story), VERDICT_BUSY);
    story.cost_permille[0] = 3000;
    assert_int_equal(told(state, story), VERDICT_BUSY);
    story = good;
    story.late = 30;
    assert_int_equal(told(state, story), VERDICT_SLOW);
    story = good;
    story.clock_doubted = true;
    assert_int_equal(told(state, story), VERDICT_BUSY);
}

static void a_plugin_that_lost_track_proves_nothing(void **state)
{
    struct story story = good;
    story.strays = 1;
    assert_int_equal(told(state, story), VERDICT_FAULT);
    story = good;
    story.outside = 1;
    assert_int_equal(told(state, story), VERDICT_FAULT);
    story = good;
    story.broken = true;
    assert_int_equal(told(state, story), VERDICT_FAULT);
    story = good;
    story.cut = true;
    assert_int_equal(told(state, story), VERDICT_FAULT);
    story = good;
    story.empty = true;
    assert_int_equal(told(state, story), VERDICT_FAULT);
}

static void another_set_of_cpus_proves_nothing(void **state)
{
    struct story story = good;
    story.first_apic = 9;
    assert_int_equal(told(state, story), VERDICT_FAULT);
    story = good;
    story.cpus = 3;
    assert_int_equal(told(state, story), VERDICT_FAULT);
    story.cpus = 5;
    assert_int_equal(told(state, story), VERDICT_FAULT);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_report_that_is_none_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "cpu\n",
        "cpu x\n",
        "cpu 0 1\n",
        "stranger 1\n",
        "run 3 2 65536 - 0\n",
        "run 1 2 65536 -\n",
        "cpu 0\ncell 0 1 1 1 0\n",
        "cpu 0\ncell -1 0 1 1 0\n",
        "cpu 0\nclass 1 1 1 1 1 0 99 0\n",
        "cpu 0\n\n",
    };
    struct fixture *f = *state;
    write_trace(f, &good);
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(f->report, texts[i]);
        assert_int_equal(verdict(&f->guest, &f->truth, f->trace, f->report, 10), VERDICT_FAULT);
    }
    assert_int_equal(verdict(&f->guest, &f->truth, f->trace, "/none", 10), VERDICT_FAULT);
}

static void a_trace_that_is_none_is_refused(void **state)
{
    static const char *const texts[] = {"x\n",
                                        "pass 1 2 3\n",
                                        "pass 4 0 1 1 2 1 1 1 1\n",
                                        "pass 0 0 1 300 2 1 1 1 1\n",
                                        "scale 1\n",
                                        "\n"};
    struct fixture *f = *state;
    struct accounting accounting;
    char reason[200];
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(f->trace, texts[i]);
        assert_false(accounting_read(&accounting, f->trace, 4, reason, sizeof reason));
    }
    assert_false(accounting_read(&accounting, "/none", 4, reason, sizeof reason));
}

/* What others did between two touches of one range is in neither a move nor a stay. */
static void only_undisturbed_legs_are_in_the_account(void **state)
{
    struct fixture *f = *state;
    struct accounting accounting;
    char reason[200];
    int64_t cost;
    write_text(f->trace, "pass 0 0 64 1 2 1 1 1 1\n"   /* nobody before */
                         "pass 0 0 64 1 2 10 1 1 1\n"  /* stay of 0 */
                         "pass 1 0 64 1 2 50 1 1 1\n"  /* move to 1 */
                         "pass 1 0 64 1 2 20 1 1 1\n"  /* stay of 1 */
                         "pass 0 0 64 1 2 70 1 1 1\n"  /* move to 0 */
                         "pass 0 640 64 1 2 9 1 1 1\n" /* other lines */
                         "pass 0 0 64 1 2 999 1 1 1\n" /* evicted meanwhile */
                         "pass 0 640 64 1 2 9 1 1 1\n"
                         "pass 1 0 64 1 2 888 1 1 1\n" /* from one whose copy may be gone */
                         "end 1000 0 0 0\n");
    assert_true(accounting_read(&accounting, f->trace, 4, reason, sizeof reason));
    assert_true(accounting_cost(&accounting, 0, 1, 64, TOUCH_SCATTER, TOUCH_UPDATE, &cost));
    assert_int_equal(cost, (50 - 20 + 70 - 10) / 2);
    assert_false(accounting_cost(&accounting, 0, 2, 64, TOUCH_SCATTER, TOUCH_UPDATE, &cost));
    assert_false(accounting_cost(&accounting, 0, 1, 65, TOUCH_SCATTER, TOUCH_UPDATE, &cost));
    assert_false(accounting_cost(&accounting, 0, 1, 64, TOUCH_CHASE, TOUCH_UPDATE, &cost));
    accounting_free(&accounting);
}

static void times_of_the_report_become_the_machines_own(void **state)
{
    struct fixture *f = *state;
    struct measured measured;
    char reason[200];
    const struct pass_scale scale = {10, 5000, 7000};
    write_text(f->report, "run 1 2 131072 - 0\ncpu 3\ncpu 0\n" /* 2,048 lines: 10,240 ns of pad */
                          "class 12344 55 6 131072 1 3 0 1 262144 65536 420480\n"
                          "cell 0 1 12346 1010240 0\ncell 1 0 -12346 10 0\n");
    assert_true(measured_read(&measured, f->report, &f->guest, scale, reason, sizeof reason));
    const struct result *result = &measured.result;
    assert_int_equal(result->classes[0].cost.ns, 1234);
    assert_int_equal(result->classes[0].cost.spread_ns, 6);
    assert_int_equal(result->classes[0].flags, CLASS_ZERO);
    assert_int_equal(result->classes[0].cpu_a, 3);
    assert_int_equal(result->classes[0].evict_bytes, 262144);
    assert_int_equal(result->classes[0].footprint, 65536);
    assert_int_equal(result->classes[0].evict_ns, 40000); /* 4,096 lines of pad less */
    assert_int_equal(result->cost_ns[result_cell(result, 3, 0)], 1235);
    assert_int_equal(result->cost_ns[result_cell(result, 0, 3)], -1235);
    assert_int_equal(result->raw_ns[result_cell(result, 3, 0)], 100000);
    assert_int_equal(result->raw_ns[result_cell(result, 0, 3)], 0);
    assert_int_equal(result->cost_ns[result_cell(result, 1, 2)], COST_UNKNOWN);
    assert_int_equal(measured.strangers, 0);
    measured_free(&measured);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_run_passes),
        cmocka_unit_test(a_cost_beyond_the_tolerance_fails),
        cmocka_unit_test(a_plugin_that_shows_another_machine_fails),
        cmocka_unit_test(wrong_groups_fail_whatever_they_cost),
        cmocka_unit_test(a_busy_or_slow_host_never_passes),
        cmocka_unit_test(a_plugin_that_lost_track_proves_nothing),
        cmocka_unit_test(another_set_of_cpus_proves_nothing),
        cmocka_unit_test(a_report_that_is_none_is_refused),
        cmocka_unit_test(a_trace_that_is_none_is_refused),
        cmocka_unit_test(only_undisturbed_legs_are_in_the_account),
        cmocka_unit_test(times_of_the_report_become_the_machines_own),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
