/* SPDX-License-Identifier: BSD-2-Clause */
/* Features, clock hint, names and signs of a guest from CPUID dumps. */
#include "cpuid_build.h"
#include <string.h>

static struct cpuid_features features_of(const struct cpuid_dump *dump)
{
    struct cpuid_features features;

    memset(&features, 0xA5, sizeof features);
    cpuid_features(dump, &features);
    return features;
}

/* B3: zero denominators, a missing crystal, bogus values. */
static void the_clock_hint_is_plausible_or_not_given(void **state)
{
    static const struct {
        const char *what;
        uint32_t signature;
        uint32_t denominator, numerator, crystal; /* leaf 0x15 */
        uint32_t base;                            /* leaf 0x16 EAX */
        uint64_t khz;
    } cases[] = {
        {"all said", 0x90672, 2, 166, 38400000, 3200, 3187200},
        {"crystal of Skylake", 0x506E3, 2, 334, 0, 4000, 4008000},
        {"crystal of Kaby Lake: 0x16 says 2300", 0x806E9, 2, 192, 0, 2300, 2304000},
        {"crystal of Goldmont", 0x506C9, 3, 171, 0, 0, 1094400},
        {"crystal of Denverton", 0x506F1, 2, 176, 0, 2200, 2200000},
        {"Skylake-SP has two crystals", 0x50654, 2, 200, 0, 2500, 2500000},
        {"unknown model, no crystal", 0xF06F0, 2, 200, 0, 3000, 3000000},
        {"unknown model, nothing else", 0xF06F0, 2, 200, 0, 0, 0},
        {"denominator 0", 0x90672, 0, 166, 38400000, 3200, 3200000},
        {"numerator 0", 0x90672, 2, 0, 38400000, 3200, 3200000},
        {"all zero", 0x90672, 0, 0, 0, 0, 0},
        {"largest values", 0x90672, 1, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFF, 0},
        {"largest denominator", 0x90672, 0xFFFFFFFF, 1, 1, 0, 0},
        {"crystal in kHz by mistake", 0x90672, 2, 166, 38400, 3200, 3200000},
        {"base alone", 0x90672, 0, 0, 0, 2800, 2800000},
        {"base too small", 0x90672, 0, 0, 0, 99, 0},
        {"base too large", 0x90672, 0, 0, 0, 10001, 0},
        {"upper half of base is reserved", 0x90672, 0, 0, 0, 0xABCD0AF0, 2800000},
        {"rounded", 0x90672, 3, 250, 38400001, 0, 3200000},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();
        struct cpuid_features features;

        add(&dump, 1, 0, cases[i].signature, 0, 0, 0);
        add(&dump, 0x15, 0, cases[i].denominator, cases[i].numerator, cases[i].crystal, 0);
        add(&dump, 0x16, 0, cases[i].base, 0, 0, 0);
        features = features_of(&dump);
        if (features.tsc_khz_hint != cases[i].khz)
            fail_msg("%s: %llu", cases[i].what, (unsigned long long)features.tsc_khz_hint);
        assert_int_equal(features.base_mhz, cases[i].base & 0xFFFF);
    }
}

static void a_cpu_without_clock_leaves_gives_no_hint(void **state)
{
    struct cpuid_dump dump = intel();

    (void)state;
    add(&dump, 1, 0, 0x506E3, 0, 0, 0);
    assert_int_equal(features_of(&dump).tsc_khz_hint, 0);
    assert_int_equal(features_of(&dump).base_mhz, 0);
}

static void only_intels_crystals_are_known(void **state)
{
    struct cpuid_dump dump = amd();

    (void)state;
    add(&dump, 1, 0, 0x506E3, 0, 0, 0);
    add(&dump, 0x15, 0, 2, 334, 0, 0);
    assert_int_equal(features_of(&dump).tsc_khz_hint, 0);
}

static void a_hypervisor_is_asked_before_what_it_passes_through(void **state)
{
    static const struct {
        uint32_t hypervisor, said;
        uint64_t khz;
    } cases[] = {
        {1u << 31, 2000000, 2000000},    {1u << 31, 0, 3187200}, {1u << 31, 99999, 3187200},
        {1u << 31, 0xFFFFFFFF, 3187200}, {0, 2000000, 3187200}, /* no hypervisor, no such leaf */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();

        add(&dump, 1, 0, 0x90672, 0, cases[i].hypervisor, 0);
        add(&dump, 0x15, 0, 2, 166, 38400000, 0);
        add(&dump, 0x40000010, 0, cases[i].said, 0, 0, 0);
        assert_int_equal(features_of(&dump).tsc_khz_hint, cases[i].khz);
        assert_int_equal(features_of(&dump).hypervisor, cases[i].hypervisor != 0);
    }
}

