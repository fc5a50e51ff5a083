/* SPDX-License-Identifier: BSD-2-Clause */
/* The MTRR decoder: precedence, borders, masks with holes, and what firmware leaves behind (C10).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../arch/x86/memtype.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define KIB     1024ull
#define MIB     (1024 * KIB)
#define GIB     (1024 * MIB)
#define ENABLED 0x800u
#define FIXED   0x400u
#define VALID   0x800u
#define BITS_36 0xFFFFFFFFFull
#define BITS_46 0x3FFFFFFFFFFFull
#define BITS_52 0xFFFFFFFFFFFFFull

/* A machine with fixed ranges and 8 variable ones. */
static struct mtrr_state machine(uint64_t def_type, uint64_t address_mask)
{
    return (struct mtrr_state){.capability = 0x508,
                               .def_type = def_type,
                               .variable_count = 8,
                               .address_mask = address_mask};
}

static void set(struct mtrr_state *state, unsigned i, uint64_t base, uint64_t size, unsigned type)
{
    state->base[i] = base | type;
    state->mask[i] = (~(size - 1) & state->address_mask) | VALID;
}

static void a_machine_with_default_uc_caches_only_what_ranges_cover(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | FIXED | MEMORY_UC, BITS_36);
    set(&mtrr, 0, 0, 2 * GIB, MEMORY_WB);
    set(&mtrr, 1, 2 * GIB, 1 * GIB, MEMORY_WB);
    set(&mtrr, 2, 4 * GIB, 4 * GIB, MEMORY_WB);
    set(&mtrr, 3, 3 * GIB - 8 * MIB, 8 * MIB, MEMORY_UC); /* SMM memory, cut out */
    static const struct {
        uint64_t base, bytes;
        enum memory_type type;
    } rows[] = {
        {1 * MIB, 64 * MIB, MEMORY_WB},
        {1 * MIB, 3 * GIB - 9 * MIB, MEMORY_WB}, /* across two ranges of one type */
        {1 * MIB, 3 * GIB - 8 * MIB, MEMORY_MIXED},
        {3 * GIB - 9 * MIB, 1 * MIB, MEMORY_WB}, /* ends where the hole begins */
        {3 * GIB - 9 * MIB, 1 * MIB + 1, MEMORY_MIXED},
        {3 * GIB - 8 * MIB, 8 * MIB, MEMORY_UC},
        {3 * GIB - 8 * MIB, 64 * MIB, MEMORY_UC}, /* and goes on with the default */
        {3 * GIB - 1, 2, MEMORY_UC},
        {4 * GIB - 4 * KIB, 8 * KIB, MEMORY_MIXED},
        {4 * GIB, 4 * GIB, MEMORY_WB},
        {4 * GIB, 4 * GIB + 1, MEMORY_MIXED},
        {8 * GIB, 64 * MIB, MEMORY_UC}, /* RAM above what firmware covered (C10) */
        {5 * GIB, 0, MEMORY_WB},
        {1 * MIB, 7 * GIB, MEMORY_MIXED},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(mtrr_type(&mtrr, rows[i].base, rows[i].bytes), rows[i].type);
}

static void a_machine_with_default_wb_cuts_holes(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | FIXED | MEMORY_WB, BITS_46);
    set(&mtrr, 0, 2 * GIB, 2 * GIB, MEMORY_UC);
    set(&mtrr, 1, 64 * GIB, 64 * GIB, MEMORY_WC);
    assert_int_equal(mtrr_type(&mtrr, 1 * MIB, 2 * GIB - 1 * MIB), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 2 * GIB, 2 * GIB), MEMORY_UC);
    assert_int_equal(mtrr_type(&mtrr, 4 * GIB, 60 * GIB), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 64 * GIB, 64 * GIB), MEMORY_WC);
    assert_int_equal(mtrr_type(&mtrr, 128 * GIB, 1 * GIB), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 1 * GIB, 2 * GIB), MEMORY_MIXED);
}

