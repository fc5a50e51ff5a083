/* SPDX-License-Identifier: BSD-2-Clause */
/* Recommendation: every expectation here is worked out by hand, the arithmetic stands beside it. */
#include "../../lib/recommend.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct spec {
    uint8_t level, distance;
    int32_t cost;
    uint32_t spread;
    uint16_t flags, samples;
};

static struct result result; /* tests run one after the other; each begins with build() */

static void build(const struct spec *specs, unsigned count)
{
    memset(&result, 0, sizeof result);
    result.class_count = count;
    for (unsigned i = 0; i < count; i++) {
        struct class_result *class = &result.classes[i];
        class->key.level = specs[i].level;
        class->key.distance = specs[i].distance ? specs[i].distance : DISTANCE_LOCAL;
        class->flags = specs[i].flags;
        class->working_set = 1 << 20;
        class->cost.ns = specs[i].cost;
        class->cost.spread_ns = specs[i].spread;
        class->cost.samples = specs[i].samples;
    }
}

static void levels_rule_gives_twice_the_outermost_cost(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct spec specs[4];
        unsigned count, factor;
        uint32_t decay;
        uint8_t basis;
        unsigned ratio;
        uint32_t level_decay[4];
        bool clamped;
    } cases[] = {
        /* clang-format off */
        {"two levels within 5 times: 2 x 40 us; 40 / 15 = 2.66",
         {{LEVEL_CORE, 0, 300, 9, 0, 9}, {LEVEL_LLC, 0, 15000, 9, 0, 9}, {LEVEL_PACKAGE, 0, 40000, 9, 0, 9}},
         3, 0, 80000, BASIS_OUTERMOST, 266, {0, 30000, 80000}, false},
        {"exactly 5 times is still within",
         {{LEVEL_LLC, 0, 10000, 9, 0, 9}, {LEVEL_SYSTEM, 20, 50000, 9, 0, 9}},
         2, 0, 100000, BASIS_OUTERMOST, 500, {20000, 100000}, false},
        {"over five times: 50.1 / 10 = 5.01",
         {{LEVEL_LLC, 0, 10000, 9, 0, 9}, {LEVEL_SYSTEM, 20, 50100, 9, 0, 9}},
         2, 0, 100200, BASIS_NO_ONE_NUMBER, 501, {20000, 100200}, false},
        {"SMT siblings are no reason to give up, though 300 ns lie 133 times under 40 us",
         {{LEVEL_CORE, 0, 300, 9, 0, 9}, {LEVEL_PACKAGE, 0, 40000, 9, 0, 9}},
         2, 0, 80000, BASIS_OUTERMOST, 0, {0, 80000}, false},
        {"distance orders what level does not: 3 x 21",
         {{LEVEL_SYSTEM, 32, 21000, 9, 0, 9}, {LEVEL_SYSTEM, 21, 20000, 9, 0, 9}},
         2, 300, 63000, BASIS_OUTERMOST, 105, {60000, 63000}, false},
        {"the dearest class of a level stands for it",
         {{LEVEL_LLC, 0, 5000, 9, 0, 9}, {LEVEL_LLC, 0, 7000, 9, CLASS_SPLIT, 9}},
         2, 0, 14000, BASIS_OUTERMOST, 140, {14000}, false},
        {"classes of one level may lie as far apart as levels (A22): 66 us and 8.2 ms are 124 times",
         {{LEVEL_LLC, 0, 66000, 9, CLASS_SPLIT, 9}, {LEVEL_LLC, 0, 8200000, 9, CLASS_SPLIT, 9}},
         2, 0, 16400000, BASIS_NO_ONE_NUMBER, 12424, {16400000}, false},
        {"a zero class within a level that costs: at most 2 us beside 20 us",
         {{LEVEL_LLC, 0, 1500, 500, CLASS_ZERO, 9}, {LEVEL_LLC, 0, 20000, 9, 0, 9}},
         2, 0, 40000, BASIS_NO_ONE_NUMBER, 1000, {40000}, false},
        {"a zero level surely far below: at most 1 us lies 20 times under 20 us",
         {{LEVEL_L2, 0, 400, 600, CLASS_ZERO, 9}, {LEVEL_LLC, 0, 20000, 9, 0, 9}},
         2, 0, 40000, BASIS_NO_ONE_NUMBER, 2000, {0, 40000}, false},
        {"a zero level that may be dear says nothing: 20 / 10 = 2",
         {{LEVEL_L2, 0, 0, 10000, CLASS_ZERO, 9}, {LEVEL_LLC, 0, 20000, 9, 0, 9}},
         2, 0, 40000, BASIS_OUTERMOST, 200, {0, 40000}, false},
        {"a zero outermost level: the next one in is the outermost that costs",
         {{LEVEL_LLC, 0, 20000, 9, 0, 9}, {LEVEL_PACKAGE, 0, 0, 19000, CLASS_ZERO, 9}},
         2, 0, 40000, BASIS_OUTERMOST, 105, {40000, 0}, false},
        {"a negative cost counts as zero: staying is dearer beyond the capacity (docs/method.md)",
         {{LEVEL_LLC, 0, -9000, 100, 0, 9}, {LEVEL_PACKAGE, 0, 20000, 9, 0, 9}},
         2, 0, 40000, BASIS_NO_ONE_NUMBER, 2000000, {0, 40000}, false},
        {"a class never reached within the budget makes no level",
         {{LEVEL_LLC, 0, 20000, 9, 0, 9}, {LEVEL_PACKAGE, 0, 0, 0, 0, 0}},
         2, 0, 40000, BASIS_OUTERMOST, 0, {40000}, false},
        {"too small (I5: 1 us to 100 ms): 2 x 300 ns",
         {{LEVEL_LLC, 0, 300, 9, 0, 9}},
         1, 0, 1000, BASIS_OUTERMOST, 0, {1000}, true},
        {"too large: 2 x 60 ms",
         {{LEVEL_LLC, 0, 60000000, 9, 0, 9}},
         1, 0, 100000000, BASIS_OUTERMOST, 0, {100000000}, true},
        {"2.1 s x 1000 is past 32 bits on the way",
         {{LEVEL_LLC, 0, INT32_MAX, 9, 0, 9}},
         1, 100000, 100000000, BASIS_OUTERMOST, 0, {100000000}, true},
        {"two peaks whose range is not known: the figure is kept",
         {{LEVEL_LLC, 0, 20000, 9, CLASS_TWO_PEAKS, 9}},
         1, 0, 40000, BASIS_OUTERMOST, 0, {40000}, false},
        {"only SMT siblings",
         {{LEVEL_CORE, 0, 300, 9, 0, 9}},
         1, 0, 500000, BASIS_KERNEL_DEFAULT, 0, {0}, false},
        {"only zeros",
         {{LEVEL_LLC, 0, 30, 90, CLASS_ZERO, 9}, {LEVEL_NODE, 0, 10, 90, CLASS_ZERO, 9}},
         2, 0, 500000, BASIS_KERNEL_DEFAULT, 0, {0, 0}, false},
        {"no pair at all",
         {{0, 0, 0, 0, 0, 0}},
         0, 0, 500000, BASIS_KERNEL_DEFAULT, 0, {0}, false},
        /* clang-format on */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recommendation got;
        build(cases[i].specs, cases[i].count);
        recommend(&result, POLICY_LEVELS, cases[i].factor, 0, &got);
        if (got.decay_ns != cases[i].decay || got.basis != cases[i].basis ||
            got.ratio_percent != cases[i].ratio || got.clamped != cases[i].clamped)
            fail_msg("%s: %u ns, basis %u, ratio %u, clamped %d", cases[i].name, got.decay_ns,
                     got.basis, got.ratio_percent, got.clamped);
        for (unsigned l = 0; l < got.level_count; l++)
            if (got.level[l].decay_ns != cases[i].level_decay[l])
                fail_msg("%s: level %u is %u ns", cases[i].name, l, got.level[l].decay_ns);
    }
}

