/* SPDX-License-Identifier: BSD-2-Clause */
/* V5, Linux 2.6.16 to 2.6.22: one pair, working sets of growing size, the largest difference of
 * moving and staying. Types are those of the original where they decide. */
#include "old.h"
#include <stdlib.h>

#define ITERATIONS    1u
#define SCOPE         2u
#define LEAST_SIZE    (64u << 10)
#define DEFAULT_CACHE (5u << 20)
#define THRESHOLD     130u /* percent, of the size and of the cost */

void old_search_init(struct old_search *search, struct old *old, unsigned a, unsigned b,
                     uint32_t max_cache)
{
    *search = (struct old_search){.old = old, .a = a, .b = b, .on = old->desc->boot_cpu};
    search->least = max_cache / SCOPE > LEAST_SIZE ? max_cache / SCOPE : LEAST_SIZE;
    search->most = (max_cache ? max_cache : DEFAULT_CACHE) * SCOPE;
    if (search->most < LEAST_SIZE)
        search->most = LEAST_SIZE;
    /* Fresh memory for each pair: no cache holds any of it. */
    model_reset(old->model);
}

void old_search_free(struct old_search *search)
{
    free(search->step);
    *search = (struct old_search){0};
}

uint64_t old_search_room(uint32_t max_cache)
{
    return (uint64_t)(max_cache ? max_cache : DEFAULT_CACHE) * SCOPE;
}

static struct old_step simulate(struct old_search *search, uint32_t size, unsigned source,
                                unsigned target)
{
    struct old *old = search->old;
    struct old_step step;
    coherence_flush(old->model, search->on); /* where the task happens to be */
    step.first = old_thirds(old, source, 0, size);
    step.second = old_thirds(old, target, 0, size);
    coherence_flush(old->model, target);
    search->on = target;
    return step;
}

/* One measurement that nobody has asked for yet. */
static bool extend(struct old_search *search, uint32_t size, unsigned source, unsigned target)
{
    if (search->count == search->room) {
        size_t room = search->room ? search->room * 2 : 512;
        struct old_step *more = realloc(search->step, room * sizeof *more);
        if (!more)
            return false;
        search->step = more;
        search->room = room;
    }
    uint64_t state = model_state(search->old->model);
    bool again = search->count && search->before == state && search->after == state &&
                 search->on == target && search->last_size == size &&
                 search->last_source == source && search->last_target == target;
    if (!again) {
        search->last = simulate(search, size, source, target);
        search->before = state;
        search->after = model_state(search->old->model);
        search->last_size = size;
        search->last_source = source;
        search->last_target = target;
    }
    search->step[search->count++] = search->last;
    return true;
}

/* One run of the search, and how far it is. */
struct run {
    struct old_search *search;
    size_t step;
    bool failed;
};

/* Both touches count, each by the clock of the CPU that it is on. */
static uint64_t measure_one(struct run *run, uint32_t size, unsigned source, unsigned target)
{
    struct old_search *search = run->search;
    if (run->step == search->count && !extend(search, size, source, target)) {
        run->failed = true;
        return 0;
    }
    const struct old_step *step = &search->step[run->step++];
    uint64_t ns = old_account(search->old, source, size, step->first);
    return ns + old_account(search->old, target, size, step->second);
}

/* A run that is thrown away, then those that count, each a little smaller. */
static uint64_t measure_way(struct run *run, uint32_t size, unsigned source, unsigned target)
{
    uint64_t sum = 0;
    measure_one(run, size, source, target);
    for (unsigned i = 0; i < ITERATIONS; i++)
        sum += measure_one(run, size - i * 1024, source, target);
    return sum;
}

static int64_t measure_cost(struct run *run, uint32_t size)
{
    unsigned a = run->search->a, b = run->search->b;
    uint64_t moving = measure_way(run, size, a, b);
    moving += measure_way(run, size, b, a);
    uint64_t staying = measure_way(run, size, a, a);
    staying += measure_way(run, size, b, b);
    return (int64_t)(moving / (2 * ITERATIONS) - staying / (2 * ITERATIONS));
}

bool old_search_run(struct old_search *search, struct old_found *ret)
{
    struct run run = {search, 0, false};
    uint64_t max_cost = 0, fluctuation = 0;
    int64_t cost = 0;
    *ret = (struct old_found){0};
    for (uint32_t size = search->least; size <= search->most && !run.failed; size = size * 10 / 9) {
        int64_t before = cost;
        cost = measure_cost(&run, size);
        ret->last = size;
        if (cost > 0 && max_cost < (uint64_t)cost) {
            max_cost = (uint64_t)cost;
            ret->size = size;
        }
        int64_t change = (int32_t)(cost - before); /* abs() was one of int */
        fluctuation = (fluctuation + (uint64_t)(change < 0 ? -change : change)) / 2;
        /* Unsigned, all of it: a cost that is negative by more than the fluctuation is a very large
         * one, and the search goes on. So do 32-bit products, from 41 MiB on. */
        uint64_t now = (uint64_t)cost + fluctuation;
        if (ret->size && size * 100 > ret->size * THRESHOLD &&
            (now == 0 || max_cost * 100 > now * THRESHOLD)) {
            ret->early = true;
            break;
        }
    }
    ret->max_ns = max_cost;
    ret->cost_ns = 2 * max_cost;
    return !run.failed;
}
