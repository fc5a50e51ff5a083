/* SPDX-License-Identifier: BSD-2-Clause */
/* MADT: the CPUs that firmware names, and the bogus ones among them (A13, A15 to A18). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/acpi.h"
#include "acpi_build.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ENABLED      1u
#define CAPABLE      2u

static struct build b;
static struct madt_cpus cpus;

static void begin_madt(void)
{
    begin_table(&b, "APIC", 4);
    put(&b, 0xFEE00000, 4);
    put(&b, 1, 4);
}

static void put_apic(uint32_t id, uint32_t flags)
{
    put(&b, 0, 1);
    put(&b, 8, 1);
    put(&b, id, 1); /* processor uid: never looked at */
    put(&b, id, 1);
    put(&b, flags, 4);
}

static void put_x2apic(uint32_t id, uint32_t flags)
{
    put(&b, 9, 1);
    put(&b, 16, 1);
    put(&b, 0, 2);
    put(&b, id, 4);
    put(&b, flags, 4);
    put(&b, id, 4);
}

/* Reads an exact copy of what was built. */
static enum acpi_status read_built(void)
{
    uint8_t *table = exact_copy(b.bytes, b.size);
    memset(&cpus, 0xA5, sizeof cpus);
    enum acpi_status status = acpi_read_madt(table, b.size, &cpus);
    free(table);
    return status;
}

static enum acpi_status finish(void)
{
    end_table(&b);
    return read_built();
}

static void assert_cpus(const uint32_t *ids, unsigned count, unsigned disabled, unsigned dropped)
{
    assert_int_equal(cpus.count, count);
    assert_int_equal(cpus.disabled, disabled);
    assert_int_equal(cpus.dropped, dropped);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(cpus.apic_id[i], ids[i]);
}

static void xapic_entries_are_read_in_their_order(void **state)
{
    (void)state; /* A16: the first is not the boot CPU for sure */
    begin_madt();
    put_apic(4, ENABLED);
    put_apic(0, ENABLED);
    put_apic(2, ENABLED | CAPABLE);
    put_apic(254, ENABLED);
    assert_int_equal(finish(), ACPI_OK);
    assert_cpus((const uint32_t[]){4, 0, 2, 254}, 4, 0, 0);
}

static void x2apic_entries_have_32_bits(void **state)
{
    (void)state; /* A15 */
    begin_madt();
    put_x2apic(0, ENABLED);
    put_x2apic(0xFF, ENABLED); /* 255 is an id like any other here */
    put_x2apic(0x12345, ENABLED);
    put_x2apic(0xFFFFFFFE, ENABLED);
    assert_int_equal(finish(), ACPI_OK);
    assert_cpus((const uint32_t[]){0, 0xFF, 0x12345, 0xFFFFFFFE}, 4, 0, 0);
}

static void three_hundred_cpus_of_both_kinds_are_all_there(void **state)
{
    (void)state; /* A15 */
    begin_madt();
    for (uint32_t i = 0; i < 255; i++)
        put_apic(i, ENABLED);
    for (uint32_t i = 255; i < 300; i++)
        put_x2apic(i, ENABLED);
    assert_int_equal(finish(), ACPI_OK);
    assert_int_equal(cpus.count, 300);
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(cpus.apic_id[i], i);
}

static void disabled_slots_are_counted_and_never_cpus(void **state)
{
    (void)state; /* A17 */
    begin_madt();
    put_apic(7, 0); /* the first may be disabled (A16) */
    put_apic(1, ENABLED);
    put_apic(2, CAPABLE);
    put_x2apic(300, 0);
    put_x2apic(301, CAPABLE);
    put_apic(0xFF, 0); /* filler */
    assert_int_equal(finish(), ACPI_OK);
    assert_cpus((const uint32_t[]){1}, 1, 5, 0);
}

static void duplicates_and_everyone_are_dropped(void **state)
{
    (void)state; /* A16 */
    begin_madt();
    put_apic(1, ENABLED);
    put_apic(0xFF, ENABLED);
    put_x2apic(1, ENABLED); /* the same CPU in both forms */
    put_x2apic(0xFFFFFFFF, ENABLED);
    for (int i = 0; i < 8; i++)
        put_x2apic(0x17161514, ENABLED); /* Dasharo/dasharo-issues#1094 */
    assert_int_equal(finish(), ACPI_OK);
    assert_cpus((const uint32_t[]){1, 0x17161514}, 2, 0, 10);
}

static void other_entries_are_skipped(void **state)
{
    (void)state;
    begin_madt();
    put(&b, 1 | 12 << 8, 2); /* I/O APIC */
    put(&b, 0x0101010101010101, 8);
    put(&b, 0, 2);
    put_apic(3, ENABLED);
    put(&b, 4 | 6 << 8, 2); /* local NMI */
    put(&b, 0, 4);
    put(&b, 0x80 | 2 << 8, 2); /* of the vendor, empty */
    put_x2apic(5, ENABLED);
    assert_int_equal(finish(), ACPI_OK);
    assert_cpus((const uint32_t[]){3, 5}, 2, 0, 0);
}

