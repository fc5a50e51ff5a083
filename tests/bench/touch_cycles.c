/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks a line of the touch kernel, and of the same passes in C, for working sets in each cache and
 * in memory. One CPU, whose counter's ticks these are: the core's own clock may be another. */
#define _GNU_SOURCE
#include "../../linux/threads_machine.h"
#include "touch_plain.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define PASSES    9u
#define FAR_MOST  (128ull << 20)
#define FAR_LINES 500000u /* from here on a third of the passes */

struct place {
    char name[48];
    uint64_t bytes;
};

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Median, in hundredths of a tick. A first pass brings in what fits a cache. */
static uint64_t ticks_a_line(const struct touch_order *order, unsigned pattern, unsigned access,
                             bool plain)
{
    uint64_t ticks[PASSES], lines = order->bytes / order->line;
    unsigned passes = lines < FAR_LINES ? PASSES : PASSES / 3;
    for (unsigned i = 0; i <= passes; i++) {
        uint64_t now =
            plain ? touch_plain(order, pattern, access) : touch_run(order, pattern, access);
        if (i)
            ticks[i - 1] = now;
    }
    qsort(ticks, passes, sizeof *ticks, by_value);
    return ticks[passes / 2] * 100 / lines;
}

static void print_place(const struct place *place, uint8_t *base, uint32_t line)
{
    struct touch_order order;
    touch_order_init(&order, base, touch_round(place->bytes, line), line);
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++) {
        char name[80];
        snprintf(name, sizeof name, "touch, %.40s, %s", place->name, touch_pattern_name(pattern));
        printf("%-44s", name);
        for (unsigned access = 0; access < TOUCH_ACCESSES; access++) {
            uint64_t ours = ticks_a_line(&order, pattern, access, false);
            uint64_t plain = ticks_a_line(&order, pattern, access, true);
            printf(" %s %llu.%02llu (C %llu.%02llu)", touch_access_name(access),
                   (unsigned long long)ours / 100, (unsigned long long)ours % 100,
                   (unsigned long long)plain / 100, (unsigned long long)plain % 100);
        }
        putchar('\n');
    }
}

/* Half of each cache, and twice the last. */
static unsigned find_places(const struct cpu_info *cpu, uint64_t most, struct place *ret)
{
    unsigned count = 0;
    uint64_t last = 0;
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        uint64_t bytes = cpu->cache_bytes[level];
        if (!bytes || bytes > most)
            continue;
        last = bytes;
        ret[count].bytes = bytes / 2;
        snprintf(ret[count++].name, sizeof ret->name, "L%u, %llu KiB", level,
                 (unsigned long long)bytes / 2048);
    }
    uint64_t far = last && last * 2 < FAR_MOST ? last * 2 : FAR_MOST;
    if (far > most)
        return count;
    ret[count].bytes = far;
    snprintf(ret[count++].name, sizeof ret->name, "memory, %llu MiB",
             (unsigned long long)far >> 20);
    return count;
}

static void pin(void)
{
    cpu_set_t set;
    int cpu = sched_getcpu();
    if (cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

int main(void)
{
    static struct cpuid_dump dump;
    static struct memory memory;
    struct cpu_info cpu;
    struct place places[CACHE_LEVELS + 1];
    uint16_t region;
    uint32_t home;

    pin();
    cpuid_collect(&dump);
    topology_cpu_init(&cpu, cpuid_apic_id(&dump));
    cpuid_describe(&dump, cpuid_apic_id(&dump), &cpu);
    memory.line = cpu.line_bytes;
    unsigned count = find_places(&cpu, memory_most(""), places);
    for (unsigned i = 0; i < count; i++) {
        if (!memory_get(&memory, NODE_UNKNOWN, places[i].bytes, &region, &home)) {
            printf("%-44s %12s\n", places[i].name, "no memory");
            continue;
        }
        if (i == 0)
            printf("%-44s %12s\n", "touch, ticks a line", "kernel (plain C)");
        print_place(&places[i], memory.region[region].base, cpu.line_bytes);
        memory_put(&memory, region);
    }
    printf("%-44s %12s\n", "touch, pages", pages_name(memory.pages));
    memory_close(&memory);
    return 0;
}
