/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings: what was recorded is answered again, what was not is noticed at its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/engine.h"
#include "../../lib/replay.h"
#include "toy_machine.h"

/* ---- A sink that keeps, and a machine that answers by rule ---- */

struct tape {
    char *text;
    size_t length, size;
};

static void tape_write(void *ctx, const char *text, size_t length)
{
    struct tape *tape = ctx;
    if (tape->length + length + 1 > tape->size) {
        tape->size = (tape->size + length + 1) * 2;
        tape->text = realloc(tape->text, tape->size);
        assert_non_null(tape->text);
    }
    memcpy(tape->text + tape->length, text, length);
    tape->length += length;
    tape->text[tape->length] = 0;
}

struct fake {
    struct machine machine;
    struct cpu_info cpus[3];
    struct numa numa;
    unsigned runs, puts, betweens;
    uint64_t ns;
};

static bool fake_run(void *ctx, const struct touch_job *jobs, struct touch_result *ret_results,
                     unsigned count)
{
    struct fake *fake = ctx;
    for (unsigned i = 0; i < count; i++)
        ret_results[i] =
            (struct touch_result){.ticks = jobs[i].bytes * 3 + i,
                                  .noise = jobs[i].lane,
                                  .status = jobs[i].cpu == 2 ? TOUCH_LOST : TOUCH_DONE};
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].cpu == 2)
            fake->cpus[2].flags |= CPU_LOST;
    return ++fake->runs < 3;
}

static bool fake_get(void *ctx, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                     uint32_t *ret_home)
{
    (void)ctx;
    if (bytes > 1 << 20)
        return false;
    *ret_region = 7;
    *ret_home = node == NODE_UNKNOWN ? NODE_UNKNOWN : node + 1;
    return true;
}

static void fake_put(void *ctx, uint16_t region)
{
    ((struct fake *)ctx)->puts += region;
}

static uint64_t fake_now(void *ctx)
{
    return ((struct fake *)ctx)->ns += 12345678901ull;
}

static bool fake_between(void *ctx, const struct progress *progress)
{
    (void)progress;
    return ++((struct fake *)ctx)->betweens < 3;
}

static void fake_init(struct fake *fake)
{
    static const struct machine_ops ops = {.run = fake_run,
                                           .region_get = fake_get,
                                           .region_put = fake_put,
                                           .now = fake_now,
                                           .between = fake_between};
    memset(fake, 0, sizeof(*fake));
    for (unsigned i = 0; i < 3; i++) {
        struct cpu_info *cpu = &fake->cpus[i];
        cpu->apic_id = i * 16;
        cpu->flags = i == 0 ? CPU_BOOT : 0;
        for (unsigned l = 0; l < LEVELS; l++)
            cpu->share[l] = l == LEVEL_MODULE ? SHARE_UNKNOWN : i >> l;
        cpu->node = i == 1 ? NODE_UNKNOWN : i;
        for (unsigned l = 1; l < CACHE_LEVELS; l++) {
            cpu->cache_bytes[l] = 48ull << (10 + 5 * l);
            cpu->cache_ways[l] = l == 3 ? 0xFFFF : 12;
        }
        cpu->line_bytes = 64;
        cpu->core_kind = i == 2 ? 0x20 : 0x40;
    }
    fake->numa = (struct numa){.node_count = 2,
                               .node_id = {0, 5},
                               .distance = {{10, 21}, {22, 10}},
                               .range_count = 1,
                               .range = {{UINT64_MAX - 4095, 4096, 5}}};
    fake->machine = (struct machine){.ops = &ops,
                                     .ctx = fake,
                                     .cpus = fake->cpus,
                                     .cpu_count = 3,
                                     .numa = &fake->numa,
                                     .clock = {.khz = 2596000,
                                               .resolution = 26,
                                               .read_cost = 58,
                                               .error_ppm = UINT32_MAX,
                                               .core_permille = 1420,
                                               .source = CLOCK_PM_TIMER,
                                               .second = CLOCK_STALL},
                                     .region_max = UINT64_MAX,
                                     .flags = 0x3000001};
}

static const struct touch_job jobs[] = {
    {0, 0, 7, TOUCH_SCATTER, TOUCH_UPDATE, 0, 65536},
    {1, 1, 7, TOUCH_CHASE, TOUCH_READ, 1ull << 40, UINT64_MAX / 3},
    {2, 1, 65535, TOUCH_LINEAR, TOUCH_WRITE, 64, 64},
};