static void levels_come_out_innermost_first_and_once_each(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {LEVEL_SYSTEM, 32, 9000, 1, 0, 5}, {LEVEL_CORE, 0, 100, 1, 0, 5},
        {LEVEL_SYSTEM, 21, 8000, 1, 0, 5}, {LEVEL_LLC, 0, 4000, 1, 0, 5},
        {LEVEL_LLC, 0, 5000, 1, 0, 5},     {LEVEL_SYSTEM, 32, 0, 1, CLASS_ZERO, 5},
    };
    struct recommendation got;
    build(specs, 6);
    recommend(&result, POLICY_LEVELS, 0, 0, &got);
    assert_int_equal(got.level_count, 4);
    static const struct {
        uint8_t level, distance;
        uint32_t cost;
    } want[] = {{LEVEL_CORE, 10, 100},
                {LEVEL_LLC, 10, 5000},
                {LEVEL_SYSTEM, 21, 8000},
                {LEVEL_SYSTEM, 32, 9000}};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(got.level[i].level, want[i].level);
        assert_int_equal(got.level[i].distance, want[i].distance);
        assert_int_equal(got.level[i].cost_ns, want[i].cost);
        assert_false(got.level[i].zero); /* one zero class does not make a zero level */
    }
}

static void two_peaks_count_with_the_dearer_one(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_LLC, 0, 20000, 9, CLASS_TWO_PEAKS, 9}};
    struct recommendation got;
    build(specs, 1);
    result.classes[0].min_ns = 12000;
    result.classes[0].max_ns = 31000;
    recommend(&result, POLICY_LEVELS, 0, 0, &got);
    assert_int_equal(got.decay_ns, 62000); /* 2 x 31 us */
}

