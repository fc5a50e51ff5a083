/* SPDX-License-Identifier: BSD-2-Clause */
/* The back end over the machine model keeps the contract of lib/machine.h and gives the costs that
 * the machine file states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../machine/backend.h"

struct fixture {
    struct desc *desc;
    struct model *model;
    struct memo memo;
    struct backend backend;
};

static void open_machine(struct fixture *f, const char *name, const char *noise, uint64_t seed)
{
    char path[100];
    struct desc_error error;
    struct value_error value_error;
    snprintf(path, sizeof path, "tests/machine/machines/%s.machine", name);
    f->desc = desc_load(path, &error);
    if (!f->desc)
        fail_msg("%s:%lu: %s", path, error.line, error.text);
    if (!noise_parse(f->desc, noise, &value_error))
        fail_msg("%s", value_error.text);
    f->model = model_new(f->desc);
    assert_non_null(f->model);
    assert_true(memo_init(&f->memo, f->model));
    assert_true(backend_init(&f->backend, &f->memo, &f->desc->noise, seed));
}

static void close_machine(struct fixture *f)
{
    backend_free(&f->backend);
    memo_free(&f->memo);
    model_free(f->model);
    desc_free(f->desc);
}

static uint64_t touch(struct fixture *f, unsigned cpu, uint16_t region, uint64_t bytes,
                      unsigned pattern)
{
    const struct touch_job job = {(uint16_t)cpu, 0, region, (uint8_t)pattern,
                                  TOUCH_UPDATE,  0, bytes};
    struct touch_result result;
    const struct machine *machine = &f->backend.machine;
    assert_true(machine->ops->run(machine->ctx, &job, &result, 1));
    assert_int_equal(result.status, TOUCH_DONE);
    return machine_ns(machine, result.ticks);
}

/* move - stay, after the chain has settled */
static int64_t cost(struct fixture *f, unsigned s, unsigned d, uint16_t region, uint64_t bytes,
                    unsigned pattern)
{
    uint64_t move = 0, stay = 0;
    for (unsigned round = 0; round < 3; round++) {
        touch(f, s, region, bytes, pattern);
        touch(f, s, region, bytes, pattern);
        move = touch(f, d, region, bytes, pattern);
        stay = touch(f, d, region, bytes, pattern);
    }
    return (int64_t)move - (int64_t)stay;
}

static void assert_near(int64_t value, int64_t want, int64_t within)
{
    if (value < want - within || value > want + within)
        fail_msg("%lld is not within %lld of %lld", (long long)value, (long long)within,
                 (long long)want);
}

static void moving_a_full_cache_costs_what_the_file_says(void **state)
{
    (void)state;
    struct fixture f;
    uint16_t region;
    uint32_t home;
    open_machine(&f, "celeron", "none", 1);
    const struct machine_ops *ops = f.backend.machine.ops;
    assert_true(ops->region_get(f.backend.machine.ctx, NODE_UNKNOWN, 1 << 20, &region, &home));
    int64_t lines = (128 << 10) / 32;
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++)
        assert_near(cost(&f, 0, 1, region, 128 << 10, pattern), lines * (283 - 12), 10);
    /* Beyond the capacity, staying costs memory and write-back for every line, moving finds one
     * cacheful: cheaper, so negative (study, part B). */
    assert_true(cost(&f, 0, 1, region, 512 << 10, TOUCH_LINEAR) < lines * 46);
    assert_int_equal(f.backend.misuses, 0);
    close_machine(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_a_full_cache_costs_what_the_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