static void overlapping_ranges_follow_the_precedence(void **state)
{
    (void)state;
    static const struct {
        unsigned a, b;
        enum memory_type type;
    } rows[] = {
        {MEMORY_WB, MEMORY_WB, MEMORY_WB},
        {MEMORY_WC, MEMORY_WC, MEMORY_WC},
        {MEMORY_WB, MEMORY_UC, MEMORY_UC},
        {MEMORY_WT, MEMORY_UC, MEMORY_UC},
        {MEMORY_WC, MEMORY_UC, MEMORY_UC},
        {MEMORY_WP, MEMORY_UC, MEMORY_UC},
        {MEMORY_WT, MEMORY_WB, MEMORY_WT},
        /* Left undefined: the worst. */
        {MEMORY_WC, MEMORY_WB, MEMORY_UC},
        {MEMORY_WP, MEMORY_WB, MEMORY_UC},
        {MEMORY_WP, MEMORY_WT, MEMORY_UC},
        {MEMORY_WC, MEMORY_WT, MEMORY_UC},
        /* Reserved codes. */
        {2, MEMORY_WB, MEMORY_UC},
        {7, 7, MEMORY_UC},
        {0xFE, 0xFE, MEMORY_UC},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned swap = 0; swap < 2; swap++) {
            struct mtrr_state mtrr = machine(ENABLED | MEMORY_WP, BITS_36);
            set(&mtrr, swap ? 5 : 2, 0, 1 * GIB, rows[i].a);
            set(&mtrr, swap ? 2 : 5, 512 * MIB, 512 * MIB, rows[i].b);
            assert_int_equal(mtrr_type(&mtrr, 600 * MIB, 64 * MIB), rows[i].type);
        }
    struct mtrr_state mtrr = machine(ENABLED | MEMORY_WP, BITS_36);
    set(&mtrr, 0, 0, 1 * GIB, MEMORY_WT);
    set(&mtrr, 1, 0, 1 * GIB, MEMORY_WB);
    set(&mtrr, 2, 0, 1 * GIB, MEMORY_UC);
    assert_int_equal(mtrr_type(&mtrr, 600 * MIB, 64 * MIB), MEMORY_UC);
}

static void disabled_mtrrs_mean_uncached(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(FIXED | MEMORY_WB, BITS_36);
    set(&mtrr, 0, 0, 2 * GIB, MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 16 * MIB, 2 * MIB), MEMORY_UC);
    mtrr.def_type = 0; /* an AP under OVMF and TCG (A31) */
    assert_int_equal(mtrr_type(&mtrr, 16 * MIB, 2 * MIB), MEMORY_UC);
    assert_int_equal(mtrr_type(&mtrr, 0, 2 * MIB), MEMORY_UC);
}

static void ranges_that_are_not_valid_or_not_there_do_not_count(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | MEMORY_WB, BITS_36);
    set(&mtrr, 0, 0, 2 * GIB, MEMORY_UC);
    mtrr.mask[0] &= ~(uint64_t)VALID;
    set(&mtrr, 7, 0, 2 * GIB, MEMORY_UC);
    mtrr.variable_count = 7;
    assert_int_equal(mtrr_type(&mtrr, 16 * MIB, 2 * MIB), MEMORY_WB);
    mtrr.variable_count = 8;
    assert_int_equal(mtrr_type(&mtrr, 16 * MIB, 2 * MIB), MEMORY_UC);
    mtrr.variable_count = UINT32_MAX; /* never read past the arrays */
    assert_int_equal(mtrr_type(&mtrr, 16 * MIB, 2 * MIB), MEMORY_UC);
}

static void below_1_mib_is_unknown_where_fixed_ranges_are_in_force(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | FIXED | MEMORY_WB, BITS_36);
    assert_int_equal(mtrr_type(&mtrr, 1 * MIB - 1, 4 * KIB), MEMORY_MIXED);
    assert_int_equal(mtrr_type(&mtrr, 1 * MIB, 4 * KIB), MEMORY_WB);
    mtrr.def_type = ENABLED | MEMORY_WB;
    assert_int_equal(mtrr_type(&mtrr, 64 * KIB, 4 * KIB), MEMORY_WB);
    mtrr.def_type = ENABLED | FIXED | MEMORY_WB;
    mtrr.capability = 0x408;
    assert_int_equal(mtrr_type(&mtrr, 64 * KIB, 4 * KIB), MEMORY_WB);
}