/* The raw matrix of a machine of 3: diagonal smaller than all, one cell not known. */
static uint32_t raw[9] = {100, 9000, 8000, 9500, 100, 0, 8500, 9100, 100};

static void v1_takes_the_smallest_known_move(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_CORE, 0, 200, 9, 0, 9},
                                        {LEVEL_LLC, 0, 900, 9, 0, 9},
                                        {LEVEL_SYSTEM, 20, 7900, 9, 0, 9}};
    struct recommendation got;
    build(specs, 3);
    result.cpu_count = 3;
    result.raw_ns = raw;
    recommend(&result, POLICY_V1, 0, 0, &got);
    assert_int_equal(got.decay_ns, 8000); /* neither the diagonal's 100 nor the unknown cell's 0 */
    assert_int_equal(got.factor_percent, 100);
    assert_int_equal(got.basis, BASIS_POLICY);
    /* V1 gave CPU and node domains the same number; SMT domains had their own 0 */
    assert_int_equal(got.level[0].decay_ns, 0);
    assert_int_equal(got.level[1].decay_ns, 8000);
    assert_int_equal(got.level[2].decay_ns, 8000);

    recommend(&result, POLICY_V1, 600, 0, &got); /* V1's own factor 6 */
    assert_int_equal(got.decay_ns, 48000);

    result.raw_ns = NULL;
    recommend(&result, POLICY_V1, 0, 0, &got);
    assert_int_equal(got.basis, BASIS_KERNEL_DEFAULT);
}

static void v5_takes_twice_the_plain_maximum(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_CORE, 0, 90000, 9, 0, 9},
                                        {LEVEL_LLC, 0, 30000, 9, 0, 9},
                                        {LEVEL_SYSTEM, 20, 20000, 9, 0, 9}};
    struct recommendation got;
    build(specs, 3);
    /* A noisy point above the chosen working set: V5 took it, the default rule does not. */
    result.classes[1].point_count = 2;
    result.classes[1].point[0].bytes = 1 << 20;
    result.classes[1].point[0].cost = (struct figure){30000, 9, 9};
    result.classes[1].point[1].bytes = 1 << 21;
    result.classes[1].point[1].cost = (struct figure){34000, 9000, 9};
    recommend(&result, POLICY_V5, 0, 0, &got);
    assert_int_equal(got.decay_ns, 68000); /* 2 x 34 us: the dearest level, SMT left out */
    assert_int_equal(got.level[1].decay_ns, 68000);
    assert_int_equal(got.level[2].decay_ns, 40000);
    recommend(&result, POLICY_LEVELS, 0, 0, &got);
    assert_int_equal(got.decay_ns, 40000);
}

