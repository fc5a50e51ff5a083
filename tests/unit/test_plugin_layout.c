/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs of a machine file become sockets, cores and threads of QEMU with the same APIC ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../machine/plugin/guest.h"

static struct desc *machine(unsigned cpus, const char *ids, const char *topology)
{
    char text[2000];
    struct desc_error error;
    int length =
        snprintf(text, sizeof text,
                 "machine = test\nline = 64\ncpus = %u\n%s%s\n[topology]\n%s\n"
                 "[cache L2]\nlevel = 2\nsize = 256K\nways = 8\nhit = 2 ns\ngroups = each\n"
                 "[distance all]\ntransfer = 100 ns\ngroups = all\n"
                 "[memory]\nsize = 64M\nlatency = 100 ns\n[clock]\nrate = 1 GHz\n",
                 cpus, ids ? "apic = " : "", ids ? ids : "", topology);
    struct desc *desc = desc_parse(text, (size_t)length, &error);
    if (!desc)
        fail_msg("line %lu: %s", error.line, error.text);
    return desc;
}

static void ids_of_the_file_are_kept_where_their_bits_fit(void **state)
{
    (void)state;
    static const struct {
        unsigned cpus;
        const char *ids, *topology;
        uint32_t sockets, cores, threads;
    } table[] = {
        {1, NULL, "package = all", 1, 1, 1},
        {4, NULL, "package = each 2", 2, 2, 1},
        {4, NULL, "package = each", 4, 1, 1},
        {6, "0 1 2 4 5 6", "package = 0-2; 3-5", 2, 3, 1},
        {4, "0 1 2 3", "core = 0 1; 2 3\npackage = all", 1, 2, 2},
        {4, "0 2 4 6", "package = all", 1, 7, 1},                         /* holes */
        {5, "0 2 64 66 1", "core = 0 4\npackage = 0 1 4; 2 3", 17, 2, 2}, /* sparse */
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct layout layout;
        char reason[200];
        struct desc *desc = machine(table[i].cpus, table[i].ids, table[i].topology);
        assert_true(layout_find(desc, &layout, reason, sizeof reason));
        assert_true(layout.file_ids);
        assert_int_equal(layout.sockets, table[i].sockets);
        assert_int_equal(layout.cores, table[i].cores);
        assert_int_equal(layout.threads, table[i].threads);
        for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
            assert_int_equal(layout.cpu[cpu].apic_id, desc->cpu[cpu].apic_id);
            assert_int_equal(layout_cpu_of_index(&layout, layout.cpu[cpu].index), cpu);
        }
        desc_free(desc);
    }
}

static void ids_that_qemu_cannot_have_are_replaced(void **state)
{
    (void)state;
    static const struct {
        unsigned cpus;
        const char *ids, *topology;
        uint32_t sockets, cores, threads;
    } table[] = {
        {6, NULL, "package = each 3", 2, 3, 1},                    /* 3 cores need 4 ids */
        {4, "7 6 5 4", "package = all", 1, 4, 1},                  /* none is 0 */
        {2, "0 1000", "package = each", 2, 1, 1},                  /* beyond 8 bits */
        {4, "0 1 2 3", "core = 0 2; 1 3\npackage = all", 1, 2, 2}, /* siblings far apart */
        {4, "0 1 2 3", "package = 0 3; 1 2", 2, 2, 1},             /* packages likewise */
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct layout layout;
        char reason[200];
        struct desc *desc = machine(table[i].cpus, table[i].ids, table[i].topology);
        assert_true(layout_find(desc, &layout, reason, sizeof reason));
        assert_false(layout.file_ids);
        assert_int_equal(layout.sockets, table[i].sockets);
        assert_int_equal(layout.cores, table[i].cores);
        assert_int_equal(layout.threads, table[i].threads);
        for (unsigned a = 0; a < desc->cpu_count; a++)
            for (unsigned b = 0; b < a; b++) {
                assert_int_not_equal(layout.cpu[a].apic_id, layout.cpu[b].apic_id);
                assert_int_not_equal(layout.cpu[a].index, layout.cpu[b].index);
            }
        desc_free(desc);
    }
}

