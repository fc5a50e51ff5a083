/* SPDX-License-Identifier: BSD-2-Clause */
/* Crafted results for the report tests: machines as data, no measurement in any figure. Each
 * program uses some of them. */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include "../../lib/record.h"
#include "../../lib/report.h"
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-function"

#define FIXTURE_CPUS  300u
#define FIXTURE_CELLS (FIXTURE_CPUS * FIXTURE_CPUS)

/* Everything a report is given. One at a time: fixture_new() wipes the last. */
static struct fixture {
    struct result result;
    struct recommendation recommendation;
    struct report_machine machine;
    struct numa numa;
    struct cpu_info cpus[FIXTURE_CPUS];
    struct stay_result stay[FIXTURE_CPUS];
    uint32_t raw[FIXTURE_CELLS];
    int32_t cost[FIXTURE_CELLS];
    uint8_t class_of[FIXTURE_CELLS], source[FIXTURE_CELLS];
} fixture;

/* A machine of count CPUs with APIC ids 0, 1, 2, ... that share nothing yet. */
static struct result *fixture_new(unsigned count)
{
    struct result *result = &fixture.result;
    memset(&fixture, 0, sizeof fixture);
    result->cpu_count = count;
    result->cpus = fixture.cpus;
    result->raw_ns = fixture.raw;
    result->cost_ns = fixture.cost;
    result->class_of = fixture.class_of;
    result->source = fixture.source;
    result->stay = fixture.stay;
    result->pattern = TOUCH_SCATTER;
    result->access = TOUCH_UPDATE;
    result->clock = (struct clock_info){.khz = 2400000,
                                        .resolution = 2,
                                        .read_cost = 24,
                                        .error_ppm = 20,
                                        .core_permille = 1330,
                                        .source = CLOCK_CPUID,
                                        .second = CLOCK_PM_TIMER};
    result->started = 1764540900; /* 2025-11-30 22:15 */
    result->duration_ns = 3210000000;
    result->touches = 123456;
    result->touched_bytes = 12884901888;
    result->touched_for[PURPOSE_COST] = 12884901888;
    result->longest_touch_ns = 812000;
    result->region_bytes = 64 << 20;
    result->raw_working_set = 768 << 10;
    for (unsigned i = 0; i < count; i++) {
        topology_cpu_init(&fixture.cpus[i], i);
        fixture.cpus[i].cache_bytes[1] = 32 << 10;
        fixture.cpus[i].cache_bytes[2] = 1 << 20;
        fixture.cpus[i].cache_ways[1] = 8;
        fixture.cpus[i].cache_ways[2] = 16;
        fixture.stay[i].stay[0] = (struct figure){.ns = 11200, .spread_ns = 90, .samples = 30};
    }
    memset(fixture.class_of, CLASS_NONE, sizeof fixture.class_of);
    fixture.cpus[0].flags = CPU_BOOT;
    fixture.machine = (struct report_machine){.vendor = "GenuineIntel",
                                              .model = "  Example(R) CPU   0 @ 2.40GHz ",
                                              .firmware = "F.42",
                                              .cpu_signature = 0x50654,
                                              .madt_cpus = count,
                                              .mp_cpus = count,
                                              .capacity = {0, 32 << 10, 1 << 20, 0},
                                              .capacity_source = "CPUID leaf 4"};
    return result;
}

/* Appends a class of that level and cost; further fields are the test's. */
static struct class_result *fixture_class(uint8_t level, int32_t cost, uint32_t spread)
{
    struct class_result *class = &fixture.result.classes[fixture.result.class_count++];
    class->key = (struct class_key){.level = level, .distance = DISTANCE_LOCAL};
    class->cost = (struct figure){.ns = cost, .spread_ns = spread, .samples = 30};
    class->working_set = 768 << 10;
    return class;
}

