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
    snapshots_init(&memo->snapshots, model);
    memo->resources = model->desc->node_count + model->desc->link_count;
    memo->initial = memo->state = memo->built = model_state(model);
    bool good =
        !model->tracks_visits || visits_init(&memo->visits, model->desc->cpu_count, model->pages);
    if (good && make_table(memo, FIRST_SIZE))
        return true;
    memo_free(memo);
    return false;
}

void memo_free(struct memo *memo)
{
    visits_free(&memo->visits);
    if (memo->model)
        snapshots_free(&memo->snapshots, memo->model);
    free(memo->pending);
    free(memo->table);
    free(memo->resource_lines);
    memset(memo, 0, sizeof *memo);
}

void memo_reset(struct memo *memo)
{
    visits_reset(&memo->visits);
    memo_empty(memo);
}

void memo_empty(struct memo *memo)
{
    memo->state = memo->initial;
    memo->reset_pending = true;
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

/* The page of a pass's memory, as the caches' addresses have it. */
static uint32_t page_at(const struct model *model, uint32_t page)
{
    return model_place(model, page << model->page_shift) >> model->page_shift;
}

/* Where the CPU of a pass has been before. What CPUs remember is no part of the caches' state:
 * each cares about itself alone. */
static uint64_t visit_hash(const struct memo *memo, const struct model_job *job)
{
    const struct model *model = memo->model;
    if (!model->tracks_visits || job->pattern == MEMO_FORGET)
        return 0;
    uint64_t sum = 1;
    uint32_t last = (job->first + job->lines - 1) >> model->page_shift;
    for (uint32_t page = job->first >> model->page_shift; page <= last; page++)
        sum = sum * 0x9FB21C651E98DF25u + visits_has(&memo->visits, job->cpu, page_at(model, page));
    return mix64(sum);
}

static void remember_visits(struct memo *memo, const struct model_job *job)
{
    const struct model *model = memo->model;
    if (!model->tracks_visits)
        return;
    uint32_t last = (job->first + job->lines - 1) >> model->page_shift;
    for (uint32_t page = job->first >> model->page_shift; page <= last; page++) {
        if (job->pattern == MEMO_FORGET)
            visits_forget(&memo->visits, page_at(model, page));
        else
            visits_note(&memo->visits, job->cpu, page_at(model, page));
    }
}

static uint64_t key_of(uint64_t state, const struct model_job *job)
{
    uint64_t key = mix_two(state, (uint64_t)job->first << 32 | job->lines);
    key = mix_two(key, (uint64_t)job->cpu << 32 | job->pattern << 8 | job->access);
    return key ? key : 1;
}

/* False: out of memory. */
static bool simulate(struct memo *memo, const struct model_job *job)
{
    memo->simulated_lines += job->lines;
    if (job->pattern == MEMO_FORGET) {
        model_begin(memo->model);
        model_forget(memo->model, job->first, job->lines);
        return true;
    }
    return model_run(memo->model, job);
}

/* Lines simulated after which a state is worth keeping. */
#define WORTH_LINES (1u << 20)

/* Brings the caches to the state that the machine's users are in: from the last state on the way
 * that was kept. */
static bool catch_up(struct memo *memo)
{
    size_t from = memo->pending_count;
    bool kept = from > 0 && snapshots_has(&memo->snapshots, memo->state);
    while (!kept && from > 0)
        kept = snapshots_has(&memo->snapshots, memo->pending[--from].state);
    if (kept)
        snapshots_restore(&memo->snapshots, memo->model,
                          from == memo->pending_count ? memo->state : memo->pending[from].state);
    else if (memo->reset_pending)
        model_reset(memo->model);
    memo->reset_pending = false;

    uint64_t lines = 0;
    for (size_t i = from; i < memo->pending_count; i++) {
        if (!simulate(memo, &memo->pending[i].job))
            return false;
        lines += memo->pending[i].job.lines;
        if (lines < WORTH_LINES)
            continue;
        lines = 0;
        uint64_t state = i + 1 < memo->pending_count ? memo->pending[i + 1].state : memo->state;
        if (model_state(memo->model) != state)
            abort(); /* the memory would tell lies from here on */
        snapshots_save(&memo->snapshots, memo->model, state);
    }
    memo->pending_count = 0;
    memo->built = memo->state;
    return true;
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
    uint64_t key = key_of(mix_two(memo->state, visit_hash(memo, job)), job);
    struct memo_entry *entry = slot_of(memo, key);
    uint32_t *lines = memo->resource_lines + (size_t)(entry - memo->table) * memo->resources;
    if (entry->key) {
        if (!postpone(memo, job, entry->next))
            return false;
    } else {
        if (!catch_up(memo))
            return false;
        visits_copy(&memo->model->visits, &memo->visits);
        if (!simulate(memo, job))
            return false;
        const struct model_pass *pass = &memo->model->pass;
        unsigned nodes = memo->model->desc->node_count;
        for (unsigned i = 0; i < memo->resources; i++)
            lines[i] = pass->resource_lines[i < nodes ? i : MAX_NODES + i - nodes];
        *entry = (struct memo_entry){key, model_state(memo->model), pass->ps};
        memo->built = entry->next;
        memo->used++;
    }
    remember_visits(memo, job);
    memo->state = entry->next;
    ret->ps = entry->ps;
    ret->resource_lines = lines;
    return true;
}
