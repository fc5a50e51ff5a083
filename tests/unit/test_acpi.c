/* SPDX-License-Identifier: BSD-2-Clause */
/* From the root pointer to a table, through memory that may not be there (A18); and the FADT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/acpi.h"
#include "acpi_build.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define BASE         0x7FE0000u /* where the made-up memory begins */
#define RSDP_AT      (BASE + 8)
#define RSDT_AT      (BASE + 0x104) /* at multiples of 4 only, as firmware does */
#define XSDT_AT      (BASE + 0x204)
#define TABLE_AT     (BASE + 0x400)

/* Physical memory of 4 KiB; a read that leaves it gets NULL, one within a copy of exactly its size,
 * so that ASan sees what is read beyond it. */
struct memory {
    uint8_t bytes[4096];
    uint8_t *copies[64];
    unsigned copy_count;
    size_t largest; /* read asked for */
};

static const void *read_memory(void *ctx, uint64_t address, size_t length)
{
    struct memory *m = ctx;
    if (length > m->largest)
        m->largest = length;
    if (address < BASE || address - BASE > sizeof m->bytes ||
        length > sizeof m->bytes - (address - BASE))
        return NULL;
    assert_true(m->copy_count < COUNT(m->copies));
    return m->copies[m->copy_count++] = exact_copy(m->bytes + (address - BASE), length);
}

static void forget(struct memory *m)
{
    while (m->copy_count > 0)
        free(m->copies[--m->copy_count]);
    m->largest = 0;
}

static void place(struct memory *m, uint32_t address, const struct build *b)
{
    memcpy(m->bytes + (address - BASE), b->bytes, b->size);
}

static void place_table(struct memory *m, uint32_t address, const char *signature, size_t body)
{
    static struct build b;
    begin_table(&b, signature, 1);
    put_zeros(&b, body);
    end_table(&b);
    place(m, address, &b);
}

/* A root table of addresses. */
static void place_root(struct memory *m, uint32_t address, const uint64_t *entries, size_t count)
{
    static struct build b;
    const unsigned width = address == XSDT_AT ? 8 : 4;
    begin_table(&b, width == 8 ? "XSDT" : "RSDT", 1);
    for (size_t i = 0; i < count; i++)
        put(&b, entries[i], width);
    end_table(&b);
    place(m, address, &b);
}

static void place_rsdp(struct memory *m, unsigned revision, uint32_t rsdt, uint64_t xsdt)
{
    static struct build b;
    b.size = 0;
    put_zeros(&b, 36);
    memcpy(b.bytes, "RSD PTR ", 8);
    b.bytes[15] = (uint8_t)revision;
    memcpy(b.bytes + 16, &rsdt, 4);
    b.bytes[20] = 36;
    memcpy(b.bytes + 24, &xsdt, 8);
    put_sum(b.bytes, 20, 8);
    put_sum(b.bytes, 36, 32);
    place(m, RSDP_AT, &b);
}

static enum acpi_status find(struct memory *m, const char *signature, size_t *ret_length)
{
    const struct acpi_memory memory = {read_memory, m};
    const uint8_t *table = NULL;
    *ret_length = 0;
    enum acpi_status status = acpi_find(&memory, RSDP_AT, signature, &table, ret_length);
    assert_int_equal(table != NULL, status == ACPI_OK);
    if (status == ACPI_OK && table != NULL) {
        assert_memory_equal(table, signature, 4);
        volatile uint8_t last = table[*ret_length - 1]; /* all of it is there */
        (void)last;
    } else {
        assert_int_equal(*ret_length, 0);
    }
    forget(m);
    return status;
}

/* APIC in both root tables, but of 44 bytes in the old one and of 60 in the new. */
static void place_all(struct memory *m, unsigned revision)
{
    memset(m, 0, sizeof *m);
    place_table(m, TABLE_AT, "FACP", 80);
    place_table(m, TABLE_AT + 0x100, "APIC", 8);
    place_table(m, TABLE_AT + 0x200, "APIC", 24);
    place_root(m, RSDT_AT, (const uint64_t[]){TABLE_AT, TABLE_AT + 0x100}, 2);
    place_root(m, XSDT_AT, (const uint64_t[]){TABLE_AT, TABLE_AT + 0x200}, 2);
    place_rsdp(m, revision, RSDT_AT, XSDT_AT);
}