/* Gives every pair to the class of its topology level, and cells that differ a little from it. */
static void fixture_fill(void)
{
    struct result *result = &fixture.result;
    for (unsigned s = 0; s < result->cpu_count; s++)
        for (unsigned d = 0; d < result->cpu_count; d++) {
            unsigned cell = result_cell(result, s, d);
            fixture.raw[cell] = 11000 + s * 7 % 100;
            fixture.cost[cell] = COST_UNKNOWN;
            if (s == d)
                continue;
            enum level level = topology_level(&fixture.cpus[s], &fixture.cpus[d]);
            for (unsigned c = 0; c < result->class_count; c++) {
                struct class_result *class = &result->classes[c];
                if (class->key.level != level)
                    continue;
                fixture.class_of[cell] = (uint8_t)c;
                fixture.source[cell] = CELL_MEASURED;
                fixture.cost[cell] =
                    class->cost.ns + (int32_t)(s * 5 + d * 3) % 7 * (class->cost.ns / 400 + 1);
                fixture.raw[cell] += (uint32_t)fixture.cost[cell];
                class->pairs += s < d;
                if (!class->max_ns || fixture.cost[cell] < class->min_ns)
                    class->min_ns = fixture.cost[cell];
                if (!class->max_ns || fixture.cost[cell] > class->max_ns)
                    class->max_ns = fixture.cost[cell];
                break;
            }
        }
}

/* Two sockets with one core of two threads each, APIC ids 0 1 4 5: a hole between the sockets. */
static void fixture_two_sockets(void)
{
    fixture_new(4);
    for (unsigned i = 0; i < 4; i++) {
        struct cpu_info *cpu = &fixture.cpus[i];
        cpu->apic_id = i < 2 ? i : i + 2;
        cpu->share[LEVEL_CORE] = cpu->share[LEVEL_L2] = cpu->share[LEVEL_LLC] = i / 2;
        cpu->share[LEVEL_PACKAGE] = i / 2;
    }
    struct class_result *core = fixture_class(LEVEL_CORE, 12, 40);
    core->flags = CLASS_ZERO;
    core->working_set = 28 << 10;
    struct class_result *system = fixture_class(LEVEL_SYSTEM, 15300, 160);
    system->cpu_b = 2;
    system->linear = (struct figure){.ns = 1200, .spread_ns = 60, .samples = 12};
    system->footprint = 256 << 10;
    system->evict_bytes = 1 << 20;
    system->evict_ns = 655000;
    system->chase = (struct figure){.ns = 95400, .spread_ns = 800, .samples = 12};
    system->first_visit_percent = 118;
    core->first_visit_percent = 101;
    system->point_count = 2;
    system->point[0] = (struct curve_point){.bytes = 256 << 10,
                                            .cost = {.ns = 5100, .spread_ns = 70, .samples = 20},
                                            .stay = {.ns = 3700, .spread_ns = 50, .samples = 20}};
    system->point[1] = (struct curve_point){.bytes = 768 << 10,
                                            .cost = {.ns = 15300, .spread_ns = 160, .samples = 30},
                                            .stay = {.ns = 11200, .spread_ns = 90, .samples = 30}};
    fixture_fill();
    recommend(&fixture.result, POLICY_LEVELS, 0, 0, &fixture.recommendation);
}

