/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of the application in QEMU, held against the truth of its machine. */
#ifndef TESTS_MACHINE_PLUGIN_VERDICT_H
#define TESTS_MACHINE_PLUGIN_VERDICT_H

#include "../sim_truth.h"
#include "guest.h"

/* Exit statuses. */
enum {
    VERDICT_GOOD = 0,
    VERDICT_BEYOND = 1, /* beyond the tolerance, or wrong groups */
    VERDICT_USAGE = 2,
    VERDICT_MACHINE = 3, /* wrong machine file */
    VERDICT_FAULT = 4,   /* no trace, no report, or the plugin missed something */
    VERDICT_BUSY = 5,    /* the host did not keep the time: says nothing about the application */
    VERDICT_SLOW = 6     /* QEMU needs more time for a line than the plan gave it */
};

/* Prints the comparison and one of these. trace: of the plugin; report: of flatten.jq. */
int verdict(const struct guest *guest, struct truth *truth, const char *trace, const char *report,
            uint32_t tolerance_percent);

#endif
