/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches, lanes and regions of the seam, on the machine model. */
#include "backend.h"
#include "../../lib/flags.h"
#include "mix.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISPATCH_PS   1000000u       /* between two jobs of a lane */
#define WAIT_LIMIT_PS 1000000000000u /* a CPU that takes longer to begin is lost */
#define REGION_ALIGN  (2u << 20)

typedef unsigned __int128 wide;

/* One lane of a batch while it runs. */
struct backend_lane {
    uint16_t id;
    bool lost;      /* later jobs are skipped */
    unsigned next;  /* its next job is at or behind this index */
    int job;        /* the one that runs now, -1 none */
    uint64_t at_ps; /* its own time */
    uint64_t base_ps, slow_ps;
    const uint32_t *resource_lines;
    uint64_t demand; /* of the resource looked at: bytes per millisecond */
    bool settled;
};

__attribute__((format(printf, 2, 3))) static void misuse(struct backend *backend,
                                                         const char *format, ...)
{
    if (backend->misuses++)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(backend->misuse, sizeof backend->misuse, format, args);
    va_end(args);
}

static uint64_t resource_rate(const struct desc *desc, unsigned resource)
{
    if (resource < desc->node_count)
        return desc->node[resource].bytes_per_us;
    return desc->link[resource - desc->node_count].bytes_per_us;
}

/* Lanes that together ask for more than a memory or a link can give are slowed: those that ask for
 * less than their fair share get it, the rest is divided evenly among the others. */
static void share_resource(struct backend *backend, unsigned lanes, unsigned resource)
{
    uint64_t left = resource_rate(backend->desc, resource) * 1000; /* bytes per millisecond */
    if (!left)
        return;
    unsigned open = 0;
    for (unsigned i = 0; i < lanes; i++) {
        struct backend_lane *lane = &backend->lane[i];
        lane->settled = true;
        if (lane->job < 0 || !lane->base_ps || !lane->resource_lines[resource])
            continue;
        lane->demand = (uint64_t)((wide)lane->resource_lines[resource] * backend->desc->line_bytes *
                                  1000000000 / lane->base_ps);
        lane->settled = false;
        open++;
    }
    for (bool again = true; again && open;) {
        again = false;
        uint64_t share = left / open;
        for (unsigned i = 0; i < lanes; i++) {
            struct backend_lane *lane = &backend->lane[i];
            if (lane->settled || lane->demand > share)
                continue;
            lane->settled = again = true;
            left -= lane->demand;
            open--;
        }
    }
    for (unsigned i = 0; i < lanes && open; i++) {
        struct backend_lane *lane = &backend->lane[i];
        if (lane->settled)
            continue;
        uint64_t slow =
            (uint64_t)((wide)lane->base_ps * lane->demand / (left / open + !(left / open)));
        if (slow > lane->slow_ps)
            lane->slow_ps = slow;
    }
}

/* Another lane works on the same core. */
static bool sibling_works(const struct backend *backend, const struct touch_job *jobs,
                          unsigned lanes, unsigned lane, uint16_t core)
{
    for (unsigned i = 0; i < lanes; i++) {
        int job = backend->lane[i].job;
        if (i != lane && job >= 0 && backend->desc->cpu[jobs[job].cpu].group[LEVEL_CORE] == core)
            return true;
    }
    return false;
}

static void slow_siblings(struct backend *backend, const struct touch_job *jobs, unsigned lanes)
{
    const struct desc *desc = backend->desc;
    unsigned busy = backend->noise.kinds.busy_cpu;
    if (desc->smt_permille == 1000)
        return;
    for (unsigned i = 0; i < lanes; i++) {
        struct backend_lane *lane = &backend->lane[i];
        if (lane->job < 0)
            continue;
        unsigned cpu = jobs[lane->job].cpu;
        uint16_t core = desc->cpu[cpu].group[LEVEL_CORE];
        if (core == DESC_NONE)
            continue;
        if (sibling_works(backend, jobs, lanes, i, core))
            lane->slow_ps = (uint64_t)((wide)lane->slow_ps * desc->smt_permille / 1000);
        else if (busy != DESC_NONE && busy != cpu && desc->cpu[busy].group[LEVEL_CORE] == core)
            lane->slow_ps =
                noise_beside_busy(&backend->noise, lane->at_ps, lane->slow_ps, desc->smt_permille);
    }
}

