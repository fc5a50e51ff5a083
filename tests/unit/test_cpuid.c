/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID dumps: collecting on the CPU that runs the test, looking up, and any bits at all. */
#include "cpuid_build.h"
#include <cpuid.h>
#include <string.h>

static void what_is_collected_is_what_the_cpu_says(void **state)
{
    struct cpuid_dump dump;
    const struct cpuid_leaf *leaf;
    unsigned eax, ebx, ecx, edx;

    (void)state;
    memset(&dump, 0xA5, sizeof dump);
    cpuid_collect(&dump);
    assert_in_range(dump.count, 2, CPUID_LEAVES);
    __cpuid(0, eax, ebx, ecx, edx);
    leaf = cpuid_find(&dump, 0, 0);
    assert_non_null(leaf);
    assert_true(leaf->eax == eax && leaf->ebx == ebx && leaf->ecx == ecx && leaf->edx == edx);
    __cpuid(1, eax, ebx, ecx, edx);
    leaf = cpuid_find(&dump, 1, 0);
    assert_non_null(leaf);
    assert_true(leaf->eax == eax && leaf->edx == edx);
    assert_true((leaf->ebx & 0xFFFFFF) == (ebx & 0xFFFFFF)); /* the test may change CPUs */
    assert_non_null(cpuid_find(&dump, 0x80000001, 0));
}

/* Intel CPUs answer for leaves that they do not have with their highest one (A20). */
static void nothing_above_the_highest_leaf_is_collected_and_nothing_twice(void **state)
{
    struct cpuid_dump dump;

    (void)state;
    cpuid_collect(&dump);
    for (uint32_t i = 0; i < dump.count; i++) {
        uint32_t range = dump.leaf[i].leaf & 0xFFFF0000;
        const struct cpuid_leaf *first = cpuid_find(&dump, range, 0);

        assert_non_null(first);
        assert_true(dump.leaf[i].leaf == range || dump.leaf[i].leaf <= first->eax);
        for (uint32_t j = 0; j < i; j++)
            assert_false(dump.leaf[i].leaf == dump.leaf[j].leaf &&
                         dump.leaf[i].subleaf == dump.leaf[j].subleaf);
        if (dump.leaf[i].leaf == 4 || dump.leaf[i].leaf == 0x8000001D)
            assert_int_not_equal(dump.leaf[i].eax & 0x1F, 0); /* ends of lists are left out */
        if (dump.leaf[i].leaf == 0xB || dump.leaf[i].leaf == 0x1F)
            assert_int_not_equal(dump.leaf[i].ecx & 0xFF00, 0);
    }
}

static void collecting_writes_nothing_behind_the_dump(void **state)
{
    struct {
        struct cpuid_dump dump;
        uint8_t guard[64];
    } memory;

    (void)state;
    memset(&memory, 0x5A, sizeof memory);
    cpuid_collect(&memory.dump);
    for (size_t i = 0; i < sizeof memory.guard; i++)
        assert_int_equal(memory.guard[i], 0x5A);
}

static void a_leaf_that_was_not_there_is_not_found(void **state)
{
    struct cpuid_dump dump = intel();

    (void)state;
    add(&dump, 4, 1, 1, 2, 3, 4);
    assert_null(cpuid_find(&dump, 1, 0));
    assert_null(cpuid_find(&dump, 4, 0));
    assert_non_null(cpuid_find(&dump, 4, 1));
    assert_int_equal(cpuid_find(&dump, 4, 1)->edx, 4);
    dump.count = 0;
    assert_null(cpuid_find(&dump, 0, 0));
}

static void a_count_beyond_the_dump_is_not_followed(void **state)
{
    struct cpuid_dump *dump = test_malloc(sizeof *dump); /* the sanitizer watches its end */

    (void)state;
    memset(dump, 0xFF, sizeof *dump);
    assert_null(cpuid_find(dump, 0, 0));
    (void)describe(dump, 0);
    test_free(dump);
}

static void the_apic_id_comes_from_the_best_leaf_there(void **state)
{
    struct cpuid_dump dump = amd();

    (void)state;
    assert_int_equal(cpuid_apic_id(&dump), 0);
    add(&dump, 1, 0, 0, 0x11000000, 0, 0);
    assert_int_equal(cpuid_apic_id(&dump), 0x11);
    add(&dump, 0x8000001E, 0, 0x222, 0x100, 0, 0);
    assert_int_equal(cpuid_apic_id(&dump), 0x222);
    add(&dump, 0xB, 0, 1, 2, 0x100, 0x333);
    assert_int_equal(cpuid_apic_id(&dump), 0x333);
    add(&dump, 0x1F, 0, 1, 2, 0x100, 0x444);
    assert_int_equal(cpuid_apic_id(&dump), 0x444);
    add(&dump, 0x80000026, 0, 1, 2, 0x100, 0x555);
    assert_int_equal(cpuid_apic_id(&dump), 0x555);
}

/* A20: EBX must not be 0, and the first level must be of type 1. */
static void a_topology_leaf_that_is_not_valid_is_passed_over(void **state)
{
    static const struct {
        uint32_t ebx, ecx;
    } invalid[] = {{0, 0x100}, {0, 0}, {2, 0}, {2, 0x200}, {2, 0x001}, {0x10000, 0x100}};

    (void)state;
    for (size_t i = 0; i < COUNT(invalid); i++) {
        struct cpuid_dump dump = intel();

        add(&dump, 1, 0, 0, 0x05000000, 0, 0);
        add(&dump, 0x1F, 0, 1, invalid[i].ebx, invalid[i].ecx, 0x99);
        assert_int_equal(cpuid_apic_id(&dump), 5);
        add(&dump, 0xB, 0, 1, 2, 0x100, 0x66);
        assert_int_equal(cpuid_apic_id(&dump), 0x66);
    }
}

