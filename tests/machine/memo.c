/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of states and passes. */
#include "memo.h"
#include "mix.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 4096u

static bool make_table(struct memo *memo, size_t size)
{
    memo->table = calloc(size, sizeof *memo->table);
    memo->resource_lines = calloc(size * memo->resources, sizeof *memo->resource_lines);
    memo->table_size = size;
    return memo->table && memo->resource_lines;
}

bool memo_init(struct memo *memo, struct model *model)
{
    memset(memo, 0, sizeof *memo);
    memo->model = model;
    memo->resources = model->desc->node_count + model->desc->link_count;
    memo->initial = memo->state = memo->built = model_state(model);
    if (make_table(memo, FIRST_SIZE))
        return true;
    memo_free(memo);
    return false;
}

void memo_free(struct memo *memo)
{
    free(memo->pending);
    free(memo->table);
    free(memo->resource_lines);
    memset(memo, 0, sizeof *memo);
}

void memo_reset(struct memo *memo)
{
    memo->state = memo->initial;
    model_reset(memo->model);
    memo->built = memo->initial;
    memo->pending_count = 0;
}

static struct memo_entry *slot_of(const struct memo *memo, uint64_t key)
{
    size_t at = (size_t)key & (memo->table_size - 1);
    while (memo->table[at].key != 0 && memo->table[at].key != key)
        at = (at + 1) & (memo->table_size - 1);
    return &memo->table[at];
}

static bool grow(struct memo *memo)
{
    struct memo_entry *old = memo->table;
    uint32_t *old_lines = memo->resource_lines;
    size_t old_size = memo->table_size;
    if (!make_table(memo, old_size * 2)) {
        free(memo->table);
        free(memo->resource_lines);
        memo->table = old;
        memo->resource_lines = old_lines;
        memo->table_size = old_size;
        return false;
    }
    for (size_t i = 0; i < old_size; i++) {
        if (!old[i].key)
            continue;
        struct memo_entry *to = slot_of(memo, old[i].key);
        *to = old[i];
        memcpy(memo->resource_lines + (size_t)(to - memo->table) * memo->resources,
               old_lines + i * memo->resources, memo->resources * sizeof *old_lines);
    }
    free(old);
    free(old_lines);
    return true;
}

static uint64_t key_of(uint64_t state, const struct model_job *job)
{
    uint64_t key = mix_two(state, (uint64_t)job->first << 32 | job->lines);
    key = mix_two(key, (uint64_t)job->cpu << 32 | job->pattern << 8 | job->access);
    return key ? key : 1;
}

static void simulate(struct memo *memo, const struct model_job *job)
{
    memo->simulated_lines += job->lines;
    if (job->pattern == MEMO_FORGET) {
        model_begin(memo->model);
        model_forget(memo->model, job->first, job->lines);
    } else {
        model_run(memo->model, job);
    }
}

/* Brings the caches to the state that the machine's users are in. */
static void catch_up(struct memo *memo)
{
    for (size_t i = 0; i < memo->pending_count; i++)
        simulate(memo, &memo->pending[i].job);
    memo->pending_count = 0;
    memo->built = memo->state;
}

/* One more step that was answered without simulating. A way that comes back to where it has been
 * before is cut short. */
static bool postpone(struct memo *memo, const struct model_job *job, uint64_t next)
{
    if (next == memo->built) {
        memo->pending_count = 0;
        return true;
    }
    for (size_t i = memo->pending_count; i-- > 0;) {
        if (memo->pending[i].state == next) {
            memo->pending_count = i;
            return true;
        }
    }
    if (memo->pending_count == memo->pending_room) {
        size_t room = memo->pending_room ? memo->pending_room * 2 : 64;
        struct memo_step *more = realloc(memo->pending, room * sizeof *more);
        if (!more)
            return false;
        memo->pending = more;
        memo->pending_room = room;
    }
    memo->pending[memo->pending_count++] = (struct memo_step){*job, memo->state};
    return true;
}

bool memo_run(struct memo *memo, const struct model_job *job, struct memo_answer *ret)
{
    if (memo->used * 2 >= memo->table_size && !grow(memo))
        return false;
    memo->passes++;
    uint64_t key = key_of(memo->state, job);
    struct memo_entry *entry = slot_of(memo, key);
    uint32_t *lines = memo->resource_lines + (size_t)(entry - memo->table) * memo->resources;
    if (entry->key) {
        if (!postpone(memo, job, entry->next))
            return false;
    } else {
        catch_up(memo);
        simulate(memo, job);
        const struct model_pass *pass = &memo->model->pass;
        unsigned nodes = memo->model->desc->node_count;
        for (unsigned i = 0; i < memo->resources; i++)
            lines[i] = pass->resource_lines[i < nodes ? i : MAX_NODES + i - nodes];
        *entry = (struct memo_entry){key, model_state(memo->model), pass->ps};
        memo->built = entry->next;
        memo->used++;
    }
    memo->state = entry->next;
    ret->ps = entry->ps;
    ret->resource_lines = lines;
    return true;
}