static bool job_allowed(struct backend *backend, const struct touch_job *job)
{
    if (job->cpu >= backend->desc->cpu_count || job->region >= BACKEND_REGIONS ||
        !backend->region[job->region].used || job->pattern >= TOUCH_PATTERNS ||
        job->access >= TOUCH_ACCESSES) {
        misuse(backend, "job with cpu %u, region %u, pattern %u, access %u", job->cpu, job->region,
               job->pattern, job->access);
        return false;
    }
    const struct backend_region *region = &backend->region[job->region];
    uint32_t line = backend->desc->line_bytes;
    uint64_t room = (uint64_t)region->lines * line;
    if (!job->bytes || job->bytes > room || job->offset > room - job->bytes || job->offset % line ||
        touch_round(job->bytes, line) != job->bytes) {
        misuse(backend, "%llu bytes at %llu of a region of %llu", (unsigned long long)job->bytes,
               (unsigned long long)job->offset, (unsigned long long)room);
        return false;
    }
    if (backend->cpus[job->cpu].flags & (CPU_DISABLED | CPU_NOT_CHOSEN)) {
        misuse(backend, "job on CPU %u, which takes no part", job->cpu);
        return false;
    }
    return true;
}

/* False: this CPU does not answer. */
static bool answers(struct backend *backend, unsigned cpu, uint64_t *at_ps)
{
    const struct desc_noise *noise = &backend->noise.kinds;
    if (backend->cpus[cpu].flags & CPU_LOST)
        return false;
    bool dead = cpu == noise->dead_cpu && *at_ps >= noise->dead_after_ps;
    if (cpu == noise->late_cpu)
        *at_ps += noise->late_ps;
    if (!dead && !(cpu == noise->late_cpu && noise->late_ps > WAIT_LIMIT_PS))
        return true;
    *at_ps += WAIT_LIMIT_PS;
    backend->cpus[cpu].flags |= CPU_LOST;
    return false;
}

/* Caches see one pass after the other, also where lanes run at once. */
static bool begin_job(struct backend *backend, struct backend_lane *lane,
                      const struct touch_job *job, struct touch_result *ret)
{
    *ret = (struct touch_result){0, 0, TOUCH_SKIPPED};
    if (lane->lost || !job_allowed(backend, job))
        return true;
    lane->at_ps += DISPATCH_PS;
    if (!answers(backend, job->cpu, &lane->at_ps)) {
        ret->status = TOUCH_LOST;
        lane->lost = true;
        return true;
    }
    uint32_t line = backend->desc->line_bytes;
    const struct model_job pass = {
        job->cpu, backend->region[job->region].first + (uint32_t)(job->offset / line),
        (uint32_t)(job->bytes / line), job->pattern, job->access};
    struct memo_answer answer;
    if (!memo_run(backend->memo, &pass, &answer))
        return false;
    lane->base_ps = lane->slow_ps = answer.ps;
    lane->resource_lines = answer.resource_lines;
    backend->touches++;
    backend->touched_bytes += job->bytes;
    ret->status = TOUCH_DONE;
    return true;
}

static void end_job(struct backend *backend, struct backend_lane *lane, const struct touch_job *job,
                    struct touch_result *ret)
{
    const struct desc_clock *clock = &backend->desc->clock;
    uint64_t ps = lane->slow_ps + clock->read_ps;
    ps = (uint64_t)((wide)ps * backend->scale_permille / 1000);
    ps = noise_pass(&backend->noise, job->cpu, lane->at_ps, ps, &ret->noise);
    uint64_t before = noise_counter(&backend->noise, clock, job->cpu, lane->at_ps);
    lane->at_ps += ps;
    ret->ticks = noise_counter(&backend->noise, clock, job->cpu, lane->at_ps) - before;
}

