/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels, class keys, node distances, and claims that contradict each other. */
#include "../../lib/topology.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cpu_info cpu_with(uint32_t apic_id, unsigned level, uint32_t group)
{
    struct cpu_info cpu;

    topology_cpu_init(&cpu, apic_id);
    cpu.share[level] = group;
    return cpu;
}

/* Two packages of two dies of two L3s of two L2s of two threads: ids are prefixes of the APIC id.
 */
static void regular_machine(struct cpu_info cpus[32])
{
    for (uint32_t id = 0; id < 32; id++) {
        topology_cpu_init(&cpus[id], id);
        cpus[id].share[LEVEL_CORE] = id >> 1;
        cpus[id].share[LEVEL_L2] = id >> 1;
        cpus[id].share[LEVEL_LLC] = id >> 2;
        cpus[id].share[LEVEL_DIE] = id >> 3;
        cpus[id].share[LEVEL_PACKAGE] = id >> 4;
    }
}

static void a_cpu_of_which_nothing_is_known_shares_only_the_machine(void **state)
{
    struct cpu_info a, b;

    (void)state;
    topology_cpu_init(&a, 0);
    topology_cpu_init(&b, 1);
    assert_int_equal(topology_level(&a, &b), LEVEL_SYSTEM);
    assert_int_equal(a.share[LEVEL_SYSTEM], 0);
    assert_int_equal(a.node, NODE_UNKNOWN);
    assert_int_equal(a.line_bytes, 64);
    assert_int_equal(b.apic_id, 1);
}

static void the_innermost_common_group_is_the_level(void **state)
{
    static const struct {
        unsigned a, b;
        enum level level;
    } cases[] = {
        {0, 1, LEVEL_CORE},     {0, 2, LEVEL_LLC},     {1, 3, LEVEL_LLC},     {0, 4, LEVEL_DIE},
        {3, 7, LEVEL_DIE},      {0, 8, LEVEL_PACKAGE}, {7, 8, LEVEL_PACKAGE}, {0, 16, LEVEL_SYSTEM},
        {15, 16, LEVEL_SYSTEM}, {31, 30, LEVEL_CORE},
    };
    struct cpu_info cpus[32];

    (void)state;
    regular_machine(cpus);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(topology_level(&cpus[cases[i].a], &cpus[cases[i].b]), cases[i].level);
        assert_int_equal(topology_level(&cpus[cases[i].b], &cpus[cases[i].a]), cases[i].level);
    }
}

static void every_level_can_be_the_innermost_one(void **state)
{
    (void)state;
    for (unsigned level = LEVEL_CORE; level < LEVEL_SYSTEM; level++) {
        struct cpu_info a = cpu_with(0, level, 5), b = cpu_with(1, level, 5);
        struct cpu_info c = cpu_with(2, level, 6);

        assert_int_equal(topology_level(&a, &b), level);
        assert_int_equal(topology_level(&a, &c), LEVEL_SYSTEM);
    }
}

static void packages_of_one_proximity_domain_meet_at_the_node(void **state)
{
    struct cpu_info a = cpu_with(0, LEVEL_PACKAGE, 0), b = cpu_with(1, LEVEL_PACKAGE, 1);

    (void)state;
    a.node = b.node = 3;
    assert_int_equal(topology_level(&a, &b), LEVEL_NODE);
    b.node = 4;
    assert_int_equal(topology_level(&a, &b), LEVEL_SYSTEM);
    a.node = b.node = NODE_UNKNOWN;
    assert_int_equal(topology_level(&a, &b), LEVEL_SYSTEM);
}

static void numa_of(struct numa *numa)
{
    static const uint8_t slit[3][3] = {{10, 21, 31}, {22, 10, 17}, {31, 17, 10}};

    memset(numa, 0, sizeof *numa);
    numa->node_count = 3;
    numa->node_id[0] = 0;
    numa->node_id[1] = 7; /* proximity domains need not be 0, 1, 2 */
    numa->node_id[2] = 0x80000001u;
    for (unsigned a = 0; a < 3; a++) {
        for (unsigned b = 0; b < 3; b++)
            numa->distance[a][b] = slit[a][b];
    }
}

