/* SPDX-License-Identifier: BSD-2-Clause */
/* The back end over the machine model keeps the contract of lib/machine.h and gives the costs that
 * the machine file states. */
#include "model_aid.h"

#define MS 1000000ull /* ns */

static const struct machine *machine_of(struct model_aid *aid)
{
    return &aid->backend.machine;
}

static uint16_t get(struct model_aid *aid, uint32_t node, uint64_t bytes)
{
    uint16_t region;
    uint32_t home;
    const struct machine *machine = machine_of(aid);
    assert_true(machine->ops->region_get(machine->ctx, node, bytes, &region, &home));
    return region;
}

static struct touch_result run_one(struct model_aid *aid, struct touch_job job)
{
    struct touch_result result;
    const struct machine *machine = machine_of(aid);
    assert_true(machine->ops->run(machine->ctx, &job, &result, 1));
    return result;
}

static struct touch_job job_of(unsigned cpu, uint16_t region, uint64_t bytes)
{
    return (struct touch_job){.cpu = (uint16_t)cpu,
                              .region = region,
                              .pattern = TOUCH_SCATTER,
                              .access = TOUCH_UPDATE,
                              .bytes = bytes};
}

static uint64_t touch(struct model_aid *aid, unsigned cpu, uint16_t region, uint64_t bytes,
                      unsigned pattern)
{
    struct touch_job job = job_of(cpu, region, bytes);
    job.pattern = (uint8_t)pattern;
    struct touch_result result = run_one(aid, job);
    assert_int_equal(result.status, TOUCH_DONE);
    return machine_ns(machine_of(aid), result.ticks);
}

/* move - stay, once the chain has settled. */
static int64_t cost(struct model_aid *aid, unsigned s, unsigned d, uint16_t region, uint64_t bytes,
                    unsigned pattern)
{
    uint64_t move = 0, stay = 0;
    for (unsigned round = 0; round < 3; round++) {
        touch(aid, s, region, bytes, pattern);
        touch(aid, s, region, bytes, pattern);
        move = touch(aid, d, region, bytes, pattern);
        stay = touch(aid, d, region, bytes, pattern);
    }
    return (int64_t)move - (int64_t)stay;
}

static void moving_a_full_cache_costs_what_the_file_says(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open_file(&aid, "celeron", NULL, 1);
    uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
    int64_t lines = (128 << 10) / 32;
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++)
        aid_near(cost(&aid, 0, 1, region, 128 << 10, pattern), lines * (283 - 12), 10);
    aid_close(&aid);

    /* The P4 overlaps misses, in linear order more than in scattered, in a chase not at all. */
    aid_open_file(&aid, "p4ht", NULL, 1);
    region = get(&aid, NODE_UNKNOWN, 1 << 20);
    lines = (512 << 10) / 64;
    aid_near(cost(&aid, 1, 0, region, 512 << 10, TOUCH_LINEAR), lines * 155 / 3 - lines * 5, 10);
    aid_near(cost(&aid, 1, 0, region, 512 << 10, TOUCH_SCATTER), lines * 1550 / 16 - lines * 5, 10);
    aid_near(cost(&aid, 1, 0, region, 512 << 10, TOUCH_CHASE), lines * 155 - lines * 5, 10);
    aid_near(cost(&aid, 0, 2, region, 512 << 10, TOUCH_CHASE), 0, 1);
    assert_int_equal(aid.backend.misuses, 0);
    aid_close(&aid);
}

/* Study, part B: staying then misses everything, moving still finds one cacheful. */
static void beyond_the_capacity_the_cost_is_negative_where_memory_is_dear(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open_file(&aid, "itanium2", NULL, 1);
    uint16_t region = get(&aid, NODE_UNKNOWN, 32 << 20);
    int64_t beyond = cost(&aid, 0, 1, region, 15 << 20, TOUCH_SCATTER);
    int64_t lines = (9 << 20) / 128;
    /* A transfer, 84, against memory, 115, both with 1.6 overlapping; and as many lines come into a
     * cache that was emptied, where staying pushes out a dirty line for each. */
    aid_near(beyond, lines * (840 - 1150) / 16 - lines * 20, lines / 20);
    aid_close(&aid);
}

/* Study, part B: scattered pages move the maximum of the P4 to 0.5 to 0.8 of the capacity and halve
 * it. */