static void decay_takes_the_time_to_evict_where_that_is_less(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_CORE, 0, 1000, 9, 0, 9},
                                        {LEVEL_LLC, 0, 30000, 9, 0, 9},
                                        {LEVEL_LLC, 0, 31000, 9, 0, 9},
                                        {LEVEL_PACKAGE, 0, 40000, 9, 0, 9},
                                        {LEVEL_SYSTEM, 20, 60000, 9, 0, 9}};
    struct recommendation got;
    build(specs, 5);
    const uint32_t evict_ns[] = {5, 50000, 45000, 90000, 100000};
    for (unsigned i = 0; i < 5; i++) {
        result.classes[i].evict_bytes = 1 << 20;
        result.classes[i].evict_ns = evict_ns[i];
    }
    recommend(&result, POLICY_DECAY, 0, 0, &got);
    assert_int_equal(got.basis, BASIS_OUTERMOST);
    assert_int_equal(got.level[0].decay_ns, 0);     /* threads share every cache */
    assert_int_equal(got.level[1].decay_ns, 45000); /* the shortest of the level, below 62 us */
    assert_int_equal(got.level[2].decay_ns, 80000); /* twice the cost, below 90 us */
    assert_int_equal(got.level[3].decay_ns, 100000);
    assert_int_equal(got.decay_ns, 100000);

    result.classes[4].evict_bytes = 0; /* not measured: as levels */
    result.classes[1].evict_ns = 10;   /* gone at once: the least that may be recommended */
    recommend(&result, POLICY_DECAY, 0, 0, &got);
    assert_int_equal(got.decay_ns, 120000);
    assert_int_equal(got.level[1].decay_ns, DECAY_MIN_NS);
    assert_true(got.level[1].clamped);
    recommend(&result, POLICY_LEVELS, 0, 0, &got); /* no other rule looks at it */
    assert_int_equal(got.level[1].decay_ns, 62000);
}

/* Footprints 4, 8, 16 KiB weigh 65536, 53232 (2^-0.3 of it), 43238 (53232 * 53232 >> 16); in all
 * 162006. */
static void expected_weighs_footprints_by_a_power_law(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_LLC, 0, 1000, 9, 0, 9}};
    struct recommendation got;

    /* No curve: a straight line through (0, 0) and (16 KiB, 1000 ns) gives 250, 500, 1000 ns.
     * (65536 * 250 + 53232 * 500 + 43238 * 1000) / 162006 = 86238000 / 162006 = 532.3;
     * 16 x 532 = 8512. */
    build(specs, 1);
    result.classes[0].working_set = 16384;
    recommend(&result, POLICY_EXPECTED, 0, 0, &got);
    assert_int_equal(got.level[0].cost_ns, 532);
    assert_int_equal(got.decay_ns, 8512);
    assert_int_equal(got.factor_percent, 1600);
    assert_int_equal(got.basis, BASIS_POLICY);

    /* With a point (12 KiB, 300 ns): at 4 KiB 100, at 8 KiB 200, at 16 KiB 1000.
     * (6553600 + 10646400 + 43238000) / 162006 = 60438000 / 162006 = 373.06. */
    result.classes[0].point_count = 1;
    result.classes[0].point[0].bytes = 12288;
    result.classes[0].point[0].cost = (struct figure){300, 9, 9};
    recommend(&result, POLICY_EXPECTED, 100, 0, &got);
    assert_int_equal(got.level[0].cost_ns, 373);

    /* A point without samples is no point; points beyond the working set are not footprints, but
     * bound the line: (24 KiB, 1500) through (0, 0) is 250, 500, 1000 again. */
    result.classes[0].point[0].cost.samples = 0;
    result.classes[0].point_count = 2;
    result.classes[0].point[1].bytes = 24576;
    result.classes[0].point[1].cost = (struct figure){1500, 9, 9};
    recommend(&result, POLICY_EXPECTED, 100, 0, &got);
    assert_int_equal(got.level[0].cost_ns, 532);

    /* Working set 10 KiB, straight line: footprints 4, 8, 10 KiB cost 400, 800, 1000.
     * (26214400 + 42585600 + 43238000) / 162006 = 112038000 / 162006 = 691.57. */
    build(specs, 1);
    result.classes[0].working_set = 10240;
    recommend(&result, POLICY_EXPECTED, 100, 0, &got);
    assert_int_equal(got.level[0].cost_ns, 691);

    /* One footprint only: a working set of 4 KiB or less. */
    result.classes[0].working_set = 2048;
    recommend(&result, POLICY_EXPECTED, 100, 0, &got);
    assert_int_equal(got.level[0].cost_ns, 1000);
}

static void expected_stands_huge_curves(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_LLC, 0, INT32_MAX, 9, 0, 9}};
    struct recommendation got;
    build(specs, 1);
    result.classes[0].working_set = UINT64_MAX;
    result.classes[0].point_count = 2;
    result.classes[0].point[0].bytes = 1ull << 50;
    result.classes[0].point[0].cost = (struct figure){INT32_MIN + 1, 9, 9};
    result.classes[0].point[1].bytes = 1ull << 50; /* twice the same size: no division by zero */
    result.classes[0].point[1].cost = (struct figure){INT32_MAX, 9, 9};
    recommend(&result, POLICY_EXPECTED, FACTOR_MAX_PERCENT, 0, &got);
    assert_in_range(got.decay_ns, DECAY_MIN_NS, DECAY_MAX_NS);
}

