/* SPDX-License-Identifier: BSD-2-Clause */
/* APIC ids to sockets, cores and threads: layout.h has the contract. */
#include "layout.h"
#include "../backend.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* QEMU's bits of an APIC id for a part of which there are so many. */
static unsigned width(uint32_t count)
{
    unsigned bits = 0;
    while (1u << bits < count)
        bits++;
    return bits;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The smallest number of low bits without which ids are equal just where the groups of a level are;
 * 32 if there is none. A CPU whose group nobody knows is alone in it. */
static unsigned shift_of(const struct cpu_info *cpus, unsigned count, enum level level,
                         unsigned least)
{
    for (unsigned shift = least; shift < 32; shift++) {
        bool fits = true;
        for (unsigned a = 0; a < count && fits; a++) {
            for (unsigned b = 0; b < a && fits; b++) {
                bool share = cpus[a].share[level] != SHARE_UNKNOWN &&
                             cpus[a].share[level] == cpus[b].share[level];
                fits = share == (cpus[a].apic_id >> shift == cpus[b].apic_id >> shift);
            }
        }
        if (fits)
            return shift;
    }
    return 32;
}

/* QEMU must need just so many bits for a part. */
static uint32_t count_for(uint32_t largest, unsigned bits)
{
    uint32_t least = bits == 0 ? 1 : (1u << (bits - 1)) + 1;
    return larger(largest + 1, least);
}

static bool fits_qemu(const struct layout *layout)
{
    return (uint64_t)layout->sockets * layout->dies * layout->cores * layout->threads <=
           LAYOUT_SLOTS;
}

/* Sockets, dies, cores and threads as the bits of the file's ids say. QEMU has CPUID tell of one L3
 * for each die. */
static bool by_ids(const struct cpu_info *cpus, bool has_l3, struct layout *ret)
{
    unsigned core = shift_of(cpus, ret->cpu_count, LEVEL_CORE, 0);
    unsigned package = shift_of(cpus, ret->cpu_count, LEVEL_PACKAGE, core);
    unsigned die = has_l3 ? shift_of(cpus, ret->cpu_count, LEVEL_LLC, core) : package;
    if (package > 8 || die > package) /* 8 bits for 255 possible CPUs; no such dies */
        return false;
    uint32_t dies = 0, cores = 0, threads = 0;
    bool has_first = false;
    ret->sockets = 0;
    for (unsigned i = 0; i < ret->cpu_count; i++) {
        uint32_t id = cpus[i].apic_id;
        if (id > LAYOUT_APIC_ID)
            return false;
        struct layout_cpu *cpu = &ret->cpu[i];
        cpu->socket = id >> package;
        cpu->die = (id & ((1u << package) - 1)) >> die;
        cpu->core = (id & ((1u << die) - 1)) >> core;
        cpu->thread = id & ((1u << core) - 1);
        ret->sockets = larger(ret->sockets, cpu->socket + 1);
        dies = larger(dies, cpu->die);
        cores = larger(cores, cpu->core);
        threads = larger(threads, cpu->thread);
        has_first |= id == 0;
    }
    ret->threads = count_for(threads, core);
    ret->cores = count_for(cores, die - core);
    ret->dies = count_for(dies, package - die);
    return has_first && fits_qemu(ret); /* QEMU boots on the first of all possible CPUs */
}

static bool share(const struct cpu_info *a, const struct cpu_info *b, enum level level)
{
    return a->share[level] != SHARE_UNKNOWN && a->share[level] == b->share[level];
}

/* The next free place for a CPU, given where those before it are. */
static void place(const struct cpu_info *cpus, bool has_l3, struct layout *layout, unsigned at)
{
    struct layout_cpu *cpu = &layout->cpu[at];
    cpu->socket = layout->sockets;
    for (unsigned i = 0; i < at; i++)
        if (share(&cpus[i], &cpus[at], LEVEL_PACKAGE))
            cpu->socket = layout->cpu[i].socket;

    bool found = false;
    uint32_t next = 0;
    for (unsigned i = 0; i < at && has_l3; i++) {
        if (layout->cpu[i].socket != cpu->socket)
            continue;
        next = larger(next, layout->cpu[i].die + 1);
        if (!share(&cpus[i], &cpus[at], LEVEL_LLC))
            continue;
        found = true;
        cpu->die = layout->cpu[i].die;
    }
    if (!found)
        cpu->die = next;

    for (unsigned i = 0; i < at; i++)
        if (layout->cpu[i].socket == cpu->socket && layout->cpu[i].die == cpu->die)
            cpu->core = larger(cpu->core, layout->cpu[i].core + 1);
    for (unsigned i = 0; i < at; i++) {
        const struct layout_cpu *other = &layout->cpu[i];
        if (other->socket != cpu->socket || other->die != cpu->die ||
            !share(&cpus[i], &cpus[at], LEVEL_CORE))
            continue;
        cpu->core = other->core;
        cpu->thread = other->thread + 1;
    }
}

/* All parts counted through, whatever the file's ids are. */
static bool by_groups(const struct cpu_info *cpus, bool has_l3, struct layout *ret)
{
    ret->sockets = ret->dies = ret->cores = ret->threads = 0;
    memset(ret->cpu, 0, sizeof ret->cpu);
    for (unsigned i = 0; i < ret->cpu_count; i++) {
        place(cpus, has_l3, ret, i);
        ret->sockets = larger(ret->sockets, ret->cpu[i].socket + 1);
        ret->dies = larger(ret->dies, ret->cpu[i].die + 1);
        ret->cores = larger(ret->cores, ret->cpu[i].core + 1);
        ret->threads = larger(ret->threads, ret->cpu[i].thread + 1);
    }
    unsigned bits = width(ret->dies) + width(ret->cores) + width(ret->threads);
    return fits_qemu(ret) && ret->sockets << bits <= LAYOUT_APIC_ID + 1;
}

static bool has_level(const struct desc *desc, uint32_t level)
{
    for (unsigned i = 0; i < desc->cache_count; i++)
        if (desc->cache[i].level == level)
            return true;
    return false;
}

bool layout_find(const struct desc *desc, struct layout *ret, char *reason, size_t reason_size)
{
    memset(ret, 0, sizeof *ret);
    ret->cpu_count = desc->cpu_count;
    if (desc->cpu_count > LAYOUT_SLOTS) {
        snprintf(reason, reason_size, "%u CPUs, QEMU's machine takes %u", desc->cpu_count,
                 LAYOUT_SLOTS);
        return false;
    }
    struct cpu_info *cpus = calloc(desc->cpu_count, sizeof *cpus);
    if (!cpus) {
        snprintf(reason, reason_size, "out of memory");
        return false;
    }
    claims_cpus(desc, cpus);
    bool has_l3 = has_level(desc, 3);
    bool found = by_ids(cpus, has_l3, ret) || by_groups(cpus, has_l3, ret);
    free(cpus);
    if (!found) {
        snprintf(reason, reason_size, "QEMU's machine has no room for %u sockets of %u cores",
                 ret->sockets, ret->dies * ret->cores);
        return false;
    }
    ret->file_ids = true;
    for (unsigned i = 0; i < ret->cpu_count; i++) {
        struct layout_cpu *cpu = &ret->cpu[i];
        uint32_t die = cpu->socket * ret->dies + cpu->die;
        uint32_t die_id = cpu->socket << width(ret->dies) | cpu->die;
        cpu->index = (die * ret->cores + cpu->core) * ret->threads + cpu->thread;
        cpu->apic_id =
            (die_id << width(ret->cores) | cpu->core) << width(ret->threads) | cpu->thread;
        ret->file_ids &= cpu->apic_id == desc->cpu[i].apic_id;
    }
    return true;
}

unsigned layout_cpu_of_index(const struct layout *layout, unsigned index)
{
    unsigned cpu = 0;
    while (cpu < layout->cpu_count && layout->cpu[cpu].index != index)
        cpu++;
    return cpu;
}
