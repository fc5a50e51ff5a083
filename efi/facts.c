/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of the machine before another CPU is started: facts.h has the contract. */
#include "facts.h"

#include "../arch/x86/cpu.h"
#include "../lib/flags.h"
#include "../lib/mem.h"
#include "firmware_version.h"
#include "references.h"

#define MSR_MICROCODE  0x8Bu
#define CORE_WINDOW_MS 5u /* a clock that ramps has done so in this time, on most parts (B8) */

/* The loaded update. On Intel it is what the firmware's own look at it left there (SDM
 * 3A, 10.11.7); it serves as a note only. */
static uint32_t read_microcode(const struct cpuid_features *features)
{
    if (features->hypervisor || !features->msr || !(features->intel || features->amd))
        return 0;
    uint64_t value = cpu_read_msr(MSR_MICROCODE);
    return (uint32_t)(features->intel ? value >> 32 : value);
}

void facts_identify(const struct efi *efi, struct facts *ret)
{
    memset(ret, 0, sizeof(*ret));
    cpuid_collect(&ret->cpuid);
    const struct cpuid_leaf *leaf = cpuid_find(&ret->cpuid, 1, 0);
    ret->signature = leaf ? leaf->eax : 0;
    (void)firmware_version(efi, ret->firmware, sizeof(ret->firmware));
    acpi_tables_open(efi, &ret->acpi);
}

void facts_read(struct facts *facts)
{
    cpuid_features(&facts->cpuid, &facts->features);
    facts->has_mtrr = mtrr_read(&facts->cpuid, &facts->mtrr);
    facts->microcode = read_microcode(&facts->features);
    acpi_tables_read(&facts->madt, &facts->acpi);
}

/* Keeps this core busy and looks how fast it ran. */
static uint32_t measure_core(const struct clock_info *clock)
{
    struct clock_core before, after;

    clock_core_read(&before);
    uint64_t start = clock_read();
    while (clock_read() - start < CORE_WINDOW_MS * clock->khz)
        ;
    clock_core_read(&after);
    return clock_core_permille(&before, &after);
}

void facts_clock(const struct efi *efi, const struct facts *facts, struct clock_info *ret,
                 uint32_t *ret_flags)
{
    struct references references;

    references_open(&references, efi, facts->acpi.pm_timer);
    *ret_flags = 0;
    clock_calibrate(&facts->features, references.list, references.count, ret, ret_flags);
    if (facts->features.aperf_mperf && !facts->features.hypervisor)
        ret->core_permille = measure_core(ret);
    *ret_flags |= clock_core_flags(ret->core_permille);
}
