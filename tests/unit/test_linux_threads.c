/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads back end: pinning, batches on real threads, regions, signals. Nothing is timed. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../linux/cpu_list.c"
#include "../../linux/files.c"
#include "../../linux/threads.c"
#include "../../linux/threads_machine.c"
#include "../../linux/threads_memory.c"

#define PERIODS 20u

static struct cpu_set allowed_now(void)
{
    struct cpu_set set = {{0}};
    assert_true(syscall(SYS_sched_getaffinity, 0, sizeof set, &set) > 0);
    return set;
}

/* Up to two CPUs that this process may use. */
static unsigned usable(unsigned numbers[2])
{
    struct cpu_set set = allowed_now();
    unsigned count = 0;
    for (unsigned i = 0; i < CPU_NUMBERS && count < 2; i++)
        if (cpu_set_has(&set, i))
            numbers[count++] = i;
    return count;
}

static void a_cpu_that_cannot_be_had_leaves_nothing_behind(void **state)
{
    (void)state;
    struct threads threads = {.crowded = true};
    unsigned numbers[2], number = 0;
    int error = 0;
    struct cpu_set before = allowed_now(), after;

    (void)usable(numbers);
    numbers[1] = CPU_NUMBERS - 1;
    assert_int_equal(threads_start(&threads, numbers, 2, &error, &number), THREADS_NOT_PINNED);
    assert_int_equal(number, CPU_NUMBERS - 1);
    assert_int_equal(error, EINVAL);
    assert_null(threads.thread);
    after = allowed_now();
    assert_memory_equal(&before, &after, sizeof before);

    numbers[0] = CPU_NUMBERS - 1;
    assert_int_equal(threads_start(&threads, numbers, 1, &error, &number), THREADS_NOT_PINNED);
    assert_int_equal(number, CPU_NUMBERS - 1);
}

/* A machine of the CPUs here, or one CPU alone. */
struct stage {
    struct threads threads;
    struct threads_machine back_end;
    struct cpu_info cpus[3];
    unsigned count;
};

static int set_up(void **state)
{
    struct stage *stage = calloc(1, sizeof *stage);
    unsigned numbers[2], number;
    int error;

    stage->count = usable(numbers);
    stage->threads.crowded = true;
    assert_int_equal(threads_start(&stage->threads, numbers, stage->count, &error, &number),
                     THREADS_OK);
    for (unsigned i = 0; i < stage->count; i++)
        topology_cpu_init(&stage->cpus[i], cpuid_apic_id(threads_cpuid(&stage->threads, i)));
    /* One more that may not be used. */
    topology_cpu_init(&stage->cpus[stage->count], 0x12345);
    stage->cpus[stage->count].flags = CPU_DISABLED;
    assert_true(threads_machine_open(&stage->back_end, &stage->threads, stage->cpus,
                                     stage->count + 1, NULL, 64u << 20, UINT64_MAX));
    /* Sanitizers and a busy host are slow: nobody is lost here. */
    stage->back_end.dispatcher.grace_ticks = UINT64_MAX / 4;
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    threads_machine_close(&stage->back_end);
    threads_stop(&stage->threads);
    free(stage);
    return 0;
}

static struct touch_job job(unsigned cpu, unsigned lane, uint16_t region, uint64_t bytes)
{
    return (struct touch_job){.cpu = (uint16_t)cpu,
                              .lane = (uint16_t)lane,
                              .region = region,
                              .pattern = TOUCH_LINEAR,
                              .access = TOUCH_UPDATE,
                              .bytes = bytes};
}

static uint64_t updates(const struct stage *stage, uint16_t region)
{
    uint64_t count;
    memcpy(&count, stage->back_end.memory.region[region].base + 8, sizeof count);
    return count;
}

static void the_machine_says_under_which_conditions_it_measures(void **state)
{
    const struct stage *stage = *state;
    const struct machine *machine = &stage->back_end.machine;
    assert_true((machine->flags & FLAG_UNDER_OS) != 0);
    assert_true((machine->flags & FLAG_CORE_CLOCK_UNKNOWN) != 0);
    assert_true(machine->clock.khz > 0);
    assert_true(machine->clock.resolution > 0);
    assert_int_equal(machine->clock.core_permille, 0);
    if (stage->count == 2)
        assert_int_not_equal(stage->cpus[0].apic_id, stage->cpus[1].apic_id);
}

