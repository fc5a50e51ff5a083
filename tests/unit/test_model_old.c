/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms of 2004 to 2007, with the faults that they had. */
#include "../bench/old_distance.c"
#include "../bench/old_matrix.c"
#include "../bench/old_search.c"
#include "../bench/old_touch.c"
#include "../bench/v5.c"
#include "model_aid.h"

struct old_aid {
    struct model_aid model;
    struct old old;
};

static void open_desc(struct old_aid *aid, struct desc *desc, uint32_t long_bytes)
{
    while (desc->memory_bytes < 16u << 20)
        desc->memory_bytes *= 2;
    aid_open_desc(&aid->model, desc, 1);
    aid->old = (struct old){.desc = desc, .model = aid->model.model, .long_bytes = long_bytes};
    assert_true(noise_init(&aid->old.noise, &desc->noise, desc->cpu_count, 1));
}

static void open_text(struct old_aid *aid, const char *text, uint32_t long_bytes)
{
    open_desc(aid, aid_parse(text), long_bytes);
}

static void open_file(struct old_aid *aid, const char *name, uint32_t long_bytes)
{
    char path[100];
    struct desc_error error;
    snprintf(path, sizeof path, "tests/machine/machines/%s.machine", name);
    struct desc *desc = desc_load(path, &error);
    assert_non_null(desc);
    open_desc(aid, desc, long_bytes);
}

static void close_old(struct old_aid *aid)
{
    noise_free(&aid->old.noise);
    aid_close(&aid->model);
}

/* --- the loops --- */

/* Lines in thousandths of those that the buffer has. */
static unsigned share_of(const char *machine, uint32_t long_bytes)
{
    struct old_aid aid;
    open_file(&aid, machine, long_bytes);
    struct old_pass pass = old_thirds(&aid.old, 0, 0, 1u << 20);
    unsigned share = pass.lines * 1000u / ((1u << 20) / aid.old.desc->line_bytes);
    close_old(&aid);
    return share;
}

/* Reported in 2006 as two thirds; it depends on what a line holds. */
static void the_loop_of_2_6_16_leaves_lines_out(void **state)
{
    (void)state;
    aid_near(share_of("two-groups", 8), 667, 2); /* lines of 64 bytes */
    aid_near(share_of("two-groups", 4), 889, 2);
    aid_near(share_of("itanium2", 8), 889, 2); /* 128 */
    aid_near(share_of("celeron", 8), 333, 2);  /* 32 */
    aid_near(share_of("celeron", 4), 667, 2);
}

static void the_loop_of_2004_leaves_none_out(void **state)
{
    (void)state;
    struct old_aid aid;
    open_file(&aid, "celeron", 4);
    uint64_t bytes = old_v1(128u << 10).bytes;
    int64_t lines = (int64_t)bytes / 32;
    aid_near(old_clear(&aid.old, 0, 0, bytes).lines, lines, 2);
    aid_near(old_fill(&aid.old, 0, 0, bytes).lines, lines, 4);
    close_old(&aid);
}

/* --- V1 and V2 --- */

static void buffers_are_larger_than_the_cache(void **state)
{
    (void)state;
    assert_int_equal(old_v1(9437184).bytes, 15728640);
    assert_int_equal(old_v1(9437184).factor, 6);
    assert_int_equal(old_v2(9437184).bytes, 19818086);
    assert_int_equal(old_v2(9437184).factor, 1);
}

/* By hand: 4,096 lines of the cache come from the other CPU, the rest from memory, and each pushes
 * out a dirty line of the target's own. On the diagonal all come from memory. */
static void a_cell_is_an_absolute_time(void **state)
{
    (void)state;
    struct old_aid aid;
    uint64_t ns[4];
    open_file(&aid, "celeron", 4);
    old_matrix(&aid.old, old_v1(128u << 10), ns);
    int64_t lines = (128 << 10) * 5 / 3 / 32;
    int64_t off = (4096 * 283 + (lines - 4096) * 180 + lines * 66) * 6;
    int64_t diagonal = lines * (180 + 66) * 6;
    aid_near((int64_t)ns[1], off, off / 200);
    aid_near((int64_t)ns[2], off, off / 200);
    aid_near((int64_t)ns[0], diagonal, diagonal / 200);
    aid_near((int64_t)ns[3], diagonal, diagonal / 200);
    close_old(&aid);
}

