/* SPDX-License-Identifier: BSD-2-Clause */
/* Single decisions on who shares what with whom, and on what is not to be trusted. */
#include "cpuid_build.h"

/* A21: the id of firmware names the CPU; CPUID is only asked whether it agrees. */
static void another_apic_id_than_firmwares_is_not_trusted(void **state)
{
    struct cpuid_dump dump = intel();
    struct cpu_info cpu;

    (void)state;
    add(&dump, 0xB, 0, 1, 2, 0x100, 0x106);
    add(&dump, 0xB, 1, 4, 16, 0x201, 0x106);
    assert_true(cpuid_describe(&dump, 0x106, &cpu));
    assert_int_equal(cpu.apic_id, 0x106);
    assert_false(cpuid_describe(&dump, 0x006, &cpu));
    assert_int_equal(cpu.apic_id, 0x006);
    assert_int_equal(cpu.share[LEVEL_CORE], describe(&dump, 0x007).share[LEVEL_CORE]);
    assert_int_not_equal(cpu.share[LEVEL_CORE], describe(&dump, 0x106).share[LEVEL_CORE]);
}

/* Leaf 1 has eight bits: CPU 0x105 of an old leaf says 5 and is right. */
static void leaf_1_is_compared_in_the_bits_that_it_has(void **state)
{
    struct cpuid_dump dump = intel();
    struct cpu_info cpu;

    (void)state;
    add(&dump, 1, 0, 0, 0x05000000, 0, 0);
    assert_true(cpuid_describe(&dump, 0x05, &cpu));
    assert_true(cpuid_describe(&dump, 0x105, &cpu));
    assert_false(cpuid_describe(&dump, 0x106, &cpu));
}

static void a_topology_leaf_that_contradicts_itself_is_not_trusted(void **state)
{
    static const struct {
        const char *what;
        uint32_t eax[3], ebx[3], ecx[3], edx[3];
        bool trusted;
    } cases[] = {
        {"as it should be", {1, 3, 5}, {2, 8, 24}, {0x100, 0x201, 0x502}, {6, 6, 6}, true},
        {"shift shrinks", {3, 1, 5}, {2, 2, 24}, {0x100, 0x201, 0x502}, {6, 6, 6}, false},
        {"last shift shrinks", {1, 3, 0}, {2, 8, 1}, {0x100, 0x201, 0x502}, {6, 6, 6}, false},
        {"more CPUs than ids", {1, 3, 5}, {2, 9, 24}, {0x100, 0x201, 0x502}, {6, 6, 6}, false},
        {"a type twice", {1, 3, 5}, {2, 8, 24}, {0x100, 0x201, 0x202}, {6, 6, 6}, false},
        {"another CPU", {1, 3, 5}, {2, 8, 24}, {0x100, 0x201, 0x502}, {6, 6, 7}, false},
        {"no CPU counted", {1, 3, 5}, {2, 8, 0}, {0x100, 0x201, 0x502}, {6, 6, 6}, true},
        {"an unknown type", {1, 3, 5}, {2, 8, 24}, {0x100, 0x201, 0xFF02}, {6, 6, 6}, true},
        {"upper bits set",
         {0xFFFFFFE1, 0xFFFFFFE3, 0xFFFFFFE5},
         {0xFFFF0002, 0xFFFF0008, 0xFFFF0018},
         {0xFFFF0100, 0xFFFF0201, 0xFFFF0502},
         {6, 6, 6},
         true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();
        struct cpu_info cpu;

        for (uint32_t sub = 0; sub < 3; sub++)
            add(&dump, 0x1F, sub, cases[i].eax[sub], cases[i].ebx[sub], cases[i].ecx[sub],
                cases[i].edx[sub]);
        if (cpuid_describe(&dump, 6, &cpu) != cases[i].trusted)
            fail_msg("%s", cases[i].what);
    }
}

/* A group of two and one of eight ids that begin at the same one, at the same level. */
static void groups_of_unlike_size_are_never_one(void **state)
{
    (void)state;
    for (uint32_t shift_a = 0; shift_a < 8; shift_a++) {
        for (uint32_t shift_b = 0; shift_b < 8; shift_b++) {
            struct cpuid_dump a = intel(), b = intel();

            add(&a, 0xB, 0, shift_a, 1, 0x100, 0);
            add(&b, 0xB, 0, shift_b, 1, 0x100, 0);
            for (uint32_t id = 0; id < 256; id++) {
                bool same =
                    describe(&a, 0x48).share[LEVEL_CORE] == describe(&b, id).share[LEVEL_CORE];
                bool expected = shift_a == shift_b && 0x48u >> shift_a == id >> shift_b;

                assert_int_equal(same, expected);
            }
        }
    }
}

static void an_apic_id_beyond_all_machines_shares_nothing(void **state)
{
    static const uint32_t ids[] = {0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};

    (void)state;
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct cpuid_dump dump = intel();

        add(&dump, 0xB, 0, 1, 2, 0x100, ids[i]);
        assert_int_equal(describe(&dump, ids[i]).share[LEVEL_CORE], SHARE_UNKNOWN);
        assert_int_equal(describe(&dump, ids[i]).share[LEVEL_PACKAGE], SHARE_UNKNOWN);
        assert_int_not_equal(describe(&dump, 0x7FFFFFFE).share[LEVEL_CORE], SHARE_UNKNOWN);
    }
}