/* A fixed list of questions; the answers as bytes. */
struct answers {
    struct touch_result results[4][3];
    bool ran[4], got[3], between[4];
    uint16_t region[3];
    uint32_t home[3], cpu_flags;
    uint64_t ns[4];
};

static void ask_all(const struct machine *machine, struct answers *ret)
{
    static const char *const steps[] = {"warm-up", "two words = one", "", "\x7F\xC3\xA9\n"};
    const struct machine_ops *ops = machine->ops;
    memset(ret, 0, sizeof(*ret));
    ret->got[0] =
        ops->region_get(machine->ctx, NODE_UNKNOWN, 65536, &ret->region[0], &ret->home[0]);
    ret->got[1] = ops->region_get(machine->ctx, 5, 4096, &ret->region[1], &ret->home[1]);
    ret->got[2] = ops->region_get(machine->ctx, 0, 1ull << 40, &ret->region[2], &ret->home[2]);
    for (unsigned i = 0; i < 4; i++) {
        struct progress progress = {steps[i], i, 4};
        ret->ns[i] = ops->now(machine->ctx);
        ret->ran[i] = ops->run(machine->ctx, jobs, ret->results[i], i);
        ret->between[i] = ops->between(machine->ctx, &progress);
    }
    ops->region_put(machine->ctx, 7);
    ret->cpu_flags = machine->cpus[2].flags;
}

struct recorded {
    struct fake fake;
    struct tape tape;
    struct text_sink sink;
    struct recorder recorder;
    struct answers answers;
};

static struct recorded *record_all(bool with_numa)
{
    struct recorded *recorded = calloc(1, sizeof(*recorded));
    assert_non_null(recorded);
    fake_init(&recorded->fake);
    if (!with_numa)
        recorded->fake.machine.numa = NULL;
    recorded->sink = (struct text_sink){tape_write, &recorded->tape};
    recorder_init(&recorded->recorder, &recorded->fake.machine, &recorded->sink);
    ask_all(&recorded->recorder.machine, &recorded->answers);
    return recorded;
}

static void recorded_put(struct recorded *recorded)
{
    free(recorded->tape.text);
    free(recorded);
}

static struct replayer replayer;
static struct cpu_info cpus[MAX_CPUS];

static void load(const char *text)
{
    unsigned long line = 0;
    if (!replayer_init(&replayer, text, cpus, &line))
        fail_msg("line %lu is said to be bad", line);
}

static unsigned long bad_line(const char *text)
{
    unsigned long line = 0;
    return replayer_init(&replayer, text, cpus, &line) ? 0 : line;
}

/* ---- Recording and answering ---- */

static void the_recorder_passes_everything_through(void **state)
{
    (void)state;
    struct recorded *recorded = record_all(true);
    struct fake plain;
    struct answers answers;
    fake_init(&plain);
    ask_all(&plain.machine, &answers);
    assert_memory_equal(&recorded->answers, &answers, sizeof(answers));
    assert_int_equal(recorded->fake.puts, plain.puts);
    recorded_put(recorded);
}

static void the_replayer_gives_the_recorded_answers(void **state)
{
    (void)state;
    for (int with_numa = 0; with_numa < 2; with_numa++) {
        struct recorded *recorded = record_all(with_numa);
        struct answers answers;
        load(recorded->tape.text);
        assert_false(replayer_finished(&replayer));
        ask_all(&replayer.machine, &answers);
        assert_int_equal(replayer.diverged, 0);
        assert_memory_equal(&recorded->answers, &answers, sizeof(answers));
        assert_int_equal(answers.cpu_flags, CPU_LOST);
        assert_true(replayer_finished(&replayer));
        recorded_put(recorded);
    }
}

static void the_replayed_machine_is_the_recorded_one(void **state)
{
    (void)state;
    struct recorded *recorded = record_all(true);
    struct fake fake;
    fake_init(&fake);
    load(recorded->tape.text);
    const struct machine *machine = &replayer.machine;
    assert_int_equal(machine->cpu_count, 3);
    assert_memory_equal(machine->cpus, fake.cpus, sizeof(fake.cpus));
    assert_memory_equal(&machine->clock, &fake.machine.clock, sizeof(machine->clock));
    assert_memory_equal(machine->numa, &fake.numa, sizeof(fake.numa));
    assert_int_equal(machine->region_max, UINT64_MAX);
    assert_int_equal(machine->flags, 0x3000001);
    recorded_put(recorded);
}

