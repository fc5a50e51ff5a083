/* SPDX-License-Identifier: BSD-2-Clause */
/* Disturbances on demand: each does what it says, and all come again from their seed. */
#include "../machine/mix.h"
#include "model_aid.h"

#define MS 1000000000ull

static struct desc_noise quiet(void)
{
    struct desc_noise kinds;
    memset(&kinds, 0, sizeof kinds);
    kinds.ramp_permille = 1000;
    kinds.drift_cpu = kinds.jump_cpu = kinds.late_cpu = DESC_NONE;
    kinds.dead_cpu = kinds.busy_cpu = DESC_NONE;
    return kinds;
}

static void without_noise_nothing_changes(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    uint32_t smis;
    assert_true(noise_init(&noise, &kinds, 4, 5));
    for (uint64_t ps = 1; ps < 1000000; ps = ps * 3 + 1)
        assert_true(noise_pass(&noise, 0, ps, ps, &smis) == ps && smis == 0);
    noise_free(&noise);
}

/* Mean 0, deviation 1, a third of the draws beyond it, one in twenty beyond two. */
static void gauss_is_a_bell(void **state)
{
    (void)state;
    uint64_t chance = 1;
    int64_t sum = 0, squares = 0;
    unsigned beyond_one = 0, beyond_two = 0, count = 100000;
    for (unsigned i = 0; i < count; i++) {
        int64_t draw = noise_gauss(&chance);
        sum += draw;
        squares += draw * draw / 65536;
        beyond_one += draw > 65536 || draw < -65536;
        beyond_two += draw > 2 * 65536 || draw < -2 * 65536;
    }
    aid_near(sum / count, 0, 65536 / 100);
    aid_near(squares / count, 65536, 65536 / 50);
    aid_near(beyond_one, 31731, 700);
    aid_near(beyond_two, 4550, 500);
}

static void jitter_has_the_deviation_asked_for(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    uint32_t smis;
    int64_t sum = 0, squares = 0;
    kinds.jitter_ppm = 20000;
    assert_true(noise_init(&noise, &kinds, 1, 1));
    for (unsigned i = 0; i < 20000; i++) {
        int64_t off = (int64_t)noise_pass(&noise, 0, 0, 1000000, &smis) - 1000000;
        sum += off;
        squares += off * off;
    }
    aid_near(sum / 20000, 0, 600);
    aid_near(squares / 20000, 400000000, 20000000);
    noise_free(&noise);
}

static void one_pass_in_n_is_slower(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    uint32_t smis;
    unsigned slow = 0;
    kinds.slow_one_in = 10;
    kinds.slow_permille = 300;
    assert_true(noise_init(&noise, &kinds, 1, 1));
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t ps = noise_pass(&noise, 0, 0, 1000, &smis);
        assert_true(ps == 1000 || ps == 1300);
        slow += ps == 1300;
    }
    aid_near(slow, 1000, 120);
    noise_free(&noise);
}

static void smis_lengthen_what_they_hit_and_are_counted_unless_silent(void **state)
{
    (void)state;
    for (unsigned silent = 0; silent < 2; silent++) {
        struct noise noise;
        struct desc_noise kinds = quiet();
        uint64_t at = 0, lost = 0;
        unsigned counted = 0;
        kinds.smi_ps = MS / 10;
        kinds.smi_period_ps = 10 * MS;
        kinds.smi_silent = silent;
        assert_true(noise_init(&noise, &kinds, 1, 3));
        for (unsigned i = 0; i < 20000; i++) {
            uint32_t smis;
            uint64_t ps = noise_pass(&noise, 0, at, MS, &smis);
            if (!silent)
                assert_true(ps == MS + smis * (MS / 10));
            lost += ps - MS;
            counted += smis;
            at += ps;
        }
        if (silent)
            assert_int_equal(counted, 0);
        else
            aid_near(counted, 2000, 100);
        aid_near((int64_t)(lost / (MS / 10)), 2000, 100);
        noise_free(&noise);
    }
}

static void gaps_between_passes_let_smis_go_by(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    unsigned hit = 0;
    kinds.smi_ps = MS;
    kinds.smi_period_ps = 100 * MS;
    assert_true(noise_init(&noise, &kinds, 1, 3));
    for (unsigned i = 0; i < 5000; i++) {
        uint32_t smis;
        noise_pass(&noise, 0, i * 100 * MS, MS, &smis);
        hit += smis;
    }
    aid_near(hit, 50, 30);
    noise_free(&noise);
}

