/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches over lanes, with threads in the place of other CPUs: healthy, lost and late ones. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../arch/x86/clock.h"
#include "../../smp/dispatch.h"
#include "../../smp/roster.h"

#define OTHERS      4u
#define CPUS        (OTHERS + 1) /* 0 is the dispatching one */
#define REGIONS     3u
#define REGION_SIZE 65536u
#define LINE        64u
#define FOREVER     (UINT64_MAX / 4) /* ticks */

enum behaviour {
    HEALTHY,
    LOST, /* checks in, never answers, leaves when `let_go` is set */
    LATE, /* answers its first order only when `let_go` is set */
};

struct stage;
struct fake {
    struct stage *stage;
    enum behaviour behaviour;
    pthread_t thread;
};

struct stage {
    struct mp_team *team;
    struct cpu_info cpus[CPUS];
    uint32_t ticket_of[CPUS];
    struct mp_region regions[REGIONS];
    struct mp_lane lanes[CPUS];
    struct mp_dispatcher dispatcher;
    struct fake fakes[OTHERS];
    unsigned started;
    uint32_t let_go;
    unsigned own_touches;
};

static void wait_for_release(struct stage *stage)
{
    while (!__atomic_load_n(&stage->let_go, __ATOMIC_ACQUIRE))
        cpu_relax();
}

static void *fake_cpu(void *argument)
{
    struct fake *fake = argument;
    struct mp_team *team = fake->stage->team;

    if (fake->behaviour == HEALTHY) {
        mp_worker(team);
        return NULL;
    }
    uint32_t ticket = mp_check_in(team);
    struct mp_mailbox *box = &team->mailbox[ticket];
    uint32_t seen = mp_wait_post(box, 0, false);
    wait_for_release(fake->stage);
    while (fake->behaviour == LATE && box->order == MP_TOUCH) {
        mp_touch(&box->task, &box->answer);
        mp_report(team, box, seen);
        seen = mp_wait_post(box, seen, false);
    }
    mp_leave(box);
    return NULL;
}

/* As a back end's hook, but for the interrupts. */
static void own_touch(void *ctx, const struct mp_task *task, struct mp_answer *ret)
{
    struct stage *stage = ctx;
    stage->own_touches++;
    mp_touch(task, ret);
}

static int set_up(void **state)
{
    struct stage *stage = calloc(1, sizeof(*stage));
    size_t bytes = sizeof(struct mp_team) + mp_team_bytes(OTHERS);
    struct cpuid_features features = {0};

    stage->team = aligned_alloc(CPU_LINE, (bytes + CPU_LINE - 1) / CPU_LINE * CPU_LINE);
    memset(stage->team, 0, bytes);
    mp_team_init(stage->team, stage->team + 1, OTHERS, &features, false);
    for (unsigned i = 0; i < REGIONS; i++) {
        stage->regions[i].bytes = REGION_SIZE;
        stage->regions[i].base = aligned_alloc(LINE, REGION_SIZE);
        memset(stage->regions[i].base, 0, REGION_SIZE);
    }
    for (unsigned i = 0; i < CPUS; i++) {
        stage->cpus[i] = (struct cpu_info){.apic_id = i, .flags = i == 0 ? CPU_BOOT : 0};
        stage->ticket_of[i] = MP_NO_TICKET;
    }
    stage->dispatcher = (struct mp_dispatcher){
        .team = stage->team,
        .cpus = stage->cpus,
        .cpu_count = CPUS,
        .ticket_of = stage->ticket_of,
        .regions = stage->regions,
        .region_count = REGIONS,
        .lanes = stage->lanes,
        .lane_count = CPUS,
        .line = LINE,
        .grace_ticks = FOREVER,
        .own_touch = own_touch,
        .ctx = stage,
    };
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    __atomic_store_n(&stage->let_go, 1, __ATOMIC_RELEASE);
    (void)mp_dismiss(stage->team, FOREVER, NULL);
    for (unsigned i = 0; i < stage->started; i++)
        pthread_join(stage->fakes[i].thread, NULL);
    for (unsigned i = 0; i < REGIONS; i++)
        free(stage->regions[i].base);
    free(stage->team);
    free(stage);
    return 0;
}