static void amd_memory_above_4_gib_may_be_wb_without_a_range(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | FIXED | MEMORY_UC, BITS_52);
    set(&mtrr, 0, 0, 2 * GIB, MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 4 * GIB, 64 * MIB), MEMORY_UC);
    mtrr.forced_wb = 64 * GIB + 512 * MIB;
    assert_int_equal(mtrr_type(&mtrr, 4 * GIB, 60 * GIB + 512 * MIB), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 64 * GIB, 513 * MIB), MEMORY_MIXED);
    assert_int_equal(mtrr_type(&mtrr, 64 * GIB + 512 * MIB, 1 * MIB), MEMORY_UC);
    assert_int_equal(mtrr_type(&mtrr, 3 * GIB, 1 * GIB), MEMORY_UC);
    assert_int_equal(mtrr_type(&mtrr, 4 * GIB - 4 * KIB, 8 * KIB), MEMORY_MIXED);
    set(&mtrr, 1, 32 * GIB, 1 * GIB, MEMORY_UC); /* a range still counts */
    assert_int_equal(mtrr_type(&mtrr, 32 * GIB, 1 * GIB), MEMORY_UC);
    assert_int_equal(mtrr_type(&mtrr, 16 * GIB, 17 * GIB), MEMORY_MIXED);
    mtrr.forced_wb = 2 * GIB; /* below 4 GiB it forces nothing */
    assert_int_equal(mtrr_type(&mtrr, 3 * GIB, 64 * MIB), MEMORY_UC);
}

static void a_mask_with_holes_matches_every_part_it_selects(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | MEMORY_WB, BITS_36);
    /* Odd megabytes of the second GiB. */
    mtrr.base[0] = (1 * GIB + 1 * MIB) | MEMORY_UC;
    mtrr.mask[0] = ((~(1 * GIB - 1) & BITS_36) | 1 * MIB) | VALID;
    assert_int_equal(mtrr_type(&mtrr, 1 * GIB, 1 * MIB), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 1 * GIB + 5 * MIB, 1 * MIB), MEMORY_UC);
    assert_int_equal(mtrr_type(&mtrr, 1 * GIB + 5 * MIB, 2 * MIB), MEMORY_MIXED);
    assert_int_equal(mtrr_type(&mtrr, 2 * GIB + 1 * MIB, 64 * MIB), MEMORY_WB);
    /* Every other page of all memory, of the default's type: the parts end before the range does,
     * and an answer still comes. */
    mtrr.base[0] = MEMORY_WB;
    mtrr.mask[0] = 0x1000 | VALID;
    assert_int_equal(mtrr_type(&mtrr, 1 * GIB, 64 * MIB), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 1 * MIB, 63 * GIB), MEMORY_MIXED);
}

static void a_mask_of_nothing_matches_everything(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | MEMORY_UC, BITS_36);
    mtrr.base[3] = MEMORY_WB;
    mtrr.mask[3] = VALID;
    assert_int_equal(mtrr_type(&mtrr, 1 * GIB, 60 * GIB), MEMORY_WB);
}

