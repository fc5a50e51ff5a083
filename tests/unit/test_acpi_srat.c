/* SPDX-License-Identifier: BSD-2-Clause */
/* SRAT and SLIT: nodes of CPUs and memory, and distances that may be believed (A18). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/acpi.h"
#include "acpi_build.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ENABLED      1u
#define HOTPLUG      2u
#define GIB          (1ull << 30)

static struct build b;
static struct numa numa;
static struct cpu_info cpus[6];
static const uint32_t ids[COUNT(cpus)] = {0, 2, 5, 255, 300, 0x12345};

static void begin_srat(unsigned revision)
{
    begin_table(&b, "SRAT", revision);
    put(&b, 1, 4);
    put_zeros(&b, 8);
}

static void put_cpu(uint32_t apic_id, uint32_t domain, uint32_t flags)
{
    put(&b, 0 | 16 << 8, 2);
    put(&b, domain & 0xFF, 1);
    put(&b, apic_id, 1);
    put(&b, flags, 4);
    put(&b, 0xEE, 1); /* SAPIC EID: not part of the domain */
    put(&b, domain >> 8, 3);
    put(&b, 0, 4);
}

static void put_x2cpu(uint32_t apic_id, uint32_t domain, uint32_t flags)
{
    put(&b, 2 | 24 << 8, 2);
    put(&b, 0xEEEE, 2);
    put(&b, domain, 4);
    put(&b, apic_id, 4);
    put(&b, flags, 4);
    put(&b, 0, 8);
}

static void put_memory(uint32_t domain, uint64_t base, uint64_t bytes, uint32_t flags)
{
    put(&b, 1 | 40 << 8, 2);
    put(&b, domain, 4);
    put(&b, 0xEEEE, 2);
    put(&b, base, 8);
    put(&b, bytes, 8);
    put(&b, 0xEEEEEEEE, 4);
    put(&b, flags, 4);
    put(&b, 0, 8);
}

static enum acpi_status read_srat(void)
{
    uint8_t *table = exact_copy(b.bytes, b.size);
    memset(&numa, 0xA5, sizeof numa);
    memset(cpus, 0xA5, sizeof cpus);
    for (size_t i = 0; i < COUNT(cpus); i++)
        cpus[i].apic_id = ids[i];
    enum acpi_status status = acpi_read_srat(table, b.size, cpus, COUNT(cpus), &numa);
    free(table);
    return status;
}

static enum acpi_status finish_srat(void)
{
    end_table(&b);
    return read_srat();
}