static void chains_touch_once_a_job_also_after_a_sleep(void **state)
{
    struct stage *stage = *state;
    const struct machine *machine = &stage->back_end.machine;
    struct touch_job jobs[PERIODS];
    struct touch_result results[PERIODS];
    uint16_t region;
    uint32_t home;

    assert_true(machine->ops->region_get(machine->ctx, NODE_UNKNOWN, 65536, &region, &home));
    for (unsigned i = 0; i < PERIODS; i++)
        jobs[i] = job(i % stage->count, 0, region, 4096);
    for (unsigned batch = 1; batch <= 3; batch++) {
        assert_true(machine->ops->run(machine->ctx, jobs, results, PERIODS));
        for (unsigned i = 0; i < PERIODS; i++) {
            assert_int_equal(results[i].status, TOUCH_DONE);
            assert_true(results[i].ticks > 0);
        }
        assert_int_equal(updates(stage, region), batch * PERIODS);
        if (batch == 2) /* longer than a thread lingers */
            usleep(20000);
    }
    machine->ops->region_put(machine->ctx, region);
}

static void a_cpu_that_may_not_be_used_is_lost_and_its_lane_ends(void **state)
{
    struct stage *stage = *state;
    const struct machine *machine = &stage->back_end.machine;
    struct touch_result results[3];
    uint16_t region;
    uint32_t home;

    assert_true(machine->ops->region_get(machine->ctx, NODE_UNKNOWN, 65536, &region, &home));
    const struct touch_job jobs[] = {job(0, 0, region, 4096), job(stage->count, 0, region, 4096),
                                     job(0, 0, region, 4096)};
    assert_true(machine->ops->run(machine->ctx, jobs, results, 3));
    assert_int_equal(results[0].status, TOUCH_DONE);
    assert_int_equal(results[1].status, TOUCH_LOST);
    assert_int_equal(results[2].status, TOUCH_SKIPPED);
}

/* A long batch is cut, a short one is not begun. */
static void what_is_late_ends(void **state)
{
    struct stage *stage = *state;
    const struct machine *machine = &stage->back_end.machine;
    struct touch_job jobs[17];
    struct touch_result results[17];
    const struct progress progress = {"test", 0, 1};
    uint16_t region;
    uint32_t home;

    assert_true(machine->ops->region_get(machine->ctx, NODE_UNKNOWN, 8u << 20, &region, &home));
    for (unsigned i = 0; i < 17; i++)
        jobs[i] = job(0, 0, region, 8u << 20);
    assert_true(machine->ops->run(machine->ctx, jobs, results, 17));
    for (unsigned i = 0; i < 17; i++)
        assert_int_equal(results[i].status, TOUCH_DONE);
    assert_true(machine->ops->between(machine->ctx, &progress));

    /* A job that cannot be done ends a batch that is cut, too. */
    jobs[3].offset = 1;
    assert_true(machine->ops->run(machine->ctx, jobs, results, 17));
    assert_int_equal(results[2].status, TOUCH_DONE);
    for (unsigned i = 3; i < 17; i++)
        assert_int_equal(results[i].status, TOUCH_SKIPPED);

    stage->back_end.limit_ns = 0;
    assert_false(machine->ops->between(machine->ctx, &progress));
    assert_false(machine->ops->run(machine->ctx, jobs, results, 17));
    for (unsigned i = 0; i < 17; i++)
        assert_int_equal(results[i].status, TOUCH_SKIPPED);
    assert_true(stage->back_end.late);
    assert_false(stage->back_end.stopped);
}

static void a_signal_ends_the_run_and_not_the_program(void **state)
{
    struct stage *stage = *state;
    const struct machine *machine = &stage->back_end.machine;
    const struct progress progress = {"test", 0, 1};

    threads_hold_signals();
    assert_true(machine->ops->between(machine->ctx, &progress));
    assert_int_equal(raise(SIGINT), 0);
    assert_false(machine->ops->between(machine->ctx, &progress));
    assert_true(stage->back_end.stopped);
    assert_int_equal(raise(SIGTERM), 0); /* one more, impatient */
    threads_release_signals();
    assert_false(machine->ops->between(machine->ctx, &progress));
}