static void a_recording_of_a_replay_is_the_same_text(void **state)
{
    (void)state;
    struct recorded *first = record_all(true);
    struct tape tape = {NULL, 0, 0};
    struct text_sink sink = {tape_write, &tape};
    static struct recorder recorder;
    struct answers answers;
    load(first->tape.text);
    recorder_init(&recorder, &replayer.machine, &sink);
    ask_all(&recorder.machine, &answers);
    assert_string_equal(tape.text, first->tape.text);
    free(tape.text);
    recorded_put(first);
}

/* ---- Leaving the recording ---- */

#define HEAD                                     \
    "migcost recording 1\n"                      \
    "machine 1 1000000 1 30 100 0 1 2 65536 0\n" \
    "cpu 0 1 0 0 0 0 0 0 0 0 - 0 32768 1048576 0 0 8 16 0 64 0\n"

static const char *const script = HEAD /* line */
    "get - 4096 = 1 3 0\n"             /* 4 */
    "# a note, and a blank line\n"     /* 5 */
    "\n"                               /* 6 */
    "run 2 = 1\n"                      /* 7 */
    "job 0 0 3 1 2 0 4096 = 500 0 0\n" /* 8 */
    "# another\n"                      /* 9 */
    "job 0 0 3 2 2 0 4096 = 900 1 0\n" /* 10 */
    "now = 77\n"                       /* 11 */
    "between 1 2 curves = 1\n"         /* 12 */
    "put 3\n";                         /* 13 */

static const struct touch_job asked[] = {{0, 0, 3, TOUCH_SCATTER, TOUCH_UPDATE, 0, 4096},
                                         {0, 0, 3, TOUCH_CHASE, TOUCH_UPDATE, 0, 4096}};

/* The script's questions up to `steps`. */
static void follow(unsigned steps)
{
    const struct machine_ops *ops = replayer.machine.ops;
    struct touch_result results[2];
    struct progress progress = {"other words", 0, 0};
    uint16_t region;
    uint32_t home;
    load(script);
    if (steps > 0)
        assert_true(ops->region_get(&replayer, NODE_UNKNOWN, 4096, &region, &home));
    if (steps > 1)
        assert_true(ops->run(&replayer, asked, results, 2));
    if (steps > 2)
        assert_int_equal(ops->now(&replayer), 77);
    if (steps > 3)
        assert_true(ops->between(&replayer, &progress));
    if (steps > 4)
        ops->region_put(&replayer, 3);
    assert_int_equal(replayer.diverged, 0);
}

static void check_lost(unsigned long line)
{
    const struct machine_ops *ops = replayer.machine.ops;
    struct touch_result results[2] = {{1, 1, TOUCH_DONE}, {1, 1, TOUCH_DONE}};
    struct progress progress = {"step", 0, 0};
    uint16_t region = 11;
    uint32_t home = 12;
    uint64_t ns = ops->now(&replayer);
    assert_int_equal(replayer.diverged, line);
    assert_false(ops->run(&replayer, asked, results, 2));
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(results[i].status, TOUCH_SKIPPED);
        assert_int_equal(results[i].ticks, 0);
    }
    assert_false(ops->between(&replayer, &progress));
    assert_false(ops->region_get(&replayer, NODE_UNKNOWN, 4096, &region, &home));
    assert_int_equal(region, 11);
    assert_int_equal(home, 12);
    ops->region_put(&replayer, 3);
    assert_int_equal(ops->now(&replayer), ns);
    assert_int_equal(replayer.diverged, line);
    assert_false(replayer_finished(&replayer));
}

static void another_question_is_reported_with_its_line(void **state)
{
    (void)state;
    const struct machine_ops *ops;
    struct touch_result results[2];
    struct progress progress = {"step", 0, 0};
    uint16_t region;
    uint32_t home;

    follow(5);
    assert_true(replayer_finished(&replayer));
    ops = replayer.machine.ops;

    follow(0);
    assert_false(ops->region_get(&replayer, 0, 4096, &region, &home));
    check_lost(4);
    follow(0);
    assert_false(ops->region_get(&replayer, NODE_UNKNOWN, 8192, &region, &home));
    check_lost(4);
    follow(0);
    assert_false(ops->run(&replayer, asked, results, 2));
    check_lost(4);
    follow(1);
    assert_false(ops->run(&replayer, asked, results, 1));
    check_lost(7);
    follow(1);
    assert_false(ops->run(&replayer, asked, results, 0));
    check_lost(7);
    follow(1);
    ops->region_put(&replayer, 3);
    check_lost(7);
    follow(2);
    assert_false(ops->between(&replayer, &progress));
    check_lost(11);
    follow(3);
    assert_int_equal(ops->now(&replayer), 77); /* stands where it was */
    check_lost(12);
    follow(4);
    ops->region_put(&replayer, 4);
    check_lost(13);
    follow(5);
    assert_false(ops->between(&replayer, &progress)); /* nothing more was recorded */
    check_lost(14);
}