/* Starts one more; its CPU index is its place in the order of starts. */
static void start(struct stage *stage, enum behaviour behaviour)
{
    unsigned number = stage->started++;
    struct fake *fake = &stage->fakes[number];

    fake->stage = stage;
    fake->behaviour = behaviour;
    assert_int_equal(pthread_create(&fake->thread, NULL, fake_cpu, fake), 0);
    assert_int_equal(roster_wait(stage->team, number + 1, FOREVER), number + 1);
    stage->ticket_of[number + 1] = number;
}

static struct touch_job job(unsigned cpu, unsigned lane, unsigned region, uint64_t lines)
{
    return (struct touch_job){.cpu = (uint16_t)cpu,
                              .lane = (uint16_t)lane,
                              .region = (uint16_t)region,
                              .pattern = TOUCH_LINEAR,
                              .access = TOUCH_UPDATE,
                              .bytes = lines * LINE};
}

/* How often the first line of a region was updated. */
static uint64_t updates(const struct stage *stage, unsigned region)
{
    uint64_t count;
    memcpy(&count, stage->regions[region].base + 8, sizeof(count));
    return count;
}

static void expect(const struct touch_result *results, const uint32_t *status, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(results[i].status, status[i]);
}

static void a_chain_over_all_cpus_touches_once_a_job(void **state)
{
    struct stage *stage = *state;
    struct touch_job jobs[20];
    struct touch_result results[20];

    for (unsigned i = 0; i < OTHERS; i++)
        start(stage, HEALTHY);
    for (unsigned i = 0; i < 20; i++)
        jobs[i] = job(i % CPUS, 0, 1, 64);
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 20));
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(results[i].status, TOUCH_DONE);
        assert_true(results[i].ticks > 0);
        assert_int_equal(results[i].noise, 0);
    }
    assert_int_equal(updates(stage, 1), 20);
    assert_int_equal(updates(stage, 0), 0);
    assert_int_equal(stage->own_touches, 4);
}

static void lanes_run_beside_each_other(void **state)
{
    struct stage *stage = *state;
    struct touch_job jobs[18];
    struct touch_result results[18];

    for (unsigned i = 0; i < OTHERS; i++)
        start(stage, HEALTHY);
    for (unsigned i = 0; i < 6; i++) { /* mixed up, as the seam allows */
        jobs[3 * i] = job(0, 2, 2, 16);
        jobs[3 * i + 1] = job(1 + i % 2, 0, 0, 512);
        jobs[3 * i + 2] = job(3 + i % 2, 1, 1, 16);
    }
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 18));
    for (unsigned i = 0; i < 18; i++)
        assert_int_equal(results[i].status, TOUCH_DONE);
    for (unsigned i = 0; i < REGIONS; i++)
        assert_int_equal(updates(stage, i), 6);
}

/* A4, A6, A29: lost for the rest of the run; the other lanes do not notice. */
static void a_cpu_that_does_not_answer_is_lost_and_its_lane_ends(void **state)
{
    struct stage *stage = *state;
    struct touch_result results[6];

    start(stage, HEALTHY);
    start(stage, LOST);
    start(stage, HEALTHY);
    const struct touch_job jobs[] = {job(2, 0, 0, 1), job(1, 0, 0, 1), job(3, 1, 1, 16),
                                     job(0, 1, 1, 16), job(3, 1, 1, 16)};
    stage->dispatcher.grace_ticks = 0;
    /* Soon over for one line, ample for 16 even on a busy host. */
    stage->dispatcher.line_ticks = 1u << 30;
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 5));
    expect(results,
           (const uint32_t[]){TOUCH_LOST, TOUCH_SKIPPED, TOUCH_DONE, TOUCH_DONE, TOUCH_DONE}, 5);
    assert_int_equal(stage->cpus[2].flags, CPU_LOST);
    assert_int_equal(stage->cpus[1].flags | stage->cpus[3].flags, 0);

    /* Not asked again: this would wait for ever. */
    stage->dispatcher.line_ticks = FOREVER;
    uint32_t posted = stage->team->mailbox[1].post;
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 2));
    expect(results, (const uint32_t[]){TOUCH_LOST, TOUCH_SKIPPED}, 2);
    assert_int_equal(stage->team->mailbox[1].post, posted);
}