static bool meet(const struct cpuid_dump *dump, uint32_t a, uint32_t b, enum level level)
{
    struct cpu_info cpu_a = describe(dump, a), cpu_b = describe(dump, b);

    return cpu_a.share[level] != SHARE_UNKNOWN && cpu_a.share[level] == cpu_b.share[level];
}

/* A23: absence of one level of 0x80000026 is no error. */
static void a_missing_socket_level_is_looked_for_elsewhere(void **state)
{
    struct cpuid_dump dump = amd();

    (void)state;
    add(&dump, 0x80000026, 0, 1, 2, 0x100, 0);
    add(&dump, 0x80000026, 1, 4, 16, 0x302, 0);
    assert_true(meet(&dump, 0, 15, LEVEL_PACKAGE)); /* nothing but the die is known */
    assert_false(meet(&dump, 0, 16, LEVEL_PACKAGE));
    add(&dump, 0x80000008, 0, 0, 0, 0x501F, 0);
    assert_true(meet(&dump, 0, 31, LEVEL_PACKAGE));
    assert_false(meet(&dump, 0, 32, LEVEL_PACKAGE));
    assert_true(meet(&dump, 16, 31, LEVEL_DIE));
    assert_false(meet(&dump, 15, 16, LEVEL_DIE));
    add(&dump, 0x80000026, 2, 7, 128, 0x403, 0); /* there: it counts, not 0x80000008 */
    assert_true(meet(&dump, 0, 127, LEVEL_PACKAGE));
    assert_false(meet(&dump, 0, 128, LEVEL_PACKAGE));
}

/* Old AMD CPUs give no number of bits, only one of cores. */
static void cores_are_counted_where_no_bits_are_given(void **state)
{
    struct cpuid_dump dump = amd();

    (void)state;
    add(&dump, 1, 0, 0x40F13, 0x00020800, 0, 1u << 28);
    assert_true(meet(&dump, 0, 1, LEVEL_PACKAGE)); /* by leaf 1 */
    assert_false(meet(&dump, 1, 2, LEVEL_PACKAGE));
    add(&dump, 0x80000008, 0, 0, 0, 0x0002, 0);
    assert_true(meet(&dump, 0, 3, LEVEL_PACKAGE));
    assert_false(meet(&dump, 3, 4, LEVEL_PACKAGE));
    assert_false(meet(&dump, 0, 1, LEVEL_CORE));
    dump.leaf[2].ecx = 0x5002; /* bits are given: they count */
    assert_true(meet(&dump, 0, 31, LEVEL_PACKAGE));
    assert_false(meet(&dump, 31, 32, LEVEL_PACKAGE));
}

/* Real Opterons number their nodes through the machine, a VM may begin anew in each package. */
static void nodes_of_two_packages_are_not_one(void **state)
{
    struct cpu_info cpu[8];

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct cpuid_dump dump = amd();

        add(&dump, 0x80000008, 0, 0, 0, 0x6000, 0);
        add(&dump, 0x8000001E, 0, i << 4, 0x100, 0x300 | (i & 3), 0);
        cpu[i] = describe(&dump, i << 4);
        assert_int_not_equal(cpu[i].share[LEVEL_DIE], SHARE_UNKNOWN);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(cpu[i].share[LEVEL_DIE], cpu[j].share[LEVEL_DIE]);
    }
    assert_int_equal(cpu[0].share[LEVEL_PACKAGE], cpu[3].share[LEVEL_PACKAGE]);
    assert_int_not_equal(cpu[0].share[LEVEL_PACKAGE], cpu[4].share[LEVEL_PACKAGE]);
}