static void distance_is_the_larger_direction_between_domains(void **state)
{
    static const struct {
        uint32_t a, b;
        unsigned distance;
    } cases[] = {
        {0, 7, 22},
        {7, 0, 22},
        {7, 0x80000001u, 17},
        {0, 0x80000001u, 31},
        {7, 7, 10},
        {0, 1, 10}, /* 1 is no domain here */
        {NODE_UNKNOWN, 0, 10},
        {NODE_UNKNOWN, NODE_UNKNOWN, 10},
    };
    struct numa numa;

    (void)state;
    numa_of(&numa);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(topology_distance(&numa, cases[i].a, cases[i].b), cases[i].distance);
    assert_int_equal(topology_distance(NULL, 0, 7), DISTANCE_LOCAL);
}

static void a_node_count_beyond_the_table_is_not_followed(void **state)
{
    struct numa numa;

    (void)state;
    numa_of(&numa);
    numa.node_count = 0xFFFFFFFFu;
    assert_int_equal(topology_distance(&numa, 0, 12345), DISTANCE_LOCAL);
}

static void a_key_is_the_same_from_both_ends(void **state)
{
    struct cpu_info a = cpu_with(0, LEVEL_LLC, 1), b = cpu_with(8, LEVEL_LLC, 1);
    struct class_key key, back;
    struct numa numa;

    (void)state;
    numa_of(&numa);
    a.core_kind = CORE_KIND_P;
    b.core_kind = CORE_KIND_E;
    a.node = 0;
    b.node = 7;
    key = topology_key(&a, &b, &numa);
    back = topology_key(&b, &a, &numa);
    assert_true(topology_key_equal(key, back));
    assert_int_equal(key.level, LEVEL_LLC);
    assert_int_equal(key.distance, 22);
    assert_int_equal(key.kind_low, CORE_KIND_E);
    assert_int_equal(key.kind_high, CORE_KIND_P);
    assert_int_equal(topology_key(&a, &b, NULL).distance, DISTANCE_LOCAL);
}

static void any_difference_makes_another_class(void **state)
{
    static const struct class_key key = {LEVEL_LLC, 10, CORE_KIND_E, CORE_KIND_P, 0, 0};
    static const struct class_key others[] = {
        {LEVEL_DIE, 10, CORE_KIND_E, CORE_KIND_P, 0, 0},
        {LEVEL_LLC, 11, CORE_KIND_E, CORE_KIND_P, 0, 0},
        {LEVEL_LLC, 10, CORE_KIND_LP_E, CORE_KIND_P, 0, 0},
        {LEVEL_LLC, 10, CORE_KIND_E, CORE_KIND_E, 0, 0},
        {LEVEL_LLC, 10, CORE_KIND_E, CORE_KIND_P, 1, 0},
        {LEVEL_LLC, 10, CORE_KIND_E, CORE_KIND_P, 0, 1},
    };

    (void)state;
    assert_true(topology_key_equal(key, key));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(topology_key_equal(key, others[i]));
}

static void a_regular_machine_does_not_contradict_itself(void **state)
{
    struct cpu_info cpus[32];

    (void)state;
    regular_machine(cpus);
    assert_false(topology_contradicts(cpus, 32));
    assert_false(topology_contradicts(cpus, 1));
    assert_false(topology_contradicts(cpus, 0));
}

static void two_cpus_of_one_name_contradict(void **state)
{
    struct cpu_info cpus[32];

    (void)state;
    regular_machine(cpus);
    cpus[31].apic_id = 0;
    assert_true(topology_contradicts(cpus, 32));
}