/* A6: no wait without an end. */
/* Firmware resets whoever is still at work some time after the end (A6). */
static void a_touch_that_would_end_too_late_is_not_begun(void **state)
{
    struct stage *stage = *state;
    struct touch_result results[3];

    start(stage, HEALTHY);
    const struct touch_job jobs[] = {job(1, 0, 0, 1), job(1, 0, 0, 1024), job(0, 1, 1, 1024)};
    stage->dispatcher.slowest_line = FOREVER / 4096;
    stage->dispatcher.end = clock_read() + FOREVER / 8;
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 3));
    expect(results, (const uint32_t[]){TOUCH_DONE, TOUCH_SKIPPED, TOUCH_SKIPPED}, 3);
    assert_true(stage->dispatcher.out_of_time);
    assert_int_equal(stage->own_touches, 0); /* the dispatching CPU's own time ends as well */
    assert_int_equal(stage->cpus[1].flags, 0);
}

static void whoever_works_on_beyond_the_end_is_lost_however_large_the_touch(void **state)
{
    struct stage *stage = *state;
    struct touch_result results[1];

    start(stage, LOST);
    const struct touch_job jobs[] = {job(1, 0, 0, 1024)};
    stage->dispatcher.grace_ticks = 1u << 20;
    stage->dispatcher.line_ticks = FOREVER / 4096; /* alone, this would wait for ever */
    stage->dispatcher.end = clock_read() + (1u << 20);
    assert_false(mp_dispatch(&stage->dispatcher, jobs, results, 1));
    expect(results, (const uint32_t[]){TOUCH_LOST}, 1);
}

static void the_slowest_touch_of_many_lines_says_what_to_expect(void **state)
{
    struct stage *stage = *state;
    struct touch_result results[1];

    start(stage, HEALTHY);
    struct touch_job jobs[] = {job(1, 0, 0, 64)};
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 1));
    assert_int_equal(stage->dispatcher.slowest_line, 0);
    jobs[0] = job(1, 0, 0, 1024);
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 1));
    assert_int_equal(stage->dispatcher.slowest_line, results[0].ticks / 1024);
    stage->dispatcher.slowest_line = FOREVER;
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 1));
    assert_int_equal(stage->dispatcher.slowest_line, FOREVER);
}

static void when_all_others_are_lost_the_run_ends(void **state)
{
    struct stage *stage = *state;
    struct touch_result results[2];

    start(stage, LOST);
    start(stage, LOST);
    stage->dispatcher.grace_ticks = 1000;
    const struct touch_job jobs[] = {job(1, 0, 0, 1), job(2, 1, 1, 1)};
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 1));
    assert_false(mp_dispatch(&stage->dispatcher, jobs, results, 2));
    expect(results, (const uint32_t[]){TOUCH_LOST, TOUCH_LOST}, 2);
}

