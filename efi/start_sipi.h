/* SPDX-License-Identifier: BSD-2-Clause */
/* The other CPUs without MP Services: ACPI says which there are, INIT and SIPI start them, INIT
 * puts them back (A12 to A18, C5, C6). */
#ifndef EFI_START_SIPI_H
#define EFI_START_SIPI_H

#include "../arch/x86/sipi.h"
#include "facts.h"
#include "mp_services.h"

/* NULL where it may be tried, and *ret is filled; else why not, as a clause. Guests whose memory is
 * hidden from the hypervisor have other ways to start CPUs (A32). */
const char *start_sipi_open(const struct facts *facts, struct apic *ret);

/* Fills cpus[] with the boot CPU, which is the one that we run on, and all others that ACPI calls
 * enabled (A16, A17). Returns how many, at most `room`; *ret_left_out counts those beyond. */
unsigned start_sipi_list(const struct facts *facts, const struct apic *apic, struct cpu_info *cpus,
                         unsigned room, unsigned *ret_left_out);

/* What it works with: all of it the caller's. */
struct start_sipi {
    const struct efi *efi;
    const struct facts *facts;
    const struct clock_info *clock;
    struct apic apic;
    struct cpu_info *cpus; /* one that does not answer gets CPU_LOST */
    unsigned cpu_count;
    struct mp_team *team;
};

/* Starts all CPUs but CPU_BOOT in mp_worker(team), calls work(ctx) on this one, and puts the others
 * back to wait for a SIPI. work() must end with mp_dismiss(). Work is done without them where they
 * cannot be started: *ret_why is then a clause that says why, else NULL. MP_LOST: one had to be
 * stopped in the middle of something. */
enum mp_end start_sipi_run(const struct start_sipi *start, void (*work)(void *ctx), void *ctx,
                           const char **ret_why);

#endif