/* A21, A22: a group that must lie within another, and does not. */
static void a_small_group_in_two_larger_ones_contradicts(void **state)
{
    static const struct {
        unsigned inner, outer;
    } cases[] = {
        {LEVEL_CORE, LEVEL_L2},        {LEVEL_CORE, LEVEL_MODULE},  {LEVEL_CORE, LEVEL_LLC},
        {LEVEL_CORE, LEVEL_DIE},       {LEVEL_CORE, LEVEL_PACKAGE}, {LEVEL_CORE, LEVEL_NODE},
        {LEVEL_L2, LEVEL_LLC},         {LEVEL_L2, LEVEL_DIE},       {LEVEL_L2, LEVEL_PACKAGE},
        {LEVEL_MODULE, LEVEL_PACKAGE}, {LEVEL_LLC, LEVEL_PACKAGE},  {LEVEL_DIE, LEVEL_PACKAGE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpu_info cpus[3];

        for (uint32_t id = 0; id < 3; id++) {
            cpus[id] = cpu_with(id, cases[i].inner, 1);
            cpus[id].share[cases[i].outer] = 1;
        }
        assert_false(topology_contradicts(cpus, 3));
        cpus[2].share[cases[i].outer] = 2;
        assert_true(topology_contradicts(cpus, 3));
        cpus[2].share[cases[i].inner] = 2; /* it went along with its outer group */
        assert_false(topology_contradicts(cpus, 3));
        cpus[2].share[cases[i].inner] = 1;
        cpus[2].share[cases[i].outer] = SHARE_UNKNOWN; /* says nothing, so says nothing against */
        assert_false(topology_contradicts(cpus, 3));
    }
}

/* Nodes in packages (SNC, NPS4), packages in nodes; an L3 over dies, dies over L3s. */
static void groups_that_may_nest_either_way_must_not_cross(void **state)
{
    static const struct {
        unsigned a, b;
    } cases[] = {
        {LEVEL_PACKAGE, LEVEL_NODE}, {LEVEL_DIE, LEVEL_NODE},  {LEVEL_LLC, LEVEL_NODE},
        {LEVEL_LLC, LEVEL_DIE},      {LEVEL_L2, LEVEL_MODULE}, {LEVEL_MODULE, LEVEL_LLC},
        {LEVEL_MODULE, LEVEL_DIE},
    };
    static const uint32_t coarse[6] = {0, 0, 0, 0, 1, 1}, fine[6] = {0, 0, 1, 1, 2, 2};
    static const uint32_t crossing[6] = {0, 0, 1, 1, 1, 2};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpu_info one[6], other[6], crossed[6];

        for (uint32_t id = 0; id < 6; id++) {
            one[id] = cpu_with(id, cases[i].a, coarse[id]);
            one[id].share[cases[i].b] = fine[id];
            other[id] = cpu_with(id, cases[i].a, fine[id]);
            other[id].share[cases[i].b] = coarse[id];
            crossed[id] = cpu_with(id, cases[i].a, coarse[id]);
            crossed[id].share[cases[i].b] = crossing[id];
        }
        assert_false(topology_contradicts(one, 6));
        assert_false(topology_contradicts(other, 6));
        assert_true(topology_contradicts(crossed, 6));
    }
}

static void a_silent_cpu_is_not_taken_at_its_word(void **state)
{
    struct cpu_info cpus[32];

    (void)state;
    regular_machine(cpus);
    cpus[1].share[LEVEL_PACKAGE] = 1;
    assert_true(topology_contradicts(cpus, 32));
    cpus[1].flags = CPU_LOST;
    assert_false(topology_contradicts(cpus, 32));
    cpus[1].flags = CPU_DISABLED;
    assert_false(topology_contradicts(cpus, 32));
    cpus[1].flags = CPU_NOT_CHOSEN;
    assert_true(topology_contradicts(cpus, 32));
}

static void names_are_those_of_the_record(void **state)
{
    static const char *const names[LEVELS] = {"core", "L2",      "module", "LLC",
                                              "die",  "package", "node",   "system"};

    (void)state;
    for (unsigned level = 0; level < LEVELS; level++)
        assert_string_equal(level_name(level), names[level]);
    assert_string_equal(level_name(LEVELS), "?");
    assert_string_equal(level_name(0xFFFFFFFFu), "?");
    assert_string_equal(core_kind_name(CORE_KIND_P), "P");
    assert_string_equal(core_kind_name(CORE_KIND_E), "E");
    assert_string_equal(core_kind_name(CORE_KIND_LP_E), "LP-E");
    assert_string_equal(core_kind_name(CORE_KIND_NONE), "");
    assert_string_equal(core_kind_name(0x30), "?");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_of_which_nothing_is_known_shares_only_the_machine),
        cmocka_unit_test(the_innermost_common_group_is_the_level),
        cmocka_unit_test(every_level_can_be_the_innermost_one),
        cmocka_unit_test(packages_of_one_proximity_domain_meet_at_the_node),
        cmocka_unit_test(distance_is_the_larger_direction_between_domains),
        cmocka_unit_test(a_node_count_beyond_the_table_is_not_followed),
        cmocka_unit_test(a_key_is_the_same_from_both_ends),
        cmocka_unit_test(any_difference_makes_another_class),
        cmocka_unit_test(a_regular_machine_does_not_contradict_itself),
        cmocka_unit_test(two_cpus_of_one_name_contradict),
        cmocka_unit_test(a_small_group_in_two_larger_ones_contradicts),
        cmocka_unit_test(groups_that_may_nest_either_way_must_not_cross),
        cmocka_unit_test(a_silent_cpu_is_not_taken_at_its_word),
        cmocka_unit_test(names_are_those_of_the_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
