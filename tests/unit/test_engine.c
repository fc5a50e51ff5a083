/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine on a machine of formulas: what it finds, what it keeps to, and how it ends. */
#include "engine_run.h"

static void finds_the_true_cost_and_working_set_of_each_level(void **state)
{
    (void)state;
    struct run *run = prepare(2, 2, 2);
    go(run);
    assert_int_equal(run->status, ENGINE_OK);
    assert_int_equal(run->result.flags, 0);
    assert_int_equal(run->result.class_count, 3);
    const struct class_result *llc = find(run, LEVEL_LLC);
    const struct class_result *package = find(run, LEVEL_PACKAGE);
    const struct class_result *system = find(run, LEVEL_SYSTEM);
    assert_int_equal(llc->working_set, 1u << 20);
    assert_int_equal(package->working_set, 16u << 20);
    assert_near(llc->cost.ns, truth_ns(&run->toy, LEVEL_LLC, 1u << 20), 1);
    assert_near(package->cost.ns, truth_ns(&run->toy, LEVEL_PACKAGE, 16u << 20), 1);
    assert_near(system->cost.ns, truth_ns(&run->toy, LEVEL_SYSTEM, 16u << 20), 1);
    assert_int_equal(llc->pairs, 4);
    assert_int_equal(package->pairs, 8);
    assert_int_equal(system->pairs, 16);
    assert_true(package->linear.ns < package->cost.ns && package->cost.ns < package->chase.ns);
    assert_int_equal(system->first_visit_percent > 0, 1);
    end(run);
}

static void every_cell_is_filled_and_directed(void **state)
{
    (void)state;
    struct run *run = prepare(1, 2, 3);
    go(run);
    const struct result *result = &run->result;
    for (unsigned s = 0; s < 6; s++) {
        for (unsigned d = 0; d < 6; d++) {
            unsigned cell = result_cell(result, s, d);
            assert_true(result->raw_ns[cell] > 0);
            if (s == d) {
                assert_int_equal(result->class_of[cell], CLASS_NONE);
                assert_int_equal(result->cost_ns[cell], COST_UNKNOWN);
                continue;
            }
            bool same = s / 3 == d / 3;
            int64_t wanted =
                truth_ns(&run->toy, same ? LEVEL_LLC : LEVEL_PACKAGE, same ? 1u << 20 : 16u << 20);
            assert_near(result->cost_ns[cell], wanted, 1);
            assert_true(result->source[cell] != CELL_NONE);
        }
    }
    end(run);
}

static void noise_spikes_and_smis_leave_the_figures(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct run *run = prepare(2, 1, 4);
        run->toy.seed = seed * 7919;
        run->toy.noise_permille = 40;
        run->toy.spike_every = 10;
        run->toy.smi_every = 200;
        go(run);
        assert_int_equal(run->result.class_count, 2);
        assert_near(find(run, LEVEL_LLC)->cost.ns, truth_ns(&run->toy, LEVEL_LLC, 1u << 20), 6);
        assert_near(find(run, LEVEL_SYSTEM)->cost.ns, truth_ns(&run->toy, LEVEL_SYSTEM, 16u << 20),
                    6);
        assert_true(run->result.flags & FLAG_SMI_SEEN); /* B7 */
        assert_false(run->result.flags & FLAG_CLASSES_DIFFER);
        end(run);
    }
}

static void waits_until_clocks_have_ramped(void **state)
{
    (void)state;
    struct run *run = prepare(1, 1, 4);
    run->toy.ramp_ns = 30000000; /* B8 */
    go(run);
    assert_near(find(run, LEVEL_LLC)->cost.ns, truth_ns(&run->toy, LEVEL_LLC, 1u << 20), 1);
    end(run);
}

