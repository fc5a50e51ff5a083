/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffer: asked for, halved, aligned, given back; and cut into regions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/efi.c"
#include "../../efi/memory.c"
#include "../../efi/regions.c"

#undef PAGE
#define MIB (1ull << 20)

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid;
    *interface = NULL;
    return EFI_UNSUPPORTED;
}

static int set_up(void **state)
{
    mock_open(*state = calloc(1, sizeof(struct mock)));
    return 0;
}

static int tear_down(void **state)
{
    mock_close();
    free(*state);
    return 0;
}

static void the_wish_is_three_working_sets_between_default_and_largest(void **state)
{
    (void)state;
    const struct {
        uint64_t largest, wish;
    } cases[] = {{0, 64 * MIB},
                 {1, 64 * MIB},
                 {21 * MIB, 64 * MIB},
                 {32 * MIB, 96 * MIB},
                 {32 * MIB + 1, 98 * MIB},
                 {256 * MIB, 768 * MIB},
                 {342 * MIB, 1024 * MIB},
                 {UINT64_MAX, 1024 * MIB}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(arena_wish(cases[i].largest), cases[i].wish);
}

/* C7: anywhere, and more than nothing; the mock insists on both. */
static void the_buffer_is_aligned_zeroed_and_what_is_over_is_given_back(void **state)
{
    (void)state;
    struct arena arena;

    assert_true(arena_open(&mock->efi, 4 * MIB, NULL, NULL, &arena));
    assert_int_equal(arena.bytes, 4 * MIB);
    assert_int_equal((uintptr_t)arena.base % ARENA_ALIGN, 0);
    assert_int_equal(mock->pages_out, 4 * MIB / MOCK_PAGE);
    for (uint64_t i = 0; i < arena.bytes; i += 4099)
        assert_int_equal(arena.base[i], 0);
    assert_int_equal(arena.home, NODE_UNKNOWN);
    assert_int_equal(arena.type, MEMORY_MIXED); /* nobody said */
    arena_close(&mock->efi, &arena);
    arena_close(&mock->efi, &arena); /* once is enough */
}

/* C8: halve on failure, down to the floor. */
static void a_large_request_is_halved_until_it_is_granted(void **state)
{
    (void)state;
    struct arena arena;

    mock->pages_limit = 20 * MIB / MOCK_PAGE;
    assert_true(arena_open(&mock->efi, 64 * MIB, NULL, NULL, &arena));
    assert_int_equal(arena.bytes, 16 * MIB);
    assert_int_equal(mock->allocations, 3);
    arena_close(&mock->efi, &arena);
}

static void below_the_floor_there_is_no_buffer(void **state)
{
    (void)state;
    struct arena arena;

    mock->pages_limit = ARENA_FLOOR_BYTES / MOCK_PAGE - 1;
    assert_false(arena_open(&mock->efi, 64 * MIB, NULL, NULL, &arena));
    assert_null(arena.base);
    assert_int_equal(arena.bytes, 0);
    assert_int_equal(mock->allocations, 6); /* 64, 32, 16, 8, 4, 2 */
    assert_false(arena_open(&mock->efi, ARENA_FLOOR_BYTES - 1, NULL, NULL, &arena));
}

/* C10: with MTRRs disabled everything is uncached. */
static void the_memory_type_is_what_the_mtrrs_say(void **state)
{
    (void)state;
    struct arena arena;
    struct mtrr_state mtrr = {.def_type = 0xC06, .address_mask = (1ull << 48) - 1};

    assert_true(arena_open(&mock->efi, 2 * MIB, NULL, &mtrr, &arena));
    assert_int_equal(arena.type, MEMORY_WB);
    arena_close(&mock->efi, &arena);
    mtrr.def_type = 0;
    assert_true(arena_open(&mock->efi, 2 * MIB, NULL, &mtrr, &arena));
    assert_int_equal(arena.type, MEMORY_UC);
    arena_close(&mock->efi, &arena);
}

static void home_is_the_node_that_holds_all_of_it(void **state)
{
    (void)state;
    const struct numa numa = {.range_count = 4,
                              .range = {{0, 0xA0000, 0},
                                        {0x100000, 0x7FF00000, 0},
                                        {0x100000000, 0x80000000, 1},
                                        {UINT64_MAX - 0xFFF, 0x1000, 2}}};
    const struct {
        uint64_t base, bytes;
        uint32_t node;
    } cases[] = {{0x100000, 0x1000, 0},
                 {0x7FFFF000, 0x1000, 0},
                 {0x7FFFF000, 0x2000, NODE_UNKNOWN},
                 {0x100000000, 0x80000000, 1},
                 {0xFFFFF000, 0x1000, NODE_UNKNOWN},
                 {0xA0000, 0x1000, NODE_UNKNOWN},
                 {UINT64_MAX - 0xFFF, 0x1000, 2},
                 {UINT64_MAX - 0xFFF, UINT64_MAX, NODE_UNKNOWN}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(memory_home(&numa, cases[i].base, cases[i].bytes), cases[i].node);
    assert_int_equal(memory_home(NULL, 0x100000, 1), NODE_UNKNOWN);
}

/* ---- Regions ---- */

#define CUT (8 * MIB)
struct cut {
    struct regions regions;
    struct mp_region list[REGIONS_MAX];
    uint8_t *base;
};

static int set_up_cut(void **state)
{
    struct cut *cut = calloc(1, sizeof(*cut));
    cut->base = aligned_alloc(ARENA_ALIGN, CUT);
    memset(cut->base, 0, CUT);
    regions_init(&cut->regions, cut->base, CUT, 64, cut->list);
    *state = cut;
    return 0;
}

static int tear_down_cut(void **state)
{
    struct cut *cut = *state;
    free(cut->base);
    free(cut);
    return 0;
}

/* Takes a region, and sees that it lies inside, is zeroed, and overlaps no other. */
static uint16_t take(struct cut *cut, uint64_t bytes, bool expect_fresh)
{
    uint16_t region;
    bool fresh;

    assert_true(regions_get(&cut->regions, bytes, &region, &fresh));
    assert_int_equal(fresh, expect_fresh);
    const struct mp_region *got = &cut->list[region];
    assert_int_equal(got->bytes, bytes);
    assert_true(got->base >= cut->base && got->base + bytes <= cut->base + CUT);
    for (uint64_t i = 0; i < bytes; i += 61)
        assert_int_equal(got->base[i], 0);
    for (unsigned i = 0; i < cut->regions.count; i++) {
        const struct mp_region *other = &cut->list[i];
        if (i != region && other->bytes > 0)
            assert_true(other->base + other->bytes <= got->base ||
                        got->base + bytes <= other->base);
    }
    memset(got->base, 0xFF, bytes);
    return region;
}

static void memory_that_no_touch_has_seen_comes_first(void **state)
{
    struct cut *cut = *state;
    uint16_t a = take(cut, 64 * 1024, true);
    uint8_t *used = cut->list[a].base;
    regions_put(&cut->regions, a);
    uint16_t b = take(cut, 64 * 1024, true);
    assert_ptr_not_equal(cut->list[b].base, used);
}

static void used_memory_comes_again_zeroed_once_the_fresh_is_gone(void **state)
{
    struct cut *cut = *state;
    uint16_t region[4];
    for (unsigned i = 0; i < 4; i++)
        region[i] = take(cut, 2 * MIB, true);
    regions_put(&cut->regions, region[1]);
    regions_put(&cut->regions, region[2]);
    take(cut, 4 * MIB, false); /* the two lie side by side */
}

static void what_is_not_free_in_one_piece_is_refused(void **state)
{
    struct cut *cut = *state;
    uint16_t region[4], other;
    bool fresh;
    for (unsigned i = 0; i < 4; i++)
        region[i] = take(cut, 2 * MIB, true);
    regions_put(&cut->regions, region[0]);
    regions_put(&cut->regions, region[2]);
    assert_false(regions_get(&cut->regions, 4 * MIB, &other, &fresh));
    assert_false(regions_get(&cut->regions, CUT + 1, &other, &fresh));
    assert_false(regions_get(&cut->regions, 0, &other, &fresh));
    assert_false(regions_get(&cut->regions, UINT64_MAX, &other, &fresh));
    take(cut, 2 * MIB, false);
}

static void large_regions_begin_on_a_large_page_small_ones_on_a_page(void **state)
{
    struct cut *cut = *state;
    const uint64_t sizes[] = {64, 4096, 100 * 1024, MIB, 64};
    for (unsigned i = 0; i < 5; i++) {
        uint16_t region = take(cut, sizes[i], true);
        uint64_t align = sizes[i] >= MIB ? ARENA_ALIGN : 4096;
        assert_int_equal((uintptr_t)cut->list[region].base % align, 0);
    }
}

static void the_whole_buffer_is_one_region(void **state)
{
    struct cut *cut = *state;
    for (unsigned i = 0; i < 3; i++)
        regions_put(&cut->regions, take(cut, CUT, i == 0));
}

static void more_regions_than_entries_are_refused(void **state)
{
    struct cut *cut = *state;
    uint16_t region;
    bool fresh;
    for (unsigned i = 0; i < REGIONS_MAX - 1; i++) /* all the pages but one */
        (void)regions_get(&cut->regions, 4096, &region, &fresh);
    assert_int_equal(cut->regions.count, REGIONS_MAX - 1);
    take(cut, 64, true);
    assert_false(regions_get(&cut->regions, 64, &region, &fresh));
    regions_put(&cut->regions, 7);
    assert_true(regions_get(&cut->regions, 64, &region, &fresh));
    assert_int_equal(region, 7);
}

static void giving_back_nonsense_changes_nothing(void **state)
{
    struct cut *cut = *state;
    take(cut, 4096, true);
    regions_put(&cut->regions, 1);
    regions_put(&cut->regions, REGION_NONE);
    assert_int_equal(cut->list[0].bytes, 4096);
}

#define TEST(name)     cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CUT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_cut, tear_down_cut)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_wish_is_three_working_sets_between_default_and_largest),
        TEST(the_buffer_is_aligned_zeroed_and_what_is_over_is_given_back),
        TEST(a_large_request_is_halved_until_it_is_granted),
        TEST(below_the_floor_there_is_no_buffer),
        TEST(the_memory_type_is_what_the_mtrrs_say),
        TEST(home_is_the_node_that_holds_all_of_it),
        CUT_TEST(memory_that_no_touch_has_seen_comes_first),
        CUT_TEST(used_memory_comes_again_zeroed_once_the_fresh_is_gone),
        CUT_TEST(what_is_not_free_in_one_piece_is_refused),
        CUT_TEST(large_regions_begin_on_a_large_page_small_ones_on_a_page),
        CUT_TEST(the_whole_buffer_is_one_region),
        CUT_TEST(more_regions_than_entries_are_refused),
        CUT_TEST(giving_back_nonsense_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