static void clocks_ramp_up_from_the_start_of_the_run(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    uint32_t smis;
    kinds.ramp_ps = 30 * MS;
    kinds.ramp_permille = 500;
    assert_true(noise_init(&noise, &kinds, 2, 1));
    assert_true(noise_pass(&noise, 0, 0, MS / 10, &smis) == MS / 5);
    assert_true(noise_pass(&noise, 1, 0, MS / 10, &smis) == MS / 5);
    uint64_t half = noise_pass(&noise, 1, 15 * MS, MS / 10, &smis);
    aid_near((int64_t)half, (int64_t)(MS / 10 * 4 / 3), (int64_t)(MS / 300));
    assert_true(noise_pass(&noise, 0, 31 * MS, MS / 10, &smis) == MS / 10);
    noise_free(&noise);
}

/* A CPU gets faster as it works, each for itself, until its ramp is over. */
static void clocks_ramp_up_with_the_work_of_each_cpu(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    uint32_t smis;
    kinds.ramp_ps = 30 * MS;
    kinds.ramp_permille = 500;
    kinds.ramp_each = true;
    assert_true(noise_init(&noise, &kinds, 2, 1));
    uint64_t first = noise_pass(&noise, 0, 0, MS / 10, &smis), last = first;
    assert_true(first == MS / 5);
    for (uint64_t spent = first; spent < 31 * MS; spent += last) {
        uint64_t ps = noise_pass(&noise, 0, spent, MS / 10, &smis);
        assert_true(ps <= last);
        last = ps;
    }
    assert_true(last == MS / 10);
    assert_true(noise_pass(&noise, 1, 40 * MS, MS / 10, &smis) == MS / 5);
    /* One long pass: 30 ms at three quarters of the clock on average, the rest at all of it. */
    struct noise other;
    assert_true(noise_init(&other, &kinds, 1, 1));
    uint64_t ps = noise_pass(&other, 0, 0, 100 * MS, &smis);
    aid_near((int64_t)ps, (int64_t)(107 * MS + MS / 2), (int64_t)(MS / 2));
    noise_free(&noise);
    noise_free(&other);
}

static void counters_step_drift_jump_and_start_apart(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    const struct desc_clock clock = {.khz = 2000000, .step_ps = 10000};
    kinds.drift_cpu = 1;
    kinds.drift_ppm = 1000;
    kinds.jump_cpu = 2;
    kinds.jump_ticks = -5000;
    kinds.jump_at_ps = 500 * MS;
    assert_true(noise_init(&noise, &kinds, 4, 1));
    assert_int_equal(noise_counter(&noise, &clock, 0, 1000 * MS), 2000000000);
    assert_int_equal(noise_counter(&noise, &clock, 0, 19999), 20);
    assert_int_equal(noise_counter(&noise, &clock, 0, 20000), 40);
    assert_int_equal(noise_counter(&noise, &clock, 1, 1000 * MS), 2002000000);
    assert_int_equal(noise_counter(&noise, &clock, 2, 499 * MS), 998000000);
    assert_int_equal(noise_counter(&noise, &clock, 2, 500 * MS), 1000000000 - 5000);
    noise_free(&noise);

    kinds = quiet();
    kinds.offset_bits = 40;
    assert_true(noise_init(&noise, &kinds, 64, 1));
    unsigned far = 0;
    for (unsigned cpu = 0; cpu < 64; cpu++) {
        uint64_t at = noise_counter(&noise, &clock, cpu, 0);
        assert_true(at < 1ull << 40);
        far += at >= 1ull << 38;
        assert_true(noise_counter(&noise, &clock, cpu, 50000) - at == 100);
    }
    assert_true(far > 32);
    noise_free(&noise);
}

