/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches together: what a visit meets, and what must hold of all caches after any visits. */
#include "../machine/mix.h"
#include "model_aid.h"
#include <stdlib.h>

static bool dir_holds(const struct model *model, uint32_t line, unsigned cache)
{
    return model->directory[(size_t)line * model->stride + cache / 64] >> (cache % 64) & 1;
}

static unsigned dir_owner(const struct model *model, uint32_t line)
{
    return (unsigned)model->directory[(size_t)line * model->stride + model->words];
}

static void check_line(const struct model *model, uint32_t line)
{
    const struct desc *desc = model->desc;
    for (unsigned i = 0; i < model->cache_count; i++) {
        const struct model_cache *cache = &model->cache[i];
        if (dir_holds(model, line, i) != cache_has(&cache->cache, line))
            fail_msg("line %u: directory and cache %u disagree", line, i);
        if (!dir_holds(model, line, i))
            continue;
        /* What an inclusive cache covers, it holds. */
        if (cache->outer != DESC_NONE &&
            desc->cache[model->cache[cache->outer].desc].relation == RELATION_INCLUSIVE &&
            !dir_holds(model, line, cache->outer))
            fail_msg("line %u is in cache %u but not in the inclusive one behind", line, i);
        if (cache->outer != DESC_NONE && model->cache[cache->outer].has_filter &&
            !cache_has(&model->cache[cache->outer].filter, line))
            fail_msg("line %u is in cache %u and unknown to the snoop filter", line, i);
    }
    unsigned owner = dir_owner(model, line);
    if (owner && !dir_holds(model, line, owner - 1))
        fail_msg("line %u: its owner %u does not hold it", line, owner - 1);
}

/* At most one dirty copy, and the directory knows which. */
static void check_dirty(const struct model *model)
{
    unsigned *dirty = calloc(model->lines, sizeof *dirty);
    for (unsigned i = 0; i < model->cache_count; i++) {
        const struct cache *cache = &model->cache[i].cache;
        for (uint32_t set = 0; set < cache->sets; set++) {
            for (uint32_t way = 0; way < cache->ways; way++) {
                uint32_t line = cache_line_of(cache, set, way);
                if (line == CACHE_NO_LINE || !cache_way_dirty(cache, set, way))
                    continue;
                assert_int_equal(dirty[line], 0);
                dirty[line] = i + 1;
            }
        }
    }
    for (uint32_t line = 0; line < model->lines; line++)
        assert_int_equal(dirty[line], dir_owner(model, line));
    free(dirty);
}

static void visit_at_random(const char *text, uint64_t seed)
{
    struct model_aid aid;
    aid_open(&aid, text);
    struct model *model = aid.model;
    model_begin(model);
    for (unsigned i = 0; i < 30000; i++) {
        unsigned cpu = mix_below(&seed, 4);
        /* mostly few lines, so that CPUs meet; sometimes all, so that caches overflow */
        uint32_t line = mix_below(&seed, mix_below(&seed, 8) ? 600 : model->lines);
        bool write = mix_below(&seed, 2);
        model_visit(model, cpu, line, write);
        if (!cache_has(&model->cache[model->path[cpu].instance[0]].cache, line))
            fail_msg("a visited line is not in the nearest cache");
        if (write)
            assert_int_equal(dir_owner(model, line), model->path[cpu].instance[0] + 1);
        if (i % 1000 == 0)
            check_dirty(model);
        check_line(model, line);
    }
    for (uint32_t line = 0; line < model->lines; line++)
        check_line(model, line);
    check_dirty(model);
    model_forget(model, 0, model->lines);
    for (uint32_t line = 0; line < model->lines; line++)
        assert_false(dir_owner(model, line));
    aid_close(&aid);
}

static void any_visits_leave_one_owner_and_a_true_directory(void **state)
{
    (void)state;
    visit_at_random(SMALL_MACHINE("inclusive", "lru", ""), 1);
    visit_at_random(SMALL_MACHINE("inclusive", "tree-plru", ""), 2);
    visit_at_random(SMALL_MACHINE("non-inclusive", "rrip", ""), 3);
    visit_at_random(SMALL_MACHINE("exclusive", "lru", ""), 4);
    visit_at_random(SMALL_MACHINE("exclusive", "random", ""), 5);
    visit_at_random(SMALL_MACHINE("victim", "lru", ""), 6);
    visit_at_random(SMALL_MACHINE("victim", "random", "[cpu 1]\nway-mask = 0x00F3\n"), 7);
    visit_at_random(SMALL_MACHINE("victim", "lru", "[others]\nevict = 1 GB/s\n"), 8);
    visit_at_random(SMALL_MACHINE("non-inclusive\nfilter-size = 24K\nfilter-ways = 6", "lru", ""),
                    9);
    visit_at_random(SMALL_MACHINE("victim\nfilter-size = 8K\nfilter-ways = 2", "tree-plru", ""),
                    10);
}

static unsigned visit(struct model_aid *aid, unsigned cpu, uint32_t line, bool write)
{
    return model_visit(aid->model, cpu, line, write) / DISCOUNTS;
}

#define NEAR (EVENT_TRANSFER + 0)
#define FAR  (EVENT_TRANSFER + 1)