static void by_hand_overrides_everything_but_smt(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_CORE, 0, 200, 9, 0, 9},
                                        {LEVEL_LLC, 0, 30, 90, CLASS_ZERO, 9},
                                        {LEVEL_SYSTEM, 20, 7900, 9, 0, 9}};
    struct recommendation got;
    build(specs, 3);
    result.flags = FLAG_COST_ZERO;
    for (unsigned policy = 0; policy < POLICIES; policy++) {
        recommend(&result, (enum policy)policy, 0, 123456, &got);
        assert_int_equal(got.basis, BASIS_BY_HAND);
        assert_int_equal(got.decay_ns, 123456);
        assert_false(got.clamped);
        assert_int_equal(got.level[0].decay_ns, 0);
        assert_int_equal(got.level[1].decay_ns, 123456);
        assert_int_equal(got.level[2].decay_ns, 123456);
    }
    recommend(&result, POLICY_LEVELS, 0, 999, &got);
    assert_int_equal(got.decay_ns, 1000);
    assert_true(got.clamped && got.level[2].clamped);
    recommend(&result, POLICY_LEVELS, 0, UINT32_MAX, &got);
    assert_int_equal(got.decay_ns, 100000000);
    build(specs, 0); /* with no pair measured as well */
    recommend(&result, POLICY_LEVELS, 0, 7000, &got);
    assert_int_equal(got.decay_ns, 7000);
}

static void zero_costs_leave_the_kernels_default_under_every_policy(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_LLC, 0, 900, 9, 0, 9},
                                        {LEVEL_SYSTEM, 20, 7900, 9, 0, 9}};
    for (unsigned policy = 0; policy < POLICIES; policy++) {
        struct recommendation got;
        build(specs, 2);
        result.cpu_count = 3;
        result.raw_ns = raw;
        result.flags = FLAG_COST_ZERO;
        recommend(&result, (enum policy)policy, 0, 0, &got);
        assert_int_equal(got.decay_ns, KERNEL_DEFAULT_NS);
        assert_int_equal(got.basis, BASIS_KERNEL_DEFAULT);
        assert_int_equal(got.level[1].decay_ns, 0);
        assert_true(got.level[1].zero);
    }
}