/* Two packages of four LLCs of eight cores: 64 CPUs, too wide as numbers for 80 columns. */
static void fixture_big(void)
{
    fixture_new(64);
    for (unsigned i = 0; i < 64; i++) {
        struct cpu_info *cpu = &fixture.cpus[i];
        cpu->share[LEVEL_CORE] = cpu->share[LEVEL_L2] = i;
        cpu->share[LEVEL_LLC] = i / 8;
        cpu->share[LEVEL_PACKAGE] = i / 32;
        cpu->node = i / 32;
        cpu->cache_bytes[3] = 32 << 20;
    }
    fixture.numa = (struct numa){.node_count = 2,
                                 .node_id = {0, 1},
                                 .distance = {{10, 32}, {32, 10}},
                                 .range_count = 2,
                                 .range = {{0, 1ull << 36, 0}, {1ull << 36, 1ull << 36, 1}}};
    fixture.result.numa = &fixture.numa;
    fixture.machine.capacity[3] = 32 << 20;
    fixture_class(LEVEL_LLC, 61000, 900);
    struct class_result *package = fixture_class(LEVEL_PACKAGE, 7400000, 90000);
    package->working_set = 29 << 20;
    package->flags = CLASS_EDGE;
    struct class_result *system = fixture_class(LEVEL_SYSTEM, 14800000, 160000);
    system->key.distance = 32;
    system->working_set = 29 << 20;
    system->cpu_b = 32;
    system->placement_ns = -2100000;
    system->first_visit_percent = 134;
    system->flags = CLASS_FIRST_VISIT;
    package->evict_bytes = system->evict_bytes = 64 << 20;
    package->evict_ns = system->evict_ns = 39800000;
    package->footprint = system->footprint = 8 << 20;
    fixture_fill();
    for (unsigned i = 0; i < 64 * 64; i++)
        if (fixture.source[i] == CELL_MEASURED && i % 5)
            fixture.source[i] = i % 3 ? CELL_SCREENED : CELL_CLASS;
    recommend(&fixture.result, POLICY_LEVELS, 0, 0, &fixture.recommendation);
}

/* What plain TCG gives: no caches, so no cost, and every flag that comes with it. */
static void fixture_zero(void)
{
    fixture_two_sockets();
    struct result *result = &fixture.result;
    result->flags = FLAG_HYPERVISOR | FLAG_CLOCK_NOT_INVARIANT | FLAG_CORE_CLOCK_UNKNOWN |
                    FLAG_CACHE_STATE_MISMATCH | FLAG_COST_ZERO;
    result->clock = (struct clock_info){.khz = 999998,
                                        .resolution = 17,
                                        .read_cost = 430,
                                        .error_ppm = 4100,
                                        .source = CLOCK_PM_TIMER,
                                        .second = CLOCK_PM_TIMER};
    result->class_count = 0;
    memset(result->classes, 0, sizeof result->classes);
    fixture_class(LEVEL_CORE, -60, 900)->flags = CLASS_ZERO;
    fixture_class(LEVEL_SYSTEM, 340, 1400)->flags = CLASS_ZERO;
    fixture_fill();
    fixture.machine.vendor = "AuthenticAMD";
    fixture.machine.model = "QEMU TCG CPU version 2.5+";
    fixture.machine.firmware = NULL;
    fixture.machine.capacity[1] = fixture.machine.capacity[2] = 0;
    fixture.machine.capacity_source = NULL;
    result->region_home = NODE_UNKNOWN;
    result->started = 0;
    recommend(result, POLICY_LEVELS, 0, 0, &fixture.recommendation);
}

static void fixture_one_cpu(void)
{
    fixture_new(1);
    fixture.cpus[0].share[LEVEL_CORE] = fixture.cpus[0].share[LEVEL_PACKAGE] = 0;
    fixture.result.flags = FLAG_NO_MP;
    fixture.raw[0] = 11200;
    fixture.cost[0] = COST_UNKNOWN;
    recommend(&fixture.result, POLICY_LEVELS, 0, 0, &fixture.recommendation);
}

/* Two P-cores of two threads, a module of two E-cores (one odd), one E-core without L3 (LP), one
 * CPU lost and one disabled: what A13, A17, A24 and B8 say about real machines, in one. */
