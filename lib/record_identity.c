/* SPDX-License-Identifier: BSD-2-Clause */
/* Who was measured: the sums over CPUs, caches, nodes and firmware, and the order of CPUs. */
#include "crc32.h"
#include "record_format.h"

bool record_order(const struct cpu_info *cpus, unsigned count, uint16_t *ret_order)
{
    bool unique = true;
    /* By insertion: firmware lists CPUs in ascending order, or nearly so. */
    for (unsigned i = 0; i < count; i++) {
        uint32_t id = cpus[i].apic_id;
        unsigned at = i;
        for (; at > 0 && cpus[ret_order[at - 1]].apic_id > id; at--)
            ret_order[at] = ret_order[at - 1];
        ret_order[at] = (uint16_t)i;
        if (id == APIC_ID_INVALID || (at > 0 && cpus[ret_order[at - 1]].apic_id == id))
            unique = false;
    }
    return unique;
}

static uint32_t add_id(uint32_t crc, uint32_t id)
{
    uint8_t bytes[4];
    put32(bytes, id);
    return crc32_update(crc, bytes, sizeof bytes);
}

uint32_t record_ids_crc(const uint32_t *ascending, unsigned count)
{
    uint32_t crc = 0;
    for (unsigned i = 0; i < count; i++)
        crc = add_id(crc, ascending[i]);
    return crc;
}

uint32_t record_apic_ids_crc(const struct cpu_info *cpus, unsigned count)
{
    uint16_t order[MAX_CPUS];
    uint32_t crc = 0;
    count = count > MAX_CPUS ? MAX_CPUS : count;
    record_order(cpus, count, order);
    for (unsigned i = 0; i < count; i++)
        crc = add_id(crc, cpus[order[i]].apic_id);
    return crc;
}

uint32_t record_caches_crc(const struct cpu_info *cpu)
{
    uint32_t crc = 0;
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        uint8_t bytes[13];
        bytes[0] = (uint8_t)level;
        put64(bytes + 1, cpu->cache_bytes[level]);
        put16(bytes + 9, cpu->cache_ways[level]);
        put16(bytes + 11, cpu->line_bytes);
        crc = crc32_update(crc, bytes, sizeof bytes);
    }
    return crc;
}

uint32_t record_numa_crc(const struct numa *numa)
{
    if (!numa || !numa->node_count)
        return 0;
    unsigned nodes = numa->node_count > MAX_NODES ? MAX_NODES : numa->node_count;
    unsigned ranges = numa->range_count > MAX_MEMORY_RANGES ? MAX_MEMORY_RANGES : numa->range_count;
    uint32_t crc = 0;
    for (unsigned i = 0; i < nodes; i++) {
        crc = add_id(crc, numa->node_id[i]);
        crc = crc32_update(crc, numa->distance[i], nodes);
    }
    for (unsigned i = 0; i < ranges; i++) {
        uint8_t bytes[20];
        put64(bytes, numa->range[i].base);
        put64(bytes + 8, numa->range[i].bytes);
        put32(bytes + 16, numa->range[i].node);
        crc = crc32_update(crc, bytes, sizeof bytes);
    }
    return crc;
}

uint32_t record_firmware_crc(const char *version)
{
    if (!version)
        return 0;
    /* Firmware pads the string, and Linux ends its file with a newline. */
    size_t length = 0;
    for (size_t i = 0; version[i]; i++)
        if (version[i] != ' ' && version[i] != '\t' && version[i] != '\n' && version[i] != '\r')
            length = i + 1;
    return crc32_update(0, version, length);
}
