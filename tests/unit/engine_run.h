/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of the engine on the toy machine, for its tests. */
#ifndef TESTS_UNIT_ENGINE_RUN_H
#define TESTS_UNIT_ENGINE_RUN_H

#include "../../lib/engine.h"
#include "toy_machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct run {
    struct toy toy;
    struct engine_options options;
    struct result result;
    enum engine_status status;
    void *workspace;
};

static inline struct run *prepare(unsigned packages, unsigned llcs, unsigned cores)
{
    struct run *run = calloc(1, sizeof(*run));
    assert_non_null(run);
    toy_init(&run->toy, packages, llcs, cores);
    run->options.pattern = TOUCH_SCATTER;
    run->options.access = TOUCH_UPDATE;
    run->options.budget_ns = 60000000000ull;
    return run;
}

static inline void go(struct run *run)
{
    size_t bytes = engine_workspace_bytes(run->toy.machine.cpu_count);
    run->workspace = malloc(bytes);
    assert_non_null(run->workspace);
    run->status = engine_run(&run->toy.machine, &run->options, run->workspace, bytes, &run->result);
}

static inline void end(struct run *run)
{
    for (unsigned i = 0; i < TOY_REGIONS; i++)
        assert_false(run->toy.region[i].used); /* every region was given back */
    free(run->workspace);
    free(run);
}

static inline void assert_near(int64_t value, int64_t wanted, int64_t percent)
{
    int64_t apart = value > wanted ? value - wanted : wanted - value;
    if (apart * 100 > wanted * percent)
        fail_msg("%lld is not within %lld percent of %lld", (long long)value, (long long)percent,
                 (long long)wanted);
}

static inline const struct class_result *find(const struct run *run, enum level level)
{
    for (unsigned i = 0; i < run->result.class_count; i++) {
        if (run->result.classes[i].key.level == level)
            return &run->result.classes[i];
    }
    fail_msg("no class of level %u", level);
    return NULL;
}

/* Cost of moving what fits `capacity`: transfer / overlap - hit, per line. */
static inline int64_t truth_ns(const struct toy *toy, enum level level, uint64_t capacity)
{
    uint64_t line = toy->transfer_ps[level] / toy->overlap[TOUCH_SCATTER] - toy->hit_ps;
    return (int64_t)(capacity / 64 * line / 1000);
}

#endif
