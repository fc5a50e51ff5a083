/* SPDX-License-Identifier: BSD-2-Clause */
/* EFI_MP_SERVICES_PROTOCOL: which CPUs there are, and the one call that lends them to us (A1 to A3,
 * A5 to A11, A34 to A36).
 *
 * Calls made in one run: GetNumberOfProcessors and WhoAmI once, GetProcessorInfo once a CPU,
 * StartupAllAPs once; a refused non-blocking start is repeated once as a blocking one. Nothing
 * else, ever. */
#ifndef EFI_MP_SERVICES_H
#define EFI_MP_SERVICES_H

#include "../smp/mp.h"
#include "efi.h"

struct mp_services {
    const struct efi *efi;
    struct mp_protocol *protocol; /* NULL: there is none (A1) */
    unsigned total, enabled;      /* as firmware counts, the boot CPU included */
    EFI_STATUS status;            /* why protocol is NULL, or of the last call */
};

/* False where there is no such protocol, or it does not count its CPUs. */
bool mp_services_open(struct mp_services *mp, const struct efi *efi);

/* Fills cpus[] in firmware's order: APIC id, CPU_BOOT, CPU_DISABLED (which stands for unhealthy
 * too, A8), and everything else as not known. At most `room` entries; the boot CPU is always among
 * them. Returns how many; *ret_left_out counts CPUs that have no entry. */
unsigned mp_services_list(struct mp_services *mp, struct cpu_info *cpus, unsigned room,
                          unsigned *ret_left_out);

/* What became of the other CPUs. */
enum mp_end {
    MP_NOT_STARTED, /* none ran our code; the work was done without them */
    MP_ALL_BACK,    /* firmware has all of them back */
    MP_LOST         /* at least one is not back, or was taken back by force (A6, A11) */
};
struct mp_run {
    EFI_STATUS status;     /* of the start that counted, or of the blocking call as a whole */
    bool blocking;         /* the blocking form was used (A36) */
    unsigned failed;       /* CPUs in firmware's list of failed ones */
    unsigned first_failed; /* firmware's number of the first, if any */
};

/* Starts all enabled CPUs in mp_worker(team), calls work(ctx) on this one, and waits until firmware
 * has all of them back. work() must end with mp_dismiss(); it runs once, at TPL_APPLICATION or at
 * TPL_CALLBACK, and may use console, keys and Stall() only. timeout_us is when firmware takes back
 * by itself a CPU that never returns; the wait ends shortly after. `waiting` (may be NULL) is
 * called once if firmware lets us wait for long. */
enum mp_end mp_services_run(struct mp_services *mp, struct mp_team *team, uint64_t timeout_us,
                            void (*work)(void *ctx), void (*waiting)(void *ctx), void *ctx,
                            struct mp_run *ret);

/* For a team of which nobody came, or whoever did is gone again: from now on nobody is let in or
 * waited for. Does the work. */
void mp_work_alone(struct mp_team *team, void (*work)(void *ctx), void *ctx);

/* Has firmware run an empty procedure on all enabled CPUs, for after they were started behind its
 * back: a CPU that it cannot wake would make it wait for ever later, when boot services end (A11).
 * False where one does not answer within a second. *ret: status only. */
bool mp_services_answer(struct mp_services *mp, struct mp_run *ret);

#endif