static void regions_are_zero_and_apart_and_come_back(void **state)
{
    (void)state;
    struct memory memory = {.line = 64};
    uint16_t region[MEMORY_REGIONS_MAX], one_more;
    uint32_t home;

    assert_false(memory_get(&memory, NODE_UNKNOWN, 0, &one_more, &home));
    assert_false(memory_get(&memory, NODE_UNKNOWN, UINT64_MAX, &one_more, &home));
    assert_false(memory_get(&memory, NODE_UNKNOWN, 1ull << 50, &one_more, &home));
    for (unsigned i = 0; i < MEMORY_REGIONS_MAX; i++) {
        uint64_t bytes = i == 3 ? 3u << 20 : 5000 + i;
        assert_true(memory_get(&memory, i == 5 ? 0 : NODE_UNKNOWN, bytes, &region[i], &home));
        uint8_t *base = memory.region[region[i]].base;
        assert_int_equal((uintptr_t)base % PAGE_LARGE, 0);
        for (uint64_t at = 0; at < bytes; at += 512)
            assert_int_equal(base[at], 0);
        memset(base, 0xAA, bytes);
    }
    assert_false(memory_get(&memory, NODE_UNKNOWN, 4096, &one_more, &home));
    assert_int_not_equal(memory.pages, PAGES_NONE);
    memory_put(&memory, region[7]);
    memory_put(&memory, region[7]); /* does nothing */
    assert_true(memory_get(&memory, NODE_UNKNOWN, 4096, &one_more, &home));
    assert_int_equal(one_more, region[7]);
    assert_int_equal(memory.region[one_more].base[0], 0);
    memory_close(&memory);
    for (unsigned i = 0; i < memory.count; i++)
        assert_int_equal(memory.region[i].bytes, 0);
}

static const char smaps[] = "7f0000000000-7f0000200000 ---p 00000000 00:00 0 \n"
                            "Size:               2048 kB\n"
                            "AnonHugePages:      9999 kB\n"
                            "7f0000200000-7f0000600000 rw-p 00000000 00:00 0    [anon:x]\n"
                            "Size:               4096 kB\n"
                            "AnonHugePages:      2048 kB\n"
                            "VmFlags: rd wr mr mw me ac hg\n"
                            "7f0000600000-7f0000800000 rw-p 00000000 00:00 0 \n"
                            "Size:               2048 kB\n"
                            "7ffe00000000-7ffe00100000 rw-p 00000000 00:00 0 [stack]\n"
                            "AnonHugePages:      1024 kB\n";

static void huge_pages_are_counted_of_one_mapping_only(void **state)
{
    (void)state;
    assert_int_equal(memory_huge_bytes(smaps, 0x7f0000200000), 2048 << 10);
    assert_int_equal(memory_huge_bytes(smaps, 0x7f00005fffff), 2048 << 10);
    assert_int_equal(memory_huge_bytes(smaps, 0x7f0000600000), 0); /* says nothing of it */
    assert_int_equal(memory_huge_bytes(smaps, 0x7ffe00000000), 1024 << 10);
    assert_int_equal(memory_huge_bytes(smaps, 0x1000), 0);
    assert_int_equal(memory_huge_bytes("", 0x1000), 0);
    assert_int_equal(memory_huge_bytes("\n\nxyz-1 \n-\n7-", 7), 0);
}

static void fields_are_those_of_a_whole_name(void **state)
{
    (void)state;
    static const char text[] = "MemTotal:  100 kB\nMemAvailableX: 7 kB\nMemAvailable:   12 kB\n";
    assert_int_equal(memory_field(text, NULL, "MemAvailable"), 12 << 10);
    assert_int_equal(memory_field(text, text + 20, "MemAvailable"), 0);
    assert_int_equal(memory_field(text, NULL, "Mem"), 0);
    assert_int_equal(memory_field("", NULL, "Mem"), 0);
    assert_int_equal(memory_most("/nonexistent"), 0);
    assert_true(memory_most("") > 0);
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_that_cannot_be_had_leaves_nothing_behind),
        STAGED(the_machine_says_under_which_conditions_it_measures),
        STAGED(chains_touch_once_a_job_also_after_a_sleep),
        STAGED(a_cpu_that_may_not_be_used_is_lost_and_its_lane_ends),
        STAGED(what_is_late_ends),
        STAGED(a_signal_ends_the_run_and_not_the_program),
        cmocka_unit_test(regions_are_zero_and_apart_and_come_back),
        cmocka_unit_test(huge_pages_are_counted_of_one_mapping_only),
        cmocka_unit_test(fields_are_those_of_a_whole_name),
    };
    return cmocka_run_group_tests_name("linux_threads", tests, NULL, NULL);
}