static void scattered_pages_lower_the_curve(void **state)
{
    (void)state;
    int64_t most[2];
    for (unsigned scattered = 0; scattered < 2; scattered++) {
        struct model_aid aid;
        struct desc_error error;
        struct desc *desc = desc_load("tests/machine/machines/p4ht.machine", &error);
        assert_non_null(desc);
        desc->page_bytes = scattered ? 4096 : 0;
        aid_open_desc(&aid, desc, 1);
        uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
        most[scattered] = 0;
        for (uint64_t bytes = 64 << 10; bytes <= 576 << 10; bytes += 64 << 10) {
            uint64_t set = touch_round(bytes, 64);
            int64_t now = cost(&aid, 0, 1, region, set, TOUCH_SCATTER);
            most[scattered] = now > most[scattered] ? now : most[scattered];
        }
        aid_close(&aid);
    }
    assert_true(most[1] < most[0] * 3 / 4);
    assert_true(most[1] > most[0] / 3);
}

static void a_faster_first_cpu_and_a_slow_one_differ_by_their_speed(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open_file(&aid, "odd-core", NULL, 1);
    uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
    touch(&aid, 0, region, 64 << 10, TOUCH_SCATTER);
    uint64_t usual = touch(&aid, 0, region, 64 << 10, TOUCH_SCATTER);
    touch(&aid, 4, region, 64 << 10, TOUCH_SCATTER);
    uint64_t odd = touch(&aid, 4, region, 64 << 10, TOUCH_SCATTER);
    aid_near((int64_t)odd, (int64_t)usual * 10 / 6, 2);
    aid_close(&aid);
}

/* --- lanes --- */

/* Stay times of two CPUs touching ranges of their own, alone and at the same time. */
static void two_lanes(struct model_aid *aid, unsigned a, unsigned b, uint64_t bytes,
                      uint64_t ret_alone[2], uint64_t ret_together[2])
{
    uint16_t region = get(aid, NODE_UNKNOWN, 4 * bytes);
    const struct machine *machine = machine_of(aid);
    struct touch_job jobs[2] = {job_of(a, region, bytes), job_of(b, region, bytes)};
    struct touch_result results[2];
    jobs[1].lane = 1;
    jobs[1].offset = 2 * bytes;
    for (unsigned i = 0; i < 2; i++) {
        struct touch_job alone = jobs[i];
        for (unsigned times = 0; times < 3; times++)
            ret_alone[i] = machine_ns(machine, run_one(aid, alone).ticks);
    }
    for (unsigned times = 0; times < 3; times++)
        assert_true(machine->ops->run(machine->ctx, jobs, results, 2));
    for (unsigned i = 0; i < 2; i++)
        ret_together[i] = machine_ns(machine, results[i].ticks);
    machine->ops->region_put(machine->ctx, region);
}

static void siblings_slow_each_other_and_others_do_not(void **state)
{
    (void)state;
    struct model_aid aid;
    uint64_t alone[2], together[2];
    aid_open_file(&aid, "p4ht", NULL, 1);
    two_lanes(&aid, 0, 2, 64 << 10, alone, together);
    aid_near((int64_t)together[0], (int64_t)alone[0] * 14 / 10, 2);
    two_lanes(&aid, 0, 1, 64 << 10, alone, together);
    aid_near((int64_t)together[0], (int64_t)alone[0], 1);
    aid_near((int64_t)together[1], (int64_t)alone[1], 1);
    assert_int_equal(aid.backend.misuses, 0);
    aid_close(&aid);
}