static void the_maximum_of_twenty_is_kept(void **state)
{
    (void)state;
    struct old_aid aid;
    uint64_t quiet[4], slowed[4];
    open_file(&aid, "celeron", 4);
    old_matrix(&aid.old, old_v1(128u << 10), quiet);
    uint64_t lines = aid.old.touched_lines;
    assert_int_equal(aid.old.touches, 4 * 20 * 3);
    aid.old.noise.kinds.slow_one_in = 4;
    aid.old.noise.kinds.slow_permille = 500;
    old_matrix(&aid.old, old_v1(128u << 10), slowed);
    for (unsigned cell = 0; cell < 4; cell++)
        aid_near((int64_t)slowed[cell], (int64_t)quiet[cell] * 3 / 2, (int64_t)quiet[cell] / 50);
    assert_int_equal(aid.old.touched_lines, 2 * lines);
    close_old(&aid);
}

/* --- V5 --- */

static struct v5_found search(struct old_aid *aid, unsigned a, unsigned b, uint32_t max_cache)
{
    struct old_search search;
    struct v5_found found;
    old_search_init(&search, &aid->old, a, b, max_cache);
    assert_true(old_search_run(&search, &found));
    old_search_free(&search);
    return found;
}

/* A private cache of 256 KiB, and memory at 50 ns. */
#define PEAK(transfer)                                                                 \
    "machine = peak\nline = 64\ncpus = 2\n[cache L2]\nlevel = 2\nsize = 256K\nways = " \
    "8\nhit = 5 ns\ngroups = each\n[distance d]\ntransfer = " transfer                 \
    "\ngroups = all\n[memory]\nsize = 16M\nlatency = 50 ns\n[clock]\nrate = 1 GHz\n"

/* A line from the other cache is a little dearer than one from memory: beyond the capacity moving
 * costs that little more. */
static void the_search_ends_behind_a_peak(void **state)
{
    (void)state;
    struct old_aid aid;
    open_text(&aid, PEAK("60 ns"), 8);
    struct v5_found found = search(&aid, 0, 1, 0);
    assert_true(found.early);
    assert_true(found.last < 1u << 20);
    /* Two thirds of the lines: the size found is too large by half. */
    assert_in_range(found.size, 256u << 10, 450u << 10);
    assert_int_equal(found.cost_ns, 2 * found.max_ns);
    close_old(&aid);
}

/* A line from the other cache is cheaper than one from memory, so that beyond the capacity staying
 * is dearer than moving: a sum of signed and unsigned lets such a search run on to its end. */
static void a_negative_cost_does_not_end_the_search(void **state)
{
    (void)state;
    struct old_aid aid;
    open_text(&aid, PEAK("20 ns"), 8);
    struct v5_found found = search(&aid, 0, 1, 0);
    assert_false(found.early);
    assert_in_range(found.last, (10u << 20) * 9 / 10, 10u << 20);
    assert_true(found.max_ns > 0);
    unsigned sizes = 0;
    for (uint32_t size = 64u << 10; size <= 10u << 20; size = size * 10 / 9)
        sizes++;
    assert_int_equal(aid.old.touches, 16 * sizes); /* four ways, each twice, two touches each */
    close_old(&aid);
}

static void the_range_depends_on_what_the_kernel_knew(void **state)
{
    (void)state;
    struct old_aid aid;
    struct old_search search;
    open_text(&aid, PEAK("60 ns"), 8);
    old_search_init(&search, &aid.old, 0, 1, 0);
    assert_int_equal(search.range.least, 64u << 10);
    assert_int_equal(search.range.most, 10u << 20);
    old_search_init(&search, &aid.old, 0, 1, 2u << 20);
    assert_int_equal(search.range.least, 1u << 20);
    assert_int_equal(search.range.most, 4u << 20);
    old_search_init(&search, &aid.old, 0, 1, 100u << 10);
    assert_int_equal(search.range.least, 64u << 10);
    assert_int_equal(search.range.most, 200u << 10);
    close_old(&aid);
}