static void passes_beside_a_busy_sibling_are_slower_while_it_is_busy(void **state)
{
    (void)state;
    struct noise noise;
    struct desc_noise kinds = quiet();
    assert_true(noise_init(&noise, &kinds, 2, 1));
    assert_int_equal(noise_beside_busy(&noise, 7 * MS, 1000, 1500), 1500); /* always */
    noise_free(&noise);

    kinds.busy_ps = 2 * MS;
    kinds.busy_period_ps = 10 * MS;
    assert_true(noise_init(&noise, &kinds, 2, 1));
    uint64_t slow = 0, short_ps = MS / 10;
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t took = noise_beside_busy(&noise, i * short_ps, short_ps, 1500);
        assert_in_range(took, short_ps, short_ps * 3 / 2);
        slow += took > short_ps;
    }
    aid_near((int64_t)slow, 2050, 50); /* a fifth, and those that a burst begins or ends in */
    /* A long pass has all bursts in it: in each of 2 ms it does 2/1.5 ms of work. */
    uint64_t took = noise_beside_busy(&noise, 0, 1000 * MS, 1500);
    aid_near((int64_t)(took / MS), 1071, 2);
    kinds.busy_ps = kinds.busy_period_ps;
    noise_free(&noise);
    assert_true(noise_init(&noise, &kinds, 2, 1));
    aid_near((int64_t)(noise_beside_busy(&noise, 3 * MS, 100 * MS, 1500) / MS), 150, 1);
    noise_free(&noise);
}

static void the_same_seed_draws_the_same(void **state)
{
    (void)state;
    struct noise a, b, c;
    struct desc_noise kinds = quiet();
    unsigned same = 0;
    kinds.jitter_ppm = 20000;
    kinds.slow_one_in = 10;
    kinds.slow_permille = 300;
    assert_true(noise_init(&a, &kinds, 1, 7) && noise_init(&b, &kinds, 1, 7) &&
                noise_init(&c, &kinds, 1, 8));
    for (unsigned i = 0; i < 1000; i++) {
        uint32_t smis;
        uint64_t ps = noise_pass(&a, 0, 0, MS, &smis);
        assert_true(ps == noise_pass(&b, 0, 0, MS, &smis));
        same += ps == noise_pass(&c, 0, 0, MS, &smis);
    }
    assert_true(same < 20);
    noise_free(&a);
    noise_free(&b);
    noise_free(&c);
}

static void noise_comes_as_text_and_wrong_text_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "loud",       "jitter",        "jitter=2",     "jitter=50%",  "jitter=2%,x=1",
        "dead-cpu=9", "smi-length=-1", "ramp-from=0%", "drift=0.6 s", "late-cpu=x"};
    struct value_error error;
    struct desc *desc = aid_parse(SMALL_MACHINE("victim", "lru", ""));
    assert_true(noise_parse(desc, "study", &error));
    assert_int_equal(desc->noise.jitter_ppm, 20000);
    assert_int_equal(desc->noise.slow_one_in, 10);
    assert_true(desc->noise.smi_ps == 150 * MS / 1000);
    assert_true(noise_parse(desc, "jitter=1%,dead-cpu=3,drift=-50 ppm", &error));
    assert_int_equal(desc->noise.jitter_ppm, 10000);
    assert_int_equal(desc->noise.slow_one_in, 10);
    assert_int_equal(desc->noise.dead_cpu, 3);
    assert_int_equal(desc->noise.drift_ppm, -50);
    assert_true(noise_parse(desc, "none", &error));
    assert_int_equal(desc->noise.jitter_ppm, 0);
    assert_int_equal(desc->noise.dead_cpu, DESC_NONE);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memset(&error, 0, sizeof error);
        if (noise_parse(desc, wrong[i], &error))
            fail_msg("'%s' was taken", wrong[i]);
        assert_true(error.text[0] != '\0');
        assert_true(noise_parse(desc, "none", &error));
    }
    desc_free(desc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_nothing_changes),
        cmocka_unit_test(gauss_is_a_bell),
        cmocka_unit_test(jitter_has_the_deviation_asked_for),
        cmocka_unit_test(one_pass_in_n_is_slower),
        cmocka_unit_test(smis_lengthen_what_they_hit_and_are_counted_unless_silent),
        cmocka_unit_test(gaps_between_passes_let_smis_go_by),
        cmocka_unit_test(clocks_ramp_up_from_the_start_of_the_run),
        cmocka_unit_test(clocks_ramp_up_with_the_work_of_each_cpu),
        cmocka_unit_test(counters_step_drift_jump_and_start_apart),
        cmocka_unit_test(passes_beside_a_busy_sibling_are_slower_while_it_is_busy),
        cmocka_unit_test(the_same_seed_draws_the_same),
        cmocka_unit_test(noise_comes_as_text_and_wrong_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