static struct memory m;

static void revision_0_reads_the_rsdt_and_revision_2_the_xsdt(void **state)
{
    (void)state;
    static const struct {
        unsigned revision;
        size_t length;
    } cases[] = {{0, 44}, {1, 44}, {2, 60}, {3, 60}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t length;
        place_all(&m, cases[i].revision);
        assert_int_equal(find(&m, "APIC", &length), ACPI_OK);
        assert_int_equal(length, cases[i].length);
        assert_int_equal(find(&m, "FACP", &length), ACPI_OK);
        assert_int_equal(length, 116);
        assert_int_equal(find(&m, "SRAT", &length), ACPI_ABSENT);
    }
}

static void without_a_good_xsdt_the_rsdt_is_read(void **state)
{
    (void)state;
    size_t length;
    place_all(&m, 2);
    place_rsdp(&m, 2, RSDT_AT, 0);
    assert_int_equal(find(&m, "APIC", &length), ACPI_OK);
    assert_int_equal(length, 44);

    place_rsdp(&m, 2, RSDT_AT, 0x123456789ABCDEF0); /* nowhere */
    assert_int_equal(find(&m, "APIC", &length), ACPI_OK);
    assert_int_equal(length, 44);

    place_all(&m, 2);
    m.bytes[XSDT_AT - BASE + 9] ^= 1; /* its checksum */
    assert_int_equal(find(&m, "APIC", &length), ACPI_OK);
    assert_int_equal(length, 44);

    place_rsdp(&m, 2, 0, XSDT_AT);
    assert_int_equal(find(&m, "APIC", &length), ACPI_BAD_CHECKSUM);
    place_rsdp(&m, 2, 0, 0);
    assert_int_equal(find(&m, "APIC", &length), ACPI_ABSENT);
    place_rsdp(&m, 0, 0, XSDT_AT); /* revision 0 has none */
    assert_int_equal(find(&m, "APIC", &length), ACPI_ABSENT);
}

static void a_bad_root_pointer_is_not_followed(void **state)
{
    (void)state;
    size_t length;
    for (size_t at = 0; at < 36; at++) { /* any byte wrong: a checksum or the signature says so */
        place_all(&m, 2);
        m.bytes[RSDP_AT - BASE + at] ^= 0x40;
        assert_int_not_equal(find(&m, "APIC", &length), ACPI_OK);
    }
    place_all(&m, 2);
    m.bytes[RSDP_AT - BASE + 3] ^= 0x40;
    assert_int_equal(find(&m, "APIC", &length), ACPI_BAD_SIGNATURE);
    static const struct {
        uint32_t length;
        enum acpi_status status;
    } lengths[] = {{0, ACPI_BAD_LENGTH},    {35, ACPI_BAD_LENGTH},        {36, ACPI_OK},
                   {40, ACPI_OK},           {4096, ACPI_BAD_LENGTH}, /* leaves our memory */
                   {4097, ACPI_BAD_LENGTH}, {0xFFFFFFFF, ACPI_BAD_LENGTH}};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        place_all(&m, 2);
        memcpy(m.bytes + (RSDP_AT - BASE) + 20, &lengths[i].length, 4);
        if (lengths[i].length >= 36 && lengths[i].length < 64)
            put_sum(m.bytes + (RSDP_AT - BASE), lengths[i].length, 32);
        assert_int_equal(find(&m, "APIC", &length), lengths[i].status);
    }
    const struct acpi_memory memory = {read_memory, &m};
    const uint8_t *table;
    assert_int_equal(acpi_find(&memory, 0, "APIC", &table, &length), ACPI_ABSENT);
    assert_int_equal(acpi_find(&memory, UINT64_MAX, "APIC", &table, &length), ACPI_ABSENT);
    assert_int_equal(acpi_find(&memory, BASE + sizeof m.bytes - 19, "APIC", &table, &length),
                     ACPI_ABSENT);
    forget(&m);
}