static void lanes_share_the_bandwidth_of_memory_and_links(void **state)
{
    (void)state;
    static const char *const limits[] = {
        "[memory]\nsize = 4M\nwrite-back = 0 ns\nbandwidth = 1 GB/s\n",
        "[memory]\nsize = 4M\nwrite-back = 0 ns\n"};
    static const char *const nodes =
        "[node 0]\ncpus = 0 1\ndistances = 10 20\nlatency = 80ns 80ns\n"
        "[node 1]\ncpus = 2 3\ndistances = 20 10\nlatency = 80ns 80ns\n"
        "[link 0 1]\nbandwidth = 1 GB/s\n[clock]\nrate = 1 GHz\n";
    for (unsigned limit = 0; limit < 2; limit++) {
        char text[2000];
        struct model_aid aid;
        uint64_t alone[2], together[2];
        snprintf(text, sizeof text,
                 "machine = m\nline = 64\ncpus = 4\n[cache L2]\nlevel = 2\nsize = 64K\nways = 8\n"
                 "hit = 2 ns\ngroups = each\n[distance d]\ntransfer = 100 ns\ngroups = all\n%s%s",
                 limits[limit], nodes);
        aid_open(&aid, text);
        /* 64 bytes and a write-back in 80 ns: 1.6 GB/s asked for where 1 is to be had. Beyond a
         * link, CPUs 2 and 3 have the same memory and the link besides. */
        unsigned a = limit ? 2 : 0;
        two_lanes(&aid, a, a + 1, 512 << 10, alone, together);
        aid_near((int64_t)alone[0], 8192 * 128, 100);
        aid_near((int64_t)together[0], 2 * 8192 * 128, 200);
        aid_near((int64_t)together[1], 2 * 8192 * 128, 200);
        /* Who stays in its cache is not slowed. */
        two_lanes(&aid, a, a + 1, 16 << 10, alone, together);
        assert_true(together[0] == alone[0] && together[1] == alone[1]);
        aid_close(&aid);
    }
}

static void jobs_of_a_lane_follow_each_other_and_lanes_run_at_once(void **state)
{
    (void)state;
    struct model_aid aid;
    struct touch_result results[4];
    aid_open_file(&aid, "two-groups", NULL, 1);
    const struct machine *machine = machine_of(&aid);
    uint16_t region = get(&aid, NODE_UNKNOWN, 8 << 20);
    struct touch_job jobs[4];
    for (unsigned i = 0; i < 4; i++) {
        jobs[i] = job_of(i, region, 1 << 20);
        jobs[i].offset = (uint64_t)i << 20;
    }
    uint64_t before = machine->ops->now(machine->ctx);
    assert_true(machine->ops->run(machine->ctx, jobs, results, 4));
    uint64_t in_turn = machine->ops->now(machine->ctx) - before;
    for (unsigned i = 0; i < 4; i++)
        jobs[i].lane = (uint16_t)(i * 7);
    before = machine->ops->now(machine->ctx);
    assert_true(machine->ops->run(machine->ctx, jobs, results, 4));
    uint64_t at_once = machine->ops->now(machine->ctx) - before;
    assert_true(at_once * 3 < in_turn);
    assert_int_equal(aid.backend.misuses, 0);
    aid_close(&aid);
}

/* --- CPUs that do not answer --- */

static void a_dead_cpu_is_lost_and_its_lane_skipped(void **state)
{
    (void)state;
    struct model_aid aid;
    struct touch_result results[4];
    aid_open_file(&aid, "two-groups", "dead-cpu=3,dead-after=1 ms", 1);
    const struct machine *machine = machine_of(&aid);
    uint16_t region = get(&aid, NODE_UNKNOWN, 8 << 20);
    assert_int_equal(run_one(&aid, job_of(3, region, 4096)).status, TOUCH_DONE);
    while (machine->ops->now(machine->ctx) < 2 * MS)
        run_one(&aid, job_of(0, region, 64 << 10));
    struct touch_job jobs[4] = {job_of(0, region, 4096), job_of(3, region, 4096),
                                job_of(0, region, 4096), job_of(1, region, 4096)};
    jobs[3].lane = 1;
    jobs[3].offset = 1 << 20;
    assert_true(machine->ops->run(machine->ctx, jobs, results, 4));
    assert_int_equal(results[0].status, TOUCH_DONE);
    assert_int_equal(results[1].status, TOUCH_LOST);
    assert_int_equal(results[2].status, TOUCH_SKIPPED);
    assert_int_equal(results[3].status, TOUCH_DONE);
    assert_false(machine_cpu_usable(machine, 3));
    assert_int_equal(run_one(&aid, job_of(3, region, 4096)).status, TOUCH_LOST);
    assert_int_equal(run_one(&aid, job_of(0, region, 4096)).status, TOUCH_DONE);
    aid_close(&aid);
}