static void a_search_with_other_noise_reuses_what_was_simulated(void **state)
{
    (void)state;
    struct old_aid aid;
    struct old_search one, two;
    struct v5_found first, again, plain;
    open_text(&aid, SMALL_MACHINE("victim", "lru", ""), 8);
    old_search_init(&one, &aid.old, 0, 2, 256u << 10);
    assert_true(old_search_run(&one, &first));
    assert_true(old_search_run(&one, &again));
    old_search_init(&two, &aid.old, 0, 2, 256u << 10);
    assert_true(old_search_run(&two, &plain));
    assert_int_equal(first.max_ns, again.max_ns);
    assert_int_equal(first.max_ns, plain.max_ns);
    assert_int_equal(one.count, two.count);
    assert_memory_equal(one.step, two.step, one.count * sizeof *one.step);
    old_search_free(&one);
    old_search_free(&two);
    close_old(&aid);
}

/* --- beneath --- */

static void a_flush_empties_the_caches_of_one_path(void **state)
{
    (void)state;
    struct old_aid aid;
    open_text(&aid, SMALL_MACHINE("inclusive", "lru", ""), 8);
    struct model *model = aid.old.model;
    uint64_t empty = model_state(model);
    old_clear(&aid.old, 0, 0, 8192);
    old_clear(&aid.old, 2, 256, 8192);
    uint64_t both = model_state(model);
    coherence_flush(model, 0);
    assert_true(model_state(model) != both);
    assert_true(model_state(model) != empty);
    /* All of CPU 0's from memory, all of CPU 2's still there. */
    struct old_pass gone = old_clear(&aid.old, 0, 0, 8192);
    struct old_pass kept = old_clear(&aid.old, 2, 256, 8192);
    assert_int_equal(gone.ps, (8192 / 64) * 20000); /* 80 ns, 4 overlapping */
    assert_true(kept.ps < gone.ps / 4);
    coherence_flush(model, 0);
    coherence_flush(model, 2);
    assert_int_equal(model_state(model), empty);
    close_old(&aid);
}

static void distances_count_domains_that_hold_more(void **state)
{
    (void)state;
    struct old_aid aid;
    open_file(&aid, "p4ht", 4);
    assert_int_equal(old_distance(aid.old.desc, 0, 2), 0);
    assert_int_equal(old_distance(aid.old.desc, 0, 1), 1);
    close_old(&aid);
    open_file(&aid, "p3xeon", 4); /* quads are nothing that it knew */
    assert_int_equal(old_distance(aid.old.desc, 0, 1), 0);
    assert_int_equal(old_distance(aid.old.desc, 0, 5), 0);
    close_old(&aid);
    open_file(&aid, "numa4", 8);
    assert_int_equal(old_distance(aid.old.desc, 0, 1), 0);
    assert_int_equal(old_distance(aid.old.desc, 0, 3), 1);
    assert_int_equal(old_distance(aid.old.desc, 0, 9), 1);
    close_old(&aid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_of_2_6_16_leaves_lines_out),
        cmocka_unit_test(the_loop_of_2004_leaves_none_out),
        cmocka_unit_test(buffers_are_larger_than_the_cache),
        cmocka_unit_test(a_cell_is_an_absolute_time),
        cmocka_unit_test(the_maximum_of_twenty_is_kept),
        cmocka_unit_test(the_search_ends_behind_a_peak),
        cmocka_unit_test(a_negative_cost_does_not_end_the_search),
        cmocka_unit_test(the_range_depends_on_what_the_kernel_knew),
        cmocka_unit_test(a_search_with_other_noise_reuses_what_was_simulated),
        cmocka_unit_test(a_flush_empties_the_caches_of_one_path),
        cmocka_unit_test(distances_count_domains_that_hold_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