static void entries_that_lead_nowhere_are_passed_over(void **state)
{
    (void)state;
    size_t length;
    place_all(&m, 2);
    place_root(&m, XSDT_AT,
               (const uint64_t[]){0, UINT64_MAX, BASE + sizeof m.bytes - 8, 0x1000, RSDP_AT,
                                  TABLE_AT + 0x200},
               6);
    assert_int_equal(find(&m, "APIC", &length), ACPI_OK);
    assert_int_equal(length, 60);
}

static void a_bad_table_is_passed_over_for_a_good_one_else_its_fault_is_told(void **state)
{
    (void)state;
    size_t length;
    place_all(&m, 2);
    place_root(&m, XSDT_AT, (const uint64_t[]){TABLE_AT + 0x100, TABLE_AT + 0x200}, 2);
    m.bytes[TABLE_AT + 0x100 - BASE + 40] = 1;
    assert_int_equal(find(&m, "APIC", &length), ACPI_OK);
    assert_int_equal(length, 60);
    m.bytes[TABLE_AT + 0x200 - BASE + 40] = 1;
    assert_int_equal(find(&m, "APIC", &length), ACPI_BAD_CHECKSUM);
}

static void absurd_lengths_are_not_read(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {0, 35, ACPI_TABLE_MAX + 1, 0x80000000, 0xFFFFFFFF};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        size_t length;
        const struct acpi_memory memory = {read_memory, &m};
        const uint8_t *table;
        place_all(&m, 2);
        memcpy(m.bytes + (TABLE_AT - BASE) + 0x204, &lengths[i], 4);
        assert_int_equal(acpi_find(&memory, RSDP_AT, "APIC", &table, &length), ACPI_BAD_LENGTH);
        assert_true(m.largest < 200);
        forget(&m);
        memcpy(m.bytes + (XSDT_AT - BASE) + 4, &lengths[i], 4); /* the root's own */
        assert_int_equal(acpi_find(&memory, RSDP_AT, "FACP", &table, &length), ACPI_OK);
        assert_true(m.largest < 200);
        forget(&m);
    }
    size_t length;
    place_all(&m, 2);
    memcpy(m.bytes + (TABLE_AT - BASE) + 0x204, &(uint32_t){8192}, 4); /* leaves our memory */
    assert_int_equal(find(&m, "APIC", &length), ACPI_BAD_LENGTH);
}

static void half_an_address_at_the_end_of_a_root_is_none(void **state)
{
    (void)state;
    size_t length;
    place_all(&m, 2);
    for (uint32_t cut = 1; cut < 8; cut++) {
        const uint32_t shorter = 36 + 16 - cut;
        memcpy(m.bytes + (XSDT_AT - BASE) + 4, &shorter, 4);
        put_sum(m.bytes + (XSDT_AT - BASE), shorter, 9);
        assert_int_equal(find(&m, "APIC", &length), ACPI_ABSENT);
        assert_int_equal(find(&m, "FACP", &length), ACPI_OK);
    }
}

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = ACPI_OK; a <= ACPI_BAD_VALUE; a++) {
        for (int b = ACPI_OK; b < a; b++)
            assert_string_not_equal(acpi_status_text((enum acpi_status)a),
                                    acpi_status_text((enum acpi_status)b));
    }
}

struct fadt {
    unsigned length;
    uint32_t pm_tmr_blk;
    unsigned pm_tmr_len;
    uint32_t flags;
    unsigned x_space;
    uint64_t x_address;
};

static void build_fadt(struct build *b, const struct fadt *f)
{
    begin_table(b, "FACP", 3);
    put_zeros(b, f->length - 36);
    memcpy(b->bytes + 76, &f->pm_tmr_blk, 4);
    b->bytes[91] = (uint8_t)f->pm_tmr_len;
    memcpy(b->bytes + 112, &f->flags, 4);
    if (f->length >= 220) {
        b->bytes[208] = (uint8_t)f->x_space;
        memcpy(b->bytes + 212, &f->x_address, 8);
    }
    end_table(b);
}

#define EXT     (1u << 8)
#define REDUCED (1u << 20)