static void assert_nodes(const uint32_t *nodes, unsigned count)
{
    assert_int_equal(numa.node_count, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(numa.node_id[i], nodes[i]);
}

static void assert_untouched(void)
{
    const uint8_t *bytes = (const uint8_t *)&numa;
    for (size_t i = 0; i < sizeof numa; i++)
        assert_int_equal(bytes[i], 0xA5);
    for (size_t i = 0; i < COUNT(cpus); i++)
        assert_int_equal(cpus[i].node, 0xA5A5A5A5);
}

static void cpus_and_memory_get_their_nodes(void **state)
{
    (void)state;
    begin_srat(3);
    put_cpu(5, 1, ENABLED);
    put_cpu(0, 0, ENABLED);
    put_memory(0, 0, 640 << 10, ENABLED);
    put_x2cpu(300, 1, ENABLED);
    put_memory(1, 4 * GIB, 2 * GIB, ENABLED | HOTPLUG);
    put_cpu(77, 1, ENABLED); /* of no CPU of ours */
    assert_int_equal(finish_srat(), ACPI_OK);
    static const uint32_t want[] = {0, NODE_UNKNOWN, 1, NODE_UNKNOWN, 1, NODE_UNKNOWN};
    for (size_t i = 0; i < COUNT(cpus); i++)
        assert_int_equal(cpus[i].node, want[i]);
    assert_nodes((const uint32_t[]){0, 1}, 2);
    assert_int_equal(numa.range_count, 2);
    assert_int_equal(numa.range[0].base, 0);
    assert_int_equal(numa.range[0].bytes, 640 << 10);
    assert_int_equal(numa.range[0].node, 0);
    assert_int_equal(numa.range[1].base, 4 * GIB);
    assert_int_equal(numa.range[1].bytes, 2 * GIB);
    assert_int_equal(numa.range[1].node, 1);
    assert_int_equal(numa.distance[0][0], 10);
    assert_int_equal(numa.distance[0][1], 20);
    assert_int_equal(numa.distance[1][0], 20);
    assert_int_equal(numa.distance[1][1], 10);
}

static void domains_have_32_bits_from_revision_2_on_and_8_before(void **state)
{
    (void)state;
    static const struct {
        unsigned revision;
        uint32_t cpu, x2cpu, memory;
    } cases[] = {
        {1, 0xDD, 0xAABBCCDD, 0x44}, /* type 2 came later: it has all its bits */
        {2, 0xAABBCCDD, 0xAABBCCDD, 0x11223344},
        {3, 0xAABBCCDD, 0xAABBCCDD, 0x11223344},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin_srat(cases[i].revision);
        put_cpu(0, 0xAABBCCDD, ENABLED);
        put_x2cpu(300, 0xAABBCCDD, ENABLED);
        put_memory(0x11223344, 0, GIB, ENABLED);
        assert_int_equal(finish_srat(), ACPI_OK);
        assert_int_equal(cpus[0].node, cases[i].cpu);
        assert_int_equal(cpus[4].node, cases[i].x2cpu);
        assert_int_equal(numa.range[0].node, cases[i].memory);
    }
}

static void what_is_not_enabled_or_cannot_be_is_left_out(void **state)
{
    (void)state;
    begin_srat(3);
    put_cpu(0, 7, 0);
    put_x2cpu(2, 8, 0);
    put_memory(9, 0, GIB, 0);
    put_memory(9, 0, GIB, HOTPLUG);
    put_memory(10, GIB, 0, ENABLED);              /* empty */
    put_memory(11, UINT64_MAX - 5, 100, ENABLED); /* wraps */
    put_cpu(5, NODE_UNKNOWN, ENABLED);            /* our word for none */
    put_memory(NODE_UNKNOWN, 0, GIB, ENABLED);
    put_x2cpu(300, 4, ENABLED);
    assert_int_equal(finish_srat(), ACPI_OK);
    assert_nodes((const uint32_t[]){4}, 1);
    assert_int_equal(numa.range_count, 0);
    assert_int_equal(cpus[0].node, NODE_UNKNOWN);
    assert_int_equal(cpus[2].node, NODE_UNKNOWN);
    assert_int_equal(cpus[4].node, 4);
}

static void nodes_are_listed_once_by_rising_number(void **state)
{
    (void)state;
    begin_srat(3);
    static const uint32_t domains[] = {9, 3, 9, 0, 0x10000, 3, 1};
    for (size_t i = 0; i < COUNT(domains); i++)
        put_memory(domains[i], GIB * i, GIB, ENABLED);
    assert_int_equal(finish_srat(), ACPI_OK);
    assert_nodes((const uint32_t[]){0, 1, 3, 9, 0x10000}, 5);
    for (size_t i = 0; i < COUNT(domains); i++)
        assert_int_equal(numa.range[i].node, domains[i]);
}

static void unknown_entries_are_skipped_and_a_bad_one_ends_it(void **state)
{
    (void)state; /* A18: an unknown entry must not abort it all */
    static const struct {
        unsigned type, length;
        bool good;
    } cases[] = {{3, 16, true},  {5, 32, true}, {0x80, 2, true},  {0, 15, false}, {1, 39, false},
                 {2, 23, false}, {0, 0, false}, {0x80, 1, false}, {3, 255, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin_srat(3);
        put_cpu(0, 1, ENABLED);
        put(&b, cases[i].type, 1);
        put(&b, cases[i].length, 1);
        if (cases[i].length > 2)
            put_zeros(&b, (cases[i].length < 40 ? cases[i].length : 40) - 2);
        put_cpu(2, 6, ENABLED);
        assert_int_equal(finish_srat(), cases[i].good ? ACPI_OK : ACPI_TRUNCATED);
        assert_int_equal(cpus[0].node, 1);
        assert_int_equal(cpus[1].node, cases[i].good ? 6 : NODE_UNKNOWN);
    }
}

static void more_than_fits_is_told_and_the_first_kept(void **state)
{
    (void)state;
    begin_srat(3);
    for (uint32_t i = 0; i < MAX_NODES; i++)
        put_x2cpu(1000 + i, i, ENABLED);
    assert_int_equal(finish_srat(), ACPI_OK);
    assert_int_equal(numa.node_count, MAX_NODES);
    put_x2cpu(300, MAX_NODES, ENABLED);
    assert_int_equal(finish_srat(), ACPI_TOO_MANY);
    assert_int_equal(numa.node_count, MAX_NODES);
    assert_int_equal(numa.node_id[MAX_NODES - 1], MAX_NODES - 1);

    begin_srat(3);
    for (uint32_t i = 0; i < MAX_MEMORY_RANGES; i++)
        put_memory(0, GIB * i, GIB, ENABLED);
    assert_int_equal(finish_srat(), ACPI_OK);
    put_memory(0, GIB * 5000, GIB, ENABLED);
    assert_int_equal(finish_srat(), ACPI_TOO_MANY);
    assert_int_equal(numa.range_count, MAX_MEMORY_RANGES);
}

static void a_srat_cut_anywhere_is_never_read_beyond(void **state)
{
    (void)state; /* A18 */
    static struct build whole;
    begin_srat(3);
    put_cpu(0, 1, ENABLED);
    put_memory(2, 0, GIB, ENABLED);
    put_x2cpu(300, 3, ENABLED);
    end_table(&b);
    whole = b;
    for (size_t cut = 0; cut < whole.size; cut++) {
        b = whole;
        b.size = cut;
        assert_int_equal(read_srat(), ACPI_BAD_LENGTH);
        assert_untouched();
        if (cut < 36)
            continue;
        b = whole;
        b.size = cut;
        enum acpi_status status = finish_srat();
        if (cut < 48) {
            assert_int_equal(status, ACPI_BAD_LENGTH);
            assert_untouched();
            continue;
        }
        const bool edge = cut == 48 || cut == 64 || cut == 104;
        assert_int_equal(status, edge ? ACPI_OK : ACPI_TRUNCATED);
        assert_int_equal(numa.node_count, (cut >= 64) + (cut >= 104));
        assert_int_equal(cpus[0].node, cut >= 64 ? 1 : NODE_UNKNOWN);
    }
}

static void a_wrong_srat_changes_nothing(void **state)
{
    (void)state; /* A18 */
    begin_srat(3);
    put_cpu(0, 1, ENABLED);
    end_table(&b);
    for (size_t at = 0; at < b.size; at++) {
        b.bytes[at] ^= 0x20;
        assert_int_not_equal(read_srat(), ACPI_OK);
        assert_untouched();
        b.bytes[at] ^= 0x20;
    }
}

static void build_slit(uint64_t localities, const uint8_t *matrix, size_t cells)
{
    begin_table(&b, "SLIT", 1);
    put(&b, localities, 8);
    memcpy(b.bytes + b.size, matrix, cells);
    b.size += cells;
    end_table(&b);
}

static enum acpi_status read_slit(void)
{
    uint8_t *table = exact_copy(b.bytes, b.size);
    enum acpi_status status = acpi_read_slit(table, b.size, &numa);
    free(table);
    return status;
}

/* Nodes 0, 2 and 7, as SRAT leaves them. */
static void three_nodes(void)
{
    begin_srat(3);
    put_cpu(0, 0, ENABLED);
    put_cpu(2, 2, ENABLED);
    put_cpu(5, 7, ENABLED);
    assert_int_equal(finish_srat(), ACPI_OK);
}

static const uint8_t three_by_three[] = {10, 21, 31, 22, 10, 23, 32, 24, 10};

static void distances_are_by_domain_number_and_directed(void **state)
{
    (void)state;
    three_nodes();
    build_slit(3, three_by_three, 9);
    assert_int_equal(read_slit(), ACPI_OK);
    assert_int_equal(numa.distance[0][1], 31); /* domains 0 and 2 */
    assert_int_equal(numa.distance[1][0], 32);
    assert_int_equal(numa.distance[0][2], 20); /* 7 is not in the table */
    assert_int_equal(numa.distance[2][1], 20);
    assert_int_equal(numa.distance[0][0], 10);
    assert_int_equal(numa.distance[2][2], 10);
}

static void an_unreachable_node_stays_255(void **state)
{
    (void)state;
    static const uint8_t matrix[] = {10, 20, 255, 20, 10, 20, 255, 20, 10};
    three_nodes();
    build_slit(3, matrix, 9);
    assert_int_equal(read_slit(), ACPI_OK);
    assert_int_equal(numa.distance[0][1], 255);
}

static void a_slit_with_a_value_below_10_is_refused_whole(void **state)
{
    (void)state;
    for (size_t cell = 0; cell < 9; cell++) {
        uint8_t matrix[9];
        memcpy(matrix, three_by_three, 9);
        matrix[cell] = cell % 2 ? 9 : 0;
        three_nodes();
        const struct numa before = numa;
        build_slit(3, matrix, 9);
        assert_int_equal(read_slit(), ACPI_BAD_VALUE);
        assert_memory_equal(&numa, &before, sizeof numa);
    }
}

static void a_slit_that_does_not_hold_its_matrix_is_refused(void **state)
{
    (void)state; /* A18 */
    static const uint64_t counts[] = {4,          1000,       1 << 20,    (1 << 20) + 1,
                                      1ull << 32, 1ull << 63, UINT64_MAX, 0x100000003};
    for (size_t i = 0; i < COUNT(counts); i++) {
        three_nodes();
        const struct numa before = numa;
        build_slit(counts[i], three_by_three, 9);
        assert_int_equal(read_slit(), ACPI_BAD_LENGTH);
        assert_memory_equal(&numa, &before, sizeof numa);
    }
    three_nodes();
    build_slit(3, three_by_three, 9);
    static struct build whole;
    whole = b;
    for (size_t cut = 0; cut < whole.size; cut++) {
        b = whole;
        b.size = cut;
        if (cut >= 36)
            end_table(&b);
        assert_int_equal(read_slit(), ACPI_BAD_LENGTH);
    }
    build_slit(0, three_by_three, 0); /* no node at all: nothing to say */
    assert_int_equal(read_slit(), ACPI_OK);
    assert_int_equal(numa.distance[0][1], 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_and_memory_get_their_nodes),
        cmocka_unit_test(domains_have_32_bits_from_revision_2_on_and_8_before),
        cmocka_unit_test(what_is_not_enabled_or_cannot_be_is_left_out),
        cmocka_unit_test(nodes_are_listed_once_by_rising_number),
        cmocka_unit_test(unknown_entries_are_skipped_and_a_bad_one_ends_it),
        cmocka_unit_test(more_than_fits_is_told_and_the_first_kept),
        cmocka_unit_test(a_srat_cut_anywhere_is_never_read_beyond),
        cmocka_unit_test(a_wrong_srat_changes_nothing),
        cmocka_unit_test(distances_are_by_domain_number_and_directed),
        cmocka_unit_test(an_unreachable_node_stays_255),
        cmocka_unit_test(a_slit_with_a_value_below_10_is_refused_whole),
        cmocka_unit_test(a_slit_that_does_not_hold_its_matrix_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