static void wild_policy_and_factor_are_bounded(void **state)
{
    (void)state;
    static const struct spec specs[] = {{LEVEL_LLC, 0, 1000, 9, 0, 9}};
    struct recommendation got;
    build(specs, 1);
    recommend(&result, (enum policy)77, 0, 0, &got);
    assert_int_equal(got.policy, POLICY_LEVELS);
    assert_int_equal(got.decay_ns, 2000);
    recommend(&result, POLICY_LEVELS, UINT32_MAX, 0, &got);
    assert_int_equal(got.factor_percent, FACTOR_MAX_PERCENT);
    assert_int_equal(got.decay_ns, 1000000); /* 1000 x 1 us */
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_classes(uint32_t *seed)
{
    memset(&result, 0, sizeof result);
    result.class_count = 1 + next_random(seed) % MAX_CLASSES;
    for (unsigned i = 0; i < result.class_count; i++) {
        struct class_result *class = &result.classes[i];
        class->key.level = (uint8_t)(next_random(seed) % LEVELS);
        class->key.distance = (uint8_t)(10 + next_random(seed) % 3);
        class->cost.ns = (int32_t)(next_random(seed) % 3000000) - 1000;
        class->cost.spread_ns = next_random(seed) % 1000;
        class->cost.samples = (uint16_t)(next_random(seed) % 4);
        class->flags = (uint16_t)(next_random(seed) % 4 ? 0 : CLASS_ZERO);
        class->working_set = 1 + next_random(seed) % (1 << 24);
        class->point_count = next_random(seed) % MAX_CURVE_POINTS;
        uint64_t bytes = 0;
        for (unsigned p = 0; p < class->point_count; p++) {
            bytes += 1 + next_random(seed) % (1 << 20);
            class->point[p].bytes = bytes;
            class->point[p].cost.ns = (int32_t)(next_random(seed) % 3000000) - 1000;
            class->point[p].cost.samples = 3;
        }
    }
}

static void order_of_classes_does_not_matter(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (unsigned round = 0; round < 300; round++) {
        enum policy policy = (enum policy)(round % POLICIES);
        struct recommendation before, after;
        random_classes(&seed);
        recommend(&result, policy, 0, 0, &before);
        for (unsigned i = result.class_count - 1; i > 0; i--) {
            unsigned j = next_random(&seed) % (i + 1);
            struct class_result swap = result.classes[i];
            result.classes[i] = result.classes[j];
            result.classes[j] = swap;
        }
        recommend(&result, policy, 0, 0, &after);
        assert_memory_equal(&before, &after, sizeof before);
    }
}

static void decay_is_monotone_in_cost(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (unsigned round = 0; round < 300; round++) {
        enum policy policy = (enum policy)(round % POLICIES);
        struct recommendation before, after;
        random_classes(&seed);
        for (unsigned i = 0; i < result.class_count; i++)
            result.classes[i].flags = 0;
        recommend(&result, policy, 0, 0, &before);
        for (unsigned i = 0; i < result.class_count; i++) {
            int32_t more = (int32_t)(next_random(&seed) % 50000);
            result.classes[i].cost.ns += more;
            for (unsigned p = 0; p < result.classes[i].point_count; p++)
                result.classes[i].point[p].cost.ns += more;
        }
        recommend(&result, policy, 0, 0, &after);
        assert_int_equal(before.level_count, after.level_count);
        for (unsigned l = 0; l < after.level_count; l++)
            assert_true(after.level[l].decay_ns >= before.level[l].decay_ns);
        /* The one number follows unless it was the kernel's default before. */
        if (before.basis != BASIS_KERNEL_DEFAULT && policy != POLICY_V1)
            assert_true(after.decay_ns >= before.decay_ns);
    }
}

static void arch_estimate_is_what_three_machines_printed(void **state)
{
    (void)state;
    /* The published logs. Celeron: (467000 >> 10) * 131072 / 350 = 170768 ticks, under a
     * millisecond of 467000; plus one. P4: 2323 * 524288 / 350 = 3479728 / 2379000 = 1, plus one.
     * P3 Xeon: 683 * 2097152 / 350 = 4092442 / 700000 = 5, plus one. */
    assert_int_equal(arch_estimate_ns(467000, 128), 1000000);
    assert_int_equal(arch_estimate_ns(2379000, 512), 2000000);
    assert_int_equal(arch_estimate_ns(700000, 2048), 6000000);
    /* 2929 * 33554432 / 350 = 280804090 / 3000000 = 93, plus one: past 32 bits on the way */
    assert_int_equal(arch_estimate_ns(3000000, 32768), 94000000);
    assert_int_equal(arch_estimate_ns(0, 512), 0);
    assert_int_equal(arch_estimate_ns(700000, 0), 0);
    assert_int_equal(arch_estimate_ns(UINT64_MAX, UINT64_MAX), 0);
}

static void names_end_where_the_numbers_end(void **state)
{
    (void)state;
    assert_string_equal(policy_name(POLICY_V5), "v5");
    assert_null(policy_name(POLICIES));
    assert_null(basis_sentence(BASES));
    for (unsigned basis = 0; basis < BASES; basis++)
        assert_null(strchr(basis_sentence(basis), '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_rule_gives_twice_the_outermost_cost),
        cmocka_unit_test(levels_come_out_innermost_first_and_once_each),
        cmocka_unit_test(two_peaks_count_with_the_dearer_one),
        cmocka_unit_test(v1_takes_the_smallest_known_move),
        cmocka_unit_test(v5_takes_twice_the_plain_maximum),
        cmocka_unit_test(decay_takes_the_time_to_evict_where_that_is_less),
        cmocka_unit_test(expected_weighs_footprints_by_a_power_law),
        cmocka_unit_test(expected_stands_huge_curves),
        cmocka_unit_test(by_hand_overrides_everything_but_smt),
        cmocka_unit_test(zero_costs_leave_the_kernels_default_under_every_policy),
        cmocka_unit_test(wild_policy_and_factor_are_bounded),
        cmocka_unit_test(order_of_classes_does_not_matter),
        cmocka_unit_test(decay_is_monotone_in_cost),
        cmocka_unit_test(arch_estimate_is_what_three_machines_printed),
        cmocka_unit_test(names_end_where_the_numbers_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
