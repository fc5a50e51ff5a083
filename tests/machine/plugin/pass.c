/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes of the guest's touch kernel: pass.h has the contract. */
#include "pass.h"
#include "../../../lib/touch.h"
#include <stdlib.h>
#include <string.h>

#define FULL_SPEED 1000000u /* two factors in thousandths */

typedef unsigned __int128 wide;

bool passes_init(struct passes *passes, const struct guest *guest, struct pass_scale scale,
                 FILE *trace)
{
    memset(passes, 0, sizeof *passes);
    passes->guest = guest;
    passes->scale = scale;
    passes->trace = trace;
    passes->running = guest->desc->cpu_count;
    passes->model = model_new(guest->desc);
    passes->state = calloc(guest->desc->cpu_count, sizeof *passes->state);
    host_clock_start(&passes->clock);
    if (passes->model && passes->state)
        return true;
    passes_free(passes);
    return false;
}

void passes_free(struct passes *passes)
{
    model_free(passes->model);
    free(passes->state);
    passes->model = NULL;
    passes->state = NULL;
}

uint64_t pass_due_ps(const struct desc *desc, struct pass_scale scale, unsigned cpu, uint64_t lines,
                     uint64_t machine_ps)
{
    const struct desc_cpu *of = &desc->cpu[cpu];
    uint64_t speed = (uint64_t)desc->kind[of->kind].speed_permille * of->speed_permille;
    uint64_t each_ps = lines > PASS_FAR_LINES ? scale.far_pad_ps : scale.near_pad_ps;
    wide pad = (wide)lines * each_ps * FULL_SPEED / speed;
    return (uint64_t)((wide)machine_ps * scale.slowdown + pad);
}

/* One CPU may be interrupted in its pass by another's: the model counts for one at a time. */
static void switch_to(struct passes *passes, unsigned cpu)
{
    struct model *model = passes->model;
    if (passes->running < passes->guest->desc->cpu_count) {
        struct pass_state *before = &passes->state[passes->running];
        before->events = model->pass;
        before->last_line = model->last_line;
        before->run = model->run;
        before->last_missed = model->last_missed;
        visits_settle(&model->visits); /* which are of one CPU at a time */
    }
    const struct pass_state *state = &passes->state[cpu];
    model->pass = state->events;
    model->last_line = state->last_line;
    model->run = state->run;
    model->last_missed = state->last_missed;
    passes->running = cpu;
}

/* Written before the next pass and not at the end of this one, which the guest is about to time. */
static void tell(struct passes *passes)
{
    const struct pass_told *told = &passes->told;
    if (!passes->has_told)
        return;
    passes->has_told = false;
    fprintf(passes->trace, "pass %u %u %u %u %u %llu %llu %llu %llu\n", told->cpu, told->first,
            told->lines, told->pattern, told->access, (unsigned long long)told->machine_ps,
            (unsigned long long)told->due_ps,
            (unsigned long long)host_clock_ps(&passes->clock, told->work_ticks),
            (unsigned long long)host_clock_ps(&passes->clock, told->took_ticks));
}

void passes_finish(struct passes *passes)
{
    tell(passes);
    fprintf(passes->trace, "end %llu %d %llu %llu\n", (unsigned long long)passes->clock.khz,
            passes->hurries, (unsigned long long)passes->strays,
            (unsigned long long)passes->outside);
}

void pass_begin(struct passes *passes, unsigned cpu, uint32_t pattern, uint32_t access)
{
    struct pass_state *state = &passes->state[cpu];
    if (!passes->clock.khz)
        host_clock_settle(&passes->clock);
    tell(passes);
    switch_to(passes, cpu);
    model_begin(passes->model);
    state->pattern = pattern;
    state->access = access;
    state->lines = state->last = 0;
    state->first = state->newest = UINT32_MAX;
    state->active = true;
    state->start = host_clock_ticks();
}

void pass_visit(struct passes *passes, unsigned cpu, uint64_t address)
{
    struct pass_state *state = &passes->state[cpu];
    uint64_t line = address / GUEST_LINE;
    if (!state->active) {
        passes->strays++;
        return;
    }
    if (line >= passes->model->lines) {
        passes->outside++;
        return;
    }
    if (passes->running != cpu)
        switch_to(passes, cpu);
    uint32_t at = (uint32_t)line;
    if (at == state->newest) /* load and store of an update: one visit */
        return;
    state->newest = at;
    model_visit(passes->model, cpu, model_place(passes->model, at), state->access != TOUCH_READ);
    state->lines++;
    if (at < state->first)
        state->first = at;
    if (at > state->last)
        state->last = at;
}

void pass_end(struct passes *passes, unsigned cpu)
{
    struct pass_state *state = &passes->state[cpu];
    if (!state->active) {
        passes->strays++;
        return;
    }
    if (passes->running != cpu)
        switch_to(passes, cpu);
    state->active = false;
    tell(passes); /* of a pass of another CPU that lay within this one */
    uint64_t ps = model_end(passes->model, cpu, (enum desc_overlap)state->pattern);
    uint64_t due = pass_due_ps(passes->guest->desc, passes->scale, cpu, state->lines, ps);
    uint64_t until = state->start + host_clock_ticks_of(&passes->clock, due);
    bool whole = state->lines && state->last - state->first + 1 == state->lines;
    passes->told = (struct pass_told){.cpu = cpu,
                                      .pattern = state->pattern,
                                      .access = state->access,
                                      .first = state->first,
                                      .lines = whole ? state->lines : 0,
                                      .machine_ps = ps,
                                      .due_ps = due};
    passes->has_told = true;
    passes->told.work_ticks = host_clock_ticks() - state->start;
    host_clock_wait(&passes->clock, until);
    passes->told.took_ticks = host_clock_ticks() - state->start;
}
