/* SPDX-License-Identifier: BSD-2-Clause */
/* One cache of the machine model: what it holds, what it throws out, under each replacement. */
#include "model_aid.h"

#define LINE 64u

/* One set of so many ways. */
static void open_set(struct cache *cache, uint32_t ways, uint32_t policy)
{
    assert_true(cache_init(cache, (uint64_t)ways * LINE, ways, LINE, policy, false, 0, 7));
}

static uint32_t put(struct cache *cache, uint32_t line)
{
    bool dirty;
    return cache_insert(cache, line, false, 0, &dirty);
}

static void lru_throws_out_the_line_used_least_lately(void **state)
{
    (void)state;
    struct cache cache;
    open_set(&cache, 4, POLICY_LRU);
    for (uint32_t line = 0; line < 4; line++)
        assert_int_equal(put(&cache, line), CACHE_NO_LINE);
    cache_hit(&cache, 0, false);
    assert_int_equal(put(&cache, 10), 1);
    cache_hit(&cache, 2, false);
    assert_int_equal(put(&cache, 11), 3);
    assert_int_equal(put(&cache, 12), 0);
    cache_free(&cache);
}

static void tree_plru_spares_the_half_just_used(void **state)
{
    (void)state;
    struct cache cache;
    open_set(&cache, 4, POLICY_TREE_PLRU);
    for (uint32_t line = 0; line < 4; line++)
        put(&cache, line);
    /* Last used 3, so the other half is next, and there the one used longer ago. */
    assert_int_equal(put(&cache, 10), 0);
    assert_int_equal(put(&cache, 11), 2);
    cache_hit(&cache, 1, false);
    cache_hit(&cache, 3, false);
    assert_int_equal(put(&cache, 12), 10);
    cache_free(&cache);
}

static void rrip_keeps_lines_that_were_hit_when_others_stream_by(void **state)
{
    (void)state;
    struct cache cache;
    open_set(&cache, 4, POLICY_RRIP);
    for (uint32_t line = 0; line < 4; line++)
        put(&cache, line);
    cache_hit(&cache, 0, false);
    cache_hit(&cache, 1, false);
    put(&cache, 100);
    put(&cache, 101);
    put(&cache, 102);
    assert_true(cache_has(&cache, 0));
    assert_true(cache_has(&cache, 1));
    cache_free(&cache);
}

static void random_replacement_is_the_same_each_time_and_uses_every_way(void **state)
{
    (void)state;
    struct cache a, b;
    open_set(&a, 8, POLICY_RANDOM);
    open_set(&b, 8, POLICY_RANDOM);
    for (uint32_t line = 0; line < 8; line++) {
        put(&a, line);
        put(&b, line);
    }
    unsigned first_eight_gone = 0;
    for (uint32_t line = 8; line < 200; line++) {
        uint32_t out = put(&a, line);
        assert_int_equal(out, put(&b, line));
        first_eight_gone += out < 8;
    }
    assert_int_equal(first_eight_gone, 8);
    cache_free(&a);
    cache_free(&b);
}

static void only_allowed_ways_are_filled(void **state)
{
    (void)state;
    for (uint32_t policy = POLICY_LRU; policy <= POLICY_RANDOM; policy++) {
        struct cache cache;
        bool dirty;
        open_set(&cache, 8, policy);
        for (uint32_t line = 0; line < 8; line++)
            put(&cache, line);
        for (uint32_t line = 100; line < 150; line++)
            cache_insert(&cache, line, false, 0x30, &dirty);
        for (uint32_t line = 0; line < 8; line++)
            assert_int_equal(cache_has(&cache, line), line != 4 && line != 5);
        cache_free(&cache);
    }
}

static void dirty_goes_in_and_comes_out_with_its_line(void **state)
{
    (void)state;
    struct cache cache;
    bool dirty;
    open_set(&cache, 2, POLICY_LRU);
    cache_insert(&cache, 1, true, 0, &dirty);
    cache_insert(&cache, 2, false, 0, &dirty);
    assert_int_equal(cache_insert(&cache, 3, false, 0, &dirty), 1);
    assert_true(dirty);
    cache_hit(&cache, 2, true);
    assert_true(cache_remove(&cache, 2, &dirty));
    assert_true(dirty);
    cache_mark(&cache, 3, true);
    cache_mark(&cache, 3, false);
    assert_true(cache_remove(&cache, 3, &dirty));
    assert_false(dirty);
    assert_false(cache_remove(&cache, 3, &dirty));
    cache_free(&cache);
}

/* Contiguous memory of the size of a cache lies in it as a whole, hashed or not, with a number of
 * sets that is a power of two or not. */