/* Finds the lanes of a batch. */
static unsigned find_lanes(struct backend *backend, const struct touch_job *jobs, unsigned count)
{
    unsigned lanes = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = 0;
        while (at < lanes && backend->lane[at].id != jobs[i].lane)
            at++;
        if (at < lanes)
            continue;
        if (lanes == backend->lane_room) {
            unsigned room = lanes ? lanes * 2 : 16;
            struct backend_lane *more = realloc(backend->lane, room * sizeof *more);
            if (!more)
                return 0;
            backend->lane = more;
            backend->lane_room = room;
        }
        backend->lane[lanes++] =
            (struct backend_lane){.id = jobs[i].lane, .next = i, .at_ps = backend->now_ps};
    }
    return lanes;
}

static bool overlap(const struct touch_job *a, const struct touch_job *b)
{
    return a->region == b->region && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

/* A CPU belongs to one lane, and so does each part of a region. */
static void check_lanes(struct backend *backend, const struct touch_job *jobs, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            if (jobs[i].lane != jobs[j].lane &&
                (jobs[i].cpu == jobs[j].cpu || overlap(&jobs[i], &jobs[j])))
                misuse(backend, "jobs %u and %u: one CPU or one range in two lanes", j, i);
}

static bool run_step(struct backend *backend, const struct touch_job *jobs,
                     struct touch_result *ret_results, unsigned count, unsigned lanes,
                     bool *ret_any)
{
    *ret_any = false;
    for (unsigned i = 0; i < lanes; i++) {
        struct backend_lane *lane = &backend->lane[i];
        while (lane->next < count && jobs[lane->next].lane != lane->id)
            lane->next++;
        lane->job = -1;
        if (lane->next == count)
            continue;
        *ret_any = true;
        unsigned job = lane->next++;
        if (!begin_job(backend, lane, &jobs[job], &ret_results[job]))
            return false;
        if (ret_results[job].status == TOUCH_DONE)
            lane->job = (int)job;
    }
    for (unsigned resource = 0; resource < backend->memo->resources; resource++)
        share_resource(backend, lanes, resource);
    slow_siblings(backend, jobs, lanes);
    for (unsigned i = 0; i < lanes; i++)
        if (backend->lane[i].job >= 0)
            end_job(backend, &backend->lane[i], &jobs[backend->lane[i].job],
                    &ret_results[backend->lane[i].job]);
    return true;
}

/* What a batch is about: its CPUs and ranges, however often and in whatever order. */
static uint64_t subject_of(const struct touch_job *jobs, unsigned count)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t part = mix_two((uint64_t)jobs[i].cpu << 32 | jobs[i].region, jobs[i].offset);
        part = mix_two(part, jobs[i].bytes);
        least = part < least ? part : least;
        most = part > most ? part : most;
    }
    return mix_two(least, most);
}

static void begin_subject(struct backend *backend, const struct touch_job *jobs, unsigned count)
{
    uint64_t subject = subject_of(jobs, count);
    if (backend->fresh && subject != backend->last_subject)
        memo_empty(backend->memo);
    backend->last_subject = subject;
}

static bool run(void *ctx, const struct touch_job *jobs, struct touch_result *ret_results,
                unsigned count)
{
    struct backend *backend = ctx;
    for (unsigned i = 0; i < count; i++)
        ret_results[i] = (struct touch_result){0, 0, TOUCH_SKIPPED};
    unsigned lanes = find_lanes(backend, jobs, count);
    begin_subject(backend, jobs, count);
    if (lanes > 1)
        check_lanes(backend, jobs, count);
    bool any = lanes > 0;
    while (any)
        if (!run_step(backend, jobs, ret_results, count, lanes, &any))
            return false;
    for (unsigned i = 0; i < lanes; i++)
        if (backend->lane[i].at_ps > backend->now_ps)
            backend->now_ps = backend->lane[i].at_ps;
    return lanes > 0 || count == 0;
}

/* First gap of a node's memory that is large enough. */
static bool find_gap(const struct backend *backend, uint32_t node, uint32_t lines, uint32_t align,
                     uint32_t *ret_first)
{
    uint32_t node_lines = backend->memo->model->node_lines;
    uint32_t begin = node * node_lines, first = begin;
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned i = 0; i < BACKEND_REGIONS; i++) {
            const struct backend_region *other = &backend->region[i];
            if (!other->used || first + lines <= other->first ||
                other->first + other->lines <= first)
                continue;
            first = (other->first + other->lines + align - 1) / align * align;
            moved = true;
        }
        if (first + lines > begin + node_lines)
            return false;
    }
    *ret_first = first;
    return true;
}

