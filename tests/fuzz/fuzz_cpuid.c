/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the CPUID decoder with two CPUs of one machine. Input: two APIC ids, then records of
 * RECORD bytes: which leaf (bits 0 to 5, into the list below) of which CPUs (bits 6 and 7),
 * subleaf, four registers; numbers little-endian. */
#include "../../arch/x86/cpuid.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

#define RECORD 18u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint32_t leaves[] = {
    0x0,        0x1,        0x4,        0x5,        0x6,        0x7,        0xB,
    0x15,       0x16,       0x1A,       0x1F,       0x21,       0x40000000, 0x40000010,
    0x80000000, 0x80000001, 0x80000002, 0x80000003, 0x80000004, 0x80000005, 0x80000006,
    0x80000007, 0x80000008, 0x8000001D, 0x8000001E, 0x8000001F, 0x80000026};

static void add_record(const uint8_t *record, struct cpuid_dump *dumps)
{
    struct cpuid_leaf leaf = {.leaf = leaves[(record[0] & 0x3F) % (sizeof leaves / 4)],
                              .subleaf = record[1]};

    memcpy(&leaf.eax, record + 2, 4);
    memcpy(&leaf.ebx, record + 6, 4);
    memcpy(&leaf.ecx, record + 10, 4);
    memcpy(&leaf.edx, record + 14, 4);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        if ((record[0] >> (6 + cpu) & 1) && dumps[cpu].count < CPUID_LEAVES)
            dumps[cpu].leaf[dumps[cpu].count++] = leaf;
    }
}

static void check_features(const struct cpuid_dump *dump)
{
    struct cpuid_features features;

    memset(&features, 0xA5, sizeof features);
    cpuid_features(dump, &features);
    REQUIRE(features.tsc_khz_hint == 0 ||
            (features.tsc_khz_hint >= 100000 && features.tsc_khz_hint <= 10000000));
    REQUIRE(memchr(features.vendor, 0, sizeof features.vendor) != NULL);
    REQUIRE(memchr(features.brand, 0, sizeof features.brand) != NULL);
    for (const char *c = features.brand; *c; c++)
        REQUIRE(*c >= ' ' && *c <= '~');
    REQUIRE(!features.smi_counter || (features.intel && features.msr && !features.hypervisor));
    REQUIRE(!features.monitor_break || features.monitor);
    REQUIRE(cpuid_cache_source(dump) != NULL);
}

static void check_cpu(const struct cpuid_dump *dump, uint32_t apic_id, struct cpu_info *cpu)
{
    topology_cpu_init(cpu, 0);
    bool trusted = cpuid_describe(dump, apic_id, cpu);
    REQUIRE(!trusted || (cpuid_apic_id(dump) & 0xFF) == (apic_id & 0xFF));
    REQUIRE(cpu->apic_id == apic_id && cpu->share[LEVEL_SYSTEM] == 0);
    for (unsigned level = 0; level < LEVEL_SYSTEM; level++)
        REQUIRE(cpu->share[level] != 0);
    for (unsigned level = 0; level < CACHE_LEVELS; level++)
        REQUIRE(cpu->cache_bytes[level] <= 1ull << 36);
    REQUIRE(cpu->line_bytes >= 16 && cpu->line_bytes <= 512);
    REQUIRE((cpu->line_bytes & (cpu->line_bytes - 1)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cpuid_dump dumps[2];
    struct cpu_info cpus[2];
    uint32_t apic_ids[2];

    if (size < sizeof apic_ids)
        return 0;
    memcpy(apic_ids, data, sizeof apic_ids);
    memset(dumps, 0, sizeof dumps);
    for (size_t at = sizeof apic_ids; size - at >= RECORD; at += RECORD)
        add_record(data + at, dumps);
    for (unsigned i = 0; i < 2; i++) {
        check_cpu(&dumps[i], apic_ids[i], &cpus[i]);
        check_features(&dumps[i]);
    }
    REQUIRE(topology_level(&cpus[0], &cpus[1]) == topology_level(&cpus[1], &cpus[0]));
    REQUIRE(topology_key_equal(topology_key(&cpus[0], &cpus[1], NULL),
                               topology_key(&cpus[1], &cpus[0], NULL)));
    struct cpu_info turned[2] = {cpus[1], cpus[0]};
    bool contradicts = topology_contradicts(cpus, 2);
    REQUIRE(topology_contradicts(turned, 2) == contradicts);
    REQUIRE(contradicts || apic_ids[0] != apic_ids[1]);
    return 0;
}
