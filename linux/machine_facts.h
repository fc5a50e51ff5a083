/* SPDX-License-Identifier: BSD-2-Clause */
/* What Linux says of the machine it runs on. */
#ifndef LINUX_MACHINE_FACTS_H
#define LINUX_MACHINE_FACTS_H

#include "../lib/topology.h"
#include <stdbool.h>
#include <stdint.h>

struct machine_facts {
    bool signature_known;
    unsigned family, model, stepping; /* as /proc/cpuinfo has them */
    bool ids_known;                   /* false: none, or more than MAX_CPUS */
    unsigned id_count;
    uint32_t ids[MAX_CPUS]; /* APIC ids of the CPUs that are online, ascending */
    bool firmware_known;
    uint32_t microcode; /* revision; 0: not known */
    char firmware[256];
};

void machine_facts_read(const char *root, struct machine_facts *ret);

#endif
