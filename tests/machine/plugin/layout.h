/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sockets, dies, cores and threads of QEMU's -smp become the CPUs of a machine file, so that
 * the guest sees the file's APIC ids and what it claims of cores, last-level caches and packages.
 */
#ifndef TESTS_MACHINE_PLUGIN_LAYOUT_H
#define TESTS_MACHINE_PLUGIN_LAYOUT_H

#include "../desc.h"

#define LAYOUT_SLOTS   255u /* possible CPUs: what QEMU's q35 machine takes without x2APIC */
#define LAYOUT_APIC_ID 254u /* the largest APIC id without x2APIC */

struct layout_cpu {
    uint32_t socket, die, core, thread;
    uint32_t index; /* QEMU's: among all possible CPUs */
    uint32_t apic_id;
};

struct layout {
    uint32_t sockets, dies, cores, threads; /* as -smp has them: each within the one before */
    bool file_ids;                          /* the APIC ids are those of the machine file */
    unsigned cpu_count;
    struct layout_cpu cpu[LAYOUT_SLOTS]; /* in the order of the machine file */
};

/* False where no such machine can be had; reason then says why. Where QEMU cannot give the file's
 * APIC ids, CPUs get others, in the order of the file, and file_ids is false. */
bool layout_find(const struct desc *desc, struct layout *ret, char *reason, size_t reason_size);

/* CPU of the machine file that QEMU's CPU index is; cpu_count if it is none. */
unsigned layout_cpu_of_index(const struct layout *layout, unsigned index);

#endif
