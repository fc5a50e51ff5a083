/* SPDX-License-Identifier: BSD-2-Clause */
/* What a CPU can do, from its CPUID dump: clock, idle, MSRs that may be read, names, and signs of a
 * guest. */
#include "../../lib/mem.h"
#include "cpuid_internal.h"

#define TSC_KHZ_MIN 100000u /* a claim outside of these is garbage (B3) */
#define TSC_KHZ_MAX 10000000u

static bool bit(uint32_t value, unsigned number)
{
    return value >> number & 1;
}

/* Replaces what is no printable ASCII: the text is foreign. */
static void clean(char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

static void read_vendor(const struct cpuid_dump *dump, char vendor[13])
{
    const struct cpuid_leaf *leaf = cpuid_get(dump, 0);

    memcpy(vendor, &leaf->ebx, 4);
    memcpy(vendor + 4, &leaf->edx, 4);
    memcpy(vendor + 8, &leaf->ecx, 4);
    vendor[12] = 0;
    clean(vendor);
}

static void read_brand(const struct cpuid_dump *dump, char brand[49])
{
    char raw[49], *start = raw;
    size_t length = 0;

    for (uint32_t i = 0; i < 3; i++) {
        const struct cpuid_leaf *leaf = cpuid_get(dump, 0x80000002u + i);

        memcpy(raw + 16 * i, &leaf->eax, 4);
        memcpy(raw + 16 * i + 4, &leaf->ebx, 4);
        memcpy(raw + 16 * i + 8, &leaf->ecx, 4);
        memcpy(raw + 16 * i + 12, &leaf->edx, 4);
    }
    raw[48] = 0;
    clean(raw);
    while (*start == ' ')
        start++;
    while (start[length])
        length++;
    while (length && start[length - 1] == ' ')
        length--;
    memcpy(brand, start, length);
    brand[length] = 0;
}

/* Crystal of CPUs whose leaf 0x15 leaves it out (ECX 0). Intel SDM volume 3B, "Determining the
 * Processor Base Frequency". Not in it: model 0x55, which has 24 or 25 MHz. */
static uint32_t crystal_hz(unsigned family, unsigned model)
{
    static const struct {
        uint8_t model, megahertz_tenths;
    } crystals[] = {
        {0x4E, 240}, {0x5E, 240}, {0x8E, 240}, {0x9E, 240}, {0xA5, 240},
        {0xA6, 240}, {0x5C, 192}, {0x7A, 192}, {0x5F, 250},
    };

    for (unsigned i = 0; family == 6 && i < sizeof crystals / sizeof crystals[0]; i++) {
        if (crystals[i].model == model)
            return crystals[i].megahertz_tenths * 100000u;
    }
    return 0;
}

static bool plausible_khz(uint64_t khz)
{
    return khz >= TSC_KHZ_MIN && khz <= TSC_KHZ_MAX;
}

/* Leaf 0x15: TSC = crystal * EBX / EAX. 0 where any part is missing: each is 0 then. */
static uint64_t khz_of_crystal(const struct cpuid_dump *dump, uint32_t signature)
{
    const struct cpuid_leaf *leaf = cpuid_get(dump, 0x15);
    uint64_t denominator = leaf->eax, numerator = leaf->ebx, hz = leaf->ecx;

    if (hz == 0 && cpuid_vendor(dump) == VENDOR_INTEL)
        hz = crystal_hz(cpuid_family(signature), cpuid_model(signature));
    if (denominator == 0)
        return 0;
    return (hz * numerator / denominator + 500) / 1000;
}

/* Best first: a hypervisor's own leaf 0x40000010 (VMware, KVM; what it passes of 0x15 is the
 * host's), leaf 0x15, the base frequency of 0x16, which is within a percent of the TSC's. All of
 * them are hints, checked against a second clock (B3). */
static uint64_t khz_hint(const struct cpuid_dump *dump, bool hypervisor, uint32_t signature)
{
    uint64_t claims[] = {
        hypervisor ? cpuid_get(dump, 0x40000010u)->eax : 0,
        khz_of_crystal(dump, signature),
        (uint64_t)(cpuid_get(dump, 0x16)->eax & 0xFFFF) * 1000,
    };

    for (unsigned i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        if (plausible_khz(claims[i]))
            return claims[i];
    }
    return 0;
}

/* Family 6 models with MSR_SMI_COUNT (0x34): Intel SDM volume 4. Client and server cores since
 * Nehalem, Atom since Silvermont, Xeon Phi. A model that is not listed is not read (A27). */
static bool has_smi_counter(unsigned family, unsigned model)
{
    static const uint8_t models[] = {
        0x1A, 0x1E, 0x1F, 0x2E,                         /* Nehalem */
        0x25, 0x2C, 0x2F,                               /* Westmere */
        0x2A, 0x2D, 0x3A, 0x3E,                         /* Sandy Bridge, Ivy Bridge */
        0x3C, 0x3F, 0x45, 0x46, 0x3D, 0x47, 0x4F, 0x56, /* Haswell, Broadwell */
        0x4E, 0x5E, 0x55, 0x8E, 0x9E, 0xA5, 0xA6, 0x66, /* Skylake to Cannon Lake */
        0x7D, 0x7E, 0x6A, 0x6C, 0x8C, 0x8D, 0xA7,       /* Ice Lake to Rocket Lake */
        0x97, 0x9A, 0xB7, 0xBA, 0xBF, 0xAA, 0xAC,       /* Alder Lake to Meteor Lake */
        0xB5, 0xC5, 0xC6, 0xBD,                         /* Arrow Lake, Lunar Lake */
        0x8F, 0xCF, 0xAD, 0xAE, 0xAF,                   /* Sapphire to Granite Rapids */
        0x37, 0x4A, 0x4C, 0x4D, 0x5A, 0x5C, 0x5F, 0x7A, /* Silvermont to Goldmont Plus */
        0x86, 0x96, 0x9C, 0xBE, 0xB6,                   /* Tremont to Crestmont */
        0x57, 0x85,                                     /* Knights Landing, Knights Mill */
    };

    for (unsigned i = 0; family == 6 && i < sizeof models; i++) {
        if (models[i] == model)
            return true;
    }
    return false;
}

static bool is_tdx(const struct cpuid_dump *dump)
{
    const struct cpuid_leaf *leaf = cpuid_get(dump, 0x21);

    return leaf->ebx == 0x65746E49u && leaf->edx == 0x5844546Cu && leaf->ecx == 0x20202020u;
}

void cpuid_features(const struct cpuid_dump *dump, struct cpuid_features *ret)
{
    const struct cpuid_leaf *basic = cpuid_get(dump, 1), *idle = cpuid_get(dump, 5);
    uint32_t ecx = basic->ecx, edx = basic->edx, signature = basic->eax;
    uint32_t monitor_line = idle->ebx & 0xFFFF;
    enum cpuid_vendor vendor = cpuid_vendor(dump);
    bool hypervisor = bit(ecx, 31), monitor = bit(ecx, 3) && monitor_line != 0;

    *ret = (struct cpuid_features){
        .tsc = bit(edx, 4),
        .msr = bit(edx, 5),
        .mtrr = bit(edx, 12),
        .invariant_tsc = bit(cpuid_get(dump, 0x80000007u)->edx, 8),
        .aperf_mperf = bit(cpuid_get(dump, 6)->ecx, 0),
        .monitor = monitor,
        .monitor_break = monitor && (idle->ecx & 3) == 3,
        .hypervisor = hypervisor,
        .intel = vendor == VENDOR_INTEL,
        .amd = vendor == VENDOR_AMD,
        .tsc_adjust = bit(cpuid_get(dump, 7)->ebx, 1),
        .apic = bit(edx, 9),
        .x2apic = bit(ecx, 21),
        .pat = bit(edx, 16),
        .sev = hypervisor && bit(cpuid_get(dump, 0x8000001Fu)->eax, 1),
        .tdx = is_tdx(dump),
        .signature = signature,
        .monitor_line_largest = monitor ? monitor_line : 0,
        .tsc_khz_hint = khz_hint(dump, hypervisor, signature),
        .base_mhz = cpuid_get(dump, 0x16)->eax & 0xFFFF,
    };
    ret->smi_counter = ret->intel && ret->msr && !hypervisor &&
                       has_smi_counter(cpuid_family(signature), cpuid_model(signature));
    read_vendor(dump, ret->vendor);
    read_brand(dump, ret->brand);
}