static void a_late_cpu_takes_time_but_its_figure_is_right(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open_file(&aid, "two-groups", "late-cpu=1,late-by=20 ms", 1);
    const struct machine *machine = machine_of(&aid);
    uint16_t region = get(&aid, NODE_UNKNOWN, 8 << 20);
    touch(&aid, 0, region, 4096, TOUCH_LINEAR);
    uint64_t usual = touch(&aid, 0, region, 4096, TOUCH_LINEAR);
    touch(&aid, 1, region, 4096, TOUCH_LINEAR);
    uint64_t before = machine->ops->now(machine->ctx);
    assert_true(touch(&aid, 1, region, 4096, TOUCH_LINEAR) == usual);
    assert_true(machine->ops->now(machine->ctx) - before >= 20 * MS);
    aid_close(&aid);

    aid_open_file(&aid, "two-groups", "late-cpu=1,late-by=5 s", 1);
    region = get(&aid, NODE_UNKNOWN, 8 << 20);
    assert_int_equal(run_one(&aid, job_of(1, region, 4096)).status, TOUCH_LOST);
    aid_close(&aid);
}

/* B2: counters of CPUs start anywhere; durations do not care. */
static void offsets_of_counters_change_nothing(void **state)
{
    (void)state;
    uint64_t ticks[2];
    for (unsigned apart = 0; apart < 2; apart++) {
        struct model_aid aid;
        aid_open_file(&aid, "celeron", apart ? "offset-bits=40" : NULL, 1);
        uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
        touch(&aid, 0, region, 64 << 10, TOUCH_SCATTER);
        ticks[apart] = run_one(&aid, job_of(1, region, 64 << 10)).ticks;
        aid_close(&aid);
    }
    assert_true(ticks[0] == ticks[1]);
}

/* --- regions --- */

static void regions_lie_on_their_node_and_apart(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open_file(&aid, "numa4", NULL, 1);
    const struct machine *machine = machine_of(&aid);
    uint16_t region[4];
    uint32_t home, lines = 2u << 20 >> 6;
    for (unsigned i = 0; i < 4; i++) {
        assert_true(machine->ops->region_get(machine->ctx, i % 2 * 3, 2 << 20, &region[i], &home));
        assert_int_equal(home, i % 2 * 3);
    }
    for (unsigned i = 0; i < 4; i++) {
        const struct backend_region *of = &aid.backend.region[region[i]];
        assert_int_equal(of->first / aid.model->node_lines, i % 2 * 3);
        for (unsigned j = 0; j < i; j++) {
            const struct backend_region *other = &aid.backend.region[region[j]];
            assert_true(of->first + lines <= other->first || other->first + lines <= of->first);
        }
    }
    assert_false(machine->ops->region_get(machine->ctx, 9, 4096, &region[0], &home));
    assert_false(
        machine->ops->region_get(machine->ctx, 0, machine->region_max * 2, &region[0], &home));
    assert_false(machine->ops->region_get(machine->ctx, 0, machine->region_max, &region[0], &home));
    assert_true(machine->ops->region_get(machine->ctx, 1, machine->region_max, &region[0], &home));
    assert_int_equal(aid.backend.misuses, 0);
    aid_close(&aid);
}

static void memory_given_out_again_is_fresh(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open_file(&aid, "client-hybrid", NULL, 1);
    const struct machine *machine = machine_of(&aid);
    uint64_t first = 0;
    for (unsigned times = 0; times < 3; times++) {
        uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
        uint64_t now = touch(&aid, 0, region, 1 << 20, TOUCH_LINEAR);
        if (first)
            assert_true(now == first);
        first = now;
        assert_true(touch(&aid, 0, region, 1 << 20, TOUCH_LINEAR) < first);
        machine->ops->region_put(machine->ctx, region);
    }
    aid_close(&aid);
}

/* The Zen 5 trial: a first visit costs more than going back and forth. */
static void a_revisit_is_cheaper_where_the_file_says_so(void **state)
{
    (void)state;
    static const char *const names[] = {"client-hybrid", "two-groups"};
    for (unsigned i = 0; i < 2; i++) {
        struct model_aid aid;
        aid_open_file(&aid, names[i], NULL, 1);
        uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
        uint64_t bytes = 256 << 10;
        touch(&aid, 0, region, bytes, TOUCH_LINEAR);
        uint64_t first = touch(&aid, 2, region, bytes, TOUCH_LINEAR);
        touch(&aid, 0, region, bytes, TOUCH_LINEAR);
        uint64_t again = touch(&aid, 2, region, bytes, TOUCH_LINEAR);
        if (i == 0)
            assert_true(first > again * 4 / 3);
        else
            assert_true(first == again);
        aid_close(&aid);
    }
}

/* --fresh: what an earlier chain left behind is no part of the next one; a chain goes on as it was.
 */