static void an_entry_longer_than_known_is_read_as_far_as_known(void **state)
{
    (void)state;
    begin_madt();
    put_apic(3, ENABLED);
    b.bytes[b.size - 8 + 1] = 10;
    put_zeros(&b, 2);
    put_apic(5, ENABLED);
    assert_int_equal(finish(), ACPI_OK);
    assert_cpus((const uint32_t[]){3, 5}, 2, 0, 0);
}

static void a_bad_entry_ends_the_reading_and_keeps_what_was_read(void **state)
{
    (void)state; /* A18 */
    static const struct {
        unsigned type, length;
    } bad[] = {{0, 0},    {0, 1},    {0, 7},      {9, 8},  {9, 15},
               {0x80, 0}, {0x80, 1}, {0x80, 200}, {0, 255}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        begin_madt();
        put_apic(3, ENABLED);
        put(&b, bad[i].type, 1);
        put(&b, bad[i].length, 1);
        put(&b, 0x0000000100000000,
            8); /* would be a CPU with id 0 if its length were not looked at */
        put_zeros(&b, 6);
        put_apic(5, ENABLED);
        assert_int_equal(finish(), ACPI_TRUNCATED);
        assert_cpus((const uint32_t[]){3}, 1, 0, 0);
    }
}

static void a_table_cut_anywhere_is_never_read_beyond(void **state)
{
    (void)state; /* A18 */
    static struct build whole;
    begin_madt();
    put_apic(3, ENABLED);
    put_x2apic(300, ENABLED);
    put_apic(5, ENABLED);
    end_table(&b);
    whole = b;
    for (size_t cut = 0; cut < whole.size; cut++) {
        b = whole;
        b.size = cut; /* its length says more than there is */
        assert_int_equal(read_built(), ACPI_BAD_LENGTH);
        assert_cpus(NULL, 0, 0, 0);
        if (cut < 36)
            continue;
        b = whole;
        b.size = cut; /* its length is true, its last entry is not */
        enum acpi_status status = finish();
        if (cut < 44) {
            assert_int_equal(status, ACPI_BAD_LENGTH);
            assert_cpus(NULL, 0, 0, 0);
        } else {
            const bool edge = cut == 44 || cut == 52 || cut == 68;
            assert_int_equal(status, edge ? ACPI_OK : ACPI_TRUNCATED);
            assert_cpus((const uint32_t[]){3, 300}, cut < 52 ? 0 : cut < 68 ? 1 : 2, 0, 0);
        }
    }
}

static void a_wrong_byte_anywhere_is_found_out(void **state)
{
    (void)state; /* A18 */
    begin_madt();
    put_apic(3, ENABLED);
    end_table(&b);
    for (size_t at = 0; at < b.size; at++) {
        b.bytes[at] ^= 0x20;
        enum acpi_status status = read_built();
        assert_true(status == ACPI_BAD_CHECKSUM || status == ACPI_BAD_SIGNATURE ||
                    status == ACPI_BAD_LENGTH);
        assert_cpus(NULL, 0, 0, 0);
        b.bytes[at] ^= 0x20;
    }
}

static void bytes_behind_the_table_are_not_part_of_it(void **state)
{
    (void)state;
    begin_madt();
    put_apic(3, ENABLED);
    end_table(&b);
    put_apic(5, ENABLED);
    assert_int_equal(read_built(), ACPI_OK);
    assert_cpus((const uint32_t[]){3}, 1, 0, 0);
}

static void more_cpus_than_fit_are_told_and_the_first_kept(void **state)
{
    (void)state; /* A15 */
    begin_madt();
    for (uint32_t i = 0; i < MAX_CPUS; i++)
        put_x2apic(2 * i, ENABLED);
    assert_int_equal(finish(), ACPI_OK);
    assert_int_equal(cpus.count, MAX_CPUS);
    put_x2apic(2, ENABLED); /* one that is there already is not too many */
    assert_int_equal(finish(), ACPI_OK);
    put_x2apic(1, ENABLED);
    put_x2apic(9, 0);
    assert_int_equal(finish(), ACPI_TOO_MANY);
    assert_int_equal(cpus.count, MAX_CPUS);
    assert_int_equal(cpus.apic_id[MAX_CPUS - 1], 2 * (MAX_CPUS - 1));
    assert_int_equal(cpus.disabled, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xapic_entries_are_read_in_their_order),
        cmocka_unit_test(x2apic_entries_have_32_bits),
        cmocka_unit_test(three_hundred_cpus_of_both_kinds_are_all_there),
        cmocka_unit_test(disabled_slots_are_counted_and_never_cpus),
        cmocka_unit_test(duplicates_and_everyone_are_dropped),
        cmocka_unit_test(other_entries_are_skipped),
        cmocka_unit_test(an_entry_longer_than_known_is_read_as_far_as_known),
        cmocka_unit_test(a_bad_entry_ends_the_reading_and_keeps_what_was_read),
        cmocka_unit_test(a_table_cut_anywhere_is_never_read_beyond),
        cmocka_unit_test(a_wrong_byte_anywhere_is_found_out),
        cmocka_unit_test(bytes_behind_the_table_are_not_part_of_it),
        cmocka_unit_test(more_cpus_than_fit_are_told_and_the_first_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