static bool region_get(void *ctx, uint32_t node, uint64_t bytes, uint16_t *ret_region,
                       uint32_t *ret_home)
{
    struct backend *backend = ctx;
    const struct desc *desc = backend->desc;
    unsigned position = desc->cpu[desc->boot_cpu].node;
    bool known = backend->machine.numa != NULL;
    if (known && node != NODE_UNKNOWN) {
        position = 0;
        while (position < desc->node_count && desc->node[position].id != node)
            position++;
    }
    if (position == desc->node_count || !bytes || bytes > desc->memory_bytes)
        return false;
    unsigned id = 0;
    while (id < BACKEND_REGIONS && backend->region[id].used)
        id++;
    uint32_t lines = (uint32_t)((bytes + desc->line_bytes - 1) / desc->line_bytes), first;
    if (id == BACKEND_REGIONS ||
        !find_gap(backend, position, lines, REGION_ALIGN / desc->line_bytes, &first))
        return false;

    const struct model_job forget = {0, first, lines, MEMO_FORGET, 0};
    struct memo_answer unused;
    if (!memo_run(backend->memo, &forget, &unused))
        return false;
    backend->region[id] = (struct backend_region){true, position, first, lines};
    backend->now_ps += DISPATCH_PS;
    *ret_region = (uint16_t)id;
    *ret_home = known ? desc->node[position].id : NODE_UNKNOWN;
    return true;
}

static void region_put(void *ctx, uint16_t region)
{
    struct backend *backend = ctx;
    if (region >= BACKEND_REGIONS || !backend->region[region].used) {
        misuse(backend, "region %u given back, but it was not given out", region);
        return;
    }
    backend->region[region].used = false;
}

static uint64_t now(void *ctx)
{
    const struct backend *backend = ctx;
    return backend->now_ps / 1000;
}

static bool between(void *ctx, const struct progress *progress)
{
    struct backend *backend = ctx;
    if (!progress || !progress->step || progress->done > progress->total)
        misuse(backend, "progress that says nothing, or more than all");
    return !backend->stop_at_ps || backend->now_ps < backend->stop_at_ps;
}

static const struct machine_ops ops = {
    .run = run, .region_get = region_get, .region_put = region_put, .now = now, .between = between};

static uint32_t ticks_of(const struct desc_clock *clock, uint64_t ps)
{
    return (uint32_t)((wide)ps * clock->khz / 1000000000);
}

bool backend_init(struct backend *backend, struct memo *memo, const struct desc_noise *noise,
                  uint64_t seed)
{
    memset(backend, 0, sizeof *backend);
    const struct desc *desc = memo->model->desc;
    backend->desc = desc;
    backend->memo = memo;
    backend->scale_permille = 1000;
    backend->cpus = calloc(desc->cpu_count, sizeof *backend->cpus);
    if (!backend->cpus || !noise_init(&backend->noise, noise, desc->cpu_count, seed)) {
        backend_free(backend);
        return false;
    }
    memo_reset(memo);
    claims_cpus(desc, backend->cpus);

    struct machine *machine = &backend->machine;
    machine->ops = &ops;
    machine->ctx = backend;
    machine->cpus = backend->cpus;
    machine->cpu_count = desc->cpu_count;
    machine->numa = claims_numa(desc, &backend->numa) ? &backend->numa : NULL;
    uint32_t step = ticks_of(&desc->clock, desc->clock.step_ps);
    machine->clock = (struct clock_info){.khz = desc->clock.khz,
                                         .resolution = step ? step : 1,
                                         .read_cost = ticks_of(&desc->clock, desc->clock.read_ps),
                                         .error_ppm = 0,
                                         .core_permille = 1000,
                                         .source = CLOCK_MODEL,
                                         .second = CLOCK_MODEL};
    machine->region_max = desc->memory_bytes;
    machine->flags = desc->claims->hypervisor ? FLAG_HYPERVISOR : 0;
    return true;
}

void backend_free(struct backend *backend)
{
    noise_free(&backend->noise);
    free(backend->cpus);
    free(backend->lane);
    memset(backend, 0, sizeof *backend);
}
