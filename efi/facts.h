/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of the machine before another CPU is started. */
#ifndef EFI_FACTS_H
#define EFI_FACTS_H

#include "../arch/x86/clock.h"
#include "../arch/x86/memtype.h"
#include "acpi_tables.h"
#include "efi.h"

#define FIRMWARE_VERSION_MAX 128u

struct facts {
    struct cpuid_dump cpuid; /* of the boot CPU */
    uint32_t signature;      /* its CPUID.1:EAX */
    struct cpuid_features features;
    bool has_mtrr;
    struct mtrr_state mtrr; /* of the boot CPU */
    char firmware[FIRMWARE_VERSION_MAX];
    struct acpi_facts acpi;
    uint32_t microcode; /* 0 where it cannot be read (A27, D16) */
    struct madt_cpus madt;
};

/* What tells one machine from another: cpuid, signature, firmware, acpi.rsdp. All of a boot that
 * has nothing to measure, so that nothing more is read here. */
void facts_identify(const struct efi *efi, struct facts *ret);
/* The rest. */
void facts_read(struct facts *facts);

/* The clock: rate, resolution, cost, and how fast the core runs beside it. Takes some 50 ms.
 * *ret_flags gets FLAG_CLOCK_... and FLAG_CORE_.... */
void facts_clock(const struct efi *efi, const struct facts *facts, struct clock_info *ret,
                 uint32_t *ret_flags);

#endif
