/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole machines from CPUID dumps (tests/data/cpuid): who shares what with whom, for every pair.
 * One test for each file there. */
#define _GNU_SOURCE /* glob */
#include "cpuid_machine.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FILES_MAX 128u

static void describe_all(const struct machine_file *file, struct cpu_info *ret_cpus,
                         bool *ret_trusted)
{
    *ret_trusted = true;
    for (unsigned i = 0; i < file->count; i++) {
        topology_cpu_init(&ret_cpus[i], 0);
        if (!cpuid_describe(&file->cpu[i].dump, file->cpu[i].apic_id, &ret_cpus[i]))
            *ret_trusted = false;
    }
}

static void check_groups(const struct machine_file *file, const struct cpu_info *cpus,
                         unsigned level)
{
    for (unsigned i = 0; i < file->count; i++) {
        bool known = cpus[i].share[level] != SHARE_UNKNOWN;

        if (known != (file->cpu[i].group[level] != GROUP_NONE))
            fail_msg("%s of CPU %#x is %s", level_name(level), file->cpu[i].apic_id,
                     known ? "known" : "unknown");
        for (unsigned j = 0; j < i; j++) {
            bool same = known && cpus[i].share[level] == cpus[j].share[level];
            bool expected = file->cpu[i].group[level] != GROUP_NONE &&
                            file->cpu[i].group[level] == file->cpu[j].group[level];

            if (same != expected)
                fail_msg("CPUs %#x and %#x %s the %s", file->cpu[j].apic_id, file->cpu[i].apic_id,
                         same ? "share" : "do not share", level_name(level));
        }
    }
}

static void check_cpu(const struct machine_cpu *expected, const struct cpu_info *cpu)
{
    assert_int_equal(cpu->apic_id, expected->apic_id);
    assert_int_equal(cpu->core_kind, expected->kind);
    assert_int_equal(cpu->line_bytes, expected->line);
    assert_int_equal(cpu->node, NODE_UNKNOWN);
    assert_int_equal(cpu->share[LEVEL_SYSTEM], 0);
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        assert_int_equal(cpu->cache_bytes[level], expected->bytes[level]);
        assert_int_equal(cpu->cache_ways[level], expected->ways[level]);
    }
}

static void check_text(const struct machine_file *file, const char *name, const char *value)
{
    const char *expected = machine_text(file, name);

    if (expected)
        assert_string_equal(value, expected);
}

static void check_features(const struct machine_file *file)
{
    struct cpuid_features features;
    char number[24];

    cpuid_features(&file->cpu[0].dump, &features);
    snprintf(number, sizeof number, "%llu", (unsigned long long)features.tsc_khz_hint);
    check_text(file, "tsc_khz", number);
    check_text(file, "brand", features.brand);
    check_text(file, "smi", features.smi_counter ? "yes" : "no");
    check_text(file, "hypervisor", features.hypervisor ? "yes" : "no");
    check_text(file, "sev", features.sev ? "yes" : "no");
    check_text(file, "tdx", features.tdx ? "yes" : "no");
    check_text(file, "source", cpuid_cache_source(&file->cpu[0].dump));
}

static void the_machine_is_decoded_as_its_file_says(void **state)
{
    struct machine_file *file = machine_read((const char *)*state);
    static struct cpu_info cpus[MACHINE_CPUS];
    bool trusted;

    assert_in_range(file->count, 1, MACHINE_CPUS);
    assert_non_null(machine_text(file, "trusted"));
    assert_non_null(machine_text(file, "contradiction"));
    describe_all(file, cpus, &trusted);
    for (unsigned level = 0; level < LEVEL_NODE; level++) {
        if (!file->level_given[level])
            fail_msg("nothing is expected of %s", level_name(level));
        check_groups(file, cpus, level);
    }
    for (unsigned i = 0; i < file->count; i++)
        check_cpu(&file->cpu[i], &cpus[i]);
    check_text(file, "trusted", trusted ? "yes" : "no");
    check_text(file, "contradiction", topology_contradicts(cpus, file->count) ? "yes" : "no");
    check_features(file);
    free(file);
}

int main(void)
{
    struct CMUnitTest tests[FILES_MAX] = {{0}};
    glob_t found;
    int failed;

    if (glob("tests/data/cpuid/*.txt", 0, NULL, &found) != 0 || found.gl_pathc > FILES_MAX) {
        fprintf(stderr, "no machines, or too many: run this in the top folder\n");
        return 2;
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        tests[i] = (struct CMUnitTest){.name = found.gl_pathv[i],
                                       .test_func = the_machine_is_decoded_as_its_file_says,
                                       .initial_state = found.gl_pathv[i]};
    failed = _cmocka_run_group_tests("cpuid machines", tests, found.gl_pathc, NULL, NULL);
    globfree(&found);
    return failed;
}
