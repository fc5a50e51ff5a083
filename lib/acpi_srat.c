/* SPDX-License-Identifier: BSD-2-Clause */
/* SRAT and SLIT: which node a CPU and a piece of memory belong to, and how far nodes are apart.
 * ACPI 6.5, 5.2.16 and 5.2.17. */
#include "acpi_private.h"
#include "mem.h"

#define SRAT_HEADER     48u
#define SLIT_HEADER     44u
#define CPU_AFFINITY    0u /* 16 bytes: domain at 2 and 9, APIC id 3, flags 4 */
#define MEMORY_AFFINITY 1u /* 40 bytes: domain at 2, base 8, length 16, flags 28 */
#define X2APIC_AFFINITY 2u /* 24 bytes: domain at 4, id 8, flags 12 */
#define FLAG_ENABLED    1u
#define DISTANCE_REMOTE 20u

struct srat {
    struct cpu_info *cpus;
    unsigned cpu_count;
    struct numa *numa;
    uint32_t domain_mask; /* revision 1 had 8 bits, and left the others to chance */
    bool fits;
};

static void add_node(struct srat *srat, uint32_t node)
{
    struct numa *numa = srat->numa;
    unsigned at = 0;
    while (at < numa->node_count && numa->node_id[at] < node)
        at++;
    if (at < numa->node_count && numa->node_id[at] == node)
        return;
    if (numa->node_count == MAX_NODES) {
        srat->fits = false;
        return;
    }
    memmove(&numa->node_id[at + 1], &numa->node_id[at],
            (numa->node_count - at) * sizeof numa->node_id[0]);
    numa->node_id[at] = node;
    numa->node_count++;
}

static void add_cpu(struct srat *srat, uint32_t apic_id, uint32_t node, uint32_t flags)
{
    if ((flags & FLAG_ENABLED) == 0 || node == NODE_UNKNOWN)
        return;
    add_node(srat, node);
    for (unsigned i = 0; i < srat->cpu_count; i++) {
        if (srat->cpus[i].apic_id == apic_id)
            srat->cpus[i].node = node;
    }
}

static void add_memory(struct srat *srat, uint32_t node, uint64_t base, uint64_t bytes,
                       uint32_t flags)
{
    struct numa *numa = srat->numa;
    if ((flags & FLAG_ENABLED) == 0 || node == NODE_UNKNOWN || bytes == 0 ||
        base > UINT64_MAX - bytes)
        return;
    add_node(srat, node);
    if (numa->range_count == MAX_MEMORY_RANGES) {
        srat->fits = false;
        return;
    }
    numa->range[numa->range_count++] = (struct memory_range){base, bytes, node};
}

static void read_entry(struct srat *srat, struct acpi_entries *entries, const uint8_t *entry)
{
    if (entry[0] == CPU_AFFINITY && acpi_entry_holds(entries, entry, 16)) {
        const uint32_t node = entry[2] | (get32(entry + 8) & 0xFFFFFF00u);
        add_cpu(srat, entry[3], node & srat->domain_mask, get32(entry + 4));
    }
    if (entry[0] == MEMORY_AFFINITY && acpi_entry_holds(entries, entry, 40))
        add_memory(srat, get32(entry + 2) & srat->domain_mask, get64(entry + 8), get64(entry + 16),
                   get32(entry + 28));
    if (entry[0] == X2APIC_AFFINITY && acpi_entry_holds(entries, entry, 24))
        add_cpu(srat, get32(entry + 8), get32(entry + 4), get32(entry + 12));
}

enum acpi_status acpi_read_srat(const uint8_t *table, size_t length, struct cpu_info *cpus,
                                unsigned cpu_count, struct numa *numa)
{
    enum acpi_status status = acpi_check(table, length, "SRAT", SRAT_HEADER, &length);
    if (status != ACPI_OK)
        return status;

    memset(numa, 0, sizeof *numa);
    for (unsigned i = 0; i < cpu_count; i++)
        cpus[i].node = NODE_UNKNOWN;
    struct srat srat = {cpus, cpu_count, numa, table[8] < 2 ? 0xFF : 0xFFFFFFFF, true};
    struct acpi_entries entries = {table + SRAT_HEADER, length - SRAT_HEADER, ACPI_OK};
    for (const uint8_t *entry; (entry = acpi_entry_next(&entries)) != NULL;)
        read_entry(&srat, &entries, entry);

    for (unsigned a = 0; a < numa->node_count; a++) {
        for (unsigned b = 0; b < numa->node_count; b++)
            numa->distance[a][b] = a == b ? DISTANCE_LOCAL : DISTANCE_REMOTE;
    }
    return srat.fits ? entries.status : ACPI_TOO_MANY;
}

enum acpi_status acpi_read_slit(const uint8_t *table, size_t length, struct numa *numa)
{
    enum acpi_status status = acpi_check(table, length, "SLIT", SLIT_HEADER, &length);
    if (status != ACPI_OK)
        return status;
    const uint64_t count = get64(table + ACPI_HEADER);
    if (count > ACPI_TABLE_MAX || count * count > length - SLIT_HEADER)
        return ACPI_BAD_LENGTH;
    const uint8_t *matrix = table + SLIT_HEADER;
    for (uint64_t i = 0; i < count * count; i++) {
        if (matrix[i] < DISTANCE_LOCAL)
            return ACPI_BAD_VALUE;
    }
    for (unsigned a = 0; a < numa->node_count; a++) {
        for (unsigned b = 0; b < numa->node_count; b++) {
            if (a != b && numa->node_id[a] < count && numa->node_id[b] < count)
                numa->distance[a][b] = matrix[numa->node_id[a] * count + numa->node_id[b]];
        }
    }
    return ACPI_OK;
}
