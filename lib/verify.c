/* SPDX-License-Identifier: BSD-2-Clause */
/* One pair of each class, measured again: verify.h has the contract. */
#include "verify.h"
#include "chain.h"
#include "mem.h"
#include "stats.h"

#define PERIODS       1u  /* of one batch: few, as touches may take milliseconds */
#define BATCHES_MAX   20u /* of a class: 40 samples a direction */
#define WARM_MS       20u
#define WARM_PERMILLE 20
#define NOISE_PPM     20000u      /* of one touch, where few samples agree by luck */
#define ZERO_SHARE    10          /* a cost below this part of staying is none (docs/method.md) */
#define SAMPLE_MS_MAX 1000u       /* longer touches are taken for a broken clock (B12) */
#define REGION_FLOOR  (64u << 10) /* with less there is nothing to measure on */

struct room {
    struct touch_job jobs[CHAIN_JOBS_MAX];
    struct touch_result results[CHAIN_JOBS_MAX];
    struct chain_samples samples;
    uint16_t position[MAX_CPUS]; /* of a CPU in the record's list of ids */
};

struct run {
    const struct machine *machine;
    const struct record *record;
    const uint8_t *bytes;
    struct room *room;
    struct progress progress;
    uint16_t region;
    uint64_t region_bytes;
    uint64_t end_ns; /* of VERIFY_MS */
    uint32_t line;
    bool ended;
};

size_t verify_workspace_bytes(void)
{
    return sizeof(struct room);
}

static uint64_t apart(int64_t a, int64_t b)
{
    return (uint64_t)(a < b ? b - a : a - b);
}

bool verify_drifted(const struct record_class *stored, const struct figure *cost, int32_t stay_ns)
{
    if (stored->flags & CLASS_ZERO) {
        int64_t low = (int64_t)cost->ns - cost->spread_ns;
        return low > stored->spread_ns && low * ZERO_SHARE > stay_ns;
    }
    return apart(stored->cost_ns, cost->ns) > (uint64_t)stored->spread_ns + cost->spread_ns;
}

/* Runs the chain once; false when the run has to end. */
static bool batch(struct run *run, const struct chain *chain)
{
    const struct machine *machine = run->machine;
    struct room *room = run->room;
    unsigned count = chain_jobs(chain, PERIODS, 0, room->jobs);

    run->ended = run->ended || !machine->ops->between(machine->ctx, &run->progress) ||
                 !machine->ops->run(machine->ctx, room->jobs, room->results, count);
    if (run->ended)
        return false;
    chain_collect(&room->samples, room->results, chain, PERIODS, SAMPLE_MS_MAX * machine->clock.khz,
                  false);
    return !room->samples.lost;
}

static void forget(struct room *room)
{
    memset(&room->samples, 0, sizeof room->samples);
}

/* Core and fabric clocks ramp (B8): until two batches in a row agree, or some time is over. */
static void warm_up(struct run *run, const struct chain *chain)
{
    const struct machine *machine = run->machine;
    uint64_t start = machine->ops->now(machine->ctx);
    int64_t before = 0;

    do {
        forget(run->room);
        struct chain_samples *samples = &run->room->samples;
        if (!batch(run, chain) || samples->count[LEG_MOVE][0] == 0)
            return;
        int64_t now = stats_median(samples->ticks[LEG_MOVE][0], samples->count[LEG_MOVE][0]);
        if (before != 0 && apart(now, before) * 1000 <= (uint64_t)before * WARM_PERMILLE)
            return;
        before = now;
    } while (machine->ops->now(machine->ctx) - start < WARM_MS * 1000000ull);
}

/* Is the cell of that pair, if the record has one, like its class? */
static bool like_its_class(const struct run *run, const struct record_class *class, unsigned a,
                           unsigned b)
{
    int32_t ns;
    bool exact;
    unsigned source = run->room->position[a], target = run->room->position[b];

    if (!run->bytes || source == UINT16_MAX || target == UINT16_MAX ||
        !record_cell(run->record, run->bytes, source, target, &ns, &exact))
        return true;
    return apart(ns, class->cost_ns) <= class->spread_ns;
}

static bool shares_what(const struct machine *machine, const struct record_class *class, unsigned a,
                        unsigned b)
{
    struct class_key key = topology_key(&machine->cpus[a], &machine->cpus[b], machine->numa);
    return key.level == class->level && key.distance == class->distance &&
           key.kind_low == class->kind_low && key.kind_high == class->kind_high;
}

static bool find_pair(const struct run *run, const struct record_class *class, struct chain *ret)
{
    const struct machine *machine = run->machine;
    bool found = false;

    for (unsigned a = 0; a < machine->cpu_count; a++) {
        for (unsigned b = a + 1; b < machine->cpu_count && machine_cpu_usable(machine, a); b++) {
            if (!machine_cpu_usable(machine, b) || !shares_what(machine, class, a, b))
                continue;
            bool alike = like_its_class(run, class, a, b);
            if (found && !alike)
                continue;
            ret->cpu_a = (uint16_t)a;
            ret->cpu_b = (uint16_t)b;
            if (alike)
                return true;
            found = true; /* better than none */
        }
    }
    return found;
}

