/* SPDX-License-Identifier: BSD-2-Clause */
/* Cache sizes, sharers and line sizes from single leaves, odd and impossible values. */
#include "cpuid_build.h"

static void a_cache_of_impossible_size_has_none_and_is_not_trusted(void **state)
{
    static const struct {
        uint32_t ebx, ecx;
        uint64_t bytes;
    } cases[] = {
        {0x01C0003F, 0x0000003F, 32768},      {0x0000003F, 0x3FFFFFFF, 1ull << 36},
        {0x0000003F, 0x40000000, 0},          {0xFFFFFFFF, 0xFFFFFFFF, 0},
        {0xFFFFFFFF, 0x00000000, 1ull << 32}, {0x00000000, 0x00000000, 1},
        {0x00000000, 0xFFFFFFFF, 1ull << 32},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();
        struct cpu_info cpu;

        add(&dump, 1, 0, 0, 0, 0, 0);
        add(&dump, 4, 0, 0x00004163, cases[i].ebx, cases[i].ecx, 0);
        assert_int_equal(cpuid_describe(&dump, 0, &cpu), cases[i].bytes != 0);
        assert_int_equal(cpu.cache_bytes[3], cases[i].bytes);
        assert_int_not_equal(cpu.share[LEVEL_LLC], SHARE_UNKNOWN);
    }
}

static void instruction_caches_and_level_4_are_left_out(void **state)
{
    struct cpuid_dump dump = intel();
    struct cpu_info cpu;

    (void)state;
    add(&dump, 4, 0, 0x00000122, 0x01C0003F, 0x3F, 0);  /* L1 code */
    add(&dump, 4, 1, 0x00000321, 0x01C0003F, 0x3F, 0);  /* L1 data, fully associative */
    add(&dump, 4, 2, 0x0001C183, 0x03C0003F, 0xFFF, 0); /* L4 */
    add(&dump, 4, 3, 0x00000003, 0x03C0003F, 0xFFF, 0); /* no level */
    add(&dump, 4, 4, 0x000001E3, 0x03C0003F, 0xFFF, 0); /* level 7 */
    cpu = describe(&dump, 0);
    assert_int_equal(cpu.cache_bytes[1], 32768);
    assert_int_equal(cpu.cache_ways[1], 0xFFFF);
    assert_int_equal(cpu.cache_bytes[0], 0);
    assert_int_equal(cpu.cache_bytes[2], 0);
    assert_int_equal(cpu.cache_bytes[3], 0);
    assert_int_equal(cpu.share[LEVEL_L2], SHARE_UNKNOWN);
    assert_int_not_equal(cpu.share[LEVEL_LLC], SHARE_UNKNOWN); /* the L1 is the outermost */
    assert_int_not_equal(cpu.share[LEVEL_LLC], describe(&dump, 1).share[LEVEL_LLC]);
}

static void a_level_told_twice_is_not_trusted(void **state)
{
    struct cpuid_dump dump = intel();
    struct cpu_info cpu;

    (void)state;
    add(&dump, 4, 0, 0x00000121, 0x01C0003F, 0x3F, 0);
    assert_true(cpuid_describe(&dump, 0, &cpu));
    add(&dump, 4, 1, 0x00004121, 0x01C0003F, 0x7F, 0);
    assert_false(cpuid_describe(&dump, 0, &cpu));
    assert_int_equal(cpu.cache_bytes[1], 32768); /* the first one counts */
}

