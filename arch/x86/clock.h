/* SPDX-License-Identifier: BSD-2-Clause */
/* The time stamp counter: its rate checked against a second source, its resolution, the cost of a
 * read. */
#ifndef ARCH_X86_CLOCK_H
#define ARCH_X86_CLOCK_H

#include "../../lib/machine.h"
#include "cpuid.h"
#include <stdint.h>

#define CLOCK_RUNS 5u /* windows per calibration; the median counts (B6) */

uint64_t clock_read(void); /* LFENCE; RDTSC; LFENCE. No RDTSCP: not every CPU has it (B9) */

/* Times `count` windows of a reference. reference waits about `us` microseconds and returns how
 * many nanoseconds really went by on the reference, 0 if it does not move (B4). */
struct clock_reference {
    uint64_t (*wait)(void *ctx, uint32_t us);
    void *ctx;
    uint8_t source;     /* enum clock_source */
    uint32_t error_ppm; /* of the reference itself */
};

/* Rate from the CPUID hint and the references (best first, any may be unusable); resolution; read
 * cost. *ret_flags gets FLAG_CLOCK_*. Never fails: with nothing usable khz is 1000000 and
 * FLAG_CLOCK_DISAGREES is set. */
void clock_calibrate(const struct cpuid_features *features,
                     const struct clock_reference *references, unsigned count,
                     struct clock_info *ret, uint32_t *ret_flags);

/* Pure parts, tested on the host. */
/* Modular difference of two PM timer reads of 24 or 32 bits, in ns at 3.579545 MHz. */
uint64_t clock_pm_timer_ns(uint32_t start, uint32_t end, unsigned bits);
/* kHz from one window; 0 where either is 0. */
uint64_t clock_khz(uint64_t ticks, uint64_t ns);
/* Chooses among the hint and measured rates (0: not available) of references with the given sources
 * and errors. */
void clock_choose(uint64_t hint_khz, const uint64_t *khz, const uint32_t *spread_ppm,
                  const struct clock_reference *references, unsigned count, struct clock_info *ret,
                  uint32_t *ret_flags);

#endif