static void find_positions(const struct run *run)
{
    for (unsigned i = 0; i < run->machine->cpu_count; i++) {
        run->room->position[i] = UINT16_MAX;
        for (unsigned k = 0; run->record->apic_ids_known && k < run->record->cpu_count; k++)
            if (run->record->apic_ids[k] == run->machine->cpus[i].apic_id)
                run->room->position[i] = (uint16_t)k;
    }
}

static void measure_class(struct run *run, unsigned which, struct verify_class *ret)
{
    const struct machine *machine = run->machine;
    const struct record_class *class = &run->record->classes[which];
    struct chain chain = {
        .region = run->region,
        .pattern = run->record->pattern,
        .access = run->record->access,
        .bytes = touch_round(class->working_set, run->line),
    };
    struct chain_legs legs;
    struct chain_figures figures;

    if (chain.bytes == 0 || chain.bytes > run->region_bytes || !find_pair(run, class, &chain))
        return;
    run->progress = (struct progress){"verifying", which, run->record->class_count};
    if (which == 0)
        warm_up(run, &chain);
    forget(run->room);
    (void)batch(run, &chain); /* the caches are another's still */
    forget(run->room);
    uint64_t start = machine->ops->now(machine->ctx);
    uint64_t share = run->end_ns > start ? run->end_ns - start : 0;
    share /= run->record->class_count - which;
    for (unsigned i = 0; i < BATCHES_MAX && batch(run, &chain); i++)
        if (machine->ops->now(machine->ctx) - start >= share)
            break;
    chain_legs(machine, &run->room->samples, NOISE_PPM, &legs);
    chain_figures(machine, &legs, &figures);
    ret->cost = figures.both;
    ret->drifted =
        figures.both.samples > 0 && verify_drifted(class, &figures.both, figures.stay[0].ns);
}

static bool get_region(struct run *run)
{
    const struct machine *machine = run->machine;
    uint64_t bytes = REGION_FLOOR;
    uint32_t home;

    for (unsigned i = 0; i < run->record->class_count; i++)
        if (run->record->classes[i].working_set > bytes)
            bytes = run->record->classes[i].working_set;
    for (bytes = touch_round(bytes, run->line); bytes >= REGION_FLOOR / 2; bytes /= 2) {
        run->region_bytes = bytes & ~(uint64_t)(run->line - 1);
        if (run->region_bytes <= machine->region_max &&
            machine->ops->region_get(machine->ctx, NODE_UNKNOWN, run->region_bytes, &run->region,
                                     &home))
            return true;
    }
    return false;
}

void verify_run(const struct machine *machine, const struct record *record, const uint8_t *bytes,
                void *workspace, struct verify *ret)
{
    struct run run = {
        .machine = machine, .record = record, .bytes = bytes, .room = workspace, .line = 1};

    memset(ret, 0, sizeof *ret);
    for (unsigned i = 0; i < machine->cpu_count; i++)
        if (machine->cpus[i].line_bytes > run.line)
            run.line = machine->cpus[i].line_bytes;
    if (!get_region(&run))
        return;
    find_positions(&run);
    run.end_ns = machine->ops->now(machine->ctx) + VERIFY_MS * 1000000ull;
    for (unsigned i = 0; i < record->class_count && !run.ended; i++) {
        measure_class(&run, i, &ret->class[i]);
        ret->measured += ret->class[i].cost.samples > 0;
        ret->drifted += ret->class[i].drifted;
    }
    machine->ops->region_put(machine->ctx, run.region);
}

void verify_report(const struct text_sink *sink, const struct record *record,
                   const struct verify *verify)
{
    char stored[24], spread[24], now[24], fresh[24];

    text_print(sink, "level    stored         +-             now            +-\n");
    for (unsigned i = 0; i < record->class_count; i++) {
        const struct record_class *class = &record->classes[i];
        const struct verify_class *again = &verify->class[i];
        const char *verdict = again->drifted ? "drifted" : class->flags & CLASS_ZERO ? "zero" : "";
        text_duration(stored, sizeof stored, class->cost_ns);
        text_duration(spread, sizeof spread, class->spread_ns);
        text_duration(now, sizeof now, again->cost.ns);
        text_duration(fresh, sizeof fresh, again->cost.spread_ns);
        if (again->cost.samples == 0)
            text_print(sink, "%-8s %-14s %-14s not measured\n", level_name(class->level), stored,
                       spread);
        else
            text_print(sink, "%-8s %-14s %-14s %-14s %-14s %s\n", level_name(class->level), stored,
                       spread, now, fresh, verdict);
    }
    text_print(sink, "%u of %u classes measured again, %u drifted\n", verify->measured,
               record->class_count, verify->drifted);
}
