/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the other CPUs by INIT and SIPI: start_sipi.h has the contract. */
#include "start_sipi.h"

#include "../arch/x86/clock.h"
#include "../arch/x86/cpu.h"
#include "../smp/dispatch.h"

#define PAGE              4096u
#define MSR_SEV_STATUS    0xC0010131u
#define SEV_STATUS_HIDDEN 6u /* SEV-ES, SEV-SNP */

/* UEFI 2.10, 7.2.4 (not in every gnu-efi). */
struct memory_attributes_protocol {
    VOID *get_attributes, *set_attributes;
    EFI_STATUS(EFIAPI *clear_attributes)
    (struct memory_attributes_protocol *self, EFI_PHYSICAL_ADDRESS base, UINT64 bytes,
     UINT64 attributes);
};
static const EFI_GUID memory_attributes_guid = {
    0xf4560cf6, 0x40ec, 0x4b4a, {0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89}};
#define ATTRIBUTE_NO_EXECUTE 0x4000u
#define ATTRIBUTE_READ_ONLY  0x20000u

static bool is_hidden_guest(const struct cpuid_features *features)
{
    return features->tdx ||
           (features->sev && (cpu_read_msr(MSR_SEV_STATUS) & SEV_STATUS_HIDDEN) != 0);
}

const char *start_sipi_open(const struct facts *facts, struct apic *ret)
{
    if (is_hidden_guest(&facts->features))
        return "the CPUs of a guest under SEV-ES, SEV-SNP or TDX take no SIPI";
    if (facts->acpi.madt_cpus == 0)
        return "ACPI lists no CPUs";
    if (!facts->features.msr || !facts->features.apic || !apic_open(ret))
        return "the local APIC is off";
    return NULL;
}

unsigned start_sipi_list(const struct facts *facts, const struct apic *apic, struct cpu_info *cpus,
                         unsigned room, unsigned *ret_left_out)
{
    uint32_t own = apic_own_id(apic);
    unsigned count = 1;

    topology_cpu_init(&cpus[0], own);
    cpus[0].flags = CPU_BOOT;
    *ret_left_out = facts->acpi.madt == ACPI_TOO_MANY;
    for (unsigned i = 0; i < facts->madt.count; i++) {
        if (facts->madt.apic_id[i] == own)
            continue;
        if (count < room)
            topology_cpu_init(&cpus[count++], facts->madt.apic_id[i]);
        else
            ++*ret_left_out;
    }
    return count;
}

/* Of this CPU's counter, whose rate was found before. */
static void delay(void *ctx, uint32_t us)
{
    const struct clock_info *clock = ctx;
    uint64_t start = clock_read(), ticks = us * clock->khz / 1000 + 1;

    while (clock_read() - start < ticks)
        cpu_relax();
}

/* NULL where there is no memory that a SIPI can name. Page 0 is kept for a moment, so that another
 * is found (C6). */
static uint8_t *allocate_low(const struct efi *efi)
{
    EFI_PHYSICAL_ADDRESS address[2] = {SIPI_LOW_LAST, SIPI_LOW_LAST};
    UINTN pages = SIPI_LOW_BYTES / PAGE;
    unsigned tries = 0;
    uint8_t *low = NULL;

    while (!low && tries < 2 &&
           !EFI_ERROR(
               efi->bs->AllocatePages(AllocateMaxAddress, EfiLoaderCode, pages, &address[tries]))) {
        if (address[tries] >= SIPI_LOW_FIRST &&
            address[tries] <= SIPI_LOW_LAST + 1 - SIPI_LOW_BYTES)
            low = (uint8_t *)(uintptr_t)address[tries];
        else
            tries++;
    }
    while (tries > 0)
        (void)efi->bs->FreePages(address[--tries], pages);
    return low;
}

/* Firmware may have made the pages not executable, and says so with a protocol (C3). */
static bool make_executable(const struct efi *efi, const uint8_t *low)
{
    VOID *interface = NULL;

    if (EFI_ERROR(efi->bs->LocateProtocol(EFI_CONST(&memory_attributes_guid), NULL, &interface)) ||
        !interface)
        return true;
    struct memory_attributes_protocol *protocol = interface;
    return !EFI_ERROR(protocol->clear_attributes(protocol, (uintptr_t)low, SIPI_LOW_BYTES,
                                                 ATTRIBUTE_NO_EXECUTE | ATTRIBUTE_READ_ONLY));
}

/* In the System V convention, as the trampoline calls it. */
static void sipi_entry(void *argument)
{
    mp_worker(argument);
}

/* Names those that are to be started. */
static void list_targets(const struct start_sipi *start, struct trampoline_target *target)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < start->cpu_count; i++)
        if ((start->cpus[i].flags & CPU_BOOT) == 0)
            target[count++].apic_id = start->cpus[i].apic_id;
}

static void mark_silent(const struct start_sipi *start, const struct trampoline_target *target)
{
    for (unsigned i = 0; i < start->cpu_count; i++) {
        if ((start->cpus[i].flags & CPU_BOOT) != 0)
            continue;
        if (target->state != TRAMPOLINE_ALIVE)
            start->cpus[i].flags |= CPU_LOST;
        target++;
    }
}

/* All memory is there. MP_NOT_STARTED: nobody came, and work() is yet to be done. */
static enum mp_end run_with(const struct start_sipi *start, struct sipi *sipi,
                            void (*work)(void *ctx), void *ctx)
{
    enum mp_end end = MP_NOT_STARTED;

    sipi_prepare(sipi);
    if (sipi_start(sipi) > 0) {
        mark_silent(start, sipi->target);
        work(ctx);
        end = mp_dismiss(start->team, 0, NULL) == 0 ? MP_ALL_BACK : MP_LOST;
    }
    return sipi_stop(sipi) ? end : MP_LOST;
}

enum mp_end start_sipi_run(const struct start_sipi *start, void (*work)(void *ctx), void *ctx,
                           const char **ret_why)
{
    const struct efi *efi = start->efi;
    unsigned others = start->cpu_count - 1;
    size_t bytes = others * (size_t)(TRAMPOLINE_STACK_BYTES + sizeof(struct trampoline_target));
    uint8_t *memory = efi_allocate(efi, bytes), *low = allocate_low(efi);
    enum mp_end end = MP_NOT_STARTED;

    *ret_why = NULL;
    if (!memory || !low) {
        *ret_why = "there is no memory below 640 KiB to start CPUs in";
    } else if (!make_executable(efi, low)) {
        *ret_why = "the firmware lets no code run below 640 KiB";
    } else {
        struct sipi sipi = {
            .apic = start->apic,
            .low = low,
            .target =
                (struct trampoline_target *)(void *)(memory + others * TRAMPOLINE_STACK_BYTES),
            .count = others,
            .stacks = memory,
            .mtrr = start->facts->has_mtrr,
            .pat = start->facts->features.pat,
            .entry = sipi_entry,
            .argument = start->team,
            .delay = delay,
            .ctx = EFI_CONST(start->clock),
        };
        list_targets(start, sipi.target);
        end = run_with(start, &sipi, work, ctx);
        if (end == MP_NOT_STARTED)
            *ret_why = "no other CPU answers a SIPI";
    }
    if (low)
        (void)efi->bs->FreePages((uintptr_t)low, SIPI_LOW_BYTES / PAGE);
    efi_free(efi, memory, bytes);
    if (end == MP_NOT_STARTED)
        mp_work_alone(start->team, work, ctx);
    return end;
}
