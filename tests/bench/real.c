/* SPDX-License-Identifier: BSD-2-Clause */
/* The pinned threads of `migcost measure`, two of them. */
#define _GNU_SOURCE
#include "real.h"
#include "../../lib/engine.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COST_BUDGET_NS 3000000000u /* for one figure */
#define PRINT_TOUCHES  7u
#define PRINT_FAR_SET  (8u << 20)

/* Numbers of the first and the last CPU allowed. */
static unsigned find_cpus(unsigned number[2])
{
    cpu_set_t allowed;
    unsigned count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        number[count ? 1 : 0] = cpu;
        count++;
    }
    return count;
}

static void find_capacities(struct real *real)
{
    unsigned outermost = topology_unshared_cache(&real->cpus[0], &real->cpus[1]);
    for (unsigned level = 1; level <= outermost && level <= REAL_CAPACITIES; level++) {
        uint64_t bytes = real->cpus[0].cache_bytes[level];
        if (!bytes)
            continue;
        real->capacity[real->capacity_count].level = level;
        real->capacity[real->capacity_count++].bytes = bytes;
    }
}

const char *real_open(struct real *real)
{
    int error;
    unsigned at;
    memset(real, 0, sizeof *real);
    if (find_cpus(real->number) < 2)
        return "one usable CPU";
    if (threads_start(&real->threads, real->number, 2, &error, &at) != THREADS_OK)
        return "threads cannot be pinned";
    for (unsigned i = 0; i < 2; i++) {
        const struct cpuid_dump *dump = threads_cpuid(&real->threads, i);
        topology_cpu_init(&real->cpus[i], cpuid_apic_id(dump));
        cpuid_describe(dump, cpuid_apic_id(dump), &real->cpus[i]);
    }
    find_capacities(real);
    uint32_t home;
    const char *complaint = NULL;
    if (!threads_machine_open(&real->back_end, &real->threads, real->cpus, 2, NULL, memory_most(""),
                              UINT64_MAX) ||
        !real->back_end.machine.ops->region_get(real->back_end.machine.ctx, NODE_UNKNOWN,
                                                PRINT_FAR_SET, &real->region, &home))
        complaint = "no memory";
    else if (!real->capacity_count)
        complaint = "the two CPUs share every cache that is known";
    if (complaint)
        real_close(real);
    return complaint;
}

void real_close(struct real *real)
{
    threads_machine_close(&real->back_end);
    threads_stop(&real->threads);
}

bool real_cost(struct real *real, uint64_t bytes, int64_t *ret_ns)
{
    const struct engine_options options = {.pattern = TOUCH_SCATTER,
                                           .access = TOUCH_UPDATE,
                                           .size = bytes,
                                           .budget_ns = COST_BUDGET_NS};
    size_t room = engine_workspace_bytes(2);
    void *workspace = malloc(room);
    struct result result;
    bool good = workspace && engine_run(&real->back_end.machine, &options, workspace, room,
                                        &result) == ENGINE_OK;
    good = good && result.class_count == 1 && result.classes[0].cost.samples;
    if (good)
        *ret_ns = result.classes[0].cost.ns;
    free(workspace);
    return good;
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Lower quartile of touches of `to`, each after one of `from`: what disturbs a touch is no other
 * machine. */
static bool touches(struct real *real, unsigned from, unsigned to, uint64_t bytes,
                    enum touch_pattern pattern, uint64_t *ret_ticks)
{
    const struct machine *machine = &real->back_end.machine;
    struct touch_job jobs[2 * PRINT_TOUCHES];
    struct touch_result results[2 * PRINT_TOUCHES];
    uint64_t ticks[PRINT_TOUCHES];
    for (unsigned i = 0; i < 2 * PRINT_TOUCHES; i++)
        jobs[i] = (struct touch_job){
            .cpu = (uint16_t)(i % 2 ? to : from),
            .region = real->region,
            .pattern = (uint8_t)pattern,
            .access = TOUCH_UPDATE,
            .bytes = touch_round(bytes, real->back_end.memory.line),
        };
    if (!machine->ops->run(machine->ctx, jobs, results, 2 * PRINT_TOUCHES))
        return false;
    for (unsigned i = 0; i < PRINT_TOUCHES; i++) {
        if (results[2 * i + 1].status != TOUCH_DONE)
            return false;
        ticks[i] = results[2 * i + 1].ticks;
    }
    qsort(ticks, PRINT_TOUCHES, sizeof *ticks, by_value);
    *ret_ticks = ticks[PRINT_TOUCHES / 4];
    return true;
}

bool real_fingerprint(struct real *real, struct real_print *ret)
{
    const struct cpu_info *cpu = &real->cpus[0];
    uint64_t first = cpu->cache_bytes[1] ? cpu->cache_bytes[1] / 2 : 16384;
    uint64_t second = cpu->cache_bytes[2] ? cpu->cache_bytes[2] / 2 : 131072;
    uint64_t *ticks = ret->ticks;
    return touches(real, 0, 0, first, TOUCH_CHASE, &ticks[PRINT_CLOCK_A]) &&
           touches(real, 1, 1, first, TOUCH_CHASE, &ticks[PRINT_CLOCK_B]) &&
           touches(real, 0, 0, second, TOUCH_CHASE, &ticks[PRINT_CACHE]) &&
           touches(real, 0, 0, PRINT_FAR_SET, TOUCH_SCATTER, &ticks[PRINT_FAR]) &&
           touches(real, 0, 1, second, TOUCH_CHASE, &ticks[PRINT_MOVE]);
}

const char *real_print_name(unsigned component)
{
    static const char *const names[PRINTS] = {"clock of the first CPU", "clock of the second CPU",
                                              "second cache", "last cache", "transfer"};
    return names[component];
}
