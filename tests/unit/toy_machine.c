/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine of a few formulas behind the seam. */
#include "toy_machine.h"
#include <assert.h>
#include <string.h>

#define PARTS 1024u
#define LINE  64u

static uint64_t toy_random(struct toy *toy)
{
    toy->seed = toy->seed * 6364136223846793005u + 1442695040888963407u;
    return toy->seed >> 33;
}

static uint64_t private_bytes(const struct toy *toy, unsigned owner, unsigned target)
{
    const struct cpu_info *cpu = &toy->cpu[owner];
    if (owner == target)
        return cpu->cache_bytes[3] != 0 ? cpu->cache_bytes[3] : cpu->cache_bytes[2];
    switch (topology_level(cpu, &toy->cpu[target])) {
    case LEVEL_CORE:
        return cpu->cache_bytes[2];
    case LEVEL_L2:
        return cpu->cache_bytes[1];
    case LEVEL_LLC:
        return cpu->cache_bytes[2];
    default:
        return cpu->cache_bytes[3] != 0 ? cpu->cache_bytes[3] : cpu->cache_bytes[2];
    }
}

/* Picoseconds of one pass: lines that the last owner still holds are transferred, the rest is at
 * home or in memory. */
static uint64_t pass_ps(struct toy *toy, const struct touch_job *job)
{
    uint64_t lines = job->bytes / LINE, overlap = toy->overlap[job->pattern], ps = 0;
    unsigned *owner = toy->region[job->region].owner;
    uint64_t part_bytes = toy->region[job->region].bytes / PARTS;
    uint64_t first = part_bytes == 0 ? 0 : job->offset / part_bytes;
    first = first < PARTS ? first : PARTS - 1;
    unsigned last = owner[first];

    if (last == 0) {
        ps = lines * toy->memory_ps / overlap;
    } else {
        uint64_t held_bytes = private_bytes(toy, last - 1, job->cpu), held = held_bytes / LINE;
        if (held > lines)
            held = lines;
        bool own = last == job->cpu + 1u;
        uint64_t since = toy->brought[last - 1] - toy->region[job->region].since[first];
        bool gone = own && since > held_bytes; /* for so much other data */
        if (gone || (own && held < lines))
            held = 0; /* cyclic passes over more than fits hit nothing */
        uint64_t there = toy->hit_ps;
        if (!own) {
            enum level level = topology_level(&toy->cpu[last - 1], &toy->cpu[job->cpu]);
            there = level == LEVEL_CORE ? toy->hit_ps : toy->transfer_ps[level] / overlap;
        }
        /* What spilled out of the private caches is still in a last-level cache that both share. */
        bool llc = !gone && topology_level(&toy->cpu[last - 1], &toy->cpu[job->cpu]) <= LEVEL_LLC &&
                   job->bytes <= toy->cpu[job->cpu].cache_bytes[3];
        ps = held * there + (lines - held) * (llc ? toy->hit_ps : toy->memory_ps / overlap);
    }
    uint64_t end = part_bytes == 0 ? 0 : (job->offset + job->bytes - 1) / part_bytes;
    for (uint64_t i = first; i <= end && i < PARTS; i++) {
        owner[i] = job->cpu + 1u;
        toy->region[job->region].since[i] = toy->brought[job->cpu];
    }
    toy->brought[job->cpu] += job->bytes;
    if (!toy->region[job->region].visited[job->cpu])
        ps = ps * toy->first_visit_permille / 1000;
    toy->region[job->region].visited[job->cpu] = true;
    return ps * toy->slower_permille[job->cpu] / 1000;
}

static struct touch_result pass(struct toy *toy, const struct touch_job *job, unsigned lanes)
{
    struct touch_result result = {.status = TOUCH_DONE};
    assert(job->cpu < toy->machine.cpu_count);
    assert(machine_cpu_usable(&toy->machine, job->cpu));
    assert(job->pattern < TOUCH_PATTERNS && job->access < TOUCH_ACCESSES);
    assert(job->region < TOY_REGIONS && toy->region[job->region].used);
    assert(job->offset % LINE == 0);
    assert(job->bytes == touch_round(job->bytes, LINE));
    assert(job->offset + job->bytes <= toy->region[job->region].bytes);

    if (job->cpu == toy->lost_cpu && toy->jobs_of_lost++ >= toy->lost_after) {
        toy->cpu[job->cpu].flags |= CPU_LOST;
        result.status = TOUCH_LOST;
        return result;
    }
    uint64_t ps = pass_ps(toy, job);
    if (lanes > 1)
        ps = ps * toy->lane_permille / 1000;
    if (toy->noise_permille != 0)
        ps += ps / 1000 * (toy_random(toy) % (toy->noise_permille + 1));
    toy->passes++;
    toy->touched += job->bytes;
    if (toy->spike_every != 0 && toy_random(toy) % toy->spike_every == 0)
        ps += ps / 10 * 3;
    if (toy->now_ns < toy->ramp_ns)
        ps = ps * (2 * toy->ramp_ns - toy->now_ns) / toy->ramp_ns;
    if (toy->smi_every != 0 && toy_random(toy) % toy->smi_every == 0) {
        ps += 150000000;
        result.noise = 1;
    }
    toy->now_ns += ps / 1000 / lanes + 1;
    result.ticks = ps / 1000 * toy->machine.clock.khz / 1000000;
    return result;
}

