/* SPDX-License-Identifier: BSD-2-Clause */
/* Slowdown and arguments: plan.h has the contract. */
#include "plan.h"
#include "../../../lib/touch.h"
#include "../backend.h"
#include <stdio.h>
#include <stdlib.h>

#define LONGEST_PASS_PS 800000000000ull /* of the engine's second */
#define LARGER_SETS     125u            /* percent: the engine looks a little beyond a maximum */
#define GOOD_PART       60u /* percent of a stay that a cost has to be to be told well .. */
#define REAL_PART       33u /* .. unless it is less than this of a stay in truth */

static uint64_t capacity(const struct desc *desc, unsigned level)
{
    uint64_t largest = 0;
    for (unsigned i = 0; i < desc->cache_count; i++)
        if (desc->cache[i].level == level && desc->cache[i].bytes > largest)
            largest = desc->cache[i].bytes;
    return largest;
}

/* Pads the cheapest line that passes of one kind can find, those below and those beyond
 * PASS_FAR_LINES, up to what QEMU needs. */
static uint64_t pad_for(const struct desc *desc, uint32_t slowdown, bool far, uint32_t need_ns,
                        uint32_t patience)
{
    uint64_t need = (uint64_t)need_ns * 10 * patience, least = need;
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const struct desc_cache *cache = &desc->cache[i];
        if (far && cache->bytes <= PASS_FAR_LINES * GUEST_LINE)
            continue;
        uint64_t have = cache->hit_ps * slowdown;
        if (have < least)
            least = have;
    }
    return need - least;
}

static struct pass_scale scale_for(const struct desc *desc, uint32_t slowdown, uint32_t near_ns,
                                   uint32_t patience)
{
    uint64_t near = pad_for(desc, slowdown, false, near_ns, patience);
    uint64_t far = pad_for(desc, slowdown, true, PLAN_FAR_LINE_NS, patience);
    return (struct pass_scale){slowdown, near, far > near ? far : near};
}

static uint64_t smallest_capacity(const struct desc *desc)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < desc->cache_count; i++)
        if (desc->cache[i].bytes < least)
            least = desc->cache[i].bytes;
    return least;
}

/* Can every cost that is one be told from a stay? */
static bool tells(struct truth *truth, struct pass_scale scale, bool *ret_tells)
{
    const struct desc *desc = truth->desc;
    uint64_t bytes = touch_round(smallest_capacity(desc) / 2, GUEST_LINE);
    *ret_tells = true;
    for (unsigned i = 0; i < truth->class_count; i++) {
        struct truth_work work = {bytes, TOUCH_SCATTER, TOUCH_UPDATE,
                                  desc->cpu[desc->boot_cpu].node};
        struct truth_legs legs;
        int64_t cost;
        if (!truth_legs(truth, truth->classes[i].a, truth->classes[i].b, work, &legs) ||
            !truth_cost(truth, i, work, &cost))
            return false;
        if (cost <= 0 || (uint64_t)cost * 100 < legs.stay_ps * REAL_PART)
            continue;
        uint64_t stay =
            pass_due_ps(desc, scale, truth->classes[i].b, bytes / GUEST_LINE, legs.stay_ps);
        *ret_tells &= (uint64_t)cost * scale.slowdown * 100 >= stay * GOOD_PART;
    }
    return true;
}

/* The longest pass that a measurement will want, in the machine's time, and its lines. */
static bool longest_pass(struct truth *truth, uint64_t *ret_ps, uint64_t *ret_lines)
{
    const struct desc *desc = truth->desc;
    *ret_ps = *ret_lines = 0;
    for (unsigned i = 0; i < truth->class_count; i++) {
        struct truth_work work = {0, TOUCH_SCATTER, TOUCH_UPDATE, desc->cpu[desc->boot_cpu].node};
        struct truth_legs legs;
        int64_t unused;
        if (!truth_largest(truth, i, work, &unused, &work.bytes) ||
            !truth_legs(truth, truth->classes[i].a, truth->classes[i].b, work, &legs))
            return false;
        uint64_t ps = legs.move_ps > legs.move_back_ps ? legs.move_ps : legs.move_back_ps;
        if (ps > *ret_ps)
            *ret_ps = ps;
        if (work.bytes / GUEST_LINE > *ret_lines)
            *ret_lines = work.bytes / GUEST_LINE;
    }
    *ret_ps = *ret_ps * LARGER_SETS / 100;
    *ret_lines = *ret_lines * LARGER_SETS / 100;
    return true;
}

/* The smallest slowdown that tells, if there is one, else the largest that passes allow. */
static bool slow_down(struct truth *truth, uint32_t near_ns, uint32_t patience,
                      struct pass_scale *ret, bool *ret_enough)
{
    static const uint32_t steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, PLAN_SLOWDOWN_MAX};
    uint64_t longest, lines;
    *ret_enough = false;
    if (!longest_pass(truth, &longest, &lines))
        return false;
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0] && !*ret_enough; i++) {
        uint32_t need_ns = i && near_ns > PLAN_LINE_NS ? near_ns : PLAN_LINE_NS;
        struct pass_scale scale = scale_for(truth->desc, steps[i], need_ns, patience);
        if (i && longest * scale.slowdown + lines * scale.far_pad_ps > LONGEST_PASS_PS)
            break;
        *ret = scale;
        if (!tells(truth, scale, ret_enough))
            return false;
    }
    return true;
}