static void caches_are_emptied_between_subjects_where_asked_for(void **state)
{
    (void)state;
    uint64_t again[2], elsewhere[2];
    for (unsigned fresh = 0; fresh < 2; fresh++) {
        struct model_aid aid;
        aid_open(&aid, SMALL_MACHINE("inclusive", "lru", ""));
        aid.backend.fresh = fresh;
        uint16_t region = get(&aid, NODE_UNKNOWN, 4096);
        touch(&aid, 0, region, 4096, TOUCH_SCATTER);
        again[fresh] = touch(&aid, 0, region, 4096, TOUCH_SCATTER);
        elsewhere[fresh] = touch(&aid, 1, region, 4096, TOUCH_SCATTER);
        aid_close(&aid);
    }
    assert_int_equal(again[0], again[1]);
    assert_int_equal(elsewhere[0], 64 * 30 / 2);
    assert_int_equal(elsewhere[1], 64 * 80 / 2);
}

static void calls_against_the_contract_are_noticed(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open_file(&aid, "two-groups", NULL, 1);
    const struct machine *machine = machine_of(&aid);
    uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
    struct touch_job wrong[9];
    for (unsigned i = 0; i < 9; i++)
        wrong[i] = job_of(0, region, 4096);
    wrong[0].cpu = 6;
    wrong[1].region = region + 1;
    wrong[2].pattern = TOUCH_PATTERNS;
    wrong[3].access = TOUCH_ACCESSES;
    wrong[4].offset = 32;
    wrong[5].offset = 1 << 20;
    wrong[6].bytes = 2 << 20;
    wrong[7].bytes = 33 * 64; /* not a working set of touch_round() */
    wrong[8].bytes = 0;
    for (unsigned i = 0; i < 9; i++) {
        uint64_t before = aid.backend.misuses;
        assert_int_equal(run_one(&aid, wrong[i]).status, TOUCH_SKIPPED);
        assert_true(aid.backend.misuses == before + 1);
    }
    struct touch_job pair[2] = {job_of(0, region, 4096), job_of(0, region, 4096)};
    struct touch_result results[2];
    pair[1].lane = 1;
    uint64_t before = aid.backend.misuses;
    machine->ops->run(machine->ctx, pair, results, 2);
    assert_true(aid.backend.misuses > before);
    before = aid.backend.misuses;
    machine->ops->region_put(machine->ctx, region);
    machine->ops->region_put(machine->ctx, region);
    assert_true(aid.backend.misuses == before + 1);
    aid_close(&aid);
}

static void between_says_stop_when_it_is_time(void **state)
{
    (void)state;
    struct model_aid aid;
    const struct progress progress = {"step", 0, 1};
    aid_open_file(&aid, "two-groups", NULL, 1);
    const struct machine *machine = machine_of(&aid);
    aid.backend.stop_at_ps = 1000000000;
    uint16_t region = get(&aid, NODE_UNKNOWN, 1 << 20);
    assert_true(machine->ops->between(machine->ctx, &progress));
    while (machine->ops->now(machine->ctx) < MS)
        run_one(&aid, job_of(0, region, 64 << 10));
    assert_false(machine->ops->between(machine->ctx, &progress));
    aid_close(&aid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_a_full_cache_costs_what_the_file_says),
        cmocka_unit_test(beyond_the_capacity_the_cost_is_negative_where_memory_is_dear),
        cmocka_unit_test(scattered_pages_lower_the_curve),
        cmocka_unit_test(a_faster_first_cpu_and_a_slow_one_differ_by_their_speed),
        cmocka_unit_test(siblings_slow_each_other_and_others_do_not),
        cmocka_unit_test(lanes_share_the_bandwidth_of_memory_and_links),
        cmocka_unit_test(jobs_of_a_lane_follow_each_other_and_lanes_run_at_once),
        cmocka_unit_test(a_dead_cpu_is_lost_and_its_lane_skipped),
        cmocka_unit_test(a_late_cpu_takes_time_but_its_figure_is_right),
        cmocka_unit_test(offsets_of_counters_change_nothing),
        cmocka_unit_test(regions_lie_on_their_node_and_apart),
        cmocka_unit_test(memory_given_out_again_is_fresh),
        cmocka_unit_test(a_revisit_is_cheaper_where_the_file_says_so),
        cmocka_unit_test(caches_are_emptied_between_subjects_where_asked_for),
        cmocka_unit_test(calls_against_the_contract_are_noticed),
        cmocka_unit_test(between_says_stop_when_it_is_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
