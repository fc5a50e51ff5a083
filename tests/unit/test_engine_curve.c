/* SPDX-License-Identifier: BSD-2-Clause */
/* Which working set the engine takes for a class, and what it takes from options instead. */
#include "engine_run.h"

static struct run *prepare_private_caches(void)
{
    struct run *run = prepare(1, 4, 1); /* no cache is shared, L2 is the last */
    for (unsigned i = 0; i < 4; i++)
        run->toy.cpu[i].cache_bytes[3] = 0;
    run->toy.memory_ps = 220000; /* dearer than a line from the other cache */
    return run;
}

static void negative_cost_beyond_the_capacity_is_no_maximum(void **state)
{
    (void)state;
    struct run *run = prepare_private_caches();
    run->toy.noise_permille = 20;
    run->toy.machine.flags = FLAG_TOPOLOGY_UNTRUSTED;
    go(run);
    assert_int_equal(find(run, LEVEL_PACKAGE)->working_set, 1u << 20);
    assert_near(find(run, LEVEL_PACKAGE)->cost.ns, truth_ns(&run->toy, LEVEL_PACKAGE, 1u << 20), 4);
    end(run);

    run = prepare_private_caches();
    run->options.size = 4u << 20; /* asked for: shown as what it is */
    go(run);
    assert_true(find(run, LEVEL_PACKAGE)->cost.ns < 0);
    assert_int_equal(find(run, LEVEL_PACKAGE)->flags, CLASS_ZERO);
    end(run);
}

static void a_cost_beyond_the_capacity_is_a_point_of_the_curve(void **state)
{
    (void)state;
    struct run *run = prepare(1, 2, 2);
    run->toy.transfer_ps[LEVEL_LLC] = 60000;
    go(run);
    const struct class_result *llc = find(run, LEVEL_LLC);
    const struct curve_point *last = &llc->point[llc->point_count - 1];
    assert_int_equal(last->bytes, run->result.raw_working_set); /* of the dearest class */
    assert_true(last->bytes > llc->working_set);
    assert_near(last->cost.ns, llc->cost.ns, 2); /* moving still finds one cacheful */
    end(run);
}

static void unknown_capacity_is_searched(void **state)
{
    (void)state;
    struct run *run = prepare(1, 1, 4);
    run->toy.machine.flags = FLAG_TOPOLOGY_UNTRUSTED; /* capacities are a hint only */
    run->toy.noise_permille = 20;
    go(run);
    const struct class_result *llc = find(run, LEVEL_LLC);
    assert_true(llc->flags & CLASS_NO_CAPACITY);
    assert_near(llc->cost.ns, truth_ns(&run->toy, LEVEL_LLC, 1u << 20), 12);
    end(run);
}

static void size_replaces_the_search(void **state)
{
    (void)state;
    struct run *run = prepare(1, 2, 2);
    run->options.size = 256u << 10;
    go(run);
    assert_true(run->result.flags & FLAG_CAPACITY_BY_HAND);
    for (unsigned i = 0; i < run->result.class_count; i++)
        assert_int_equal(run->result.classes[i].working_set, 256u << 10);
    assert_near(find(run, LEVEL_PACKAGE)->cost.ns, truth_ns(&run->toy, LEVEL_PACKAGE, 256u << 10),
                1);
    end(run);

    run = prepare(1, 2, 2);
    run->options.size = 1ull << 40;
    go(run);
    assert_int_equal(run->status, ENGINE_BAD_OPTION);
    end(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negative_cost_beyond_the_capacity_is_no_maximum),
        cmocka_unit_test(a_cost_beyond_the_capacity_is_a_point_of_the_curve),
        cmocka_unit_test(unknown_capacity_is_searched),
        cmocka_unit_test(size_replaces_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