static void believes_the_matrix_where_cpuid_lies(void **state)
{
    (void)state;
    struct run *run = prepare(2, 1, 4);
    for (unsigned i = 0; i < 8; i++) { /* A22: one last-level cache over everything, says CPUID */
        run->toy.cpu[i].share[LEVEL_PACKAGE] = 0;
        run->toy.cpu[i].share[LEVEL_LLC] = 0;
    }
    /* The truth: two groups, odd and even. The toy's costs follow its ids, so a slow half stands in
     * for it. */
    for (unsigned i = 4; i < 8; i++)
        run->toy.slower_permille[i] = 2000;
    go(run);
    assert_true(run->result.flags & FLAG_CLASSES_DIFFER);
    assert_int_equal(run->result.class_count, 3); /* fast-fast, mixed, slow-slow */
    uint32_t pairs = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(run->result.classes[i].flags & CLASS_SPLIT);
        pairs += run->result.classes[i].pairs;
    }
    assert_int_equal(pairs, 28);
    end(run);
}

static void an_odd_cpu_is_named_and_its_pairs_split_off(void **state)
{
    (void)state;
    struct run *run = prepare(1, 1, 6);
    run->toy.slower_permille[3] = 1500;
    go(run);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(run->result.stay[i].odd, i == 3);
    assert_int_equal(run->result.class_count, 2);
    assert_true(run->result.flags & FLAG_CLASSES_DIFFER);
    end(run);
}

static void zero_cost_is_said_to_be_zero(void **state)
{
    (void)state;
    struct run *run = prepare(1, 1, 4);
    run->toy.hit_ps = 4000; /* no caches, as under plain TCG */
    run->toy.noise_permille = 50;
    for (unsigned i = 0; i < LEVELS; i++)
        run->toy.transfer_ps[i] = 12000; /* a third of it is the hit */
    go(run);
    assert_true(run->result.flags & FLAG_COST_ZERO);
    assert_true(find(run, LEVEL_LLC)->flags & CLASS_ZERO);
    end(run);
}

static void one_cpu_is_a_valid_result_without_pairs(void **state)
{
    (void)state;
    struct run *run = prepare(1, 1, 1); /* A2 */
    go(run);
    assert_int_equal(run->status, ENGINE_OK);
    assert_int_equal(run->result.class_count, 0);
    assert_true(run->result.raw_ns[0] > 0);
    assert_true(run->result.stay[0].stay[2].samples > 0);
    end(run);
}

/* A4, A29. */
static void a_lost_cpu_is_left_out_and_the_rest_is_measured(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 400; after += 23) {
        struct run *run = prepare(1, 2, 2);
        run->toy.lost_cpu = 2;
        run->toy.lost_after = after;
        go(run);
        assert_int_equal(run->status, ENGINE_OK);
        if (run->toy.cpu[2].flags & CPU_LOST)
            assert_true(run->result.flags & FLAG_CPUS_LEFT_OUT);
        assert_near(run->result.cost_ns[result_cell(&run->result, 0, 1)],
                    truth_ns(&run->toy, LEVEL_LLC, 1u << 20), 1);
        end(run);
    }
}

/* A30, G2. */
static void the_budget_ends_the_run_and_is_said(void **state)
{
    (void)state;
    for (uint64_t ms = 0; ms < 400; ms += 13) {
        struct run *run = prepare(2, 2, 2);
        run->options.budget_ns = ms * 1000000;
        go(run);
        assert_int_equal(run->status, ENGINE_OK);
        assert_int_equal(run->toy.releases, (run->result.flags & FLAG_BUDGET_HIT) != 0);
        if (run->result.flags & FLAG_BUDGET_HIT)
            assert_in_range(run->toy.now_ns, 0,
                            ms * 1000000 + 400000000); /* one batch more at most */
        end(run);
    }
}

static void a_key_stops_the_run(void **state)
{
    (void)state;
    struct run *run = prepare(2, 2, 2);
    run->toy.stop_after_ns = 20000000;
    go(run);
    assert_int_equal(run->status, ENGINE_OK);
    assert_true(run->result.flags & FLAG_STOPPED);
    end(run);
}