/* A VM that passes 0x80000026 on but not 0x8000001D: the complex is who shares the L3. */
static void a_complex_shares_the_l3_of_which_only_the_size_is_known(void **state)
{
    struct cpuid_dump dump = amd();

    (void)state;
    add(&dump, 1, 0, 0xA10F11, 0, 0, 0);
    add(&dump, 0x80000006, 0, 0, 0, 0x02006140, 0x02009140);
    assert_false(meet(&dump, 0, 0, LEVEL_LLC)); /* Zen: nobody said */
    add(&dump, 0x80000026, 0, 1, 2, 0x100, 0);
    add(&dump, 0x80000026, 1, 3, 8, 0x201, 0);
    assert_true(meet(&dump, 0, 7, LEVEL_LLC));
    assert_false(meet(&dump, 0, 8, LEVEL_LLC));
    assert_false(meet(&dump, 0, 7, LEVEL_MODULE));
    dump.leaf[1].eax = 0x100F42; /* K10: the package, where nothing else is known */
    dump.count = 3;
    add(&dump, 0x80000008, 0, 0, 0, 0x2003, 0);
    assert_true(meet(&dump, 0, 3, LEVEL_LLC));
    assert_false(meet(&dump, 3, 4, LEVEL_LLC));
    dump.leaf[1].eax = 0x60FB1; /* family 0xF, such as QEMU's qemu64, had none */
    assert_false(meet(&dump, 0, 0, LEVEL_LLC));
}

static void a_module_that_is_a_cache_group_is_told_as_that(void **state)
{
    static const struct {
        uint32_t l2, l3; /* EAX of leaf 4 */
        bool module;
    } cases[] = {
        {0x143, 0x7C163, true},    /* L2 private, L3 of 32 */
        {0x1C143, 0x7C163, false}, /* L2 of 8: the module */
        {0x143, 0x1C163, false},   /* L3 of 8 */
        {0x143, 0xC163, true},     /* L3 of 4 */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();

        add(&dump, 0x1F, 0, 0, 1, 0x100, 0);
        add(&dump, 0x1F, 1, 3, 8, 0x201, 0);
        add(&dump, 0x1F, 2, 6, 64, 0x302, 0);
        add(&dump, 4, 0, cases[i].l2, 0x01C0003F, 0x3FF, 0);
        add(&dump, 4, 1, cases[i].l3, 0x01C0003F, 0x3FFF, 0);
        assert_int_equal(meet(&dump, 8, 15, LEVEL_MODULE), cases[i].module);
        assert_false(meet(&dump, 7, 8, LEVEL_MODULE));
    }
}

/* A24. Not every core without an L3 is one: Atoms without hybrids have none, and P-cores are P. */
static void an_lp_core_is_an_e_core_of_a_hybrid_without_an_l3(void **state)
{
    static const struct {
        uint32_t kind, hybrid;
        bool l3;
        uint8_t expected;
    } cases[] = {
        {0x20000001, 1u << 15, false, CORE_KIND_LP_E}, {0x20000001, 1u << 15, true, CORE_KIND_E},
        {0x20000001, 0, false, CORE_KIND_E},           {0x40000001, 1u << 15, false, CORE_KIND_P},
        {0x40000001, 1u << 15, true, CORE_KIND_P},     {0x30000001, 1u << 15, false, 0x30},
        {0, 1u << 15, false, CORE_KIND_NONE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();

        add(&dump, 7, 0, 0, 0, 0, cases[i].hybrid);
        add(&dump, 0x1A, 0, cases[i].kind, 0, 0, 0);
        add(&dump, 4, 0, 0x143, 0x01C0003F, 0x3FF, 0);
        if (cases[i].l3)
            add(&dump, 4, 1, 0x7C163, 0x01C0003F, 0x3FFF, 0);
        assert_int_equal(describe(&dump, 0).core_kind, cases[i].expected);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_apic_id_than_firmwares_is_not_trusted),
        cmocka_unit_test(leaf_1_is_compared_in_the_bits_that_it_has),
        cmocka_unit_test(a_topology_leaf_that_contradicts_itself_is_not_trusted),
        cmocka_unit_test(groups_of_unlike_size_are_never_one),
        cmocka_unit_test(an_apic_id_beyond_all_machines_shares_nothing),
        cmocka_unit_test(a_missing_socket_level_is_looked_for_elsewhere),
        cmocka_unit_test(cores_are_counted_where_no_bits_are_given),
        cmocka_unit_test(nodes_of_two_packages_are_not_one),
        cmocka_unit_test(a_complex_shares_the_l3_of_which_only_the_size_is_known),
        cmocka_unit_test(a_module_that_is_a_cache_group_is_told_as_that),
        cmocka_unit_test(an_lp_core_is_an_e_core_of_a_hybrid_without_an_l3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