static void flags_and_node_are_not_ours_to_write(void **state)
{
    struct cpuid_dump dump = intel();
    struct cpu_info cpu = {.flags = CPU_BOOT | CPU_CACHE_STATE, .node = 3};

    (void)state;
    cpuid_describe(&dump, 0, &cpu);
    assert_int_equal(cpu.flags, CPU_BOOT | CPU_CACHE_STATE);
    assert_int_equal(cpu.node, 3);
    assert_int_equal(cpu.share[LEVEL_NODE], SHARE_UNKNOWN); /* so that `node` is the id */
}

/* With TOPOEXT off 0x8000001E may be a leftover of zeros, which is no APIC id 0. */
static void a_node_leaf_of_zeros_counts_only_if_announced(void **state)
{
    struct cpuid_dump dump = amd();

    (void)state;
    add(&dump, 1, 0, 0xA00F11, 0x03000000, 0, 0);
    add(&dump, 0x8000001E, 0, 0, 0, 0, 0);
    add(&dump, 0x80000001, 0, 0, 0, 0, 0);
    assert_int_equal(cpuid_apic_id(&dump), 3);
    dump.leaf[3].ecx = 1u << 22;
    assert_int_equal(cpuid_apic_id(&dump), 0);
}

/* The lower bits are made likely to be valid, so that the decoder gets past its first looks. */
static uint32_t random_register(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    switch (*seed >> 60) {
    case 0:
        return 0;
    case 1:
        return 0xFFFFFFFF;
    case 2:
    case 3:
        return (uint32_t)(*seed >> 33) & 0xFF;
    case 4:
    case 5:
        return (uint32_t)(*seed >> 33) & 0x0707;
    default:
        return (uint32_t)(*seed >> 28);
    }
}

static void check_any(const struct cpuid_dump *dump, uint32_t apic_id)
{
    struct cpu_info cpu, again;
    struct cpuid_features features;
    bool trusted;

    topology_cpu_init(&cpu, 0);
    topology_cpu_init(&again, 0);
    trusted = cpuid_describe(dump, apic_id, &cpu);
    assert_int_equal(cpuid_describe(dump, apic_id, &again), trusted);
    assert_memory_equal(&cpu, &again, sizeof cpu);
    assert_int_equal(cpu.apic_id, apic_id);
    assert_int_equal(cpu.share[LEVEL_SYSTEM], 0);
    for (unsigned level = 0; level < LEVEL_SYSTEM; level++)
        assert_int_not_equal(cpu.share[level], 0);
    for (unsigned level = 0; level < CACHE_LEVELS; level++)
        assert_true(cpu.cache_bytes[level] <= 1ull << 36);
    assert_in_range(cpu.line_bytes, 16, 512);
    assert_int_equal(cpu.line_bytes & (cpu.line_bytes - 1), 0);
    cpuid_features(dump, &features);
    assert_true(features.tsc_khz_hint == 0 ||
                (features.tsc_khz_hint >= 100000 && features.tsc_khz_hint <= 10000000));
    assert_true(strlen(features.vendor) <= 12 && strlen(features.brand) <= 48);
    assert_non_null(cpuid_cache_source(dump));
}

static void random_dumps_are_decoded_to_something_sane(void **state)
{
    static const uint32_t leaves[] = {0,          1,          4,          5,          6,
                                      7,          0xB,        0x15,       0x16,       0x1A,
                                      0x1F,       0x21,       0x40000010, 0x80000001, 0x80000002,
                                      0x80000005, 0x80000006, 0x80000008, 0x8000001D, 0x8000001E,
                                      0x8000001F, 0x80000026};
    uint64_t seed = 2004;

    (void)state;
    for (unsigned run = 0; run < 20000; run++) {
        struct cpuid_dump dump = run % 2 ? intel() : amd();

        while (dump.count < CPUID_LEAVES) {
            uint32_t leaf = leaves[random_register(&seed) % COUNT(leaves)];

            add(&dump, leaf, random_register(&seed) & 7, random_register(&seed),
                random_register(&seed), random_register(&seed), random_register(&seed));
        }
        check_any(&dump, random_register(&seed));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_collected_is_what_the_cpu_says),
        cmocka_unit_test(nothing_above_the_highest_leaf_is_collected_and_nothing_twice),
        cmocka_unit_test(collecting_writes_nothing_behind_the_dump),
        cmocka_unit_test(a_leaf_that_was_not_there_is_not_found),
        cmocka_unit_test(a_count_beyond_the_dump_is_not_followed),
        cmocka_unit_test(the_apic_id_comes_from_the_best_leaf_there),
        cmocka_unit_test(a_topology_leaf_that_is_not_valid_is_passed_over),
        cmocka_unit_test(flags_and_node_are_not_ours_to_write),
        cmocka_unit_test(a_node_leaf_of_zeros_counts_only_if_announced),
        cmocka_unit_test(random_dumps_are_decoded_to_something_sane),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
