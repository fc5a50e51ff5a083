/* SPDX-License-Identifier: BSD-2-Clause */
/* V1 and V2 of 2004: a whole matrix of absolute times. The source clears a shared buffer, the
 * target clears one of its own, so that all its caches hold is dirty, and then fills the shared
 * one: only this is timed. The maximum of 20 is kept. */
#include "old.h"

#define REPEATS 20u

struct old_matrix_rule old_v1(uint64_t cache_bytes)
{
    return (struct old_matrix_rule){cache_bytes * 5 / 3, 6};
}

struct old_matrix_rule old_v2(uint64_t cache_bytes)
{
    return (struct old_matrix_rule){cache_bytes * 21 / 10, 1};
}

/* Passes of one repeat, noise-free. */
struct repeat {
    struct old_pass shared, own, fill;
};

static struct repeat run(struct old *old, uint64_t bytes, unsigned source, unsigned target)
{
    uint32_t line = old->desc->line_bytes;
    uint32_t own = (uint32_t)((bytes + line - 1) / line); /* behind the shared one */
    struct repeat repeat;
    repeat.shared = old_clear(old, source, 0, bytes);
    repeat.own = old_clear(old, target, own, bytes);
    repeat.fill = old_fill(old, target, 0, bytes);
    return repeat;
}

static uint64_t measure_cell(struct old *old, uint64_t bytes, unsigned source, unsigned target)
{
    uint64_t max_ns = 0, state = model_state(old->model);
    struct repeat repeat;
    bool settled = false;
    for (unsigned i = 0; i < REPEATS; i++) {
        if (!settled) {
            repeat = run(old, bytes, source, target);
            uint64_t after = model_state(old->model);
            settled = after == state; /* each repeat from now on is this one again */
            state = after;
        }
        old_account(old, source, bytes, repeat.shared);
        old_account(old, target, bytes, repeat.own);
        uint64_t ns = old_account(old, target, bytes, repeat.fill);
        max_ns = ns > max_ns ? ns : max_ns;
    }
    return max_ns;
}

void old_matrix(struct old *old, struct old_matrix_rule rule, uint64_t *ret_ns)
{
    unsigned n = old->desc->cpu_count;
    for (unsigned s = 0; s < n; s++)
        for (unsigned d = 0; d < n; d++)
            ret_ns[(size_t)s * n + d] = measure_cell(old, rule.bytes, s, d) * rule.factor;
}
