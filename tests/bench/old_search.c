/* SPDX-License-Identifier: BSD-2-Clause */
/* V5 on the machine model. */
#include "old.h"
#include <stdlib.h>

void old_search_init(struct old_search *search, struct old *old, unsigned a, unsigned b,
                     uint32_t max_cache)
{
    *search = (struct old_search){
        .old = old, .a = a, .b = b, .range = v5_range(max_cache), .on = old->desc->boot_cpu};
    /* Fresh memory for each pair: no cache holds any of it. */
    model_reset(old->model);
}

void old_search_free(struct old_search *search)
{
    free(search->step);
    *search = (struct old_search){0};
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

/* Both touches count, each by the clock of the CPU that it is on. */
static uint64_t measure_one(void *ctx, uint32_t size, unsigned source, unsigned target)
{
    struct old_search *search = ctx;
    if (search->next == search->count && !extend(search, size, source, target)) {
        search->failed = true;
        return 0;
    }
    const struct old_step *step = &search->step[search->next++];
    uint64_t ns = old_account(search->old, source, size, step->first);
    return ns + old_account(search->old, target, size, step->second);
}

bool old_search_run(struct old_search *search, struct v5_found *ret)
{
    const struct v5_machine machine = {measure_one, search};
    search->next = 0;
    v5_search(&machine, search->range, search->a, search->b, ret);
    return !search->failed;
}
