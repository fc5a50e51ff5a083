/* SPDX-License-Identifier: BSD-2-Clause */
/* What is answered from memory is what a model that simulates everything says, line after line. */
#include "../machine/mix.h"
#include "model_aid.h"

/* A few jobs, so that they recur; ranges overlap. */
static struct model_job any_job(uint64_t *seed, const struct model *model)
{
    static const uint32_t lines[] = {16, 64, 256, 1024, 4096};
    struct model_job job = {mix_below(seed, model->desc->cpu_count), 0, lines[mix_below(seed, 5)],
                            mix_below(seed, 3), mix_below(seed, 3)};
    if (mix_below(seed, 10) == 0)
        job.first = 2048;
    if (mix_below(seed, 40) == 0)
        job.pattern = MEMO_FORGET;
    return job;
}

static void run_plain(struct model *model, const struct model_job *job)
{
    if (job->pattern != MEMO_FORGET) {
        assert_true(model_run(model, job));
        return;
    }
    model_begin(model);
    model_forget(model, job->first, job->lines);
}

/* chain: stay with one pair and one range for a while, as a measurement does. */
static void compare(const char *text, uint64_t seed, bool chain)
{
    struct model_aid aid;
    aid_open(&aid, text);
    struct model *plain = model_new(aid.desc);
    assert_true(plain->slices > 1);
    plain->slices = 1;
    struct model_job job = any_job(&seed, plain);
    for (unsigned run = 0; run < 4; run++) {
        uint64_t path = run / 2; /* every second run repeats the one before */
        memo_reset(&aid.memo);
        model_reset(plain);
        for (unsigned i = 0; i < 60; i++) {
            uint64_t draw = mix_two(path, i);
            if (!chain || i % 20 == 0)
                job = any_job(&draw, plain);
            else
                job.cpu = i / 2 % 2;
            struct memo_answer answer;
            run_plain(plain, &job);
            assert_true(memo_run(&aid.memo, &job, &answer));
            if (answer.ps != plain->pass.ps)
                fail_msg("run %u, pass %u: %llu ps from memory, %llu simulated", run, i,
                         (unsigned long long)answer.ps, (unsigned long long)plain->pass.ps);
            for (unsigned k = 0; k < aid.memo.resources; k++) {
                unsigned nodes = aid.desc->node_count;
                assert_int_equal(answer.resource_lines[k],
                                 plain->pass.resource_lines[k < nodes ? k : MAX_NODES + k - nodes]);
            }
        }
    }
    model_free(plain);
    aid_close(&aid);
}

#define TWO_NODES                                                        \
    "[node 3]\ncpus = 0 1\ndistances = 10 20\nlatency = 80 ns, 130 ns\n" \
    "[node 7]\ncpus = 2 3\ndistances = 20 10\nlatency = 130 ns, 80 ns\n" \
    "[link 3 7]\nbandwidth = 10 GB/s\n"

static void memory_and_simulation_agree(void **state)
{
    (void)state;
    for (unsigned chain = 0; chain < 2; chain++) {
        compare(SMALL_MACHINE("inclusive", "lru", ""), 1, chain);
        compare(SMALL_MACHINE("inclusive", "tree-plru", ""), 2, chain);
        compare(SMALL_MACHINE("non-inclusive", "rrip", ""), 3, chain);
        compare(SMALL_MACHINE("exclusive\nhashed = yes", "lru", ""), 4, chain);
        compare(SMALL_MACHINE("victim", "random", ""), 5, chain);
        compare(SMALL_MACHINE("victim", "lru", TWO_NODES), 6, chain);
        compare(SMALL_MACHINE("victim\nway-mask = 0x7", "lru", "[cpu 2]\nway-mask = 0x1\n"), 7,
                chain);
        compare(SMALL_MACHINE("victim\nfilter-size = 8K\nfilter-ways = 2", "lru", ""), 8, chain);
        compare(SMALL_MACHINE("victim", "lru", "[others]\nevict = 2 GB/s\n"), 9, chain);
        compare(SMALL_MACHINE("exclusive", "lru",
                              "[prefetch]\nrevisit.linear = 20%\nrevisit.scatter = 70%\n"),
                10, chain);
        compare(SMALL_MACHINE("victim\nhashed = yes", "tree-plru",
                              "[prefetch]\nstream = 40%\nadjacent = 60%\n"),
                11, chain);
    }
}

static void slices_of_scattered_pages_agree_too(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("inclusive", "rrip", ""));
    aid.desc->page_bytes = 4096;
    struct model *plain = model_new(aid.desc), *sliced = model_new(aid.desc);
    assert_true(sliced->slices > 1);
    plain->slices = 1;
    uint64_t seed = 1;
    for (unsigned i = 0; i < 60; i++) {
        struct model_job job = any_job(&seed, plain);
        run_plain(plain, &job);
        run_plain(sliced, &job);
        assert_memory_equal(&plain->pass, &sliced->pass, sizeof plain->pass);
    }
    assert_true(model_state(plain) == model_state(sliced));
    model_free(plain);
    model_free(sliced);
    aid_close(&aid);
}

static void a_chain_that_has_settled_costs_nothing_more(void **state)
{
    (void)state;
    struct model_aid aid;
    aid_open(&aid, SMALL_MACHINE("victim", "lru", ""));
    uint64_t after_some = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const struct model_job job = {i / 2 % 2 * 3, 0, 512, TOUCH_SCATTER, TOUCH_UPDATE};
        struct memo_answer answer;
        assert_true(memo_run(&aid.memo, &job, &answer));
        if (i == 20)
            after_some = aid.memo.simulated_lines;
    }
    assert_true(aid.memo.simulated_lines == after_some);
    assert_true(aid.memo.pending_count < 8);
    aid_close(&aid);
}

/* The same seed gives the same answers whatever was run before. */
static void order_of_runs_does_not_matter(void **state)
{
    (void)state;
    struct model_aid a, b;
    aid_open_file(&a, "two-groups", NULL, 1);
    aid_open_file(&b, "two-groups", NULL, 1);
    for (unsigned run = 0; run < 2; run++) {
        struct model_aid *aid = run ? &b : &a;
        for (unsigned path = 0; path < 3; path++) {
            memo_reset(&aid->memo);
            for (unsigned i = 0; i < 30; i++) {
                /* b runs the three paths the other way round */
                uint64_t draw = mix_two(run ? 2 - path : path, i);
                struct model_job job = any_job(&draw, aid->model);
                struct memo_answer answer;
                assert_true(memo_run(&aid->memo, &job, &answer));
            }
        }
    }
    memo_reset(&a.memo);
    memo_reset(&b.memo);
    for (unsigned i = 0; i < 30; i++) {
        uint64_t draw = mix_two(1, i);
        struct model_job job = any_job(&draw, a.model);
        struct memo_answer x, y;
        assert_true(memo_run(&a.memo, &job, &x) && memo_run(&b.memo, &job, &y));
        assert_true(x.ps == y.ps);
    }
    aid_close(&a);
    aid_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_simulation_agree),
        cmocka_unit_test(slices_of_scattered_pages_agree_too),
        cmocka_unit_test(a_chain_that_has_settled_costs_nothing_more),
        cmocka_unit_test(order_of_runs_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