static void lanes_that_disturb_each_other_are_narrowed(void **state)
{
    (void)state;
    struct run *quiet = prepare(1, 2, 4), *loud = prepare(1, 2, 4);
    loud->toy.lane_permille = 1400;
    go(quiet);
    go(loud);
    assert_true(quiet->toy.widest > 1);
    for (unsigned i = 0; i < 64; i++) {
        if (quiet->result.cost_ns[i] != COST_UNKNOWN)
            assert_near(loud->result.cost_ns[i], quiet->result.cost_ns[i], 5);
    }
    end(quiet);
    end(loud);
}

static void first_visits_that_cost_over_a_third_more_set_the_flag(void **state)
{
    (void)state;
    const uint64_t permille[] = {1000, 1200, 1500};
    for (unsigned i = 0; i < 3; i++) {
        struct run *run = prepare(1, 1, 4);
        run->toy.first_visit_permille = permille[i];
        go(run);
        const struct class_result *llc = find(run, LEVEL_LLC);
        assert_near(llc->first_visit_percent, (int64_t)permille[i] / 10, 2);
        assert_int_equal((llc->flags & CLASS_FIRST_VISIT) != 0, permille[i] > 1300);
        assert_int_equal((run->result.flags & FLAG_FIRST_VISIT) != 0, permille[i] > 1300);
        assert_near(llc->cost.ns, truth_ns(&run->toy, LEVEL_LLC, 1u << 20), 1);
        end(run);
    }
}

static void a_region_that_is_not_to_be_had_is_halved_and_said(void **state)
{
    (void)state;
    struct run *run = prepare(1, 2, 2);
    run->toy.region_total = 5u << 20; /* C8 */
    go(run);
    assert_int_equal(run->status, ENGINE_OK);
    assert_true(run->result.flags & FLAG_BUFFER_SMALL);
    assert_true(find(run, LEVEL_PACKAGE)->flags & CLASS_EDGE);
    assert_near(find(run, LEVEL_LLC)->cost.ns, truth_ns(&run->toy, LEVEL_LLC, 1u << 20), 1);
    end(run);

    run = prepare(1, 2, 2);
    run->toy.region_total = 32u << 10;
    go(run);
    assert_int_equal(run->status, ENGINE_NO_MEMORY);
    end(run);
}

static void a_workspace_too_small_is_refused(void **state)
{
    (void)state;
    struct run *run = prepare(1, 1, 2);
    char small[16];
    assert_int_equal(
        engine_run(&run->toy.machine, &run->options, small, sizeof(small), &run->result),
        ENGINE_NO_MEMORY);
    end(run);
}

/* A quarter of the 16 MiB that a package's last level holds, in its LRU: 12 MiB of other data. */
static void
a_footprint_is_gone_once_others_have_brought_what_the_rest_of_the_cache_holds(void **state)
{
    (void)state;
    struct run *run = prepare(2, 2, 2);
    run->toy.noise_permille = 20;
    run->toy.spike_every = 10;
    go(run);
    const struct class_result *package = find(run, LEVEL_PACKAGE),
                              *system = find(run, LEVEL_SYSTEM);
    assert_int_equal(package->footprint, 4u << 20);
    assert_int_equal(package->evict_bytes, 16u << 20); /* of 8 and 16 the first that is enough */
    int64_t line = (int64_t)(run->toy.memory_ps / run->toy.overlap[TOUCH_SCATTER]);
    assert_near(package->evict_ns, (16 << 20) / 64 * line / 1000, 5);
    /* The same kind of cache, looked at once. */
    assert_int_equal(system->evict_bytes, package->evict_bytes);
    assert_int_equal(system->evict_ns, package->evict_ns);
    assert_in_range(run->result.touched_for[PURPOSE_DECAY], 32 << 20, 20 * (16 << 20));
    end(run);
}