/* A27: MSR 0x34 faults where it is not, and a fault on an AP is the end. */
static void the_smi_counter_is_read_on_known_models_only(void **state)
{
    static const struct {
        const char *what;
        bool amd;
        uint32_t signature, ecx, edx;
        bool smi_counter;
    } cases[] = {
        {"Nehalem", false, 0x106A5, 0, 1u << 5, true},
        {"Skylake-SP", false, 0x50654, 0, 1u << 5, true},
        {"Alder Lake", false, 0x90672, 0, 1u << 5, true},
        {"Granite Rapids", false, 0xA06D1, 0, 1u << 5, true},
        {"Silvermont", false, 0x30673, 0, 1u << 5, true},
        {"Knights Landing", false, 0x50671, 0, 1u << 5, true},
        {"Core 2", false, 0x1067A, 0, 1u << 5, false},
        {"Atom N270", false, 0x106C2, 0, 1u << 5, false},
        {"Pentium 4", false, 0x00F43, 0, 1u << 5, false},
        {"family 15, model number of Skylake", false, 0x50FE3, 0, 1u << 5, false},
        {"a family to come", false, 0x1400F00, 0, 1u << 5, false},
        {"a model to come", false, 0xF06F0, 0, 1u << 5, false},
        {"no MSRs", false, 0x50654, 0, 0, false},
        {"a guest", false, 0x50654, 1u << 31, 1u << 5, false},
        {"AMD", true, 0x50654, 0, 1u << 5, false},
        {"EPYC", true, 0x830F10, 0, 1u << 5, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = cases[i].amd ? amd() : intel();

        add(&dump, 1, 0, cases[i].signature, 0, cases[i].ecx, cases[i].edx);
        if (features_of(&dump).smi_counter != cases[i].smi_counter)
            fail_msg("%s", cases[i].what);
        assert_int_equal(features_of(&dump).signature, cases[i].signature);
    }
}

static void each_feature_has_its_bit(void **state)
{
    struct cpuid_dump dump = intel();
    struct cpuid_features none, all;

    (void)state;
    none = features_of(&dump);
    assert_false(none.tsc || none.msr || none.mtrr || none.invariant_tsc || none.aperf_mperf);
    assert_false(none.tsc_adjust || none.x2apic || none.sev || none.tdx || none.monitor);
    assert_true(none.intel);
    assert_false(none.amd);

    add(&dump, 1, 0, 0, 0, 1u << 21, 1u << 4);
    add(&dump, 6, 0, 0, 0, 1, 0);
    add(&dump, 7, 0, 0, 1u << 1, 0, 0);
    add(&dump, 0x80000007, 0, 0, 0, 0, 1u << 8);
    all = features_of(&dump);
    assert_true(all.tsc && all.invariant_tsc && all.aperf_mperf && all.tsc_adjust && all.x2apic);
    assert_false(all.msr || all.mtrr);
    dump.leaf[1].edx = 1u << 5;
    assert_true(features_of(&dump).msr);
    dump.leaf[1].edx = 1u << 12;
    assert_true(features_of(&dump).mtrr);
    assert_false(features_of(&dump).tsc);
}

static void monitor_needs_a_line_to_watch(void **state)
{
    static const struct {
        uint32_t ecx, line, extensions;
        bool monitor, monitor_break;
        uint32_t largest;
    } cases[] = {
        {1u << 3, 64, 3, true, true, 64},  {1u << 3, 64, 1, true, false, 64},
        {1u << 3, 64, 2, true, false, 64}, {1u << 3, 0, 3, false, false, 0}, /* as TCG has it */
        {0, 64, 3, false, false, 0},       {1u << 3, 0x10080, 0, true, false, 128},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();
        struct cpuid_features features;

        add(&dump, 1, 0, 0, 0, cases[i].ecx, 0);
        add(&dump, 5, 0, 64, cases[i].line, cases[i].extensions, 0);
        features = features_of(&dump);
        assert_int_equal(features.monitor, cases[i].monitor);
        assert_int_equal(features.monitor_break, cases[i].monitor_break);
        assert_int_equal(features.monitor_line_largest, cases[i].largest);
    }
}

/* A32. On bare metal the SEV bit says what the CPU could do for guests. */
static void a_guest_under_sev_or_tdx_is_known(void **state)
{
    struct cpuid_dump dump = amd();

    (void)state;
    add(&dump, 1, 0, 0x830F10, 0, 0, 0);
    add(&dump, 0x8000001F, 0, 0x1000F, 0, 0, 0);
    assert_false(features_of(&dump).sev);
    dump.leaf[1].ecx = 1u << 31;
    assert_true(features_of(&dump).sev);
    dump.leaf[2].eax = 0x1000D; /* SME, no SEV */
    assert_false(features_of(&dump).sev);

    dump = intel();
    add(&dump, 0x21, 0, 0, 0x65746E49, 0x20202020, 0x5844546C);
    assert_true(features_of(&dump).tdx);
    dump.leaf[1].edx = 0x5844546D;
    assert_false(features_of(&dump).tdx);
    dump.leaf[1] = (struct cpuid_leaf){.leaf = 0x21};
    assert_false(features_of(&dump).tdx);
}

static void vendors_are_told_apart(void **state)
{
    static const struct {
        const char *name;
        bool intel, amd;
    } vendors[] = {
        {"GenuineIntel", true, false},  {"AuthenticAMD", false, true},
        {"HygonGenuine", false, true},  {"CentaurHauls", false, false},
        {"  Shanghai  ", false, false}, {"GenuineIntem", false, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(vendors); i++) {
        struct cpuid_dump dump = {0};
        struct cpuid_leaf leaf = {0};
        struct cpuid_features features;

        memcpy(&leaf.ebx, vendors[i].name, 4);
        memcpy(&leaf.edx, vendors[i].name + 4, 4);
        memcpy(&leaf.ecx, vendors[i].name + 8, 4);
        add(&dump, 0, 0, 1, leaf.ebx, leaf.ecx, leaf.edx);
        features = features_of(&dump);
        assert_string_equal(features.vendor, vendors[i].name);
        assert_int_equal(features.intel, vendors[i].intel);
        assert_int_equal(features.amd, vendors[i].amd);
    }
}

static void a_brand_is_cut_to_printable_text(void **state)
{
    static const struct {
        const char raw[49], *brand;
    } cases[] = {
        {"Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz",
         "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz"},
        {"      Intel(R) Atom(TM) CPU N270   @ 1.60GHz", "Intel(R) Atom(TM) CPU N270   @ 1.60GHz"},
        {"AMD EPYC 7742 64-Core Processor                ", "AMD EPYC 7742 64-Core Processor"},
        {"123456789012345678901234567890123456789012345678",
         "123456789012345678901234567890123456789012345678"},
        {"                                                ", ""},
        {"", ""},
        {"bell\a, escape\x1b[31m, \xC3\xA9 and \x7F", "bell?, escape?[31m, ?? and ?"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_dump dump = intel();

        for (uint32_t leaf = 0; leaf < 3; leaf++) {
            uint32_t value[4];

            memcpy(value, cases[i].raw + 16 * leaf, 16);
            add(&dump, 0x80000002 + leaf, 0, value[0], value[1], value[2], value[3]);
        }
        assert_string_equal(features_of(&dump).brand, cases[i].brand);
    }
}

static void a_cpu_without_brand_leaves_has_no_brand(void **state)
{
    struct cpuid_dump dump = {0};

    (void)state;
    assert_string_equal(features_of(&dump).brand, "");
    assert_string_equal(features_of(&dump).vendor, "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_hint_is_plausible_or_not_given),
        cmocka_unit_test(a_cpu_without_clock_leaves_gives_no_hint),
        cmocka_unit_test(only_intels_crystals_are_known),
        cmocka_unit_test(a_hypervisor_is_asked_before_what_it_passes_through),
        cmocka_unit_test(the_smi_counter_is_read_on_known_models_only),
        cmocka_unit_test(each_feature_has_its_bit),
        cmocka_unit_test(monitor_needs_a_line_to_watch),
        cmocka_unit_test(a_guest_under_sev_or_tdx_is_known),
        cmocka_unit_test(vendors_are_told_apart),
        cmocka_unit_test(a_brand_is_cut_to_printable_text),
        cmocka_unit_test(a_cpu_without_brand_leaves_has_no_brand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