static void fixture_hybrid(void)
{
    fixture_new(9);
    struct result *result = &fixture.result;
    for (unsigned i = 0; i < 9; i++) {
        struct cpu_info *cpu = &fixture.cpus[i];
        cpu->core_kind = i < 4 ? CORE_KIND_P : i == 6 ? CORE_KIND_LP_E : CORE_KIND_E;
        cpu->share[LEVEL_CORE] = i < 4 ? i / 2 : i;
        cpu->share[LEVEL_L2] = i < 4 ? i / 2 : i < 6 ? 8u : i;
        cpu->share[LEVEL_LLC] = i == 6 ? 1 : 0;
        cpu->share[LEVEL_PACKAGE] = 0;
        fixture.stay[i].stay[2] = (struct figure){.ns = 14000 + (int32_t)i, .samples = 30};
    }
    fixture.cpus[7].flags = CPU_LOST;
    fixture.cpus[8].flags = CPU_DISABLED;
    fixture.stay[5].odd = true;
    fixture.stay[5].stay[2].ns = 19300;
    result->flags = FLAG_CORE_BELOW_BASE | FLAG_CPUS_LEFT_OUT | FLAG_FIRST_VISIT |
                    FLAG_CAPACITY_BY_HAND | FLAG_UNSTEADY | 1u << 30;
    result->clock.core_permille = 410;
    fixture.machine.madt_cpus = 8;
    fixture.machine.mp_cpus = 9;
    fixture.machine.capacity_source = "--capacity";
    struct class_result *core = fixture_class(LEVEL_CORE, 210, 30);
    core->key.kind_low = core->key.kind_high = CORE_KIND_P;
    struct class_result *l2 = fixture_class(LEVEL_L2, 2340, 800);
    l2->key.kind_low = l2->key.kind_high = CORE_KIND_E;
    struct class_result *llc = fixture_class(LEVEL_LLC, 23400, 600);
    llc->key.kind_low = CORE_KIND_E;
    llc->key.kind_high = CORE_KIND_P;
    llc->flags = CLASS_FIRST_VISIT;
    llc->first_visit_percent = 163;
    llc->linear = (struct figure){.ns = 3100, .spread_ns = 40, .samples = 9};
    llc->cpu_a = 0;
    llc->cpu_b = 4;
    llc->placement_ns = 5200;
    struct class_result *package = fixture_class(LEVEL_PACKAGE, 41000, 900);
    package->key.kind_low = CORE_KIND_LP_E;
    package->key.kind_high = CORE_KIND_P;
    package->flags = CLASS_TWO_PEAKS | CLASS_NO_CAPACITY;
    fixture_fill();
    llc->min_ns = 14100; /* one direction */
    llc->max_ns = 33000; /* the other */
    package->min_ns = 31000;
    package->max_ns = 52000;
    struct class_result *never = fixture_class(LEVEL_SYSTEM, 0, 0);
    never->cost.samples = 0;
    never->pairs = 3;
    fixture.cost[result_cell(result, 6, 0)] = COST_UNKNOWN;
    fixture.cost[result_cell(result, 0, 6)] = -1250;
    recommend(result, POLICY_LEVELS, 0, 0, &fixture.recommendation);
}

/* Sixteen CPUs of two LLCs: fit 80 columns with two digits only. */
static void fixture_sixteen(void)
{
    fixture_new(16);
    for (unsigned i = 0; i < 16; i++)
        fixture.cpus[i].share[LEVEL_LLC] = i / 8;
    fixture_class(LEVEL_LLC, 9620, 20);
    fixture_class(LEVEL_SYSTEM, 146000, 300);
    fixture_fill();
    recommend(&fixture.result, POLICY_LEVELS, 0, 0, &fixture.recommendation);
}

/* More CPUs than any console has columns. */
static void fixture_wide(void)
{
    fixture_new(300);
    for (unsigned i = 0; i < 300; i++) {
        fixture.cpus[i].apic_id = i * 2;
        fixture.cpus[i].share[LEVEL_PACKAGE] = i / 150;
    }
    fixture_class(LEVEL_PACKAGE, 40000, 500);
    fixture_class(LEVEL_SYSTEM, 90000, 500);
    fixture_fill();
    recommend(&fixture.result, POLICY_EXPECTED, 0, 0, &fixture.recommendation);
}

#endif
