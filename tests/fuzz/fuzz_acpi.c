/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the readers of ACPI tables. The first byte says which (low bits) and whether length and
 * checksum are made right first (bit 7), since no fuzzer guesses a sum. */
#include "../../lib/acpi.h"
#include "../unit/exact.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

#define HEADER     36u
#define BASE       0x1000u /* where the made-up memory of acpi_find() begins, with the RSDP */
#define MAX_COPIES 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_sum(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;
    bytes[at] = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[at] = (uint8_t)-sum;
}

static void mend(uint8_t *table, size_t size, const char *signature)
{
    if (size < HEADER)
        return;
    const uint32_t length = (uint32_t)size;
    memcpy(table, signature, 4);
    memcpy(table + 4, &length, 4);
    make_sum(table, size, 9);
}

static bool usable(enum acpi_status status)
{
    return status == ACPI_OK || status == ACPI_TRUNCATED || status == ACPI_TOO_MANY;
}

static void fuzz_madt(const uint8_t *table, size_t size)
{
    static struct madt_cpus cpus;
    enum acpi_status status = acpi_read_madt(table, size, &cpus);
    REQUIRE(cpus.count <= MAX_CPUS);
    REQUIRE(usable(status) || (cpus.count == 0 && cpus.disabled == 0 && cpus.dropped == 0));
    for (unsigned i = 0; i < cpus.count; i++) {
        REQUIRE(cpus.apic_id[i] != 0xFFFFFFFF);
        for (unsigned k = 0; k < i; k++)
            REQUIRE(cpus.apic_id[i] != cpus.apic_id[k]);
    }
}

static void check_numa(const struct numa *numa)
{
    REQUIRE(numa->node_count <= MAX_NODES && numa->range_count <= MAX_MEMORY_RANGES);
    for (unsigned a = 0; a < numa->node_count; a++) {
        REQUIRE(numa->node_id[a] != NODE_UNKNOWN);
        REQUIRE(a == 0 || numa->node_id[a - 1] < numa->node_id[a]);
        REQUIRE(numa->distance[a][a] == DISTANCE_LOCAL);
        for (unsigned b = 0; b < numa->node_count; b++)
            REQUIRE(numa->distance[a][b] >= DISTANCE_LOCAL);
    }
    for (unsigned i = 0; i < numa->range_count; i++)
        REQUIRE(numa->range[i].bytes > 0 &&
                numa->range[i].base + numa->range[i].bytes >= numa->range[i].base);
}

static void fuzz_srat(const uint8_t *table, size_t size)
{
    static struct numa numa;
    struct cpu_info cpus[8];
    memset(cpus, 0, sizeof cpus);
    memset(&numa, 0, sizeof numa);
    for (unsigned i = 0; i < 8; i++)
        cpus[i].apic_id = i < 4 ? i : 1u << 4 * i;
    enum acpi_status status = acpi_read_srat(table, size, cpus, 8, &numa);
    REQUIRE(usable(status) || numa.node_count == 0);
    check_numa(&numa);
}

static void fuzz_slit(const uint8_t *table, size_t size)
{
    static struct numa numa;
    memset(&numa, 0, sizeof numa);
    numa.node_count = 3;
    for (unsigned a = 0; a < 3; a++) {
        numa.node_id[a] = a * a; /* 0, 1, 4 */
        for (unsigned b = 0; b < 3; b++)
            numa.distance[a][b] = a == b ? 10 : 20;
    }
    acpi_read_slit(table, size, &numa);
    check_numa(&numa);
}

static void fuzz_fadt(const uint8_t *table, size_t size)
{
    struct pm_timer timer;
    enum acpi_status status = acpi_read_fadt(table, size, &timer);
    REQUIRE(timer.port <= 0xFFFC && (timer.port == 0 || status == ACPI_OK));
    REQUIRE(timer.bits == (timer.port == 0 ? 0 : timer.bits == 32 ? 32 : 24));
}

struct memory {
    const uint8_t *bytes;
    size_t size;
    void *copies[MAX_COPIES];
    unsigned copy_count;
};

/* Each read is a copy of exactly its size: ASan sees what is read beyond it. */
static const void *read_memory(void *ctx, uint64_t address, size_t length)
{
    struct memory *m = ctx;
    if (address < BASE || address - BASE > m->size || length > m->size - (address - BASE) ||
        m->copy_count == MAX_COPIES)
        return NULL;
    uint8_t *copy = malloc(length > 0 ? length : 1);
    REQUIRE(copy != NULL);
    memcpy(copy, m->bytes + (address - BASE), length);
    m->copies[m->copy_count++] = copy;
    return copy;
}

/* Sums of the root pointer, and of whatever looks like a table at a multiple of 16. */
static void mend_memory(uint8_t *bytes, size_t size)
{
    if (size < HEADER)
        return;
    memcpy(bytes, "RSD PTR ", 8);
    make_sum(bytes, 20, 8);
    make_sum(bytes, 36, 32);
    for (size_t at = 48; at + HEADER <= size; at += 16) {
        uint32_t length;
        memcpy(&length, bytes + at + 4, 4);
        if (length >= HEADER && length <= size - at)
            make_sum(bytes + at, length, 9);
    }
}

static void fuzz_find(const uint8_t *bytes, size_t size)
{
    static struct memory m;
    m = (struct memory){.bytes = bytes, .size = size};
    const struct acpi_memory memory = {read_memory, &m};
    const uint8_t *table = NULL;
    size_t length = 0;
    enum acpi_status status = acpi_find(&memory, BASE, "APIC", &table, &length);
    if (status == ACPI_OK) {
        REQUIRE(length >= HEADER && length <= ACPI_TABLE_MAX);
        fuzz_madt(table, length);
    } else {
        REQUIRE(table == NULL && length == 0);
    }
    while (m.copy_count > 0)
        free(m.copies[--m.copy_count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const signatures[] = {"APIC", "SRAT", "SLIT", "FACP"};
    static void (*const readers[])(const uint8_t *, size_t) = {fuzz_madt, fuzz_srat, fuzz_slit,
                                                               fuzz_fadt};
    if (size == 0)
        return 0;
    const unsigned which = data[0] % 5;
    const bool mended = (data[0] & 0x80) != 0;
    uint8_t *copy = exact_copy(data + 1, --size);
    if (which == 4) {
        if (mended)
            mend_memory(copy, size);
        fuzz_find(copy, size);
    } else {
        if (mended)
            mend(copy, size, signatures[which]);
        readers[which](copy, size);
    }
    free(copy);
    return 0;
}