static void a_late_cpu_stays_lost_and_still_leaves(void **state)
{
    struct stage *stage = *state;
    struct touch_result result;
    const struct touch_job late = job(1, 0, 0, 1);

    start(stage, LATE);
    start(stage, HEALTHY);
    stage->dispatcher.grace_ticks = 1000;
    assert_true(mp_dispatch(&stage->dispatcher, &late, &result, 1));
    assert_int_equal(result.status, TOUCH_LOST);
    __atomic_store_n(&stage->let_go, 1, __ATOMIC_RELEASE);
    stage->dispatcher.grace_ticks = FOREVER;
    assert_true(mp_dispatch(&stage->dispatcher, &late, &result, 1));
    assert_int_equal(result.status, TOUCH_LOST);
    assert_int_equal(mp_dismiss(stage->team, FOREVER, NULL), 0);
}

/* A11. */
static void who_does_not_leave_is_named_and_not_waited_for_longer(void **state)
{
    struct stage *stage = *state;
    struct touch_result result;
    const struct touch_job lost = job(2, 0, 0, 1);
    uint32_t apic_id = 0;

    start(stage, HEALTHY);
    start(stage, LOST);
    stage->dispatcher.grace_ticks = 1000;
    (void)mp_dispatch(&stage->dispatcher, &lost, &result, 1);
    struct cpuid_dump *dump = &stage->team->facts[1].cpuid;
    *dump = (struct cpuid_dump){.count = 1, .leaf = {{.leaf = 1, .ebx = 42u << 24}}};
    while (!stage->team->mailbox[0].left) /* the healthy one may be slow */
        (void)mp_dismiss(stage->team, 1000, NULL);
    assert_int_equal(mp_dismiss(stage->team, 1000, &apic_id), 1);
    assert_int_equal(apic_id, 42);
}

/* A CPU may come when all is over: it finds its order to leave. */
static void who_comes_after_the_end_leaves_at_once(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(mp_dismiss(stage->team, FOREVER, NULL), 0);
    mp_worker(stage->team);
    assert_int_equal(stage->team->mailbox[0].left, 1);
}

static void who_finds_no_room_leaves_at_once(void **state)
{
    struct stage *stage = *state;
    stage->team->capacity = 0;
    mp_worker(stage->team);
    assert_int_equal(stage->team->tickets, 1);
    assert_int_equal(mp_check_in(stage->team), MP_NO_TICKET);
}

static void a_single_cpu_works_alone(void **state)
{
    struct stage *stage = *state;
    struct touch_result results[3];
    const struct touch_job jobs[] = {job(0, 0, 0, 8), job(0, 0, 0, 8), job(1, 1, 1, 8)};

    stage->dispatcher.team = NULL;
    stage->dispatcher.ticket_of = NULL;
    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 3));
    expect(results, (const uint32_t[]){TOUCH_DONE, TOUCH_DONE, TOUCH_LOST}, 3);
    assert_int_equal(updates(stage, 0), 2);
}

static void a_job_that_makes_no_sense_is_skipped_with_its_lane(void **state)
{
    struct stage *stage = *state;
    struct touch_job bad[10];
    struct touch_result results[2];

    for (unsigned i = 0; i < 10; i++)
        bad[i] = job(0, 0, 0, 16);
    bad[0].cpu = CPUS;
    bad[1].region = REGIONS;
    bad[2].pattern = TOUCH_PATTERNS;
    bad[3].access = TOUCH_ACCESSES;
    bad[4].offset = REGION_SIZE - 15 * LINE; /* one line too many */
    bad[5].offset = UINT64_MAX - LINE + 1;
    bad[6].bytes = REGION_SIZE * 2;
    bad[7].bytes = 0;
    bad[8].offset = 8;
    bad[9].bytes = 33 * LINE; /* not what touch_round() gives */
    for (unsigned i = 0; i < 10; i++) {
        const struct touch_job jobs[] = {bad[i], job(0, 0, 0, 16)};
        assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 2));
        expect(results, (const uint32_t[]){TOUCH_SKIPPED, TOUCH_SKIPPED}, 2);
    }
    assert_int_equal(stage->own_touches, 0);

    struct touch_job last = job(0, 0, 0, 16);
    last.offset = REGION_SIZE - 16 * LINE;
    assert_true(mp_dispatch(&stage->dispatcher, &last, results, 1));
    assert_int_equal(results[0].status, TOUCH_DONE);
}