/* This toy has one cost of a hit: what leaves its L2 costs no more than before. */
static void what_costs_nothing_to_fetch_again_is_not_said_to_be_gone(void **state)
{
    (void)state;
    struct run *run = prepare(1, 1, 2);
    go(run);
    const struct class_result *llc = find(run, LEVEL_LLC);
    assert_true(llc->cost.ns > 0);
    assert_int_equal(llc->evict_bytes, 0);
    assert_int_equal(llc->evict_ns, 0);
    end(run);
}

static void without_memory_for_other_data_decay_is_not_known_and_the_rest_is(void **state)
{
    (void)state;
    struct run *run = prepare(2, 1, 2);
    run->toy.machine.region_max = run->toy.region_total = 35u << 20; /* 36 are wanted */
    go(run);
    assert_int_equal(run->status, ENGINE_OK);
    assert_int_equal(run->result.flags, 0);
    assert_int_equal(find(run, LEVEL_SYSTEM)->evict_bytes, 0);
    assert_near(find(run, LEVEL_SYSTEM)->cost.ns, truth_ns(&run->toy, LEVEL_SYSTEM, 16u << 20), 1);
    end(run);
}

static void the_budget_may_end_before_decay_is_known(void **state)
{
    (void)state;
    struct run *whole = prepare(2, 1, 2), *cut = prepare(2, 1, 2);
    go(whole);
    assert_true(find(whole, LEVEL_SYSTEM)->evict_bytes > 0);
    cut->toy.stop_after_ns = whole->toy.now_ns - 50000000; /* decay comes last */
    go(cut);
    assert_true(cut->result.flags & FLAG_STOPPED);
    assert_int_equal(find(cut, LEVEL_SYSTEM)->evict_bytes, 0);
    assert_int_equal(find(cut, LEVEL_SYSTEM)->cost.ns, find(whole, LEVEL_SYSTEM)->cost.ns);
    end(whole);
    end(cut);
}

static void the_same_seed_gives_the_same_result(void **state)
{
    (void)state;
    struct run *a = prepare(2, 1, 3), *b = prepare(2, 1, 3);
    a->toy.noise_permille = b->toy.noise_permille = 30;
    go(a);
    go(b);
    assert_memory_equal(a->result.cost_ns, b->result.cost_ns, 36 * sizeof(int32_t));
    assert_int_equal(a->result.touched_bytes, b->result.touched_bytes);
    assert_int_equal(a->result.touched_bytes, a->toy.touched);
    assert_int_equal(a->result.touches, a->toy.passes);
    end(a);
    end(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_true_cost_and_working_set_of_each_level),
        cmocka_unit_test(every_cell_is_filled_and_directed),
        cmocka_unit_test(noise_spikes_and_smis_leave_the_figures),
        cmocka_unit_test(waits_until_clocks_have_ramped),
        cmocka_unit_test(believes_the_matrix_where_cpuid_lies),
        cmocka_unit_test(an_odd_cpu_is_named_and_its_pairs_split_off),
        cmocka_unit_test(zero_cost_is_said_to_be_zero),
        cmocka_unit_test(one_cpu_is_a_valid_result_without_pairs),
        cmocka_unit_test(a_lost_cpu_is_left_out_and_the_rest_is_measured),
        cmocka_unit_test(the_budget_ends_the_run_and_is_said),
        cmocka_unit_test(a_key_stops_the_run),
        cmocka_unit_test(lanes_that_disturb_each_other_are_narrowed),
        cmocka_unit_test(first_visits_that_cost_over_a_third_more_set_the_flag),
        cmocka_unit_test(a_region_that_is_not_to_be_had_is_halved_and_said),
        cmocka_unit_test(a_workspace_too_small_is_refused),
        cmocka_unit_test(
            a_footprint_is_gone_once_others_have_brought_what_the_rest_of_the_cache_holds),
        cmocka_unit_test(what_costs_nothing_to_fetch_again_is_not_said_to_be_gone),
        cmocka_unit_test(without_memory_for_other_data_decay_is_not_known_and_the_rest_is),
        cmocka_unit_test(the_budget_may_end_before_decay_is_known),
        cmocka_unit_test(the_same_seed_gives_the_same_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
