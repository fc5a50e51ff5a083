/* SPDX-License-Identifier: BSD-2-Clause */
/* The measurement: from a machine to a result. docs/method.md says what is measured and why. */
#ifndef LIB_ENGINE_H
#define LIB_ENGINE_H

#include "machine.h"
#include "result.h"
#include <stddef.h>

#define ENGINE_BUDGET_DEFAULT_S 60u /* some firmware has a watchdog of its own (G2) */
#define ENGINE_BUDGET_MAX_S     3600u

struct engine_options {
    uint8_t pattern; /* enum touch_pattern; scatter is what the recommendation rests on */
    uint8_t access;  /* enum touch_access; update likewise */
    uint64_t size;   /* working set in bytes for every class, 0: choose */
    uint64_t budget_ns;
};

/* Bytes of workspace for that many CPUs, matrices included. */
size_t engine_workspace_bytes(unsigned cpu_count);

/* Rough duration of a run on this machine, ns, from the plan alone: nothing is touched. */
uint64_t engine_estimate_ns(const struct machine *machine, const struct engine_options *options);

enum engine_status {
    ENGINE_OK = 0,     /* ret_result is complete, or says by flags and samples what is missing */
    ENGINE_NO_MEMORY,  /* workspace too small, or no region of the smallest size: ret_result has no
                          figures */
    ENGINE_BAD_OPTION, /* size that the machine cannot serve */
};

/* Runs the whole plan. workspace holds engine_workspace_bytes(); ret_result's arrays point into it
 * and to machine->cpus, so both must outlive it. Always ends: by the plan, by the budget, or when
 * the machine says stop. */
enum engine_status engine_run(const struct machine *machine, const struct engine_options *options,
                              void *workspace, size_t workspace_bytes, struct result *ret_result);

#endif