bool plan_scale(struct truth *truth, uint32_t slowdown, uint32_t patience, struct pass_scale *ret)
{
    /* What QEMU likes best, then what lets costs be told at all. */
    const struct {
        uint32_t near_ns, patience;
    } needs[] = {{PLAN_COLD_LINE_NS, patience}, {PLAN_LINE_NS, patience}, {PLAN_LINE_NS, 100}};
    bool enough = false;
    *ret = scale_for(truth->desc, slowdown ? slowdown : 1, PLAN_LINE_NS, patience);
    if (slowdown || !truth->class_count)
        return true;
    for (unsigned i = 0; i < sizeof needs / sizeof needs[0] && !enough; i++)
        if (!slow_down(truth, needs[i].near_ns, needs[i].patience, ret, &enough))
            return false;
    return true;
}

/* QEMU's boot CPU is the first of all possible ones; the others are put where they belong. */
static void print_cpus(const struct guest *guest)
{
    const struct layout *layout = &guest->layout;
    printf("qemu -cpu max,vendor=GenuineIntel%s\n",
           capacity(guest->desc, 3) ? "" : ",l3-cache=off");
    printf("qemu -smp 1,maxcpus=%u,sockets=%u,dies=%u,cores=%u,threads=%u\n",
           layout->sockets * layout->dies * layout->cores * layout->threads, layout->sockets,
           layout->dies, layout->cores, layout->threads);
    for (unsigned i = 0; i < layout->cpu_count; i++)
        if (layout->cpu[i].index)
            printf("qemu -device max-x86_64-cpu,socket-id=%u,die-id=%u,core-id=%u,thread-id=%u\n",
                   layout->cpu[i].socket, layout->cpu[i].die, layout->cpu[i].core,
                   layout->cpu[i].thread);
}

static void print_nodes(const struct guest *guest)
{
    const struct desc *desc = guest->desc;
    struct numa *numa = malloc(sizeof *numa);
    printf("qemu -m %u\n", (unsigned)(desc->memory_bytes * desc->node_count >> 20));
    if (!numa || !claims_numa(desc, numa)) {
        free(numa);
        return;
    }
    for (unsigned i = 0; i < desc->node_count; i++) {
        printf("qemu -object memory-backend-ram,id=m%u,size=%uM\n", i,
               (unsigned)(desc->memory_bytes >> 20));
        printf("qemu -numa node,nodeid=%u,memdev=m%u\n", i, i);
    }
    for (unsigned i = 0; i < desc->node_count; i++)
        for (unsigned k = 0; k < desc->node_count; k++)
            if (i != k)
                printf("qemu -numa dist,src=%u,dst=%u,val=%u\n", i, k, numa->distance[i][k]);
    for (unsigned i = 0; i < guest->layout.cpu_count; i++) {
        const struct layout_cpu *cpu = &guest->layout.cpu[i];
        char die[32] = ""; /* where there is one a socket, QEMU does not take its number */
        if (guest->layout.dies > 1)
            snprintf(die, sizeof die, "die-id=%u,", cpu->die);
        printf("qemu -numa cpu,node-id=%u,socket-id=%u,%score-id=%u,thread-id=%u\n",
               desc->cpu[i].node, cpu->socket, die, cpu->core, cpu->thread);
    }
    free(numa);
}

/* The largest is all CPUs'; then those that have less, by their APIC ids, in ranges. */
static void print_capacities(const struct guest *guest, unsigned level)
{
    const struct desc *desc = guest->desc;
    const struct layout_cpu *cpu = guest->layout.cpu;
    uint64_t largest = capacity(desc, level);
    if (!largest)
        return;
    printf("option --capacity=L%u=%llu\n", level, (unsigned long long)largest);
    for (unsigned i = 0; i < desc->cache_count; i++) {
        uint64_t bytes = desc->cache[i].bytes;
        unsigned ranges = 0;
        for (unsigned c = 0; c < desc->cpu_count && bytes != largest; c++) {
            unsigned first = c;
            if (desc->cache[i].level != level || desc->cache[i].instance_of[c] == DESC_NONE)
                continue;
            while (c + 1 < desc->cpu_count && desc->cache[i].instance_of[c + 1] != DESC_NONE &&
                   cpu[c + 1].apic_id == cpu[c].apic_id + 1)
                c++;
            if (!ranges++)
                printf("option --capacity=L%u@", level);
            printf("%s%u-%u", ranges > 1 ? "," : "", cpu[first].apic_id, cpu[c].apic_id);
        }
        if (ranges)
            printf("=%llu\n", (unsigned long long)bytes);
    }
}

void plan_print(const struct guest *guest)
{
    print_cpus(guest);
    print_nodes(guest);
    for (unsigned level = 1; level < CACHE_LEVELS; level++)
        if (!guest->desc->claims->no_cache_sizes)
            print_capacities(guest, level);
}
