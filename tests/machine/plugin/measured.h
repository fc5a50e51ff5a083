/* SPDX-License-Identifier: BSD-2-Clause */
/* What the application reported from the guest, as a result of the machine: CPUs in the order of
 * the machine file, times of the machine itself. */
#ifndef TESTS_MACHINE_PLUGIN_MEASURED_H
#define TESTS_MACHINE_PLUGIN_MEASURED_H

#include "../../../lib/result.h"
#include "guest.h"
#include "pass.h"

struct measured {
    struct result result; /* without cpus, numa, stay and curves */
    unsigned cpus;        /* that the report has .. */
    unsigned strangers;   /* .. and of these, no CPUs of the machine file */
    bool clock_doubted;   /* the guest had no two clocks that agree */
};

/* Reads what flatten.jq makes of report.json. False: reason says why. */
bool measured_read(struct measured *ret, const char *path, const struct guest *guest,
                   struct pass_scale scale, char *reason, size_t reason_size);
void measured_free(struct measured *measured);

#endif