static void addresses_that_the_cpu_does_not_have_are_unknown(void **state)
{
    (void)state;
    struct mtrr_state mtrr = machine(ENABLED | MEMORY_WB, BITS_36);
    assert_int_equal(mtrr_type(&mtrr, 64 * GIB - 4 * KIB, 4 * KIB), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 64 * GIB - 4 * KIB, 4 * KIB + 1), MEMORY_MIXED);
    assert_int_equal(mtrr_type(&mtrr, UINT64_MAX, 1), MEMORY_MIXED);
    assert_int_equal(mtrr_type(&mtrr, UINT64_MAX, UINT64_MAX), MEMORY_MIXED);
    assert_int_equal(mtrr_type(&mtrr, 4 * KIB, UINT64_MAX), MEMORY_MIXED);
    mtrr.address_mask = UINT64_MAX;
    assert_int_equal(mtrr_type(&mtrr, 0, UINT64_MAX), MEMORY_WB);
    assert_int_equal(mtrr_type(&mtrr, 1, UINT64_MAX), MEMORY_MIXED);
    mtrr.address_mask = 0;
    assert_int_equal(mtrr_type(&mtrr, 1 * GIB, 1), MEMORY_MIXED);
}

/* Against the definition, address by address, with whatever a register can hold. */
static void any_registers_give_what_each_of_the_pages_has(void **state)
{
    (void)state;
    static const uint8_t types[] = {0, 1, 4, 5, 6};
    srand(1);
    for (unsigned round = 0; round < 2000; round++) {
        struct mtrr_state mtrr = machine(ENABLED | types[rand() % 5], BITS_36);
        mtrr.forced_wb = rand() % 3 == 0 ? 4 * GIB + (uint64_t)(rand() % 64) * 4 * KIB : 0;
        for (unsigned i = 0; i < 3; i++) {
            uint64_t at = 4 * GIB - 128 * KIB + (uint64_t)(rand() % 64) * 4 * KIB;
            if (rand() % 4 == 0)
                mtrr.mask[i] = (~((uint64_t)(rand() % 64) << 12) & BITS_36 & ~0xFFFull) | VALID;
            else
                set(&mtrr, i, 0, 4 * KIB << rand() % 6, 0);
            mtrr.base[i] = (at & mtrr.mask[i] & ~0xFFFull) | types[rand() % 5];
        }
        uint64_t base = 4 * GIB - 128 * KIB + (uint64_t)(rand() % 64) * 4 * KIB;
        uint64_t pages = 1 + (uint64_t)(rand() % 16);
        enum memory_type expected = mtrr_type(&mtrr, base, 1);
        for (uint64_t page = 1; page < pages; page++)
            if (mtrr_type(&mtrr, base + page * 4 * KIB, 4 * KIB) != expected)
                expected = MEMORY_MIXED;
        assert_int_equal(mtrr_type(&mtrr, base, pages * 4 * KIB), expected);
    }
}

static void without_mtrrs_in_cpuid_no_register_is_read(void **state)
{
    (void)state;
    /* RDMSR would end this program. */
    struct cpuid_dump dump = {.count = 1, .leaf = {{.leaf = 1, .edx = 1u << 5}}};
    struct mtrr_state mtrr = {.variable_count = 5};
    assert_false(mtrr_read(&dump, &mtrr));
    dump.leaf[0].edx = 1u << 12;
    assert_false(mtrr_read(&dump, &mtrr));
    dump.count = 0;
    assert_false(mtrr_read(&dump, &mtrr));
    assert_int_equal(mtrr.variable_count, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_with_default_uc_caches_only_what_ranges_cover),
        cmocka_unit_test(a_machine_with_default_wb_cuts_holes),
        cmocka_unit_test(overlapping_ranges_follow_the_precedence),
        cmocka_unit_test(disabled_mtrrs_mean_uncached),
        cmocka_unit_test(ranges_that_are_not_valid_or_not_there_do_not_count),
        cmocka_unit_test(below_1_mib_is_unknown_where_fixed_ranges_are_in_force),
        cmocka_unit_test(amd_memory_above_4_gib_may_be_wb_without_a_range),
        cmocka_unit_test(a_mask_with_holes_matches_every_part_it_selects),
        cmocka_unit_test(a_mask_of_nothing_matches_everything),
        cmocka_unit_test(addresses_that_the_cpu_does_not_have_are_unknown),
        cmocka_unit_test(any_registers_give_what_each_of_the_pages_has),
        cmocka_unit_test(without_mtrrs_in_cpuid_no_register_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