static void a_dirty_line_is_fetched_from_its_owner_by_distance(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("victim", "lru", ""));
    model_begin(aid.model);
    assert_int_equal(visit(&aid, 0, 100, true), EVENT_MEMORY);
    assert_int_equal(visit(&aid, 0, 100, true), EVENT_HIT);
    assert_int_equal(visit(&aid, 1, 100, true), NEAR);
    assert_int_equal(visit(&aid, 2, 100, true), FAR);
    assert_int_equal(visit(&aid, 0, 100, true), FAR);
    assert_int_equal(aid.model->pass.writebacks, 0);
    aid_close(&aid);
}

static void readers_share_and_a_writer_takes_their_copies(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("victim", "lru", ""));
    model_begin(aid.model);
    visit(&aid, 0, 100, true);
    assert_int_equal(visit(&aid, 1, 100, false), NEAR);
    assert_int_equal(visit(&aid, 2, 100, false), FAR);
    /* The owner keeps its copy; all three read at home. */
    for (unsigned cpu = 0; cpu < 3; cpu++)
        assert_int_equal(visit(&aid, cpu, 100, false), EVENT_HIT);
    /* It has the line, but not alone: the farthest copy decides what the write costs. */
    assert_int_equal(visit(&aid, 0, 100, true), EVENT_UPGRADE + 1);
    assert_int_equal(visit(&aid, 0, 100, true), EVENT_HIT);
    assert_int_equal(visit(&aid, 1, 100, false), NEAR);
    aid_close(&aid);
}

static void clean_lines_elsewhere_cost_memory_if_that_is_nearer(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("victim", "lru", ""));
    model_begin(aid.model);
    assert_int_equal(visit(&aid, 0, 100, false), EVENT_MEMORY);
    assert_int_equal(visit(&aid, 1, 100, false), NEAR);         /* 30 ns against 80 */
    assert_int_equal(visit(&aid, 2, 100, false), EVENT_MEMORY); /* 100 ns against 80 */
    aid_close(&aid);
}

/* Lines pushed out of L2 are found in an exclusive L3, move out of it, and come back when pushed
 * again; dirty all the way, without a write-back. */
static void an_exclusive_cache_takes_victims_and_gives_them_back(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("exclusive", "lru", ""));
    const struct model_path *path = &aid.model->path[0];
    model_begin(aid.model);
    for (uint32_t line = 0; line < 512; line++)
        visit(&aid, 0, line, true);
    assert_true(dir_holds(aid.model, 0, path->instance[2]));
    assert_false(dir_holds(aid.model, 0, path->instance[1]));
    assert_int_equal(visit(&aid, 0, 0, true), EVENT_HIT + 2);
    assert_false(dir_holds(aid.model, 0, path->instance[2]));
    assert_int_equal(aid.model->pass.writebacks, 0);
    aid_close(&aid);
}

static void what_an_inclusive_cache_evicts_leaves_the_near_ones(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("inclusive", "lru", ""));
    model_begin(aid.model);
    visit(&aid, 0, 5, true);
    /* The neighbour fills the shared L3; CPU 0 never gives line 5 away by itself. */
    for (uint32_t line = 1024; line < 2048 + 64; line++)
        visit(&aid, 1, line, false);
    assert_false(dir_holds(aid.model, 5, aid.model->path[0].instance[0]));
    assert_int_equal(aid.model->pass.writebacks, 1);
    assert_int_equal(visit(&aid, 0, 5, false), EVENT_MEMORY);
    aid_close(&aid);
}

static void a_small_snoop_filter_throws_lines_out_of_the_near_caches(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("victim\nfilter-size = 2K\nfilter-ways = 2", "lru", ""));
    const struct model_path *path = &aid.model->path[0];
    model_begin(aid.model);
    for (uint32_t line = 0; line < 64; line++)
        visit(&aid, 0, line, true);
    unsigned near = 0;
    for (uint32_t line = 0; line < 64; line++)
        near += dir_holds(aid.model, line, path->instance[1]);
    assert_int_equal(near, 32);
    assert_int_equal(visit(&aid, 0, 0, true), EVENT_HIT + 2);
    aid_close(&aid);
}

static void other_work_evicts_from_the_last_caches(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("exclusive", "lru", ""));
    model_begin(aid.model);
    for (uint32_t line = 0; line < 1024; line++)
        visit(&aid, 0, line, false);
    uint32_t before = 0, after = 0;
    for (uint32_t line = 0; line < 1024; line++)
        before += cache_has(&aid.model->cache[aid.model->path[0].instance[2]].cache, line);
    model_evict(aid.model, 0, 1 << 20);
    for (uint32_t line = 0; line < 1024; line++)
        after += cache_has(&aid.model->cache[aid.model->path[0].instance[2]].cache, line);
    assert_true(before > 500);
    assert_int_equal(after, 0);
    aid_close(&aid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_visits_leave_one_owner_and_a_true_directory),
        cmocka_unit_test(a_dirty_line_is_fetched_from_its_owner_by_distance),
        cmocka_unit_test(readers_share_and_a_writer_takes_their_copies),
        cmocka_unit_test(clean_lines_elsewhere_cost_memory_if_that_is_nearer),
        cmocka_unit_test(an_exclusive_cache_takes_victims_and_gives_them_back),
        cmocka_unit_test(what_an_inclusive_cache_evicts_leaves_the_near_ones),
        cmocka_unit_test(a_small_snoop_filter_throws_lines_out_of_the_near_caches),
        cmocka_unit_test(other_work_evicts_from_the_last_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