static void another_job_is_reported_with_its_line(void **state)
{
    (void)state;
    for (unsigned field = 0; field < 7; field++)
        for (unsigned at = 0; at < 2; at++) {
            struct touch_job changed[2] = {asked[0], asked[1]};
            struct touch_result results[2];
            struct touch_job *job = &changed[at];
            job->cpu = (uint16_t)(job->cpu + (field == 0));
            job->lane = (uint16_t)(job->lane + (field == 1));
            job->region = (uint16_t)(job->region + (field == 2));
            job->pattern = (uint8_t)(job->pattern + (field == 3));
            job->access = (uint8_t)(job->access + (field == 4));
            job->offset += field == 5 ? 1ull << 32 : 0;
            job->bytes += field == 6 ? 64 : 0;
            follow(1);
            assert_false(replayer.machine.ops->run(&replayer, changed, results, 2));
            assert_int_equal(results[0].status, TOUCH_SKIPPED);
            assert_int_equal(results[1].status, TOUCH_SKIPPED);
            check_lost(at == 0 ? 8 : 10);
        }
}

/* ---- The whole ---- */

static void a_recording_that_was_cut_anywhere_in_a_line_is_refused(void **state)
{
    (void)state;
    struct recorded *recorded = record_all(true);
    char *text = recorded->tape.text;
    for (size_t length = recorded->tape.length - 1; length > 0; length--) {
        if (text[length - 1] == '\n') {
            text[length] = 0;
            continue;
        }
        text[length] = 0;
        assert_int_not_equal(bad_line(text), 0);
    }
    recorded_put(recorded);
}

static void a_measurement_can_be_run_again_from_its_recording(void **state)
{
    (void)state;
    struct toy *toy = calloc(1, sizeof(*toy));
    struct result *first = calloc(1, sizeof(*first)), *again = calloc(1, sizeof(*again));
    static struct recorder recorder;
    struct tape tape = {NULL, 0, 0};
    struct text_sink sink = {tape_write, &tape};
    assert_true(toy && first && again);
    toy_init(toy, 2, 1, 2);
    toy->noise_permille = 20;
    toy->smi_every = 50;
    struct engine_options options = {
        .pattern = TOUCH_SCATTER, .access = TOUCH_UPDATE, .budget_ns = 60000000000ull};
    size_t bytes = engine_workspace_bytes(toy->machine.cpu_count);
    void *workspace = malloc(bytes), *other = malloc(bytes);
    assert_true(workspace && other);

    recorder_init(&recorder, &toy->machine, &sink);
    assert_int_equal(engine_run(&recorder.machine, &options, workspace, bytes, first), ENGINE_OK);
    load(tape.text);
    assert_int_equal(engine_run(&replayer.machine, &options, other, bytes, again), ENGINE_OK);
    assert_int_equal(replayer.diverged, 0);
    assert_true(replayer_finished(&replayer));

    unsigned cells = first->cpu_count * first->cpu_count;
    assert_int_equal(again->cpu_count, first->cpu_count);
    assert_int_equal(again->flags, first->flags);
    assert_int_equal(again->touches, first->touches);
    assert_int_equal(again->duration_ns, first->duration_ns);
    assert_memory_equal(again->raw_ns, first->raw_ns, cells * sizeof(*first->raw_ns));
    assert_memory_equal(again->cost_ns, first->cost_ns, cells * sizeof(*first->cost_ns));

    /* Other options are other questions. */
    options.access = TOUCH_READ;
    load(tape.text);
    (void)engine_run(&replayer.machine, &options, other, bytes, again);
    assert_int_not_equal(replayer.diverged, 0);

    free(tape.text);
    free(workspace);
    free(other);
    free(first);
    free(again);
    free(toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recorder_passes_everything_through),
        cmocka_unit_test(the_replayer_gives_the_recorded_answers),
        cmocka_unit_test(the_replayed_machine_is_the_recorded_one),
        cmocka_unit_test(a_recording_of_a_replay_is_the_same_text),
        cmocka_unit_test(another_question_is_reported_with_its_line),
        cmocka_unit_test(another_job_is_reported_with_its_line),
        cmocka_unit_test(a_recording_that_was_cut_anywhere_in_a_line_is_refused),
        cmocka_unit_test(a_measurement_can_be_run_again_from_its_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
