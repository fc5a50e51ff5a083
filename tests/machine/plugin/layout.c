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
    return (uint64_t)layout->sockets * layout->cores * layout->threads <= LAYOUT_SLOTS;
}

/* Sockets, cores and threads as the bits of the file's ids say. */
static bool by_ids(const struct cpu_info *cpus, struct layout *ret)
{
    unsigned core = shift_of(cpus, ret->cpu_count, LEVEL_CORE, 0);
    unsigned package = shift_of(cpus, ret->cpu_count, LEVEL_PACKAGE, core);
    if (package > 8) /* of 255 possible CPUs */
        return false;
    uint32_t cores = 0, threads = 0;
    bool has_first = false;
    ret->sockets = 0;
    for (unsigned i = 0; i < ret->cpu_count; i++) {
        uint32_t id = cpus[i].apic_id;
        if (id > LAYOUT_APIC_ID)
            return false;
        ret->cpu[i].socket = id >> package;
        ret->cpu[i].core = (id & ((1u << package) - 1)) >> core;
        ret->cpu[i].thread = id & ((1u << core) - 1);
        ret->sockets = larger(ret->sockets, ret->cpu[i].socket + 1);
        cores = larger(cores, ret->cpu[i].core);
        threads = larger(threads, ret->cpu[i].thread);
        has_first |= id == 0;
    }
    ret->threads = count_for(threads, core);
    ret->cores = count_for(cores, package - core);
    return has_first && fits_qemu(ret); /* QEMU boots on the first of all possible CPUs */
}

/* The next free place for a CPU, given where those before it are. */
static void place(const struct cpu_info *cpus, struct layout *layout, unsigned at)
{
    struct layout_cpu *cpu = &layout->cpu[at];
    cpu->socket = layout->sockets;
    for (unsigned i = 0; i < at; i++)
        if (cpus[i].share[LEVEL_PACKAGE] == cpus[at].share[LEVEL_PACKAGE])
            cpu->socket = layout->cpu[i].socket;
    for (unsigned i = 0; i < at; i++)
        if (layout->cpu[i].socket == cpu->socket)
            cpu->core = larger(cpu->core, layout->cpu[i].core + 1);
    for (unsigned i = 0; i < at; i++) {
        if (layout->cpu[i].socket != cpu->socket ||
            cpus[i].share[LEVEL_CORE] != cpus[at].share[LEVEL_CORE])
            continue;
        cpu->core = layout->cpu[i].core;
        cpu->thread = layout->cpu[i].thread + 1;
    }
}

/* Sockets, cores and threads counted through, whatever the file's ids are. */
static bool by_groups(const struct cpu_info *cpus, struct layout *ret)
{
    ret->sockets = ret->cores = ret->threads = 0;
    memset(ret->cpu, 0, sizeof ret->cpu);
    for (unsigned i = 0; i < ret->cpu_count; i++) {
        place(cpus, ret, i);
        ret->sockets = larger(ret->sockets, ret->cpu[i].socket + 1);
        ret->cores = larger(ret->cores, ret->cpu[i].core + 1);
        ret->threads = larger(ret->threads, ret->cpu[i].thread + 1);
    }
    return fits_qemu(ret) &&
           ret->sockets << (width(ret->cores) + width(ret->threads)) <= LAYOUT_APIC_ID + 1;
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
    bool found = by_ids(cpus, ret) || by_groups(cpus, ret);
    free(cpus);
    if (!found) {
        snprintf(reason, reason_size, "QEMU's machine has no room for %u sockets of %u cores",
                 ret->sockets, ret->cores);
        return false;
    }
    ret->file_ids = true;
    for (unsigned i = 0; i < ret->cpu_count; i++) {
        struct layout_cpu *cpu = &ret->cpu[i];
        cpu->index = (cpu->socket * ret->cores + cpu->core) * ret->threads + cpu->thread;
        cpu->apic_id = ((cpu->socket << width(ret->cores)) + cpu->core) << width(ret->threads) |
                       cpu->thread;
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
