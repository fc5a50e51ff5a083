/* SPDX-License-Identifier: BSD-2-Clause */
/* Comes before smp/ where threads are the CPUs: whoever waits lets another thread run, or each step
 * would take as long as the host's scheduler leaves a thread alone. */
#ifndef TESTS_FIRMWARE_YIELD_H
#define TESTS_FIRMWARE_YIELD_H

#include "../../arch/x86/cpu.h"
#include <sched.h>

static inline void fw_relax(void)
{
    (void)sched_yield();
}
#define cpu_relax fw_relax

#endif