/* QEMU's CPUID tells of one L3 for each die: what a last-level cache is must be a die. */
static void last_level_caches_become_dies(void **state)
{
    (void)state;
    static const struct {
        unsigned cpus;
        const char *l3, *topology;
        bool file_ids;
        uint32_t sockets, dies, cores;
    } table[] = {
        {4, "each 2", "package = all", true, 1, 2, 2},
        {4, "all", "package = all", true, 1, 1, 4},
        {8, "each 2", "package = each 4", true, 2, 2, 2},
        {6, "each 3", "package = all", false, 1, 2, 3},   /* 3 cores need 4 ids */
        {4, "0 2; 1 3", "package = all", false, 1, 2, 2}, /* members far apart */
        {4, "all", "package = each", true, 4, 1, 1},      /* a lie: one L3 over all sockets */
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct layout layout;
        char reason[200], topology[200];
        snprintf(topology, sizeof topology,
                 "%s\n[cache L3]\nlevel = 3\nsize = 1M\nways = 8\nhit = 9 ns\ngroups = %s\n",
                 table[i].topology, table[i].l3);
        struct desc *desc = machine(table[i].cpus, NULL, topology);
        assert_true(layout_find(desc, &layout, reason, sizeof reason));
        assert_int_equal(layout.file_ids, table[i].file_ids);
        assert_int_equal(layout.sockets, table[i].sockets);
        assert_int_equal(layout.dies, table[i].dies);
        assert_int_equal(layout.cores, table[i].cores);
        desc_free(desc);
    }
}

static void cpus_that_qemu_has_no_room_for_are_refused(void **state)
{
    (void)state;
    struct layout layout;
    char reason[200];
    struct desc *desc = machine(256, NULL, "package = each 16");
    assert_false(layout_find(desc, &layout, reason, sizeof reason));
    assert_non_null(strstr(reason, "256"));
    desc_free(desc);
}

static void every_shipped_machine_becomes_a_guest(void **state)
{
    (void)state;
    static const char *const names[] = {
        "celeron",    "client-hybrid", "epyc-2s-nps1", "epyc-2s-nps4", "epyc-3d",  "itanium2",
        "numa4",      "odd-core",      "p3xeon",       "p4ht",         "single",   "smt-off",
        "two-groups", "two-pairs",     "two-sockets",  "vm-liar",      "xeon-snc2"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct guest guest;
        char path[100], reason[300];
        snprintf(path, sizeof path, "tests/machine/machines/%s.machine", names[i]);
        if (!guest_load(&guest, path, reason, sizeof reason))
            fail_msg("%s", reason);
        assert_int_equal(guest.desc->line_bytes, GUEST_LINE);
        assert_int_equal(guest.layout.cpu_count, guest.desc->cpu_count);
        guest_free(&guest);
    }
}

static void a_file_that_is_none_is_refused_with_its_name(void **state)
{
    (void)state;
    struct guest guest;
    char reason[300];
    assert_false(guest_load(&guest, "tests/machine/machines/none.machine", reason, sizeof reason));
    assert_non_null(strstr(reason, "none.machine"));
    assert_false(guest_load(&guest, "Makefile", reason, sizeof reason));
    assert_non_null(strstr(reason, "Makefile:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_of_the_file_are_kept_where_their_bits_fit),
        cmocka_unit_test(ids_that_qemu_cannot_have_are_replaced),
        cmocka_unit_test(last_level_caches_become_dies),
        cmocka_unit_test(cpus_that_qemu_has_no_room_for_are_refused),
        cmocka_unit_test(every_shipped_machine_becomes_a_guest),
        cmocka_unit_test(a_file_that_is_none_is_refused_with_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