static void sizes_of_old_leaves_are_decoded(void **state)
{
    static const struct {
        uint32_t l1, l2, l3;
        uint64_t bytes[3];
        uint16_t ways[3];
    } cases[] = {
        {0x40020140, 0x02008140, 0x0030B140, {65536, 524288, 6 << 20}, {2, 16, 48}},
        {0x20080140, 0x01006140, 0x00000000, {32768, 262144, 0}, {8, 8, 0}},
        {0x10FF0140, 0x0800F140, 0x0020D140, {16384, 2 << 20, 4 << 20}, {0xFFFF, 0xFFFF, 96}},
        {0x10000140, 0x04000140, 0x00100140, {16384, 0, 0}, {0, 0, 0}}, /* both off */
        {0x00000000, 0x10009140, 0xFFFC9140, {0, 4 << 20, 16383ull << 19}, {0, 0, 0}},
        {0x18010140, 0x02001140, 0x00405140, {24576, 524288, 8 << 20}, {1, 1, 6}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = amd();
        struct cpu_info cpu;

        add(&dump, 0x80000005, 0, 0, 0, cases[i].l1, 0);
        add(&dump, 0x80000006, 0, 0, 0, cases[i].l2, cases[i].l3);
        cpu = describe(&dump, 0);
        for (unsigned level = 1; level <= 3; level++) {
            assert_int_equal(cpu.cache_bytes[level], cases[i].bytes[level - 1]);
            assert_int_equal(cpu.cache_ways[level], cases[i].ways[level - 1]);
        }
        assert_string_equal(cpuid_cache_source(&dump), "CPUID leaves 0x80000005 and 6");
    }
}

/* TCG's AMD models have leaf 4 all zero (A22), and some VMs of AMD CPUs have only leaf 4. */
static void each_vendors_own_cache_leaf_comes_first(void **state)
{
    struct cpuid_dump both[2] = {intel(), amd()};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        add(&both[i], 4, 0, 0x00000121, 0x01C0003F, 0x3F, 0);
        add(&both[i], 0x8000001D, 0, 0x00000121, 0x03C0003F, 0x3F, 0);
        assert_int_equal(describe(&both[i], 0).cache_ways[1], i == 0 ? 8 : 16);
    }
    assert_string_equal(cpuid_cache_source(&both[0]), "CPUID leaf 4");
    assert_string_equal(cpuid_cache_source(&both[1]), "CPUID leaf 0x8000001D");
    both[0].leaf[1].eax = 0;
    both[1].leaf[2].eax = 0;
    assert_string_equal(cpuid_cache_source(&both[0]), "CPUID leaf 0x8000001D");
    assert_string_equal(cpuid_cache_source(&both[1]), "CPUID leaf 4");
    both[0].leaf[2].eax = 0;
    assert_string_equal(cpuid_cache_source(&both[0]), "none");
}

static void a_line_is_a_power_of_two_or_the_default(void **state)
{
    static const struct {
        uint32_t cache_line; /* 0: no cache leaf */
        uint32_t clflush;    /* in bytes, 0: no CLFLUSH */
        uint16_t line;
    } cases[] = {
        {64, 64, 64},  {128, 64, 128}, {32, 0, 32},      {0, 32, 32},
        {0, 128, 128}, {0, 0, 64},     {48, 0, 64},      {48, 128, 128},
        {8, 32, 32},   {4096, 0, 64},  {4096, 64, 64},   {0, 2040, 64},
        {1, 0, 64},    {512, 0, 512},  {1024, 512, 512}, {16, 64, 16},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();

        add(&dump, 1, 0, 0, cases[i].clflush / 8 << 8, 0, cases[i].clflush ? 1u << 19 : 0);
        if (cases[i].cache_line)
            add(&dump, 4, 0, 0x121, cases[i].cache_line - 1, 0x3F, 0);
        assert_int_equal(describe(&dump, 0).line_bytes, cases[i].line);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_of_impossible_size_has_none_and_is_not_trusted),
        cmocka_unit_test(instruction_caches_and_level_4_are_left_out),
        cmocka_unit_test(a_level_told_twice_is_not_trusted),
        cmocka_unit_test(sizes_of_old_leaves_are_decoded),
        cmocka_unit_test(each_vendors_own_cache_leaf_comes_first),
        cmocka_unit_test(a_line_is_a_power_of_two_or_the_default),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