static void the_pm_timer_is_an_io_port_or_none(void **state)
{
    (void)state; /* B4 */
    static const struct {
        struct fadt fadt;
        struct pm_timer want;
    } cases[] = {
        {{116, 0x408, 4, 0, 0, 0}, {0x408, 24}},
        {{116, 0x408, 4, EXT, 0, 0}, {0x408, 32}},
        {{244, 0x408, 4, EXT, 1, 0x608}, {0x608, 32}}, /* the new field counts */
        {{244, 0x608, 4, 0, 1, 0x608}, {0x608, 24}},   /* as QEMU's q35 has it */
        {{244, 0x408, 4, 0, 1, 0}, {0x408, 24}},       /* not set: the old one */
        {{244, 0x408, 4, 0, 0, 0}, {0x408, 24}},
        {{244, 0x408, 4, 0, 0, 0xFED80808}, {0, 0}}, /* in memory space */
        {{244, 0, 4, 0, 0, 0x608}, {0, 0}},
        {{244, 0, 0, 0, 1, 0x608}, {0x608, 24}},
        {{219, 0x408, 4, 0, 0, 0}, {0x408, 24}}, /* too short for the new field */
        {{116, 0, 4, 0, 0, 0}, {0, 0}},          /* absent */
        {{116, 0x408, 0, 0, 0, 0}, {0, 0}},      /* length 0 says: not supported */
        {{116, 0x408, 2, 0, 0, 0}, {0, 0}},
        {{116, 0xFFFC, 4, 0, 0, 0}, {0xFFFC, 24}},
        {{116, 0xFFFD, 4, 0, 0, 0}, {0, 0}}, /* no port of 4 bytes */
        {{116, 0x10408, 4, 0, 0, 0}, {0, 0}},
        {{244, 0x408, 4, 0, 1, 0x100000408}, {0, 0}},
        {{244, 0x408, 4, REDUCED, 1, 0x608}, {0, 0}},
    };
    static struct build b;
    for (size_t i = 0; i < COUNT(cases); i++) {
        build_fadt(&b, &cases[i].fadt);
        uint8_t *table = exact_copy(b.bytes, b.size);
        struct pm_timer timer = {99, 99};
        assert_int_equal(acpi_read_fadt(table, b.size, &timer), ACPI_OK);
        assert_int_equal(timer.port, cases[i].want.port);
        assert_int_equal(timer.bits, cases[i].want.bits);
        free(table);
    }
}

static void a_bad_fadt_gives_no_timer(void **state)
{
    (void)state;
    static struct build b;
    const struct fadt good = {244, 0x408, 4, 0, 1, 0x608};
    for (size_t cut = 0; cut < 244; cut++) {
        for (int mended = 0; mended < 2; mended++) {
            build_fadt(&b, &good);
            b.size = cut;
            if (mended && cut >= 36)
                end_table(&b);
            uint8_t *table = exact_copy(b.bytes, b.size);
            struct pm_timer timer = {99, 99};
            enum acpi_status status = acpi_read_fadt(table, cut, &timer);
            const bool enough = mended && cut >= 116;
            assert_int_equal(status, enough ? ACPI_OK : ACPI_BAD_LENGTH);
            assert_int_equal(timer.port, !enough ? 0 : cut >= 220 ? 0x608 : 0x408);
            free(table);
        }
    }
    struct pm_timer timer = {99, 99};
    build_fadt(&b, &good);
    b.bytes[150] ^= 1;
    assert_int_equal(acpi_read_fadt(b.bytes, b.size, &timer), ACPI_BAD_CHECKSUM);
    assert_int_equal(timer.port, 0);
    build_fadt(&b, &good);
    b.bytes[0] = 'D';
    assert_int_equal(acpi_read_fadt(b.bytes, b.size, &timer), ACPI_BAD_SIGNATURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revision_0_reads_the_rsdt_and_revision_2_the_xsdt),
        cmocka_unit_test(without_a_good_xsdt_the_rsdt_is_read),
        cmocka_unit_test(a_bad_root_pointer_is_not_followed),
        cmocka_unit_test(entries_that_lead_nowhere_are_passed_over),
        cmocka_unit_test(a_bad_table_is_passed_over_for_a_good_one_else_its_fault_is_told),
        cmocka_unit_test(absurd_lengths_are_not_read),
        cmocka_unit_test(half_an_address_at_the_end_of_a_root_is_none),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(the_pm_timer_is_an_io_port_or_none),
        cmocka_unit_test(a_bad_fadt_gives_no_timer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