static bool toy_run(void *ctx, const struct touch_job *jobs, struct touch_result *results,
                    unsigned count)
{
    struct toy *toy = ctx;
    unsigned lanes = 0;
    assert(toy->releases == 0);
    uint8_t lane_of[TOY_CPUS];
    memset(lane_of, 0xFF, sizeof(lane_of));
    for (unsigned i = 0; i < count; i++) {
        if (jobs[i].lane + 1u > lanes)
            lanes = jobs[i].lane + 1u;
        /* A CPU belongs to one lane of a batch. */
        assert(lane_of[jobs[i].cpu] == 0xFF || lane_of[jobs[i].cpu] == jobs[i].lane);
        lane_of[jobs[i].cpu] = (uint8_t)jobs[i].lane;
    }
    toy->batches++;
    if (lanes > toy->widest)
        toy->widest = lanes;
    bool lane_lost[TOY_CPUS] = {false};
    for (unsigned i = 0; i < count; i++) {
        results[i] = (struct touch_result){.status = TOUCH_SKIPPED};
        if (lane_lost[jobs[i].lane])
            continue;
        if (!machine_cpu_usable(&toy->machine, jobs[i].cpu))
            results[i].status = TOUCH_LOST;
        else
            results[i] = pass(toy, &jobs[i], lanes);
        lane_lost[jobs[i].lane] = results[i].status == TOUCH_LOST;
    }
    return true;
}

static bool toy_region_get(void *ctx, uint32_t node, uint64_t bytes, uint16_t *region,
                           uint32_t *home)
{
    struct toy *toy = ctx;
    uint64_t used = 0;
    unsigned free = TOY_REGIONS;
    (void)node;
    for (unsigned i = 0; i < TOY_REGIONS; i++) {
        if (toy->region[i].used)
            used += toy->region[i].bytes;
        else if (free == TOY_REGIONS)
            free = i;
    }
    assert(bytes > 0);
    if (free == TOY_REGIONS || bytes > toy->region_total - used || bytes > toy->machine.region_max)
        return false;
    memset(&toy->region[free], 0, sizeof(toy->region[free]));
    toy->region[free].used = true;
    toy->region[free].bytes = bytes;
    *region = (uint16_t)free;
    *home = NODE_UNKNOWN;
    return true;
}

static void toy_region_put(void *ctx, uint16_t region)
{
    struct toy *toy = ctx;
    assert(region < TOY_REGIONS && toy->region[region].used);
    toy->region[region].used = false;
}

static uint64_t toy_now(void *ctx)
{
    struct toy *toy = ctx;
    return toy->now_ns;
}

static bool toy_between(void *ctx, const struct progress *progress)
{
    struct toy *toy = ctx;
    assert(progress->step != NULL);
    return toy->stop_after_ns == 0 || toy->now_ns < toy->stop_after_ns;
}

static void toy_release(void *ctx)
{
    struct toy *toy = ctx;
    toy->releases++;
}

static const struct machine_ops toy_ops = {
    .run = toy_run,
    .region_get = toy_region_get,
    .region_put = toy_region_put,
    .now = toy_now,
    .between = toy_between,
    .release = toy_release,
};

void toy_init(struct toy *toy, unsigned packages, unsigned llcs, unsigned cores_per_llc)
{
    memset(toy, 0, sizeof(*toy));
    unsigned count = packages * llcs * cores_per_llc;
    assert(count <= TOY_CPUS);
    for (unsigned i = 0; i < count; i++) {
        struct cpu_info *cpu = &toy->cpu[i];
        cpu->apic_id = i * 2; /* sparse, as with SMT off */
        for (unsigned level = 0; level < LEVELS; level++)
            cpu->share[level] = SHARE_UNKNOWN;
        cpu->share[LEVEL_CORE] = cpu->share[LEVEL_L2] = i;
        cpu->share[LEVEL_LLC] = i / cores_per_llc;
        cpu->share[LEVEL_PACKAGE] = i / (cores_per_llc * llcs);
        cpu->share[LEVEL_SYSTEM] = 0;
        cpu->node = NODE_UNKNOWN;
        cpu->cache_bytes[1] = 32u << 10;
        cpu->cache_bytes[2] = 1u << 20;
        cpu->cache_bytes[3] = 16u << 20;
        cpu->line_bytes = LINE;
        toy->slower_permille[i] = 1000;
    }
    toy->cpu[0].flags = CPU_BOOT;
    toy->transfer_ps[LEVEL_L2] = 14000;
    toy->transfer_ps[LEVEL_LLC] = 28000;
    toy->transfer_ps[LEVEL_DIE] = toy->transfer_ps[LEVEL_PACKAGE] = 115000;
    toy->transfer_ps[LEVEL_NODE] = toy->transfer_ps[LEVEL_SYSTEM] = 230000;
    toy->hit_ps = 2000;
    toy->memory_ps = 110000;
    toy->overlap[TOUCH_LINEAR] = 6;
    toy->overlap[TOUCH_SCATTER] = 3;
    toy->overlap[TOUCH_CHASE] = 1;
    toy->first_visit_permille = toy->lane_permille = 1000;
    toy->lost_cpu = TOY_CPUS;
    toy->region_total = 64u << 20;
    toy->seed = 1;
    toy->machine = (struct machine){
        .ops = &toy_ops,
        .ctx = toy,
        .cpus = toy->cpu,
        .cpu_count = count,
        .clock = {.khz = 2000000, .resolution = 1, .read_cost = 20, .core_permille = 1000},
        .region_max = 64u << 20,
    };
}