static void a_region_given_back_is_not_touched(void **state)
{
    struct stage *stage = *state;
    const struct touch_job stale = job(0, 0, 1, 16);
    struct touch_result result;

    stage->regions[1].bytes = 0;
    assert_true(mp_dispatch(&stage->dispatcher, &stale, &result, 1));
    assert_int_equal(result.status, TOUCH_SKIPPED);
    assert_int_equal(updates(stage, 1), 0);
}

static void lanes_beyond_the_room_are_not_run(void **state)
{
    struct stage *stage = *state;
    const struct touch_job jobs[] = {job(0, 0, 0, 16), job(0, CPUS, 1, 16), job(0, 65535, 1, 16)};
    struct touch_result results[3];

    assert_true(mp_dispatch(&stage->dispatcher, jobs, results, 3));
    expect(results, (const uint32_t[]){TOUCH_DONE, TOUCH_SKIPPED, TOUCH_SKIPPED}, 3);
}

/* Against the contract of the seam, but no reason to hang. */
static void a_cpu_in_two_lanes_comes_to_an_end(void **state)
{
    struct stage *stage = *state;
    struct touch_result results[4];

    start(stage, HEALTHY);
    const struct touch_job own[] = {job(0, 0, 0, 16), job(0, 1, 1, 16)};
    assert_true(mp_dispatch(&stage->dispatcher, own, results, 2));
    expect(results, (const uint32_t[]){TOUCH_DONE, TOUCH_DONE}, 2);

    const struct touch_job other[] = {job(1, 0, 0, 16), job(1, 1, 1, 16)};
    assert_true(mp_dispatch(&stage->dispatcher, other, results, 2));
    assert_int_equal(results[0].status, TOUCH_DONE);
}

static void an_empty_batch_is_done(void **state)
{
    struct stage *stage = *state;
    struct touch_result result = {.ticks = 7};
    assert_true(mp_dispatch(&stage->dispatcher, NULL, &result, 0));
    assert_int_equal(result.ticks, 7);
}

static void a_disabled_cpu_is_never_asked(void **state)
{
    struct stage *stage = *state;
    const struct touch_job jobs[] = {job(1, 0, 0, 16)};
    struct touch_result result;

    start(stage, HEALTHY);
    stage->cpus[1].flags = CPU_DISABLED;
    (void)mp_dispatch(&stage->dispatcher, jobs, &result, 1);
    assert_int_equal(result.status, TOUCH_LOST);
    assert_int_equal(stage->team->mailbox[0].post, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_chain_over_all_cpus_touches_once_a_job),
        TEST(lanes_run_beside_each_other),
        TEST(a_cpu_that_does_not_answer_is_lost_and_its_lane_ends),
        TEST(a_touch_that_would_end_too_late_is_not_begun),
        TEST(whoever_works_on_beyond_the_end_is_lost_however_large_the_touch),
        TEST(the_slowest_touch_of_many_lines_says_what_to_expect),
        TEST(when_all_others_are_lost_the_run_ends),
        TEST(a_late_cpu_stays_lost_and_still_leaves),
        TEST(who_does_not_leave_is_named_and_not_waited_for_longer),
        TEST(who_comes_after_the_end_leaves_at_once),
        TEST(who_finds_no_room_leaves_at_once),
        TEST(a_single_cpu_works_alone),
        TEST(a_job_that_makes_no_sense_is_skipped_with_its_lane),
        TEST(a_region_given_back_is_not_touched),
        TEST(lanes_beyond_the_room_are_not_run),
        TEST(a_cpu_in_two_lanes_comes_to_an_end),
        TEST(an_empty_batch_is_done),
        TEST(a_disabled_cpu_is_never_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