static void contiguous_memory_of_its_size_fits(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        uint32_t ways;
        bool hashed;
    } shapes[] = {{64 << 10, 8, false},  {64 << 10, 8, true},  {96 << 10, 8, false},
                  {96 << 10, 8, true},   {44 << 10, 11, true}, {36 << 10, 18, false},
                  {128 << 10, 32, true}, {1024, 16, true}};
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct cache cache;
        uint32_t lines = (uint32_t)(shapes[i].bytes / LINE);
        assert_true(cache_init(&cache, shapes[i].bytes, shapes[i].ways, LINE, POLICY_LRU,
                               shapes[i].hashed, 0, 1));
        for (uint32_t line = 0; line < lines; line++)
            assert_int_equal(put(&cache, 8 * lines + line), CACHE_NO_LINE);
        assert_int_not_equal(put(&cache, 0), CACHE_NO_LINE);
        cache_free(&cache);
    }
}

static void hashing_spreads_what_a_stride_would_heap_up(void **state)
{
    (void)state;
    struct cache plain, hashed;
    cache_init(&plain, 64 << 10, 8, LINE, POLICY_LRU, false, 0, 1);
    cache_init(&hashed, 64 << 10, 8, LINE, POLICY_LRU, true, 0, 1);
    unsigned out_plain = 0, out_hashed = 0;
    for (uint32_t i = 0; i < 64; i++) {
        out_plain += put(&plain, i * plain.sets) != CACHE_NO_LINE;
        out_hashed += put(&hashed, i * hashed.sets) != CACHE_NO_LINE;
    }
    assert_int_equal(out_plain, 64 - 8);
    assert_true(out_hashed < 8);
    cache_free(&plain);
    cache_free(&hashed);
}

static void lines_of_other_work_displace_and_are_nobodys(void **state)
{
    (void)state;
    struct cache cache;
    unsigned out = 0;
    cache_init(&cache, 16 << 10, 4, LINE, POLICY_LRU, false, 0, 1);
    for (uint32_t line = 0; line < 256; line++)
        put(&cache, line);
    for (unsigned i = 0; i < 2000; i++)
        out += put(&cache, CACHE_FOREIGN) != CACHE_NO_LINE;
    assert_int_equal(out, 256); /* each of ours once, theirs never named */
    cache_free(&cache);
}

/* The sum that stands for a cache's state: the same after different pasts that end alike, another
 * when the future may be another. */
static void equal_sums_mean_equal_futures(void **state)
{
    (void)state;
    struct cache a, b;
    bool dirty;
    open_set(&a, 4, POLICY_LRU);
    open_set(&b, 4, POLICY_LRU);
    for (uint32_t line = 0; line < 4; line++)
        put(&a, line);
    for (uint32_t line = 50; line < 54; line++)
        put(&b, line);
    cache_remove(&b, 51, &dirty);
    for (uint32_t line = 0; line < 4; line++)
        put(&b, line); /* in other ways than in a */
    uint64_t sum_a = cache_settle(&a, 0), sum_b = cache_settle(&b, 0);
    assert_true(sum_a == sum_b);

    cache_hit(&b, 0, false);
    sum_b = cache_settle(&b, sum_b);
    assert_true(sum_a != sum_b);
    cache_hit(&a, 0, false);
    sum_a = cache_settle(&a, sum_a);
    assert_true(sum_a == sum_b);
    cache_hit(&a, 0, true);
    assert_true(cache_settle(&a, sum_a) != sum_b);
    cache_free(&a);
    cache_free(&b);
}

static void an_emptied_cache_is_as_a_new_one(void **state)
{
    (void)state;
    for (uint32_t policy = POLICY_LRU; policy <= POLICY_RANDOM; policy++) {
        struct cache cache;
        bool dirty;
        cache_init(&cache, 16 << 10, 8, LINE, policy, true, 0, 3);
        for (uint32_t line = 0; line < 700; line++)
            put(&cache, line);
        uint64_t sum = cache_settle(&cache, 0);
        assert_true(sum != 0);
        for (uint32_t line = 0; line < 700; line++)
            cache_remove(&cache, line, &dirty);
        assert_true(cache_settle(&cache, sum) == 0);
        put(&cache, 5);
        cache_reset(&cache);
        assert_true(cache_settle(&cache, 0) == 0);
        cache_free(&cache);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_throws_out_the_line_used_least_lately),
        cmocka_unit_test(tree_plru_spares_the_half_just_used),
        cmocka_unit_test(rrip_keeps_lines_that_were_hit_when_others_stream_by),
        cmocka_unit_test(random_replacement_is_the_same_each_time_and_uses_every_way),
        cmocka_unit_test(only_allowed_ways_are_filled),
        cmocka_unit_test(dirty_goes_in_and_comes_out_with_its_line),
        cmocka_unit_test(contiguous_memory_of_its_size_fits),
        cmocka_unit_test(hashing_spreads_what_a_stride_would_heap_up),
        cmocka_unit_test(lines_of_other_work_displace_and_are_nobodys),
        cmocka_unit_test(equal_sums_mean_equal_futures),
        cmocka_unit_test(an_emptied_cache_is_as_a_new_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
