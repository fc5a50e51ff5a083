/* SPDX-License-Identifier: BSD-2-Clause */
/* The time stamp counter: its rate checked against a second source, its resolution, the cost of a
 * read. clock.c runs on the processor; clock_rate.c is arithmetic, tested on the host. */
#ifndef ARCH_X86_CLOCK_H
#define ARCH_X86_CLOCK_H

#include "../../lib/machine.h"
#include "cpuid.h"
#include <stdint.h>

#define CLOCK_RUNS       5u /* windows per calibration; the median counts (B6) */
#define CLOCK_REFERENCES 4u /* that are looked at */
#define CLOCK_WINDOW_US  10000u

uint64_t clock_read(void); /* LFENCE; RDTSC; LFENCE. No RDTSCP: not every CPU has it (B9) */

/* Times `count` windows of a reference. reference waits about `us` microseconds and returns how
 * many nanoseconds really went by on the reference, 0 if it does not move (B4). It must end. */
struct clock_reference {
    uint64_t (*wait)(void *ctx, uint32_t us);
    void *ctx;
    uint8_t source;     /* enum clock_source */
    uint32_t error_ppm; /* of the reference itself */
};

/* The ACPI power management timer, as a reference: ctx of clock_pm_timer_wait(). */
struct clock_pm_timer {
    uint32_t (*read)(void *ctx); /* NULL: the I/O port */
    void *ctx;
    uint16_t port;
    uint8_t bits; /* 24 or 32 */
};

/* Waits `us` (at most PM_TIMER_WAIT_MAX_US) on a struct clock_pm_timer, across any number of wraps
 * (B4), and returns the nanoseconds that it counted. 0 if it stood for PM_TIMER_STILL_READS reads
 * in a row, or took over PM_TIMER_READS_PER_US reads for each microsecond: no state of the timer
 * makes this wait for ever. */
#define PM_TIMER_HZ              3579545u
#define PM_TIMER_WAIT_MAX_US     1000000u
#define PM_TIMER_STILL_READS     10000u
#define PM_TIMER_READS_PER_US    64u
#define CLOCK_PM_TIMER_ERROR_PPM 200u /* a common crystal, divided by 4 */
uint64_t clock_pm_timer_wait(void *pm_timer, uint32_t us);

/* Rate from the CPUID hint and the references (best first, any may be unusable); resolution; read
 * cost; core_permille is left 0. *ret_flags becomes FLAG_CLOCK_* except FLAG_CLOCK_COARSE, which
 * only the engine can judge from its samples. Never fails: with nothing usable khz is 1000000 and
 * FLAG_CLOCK_DISAGREES is set. Takes CLOCK_RUNS windows of CLOCK_WINDOW_US for each reference; a
 * reference that stands is left after the second window. */
void clock_calibrate(const struct cpuid_features *features,
                     const struct clock_reference *references, unsigned count,
                     struct clock_info *ret, uint32_t *ret_flags);

/* Core clock against the counter's, between two readings on one CPU (B8). clock_core_read() reads
 * MSRs: in ring 0 only, where cpuid_features.aperf_mperf says that they are there, and not under a
 * hypervisor (A27). */
struct clock_core {
    uint64_t aperf, mperf;
};
void clock_core_read(struct clock_core *ret);

/* ---- Pure parts ---- */

/* APERF over MPERF in thousandths; 0 (not known) where MPERF stood or the figure is absurd. */
uint32_t clock_core_permille(const struct clock_core *start, const struct clock_core *end);

/* Modular difference of two PM timer reads of 24 or 32 bits, in ns at 3.579545 MHz. */
uint64_t clock_pm_timer_ns(uint32_t start, uint32_t end, unsigned bits);

/* kHz from one window; 0 where either is 0. */
uint64_t clock_khz(uint64_t ticks, uint64_t ns);

/* The rate of `count` windows of which any may have been disturbed: the median of that majority of
 * them which lies closest together, and half its width (B6). Windows of 0 do not count; 0 where
 * none does. With fewer than three the spread is CLOCK_SPREAD_UNKNOWN_PPM or more. Sorts khz. */
#define CLOCK_SPREAD_UNKNOWN_PPM 10000u
uint64_t clock_settle(uint64_t *khz, unsigned count, uint32_t *ret_spread_ppm);

/* The smallest step of a clock of which these are differences between reads: what all the small
 * ones are multiples of, within rounding; 1 if of nothing. */
uint32_t clock_step(const uint64_t *differences, unsigned count);

/* Chooses among the hint and measured rates (0: not available) of references with the given sources
 * and errors. CPUID's rate is taken as off by CLOCK_HINT_ERROR_PPM (B3: 2,300 MHz said, 2,304 was
 * true). Sets khz, source, second and error_ppm of *ret only, and *ret_flags to
 * FLAG_CLOCK_DISAGREES or 0.
 *
 * Of all candidates that another source confirms within CLOCK_AGREE_PPM, the most exact one is
 * taken; `second` is the most exact that confirms it. Two that agree so outvote one that lies. If
 * none agrees with another, the most exact measured one is taken, before any hint that lies outside
 * its error (B3), with an error that covers the nearest other one, and flagged; likewise, with
 * second equal to source, if there is but one. */
#define CLOCK_HINT_ERROR_PPM 2000u
#define CLOCK_AGREE_PPM      10000u
void clock_choose(uint64_t hint_khz, const uint64_t *khz, const uint32_t *spread_ppm,
                  const struct clock_reference *references, unsigned count, struct clock_info *ret,
                  uint32_t *ret_flags);

/* FLAG_CLOCK_TRAPPED (B10) and FLAG_CLOCK_NOT_INVARIANT (B1) of a clock. */
#define CLOCK_TRAPPED_TICKS 1000u /* a read that costs more is intercepted */
uint32_t clock_flags(const struct clock_info *clock, bool invariant);

/* FLAG_CORE_CLOCK_UNKNOWN for 0, FLAG_CORE_BELOW_BASE where the core ran below its base clock (B8),
 * else 0. */
#define CLOCK_CORE_BASE 990u /* permille: what rounding and the window's ends may take */
uint32_t clock_core_flags(uint32_t core_permille);

#endif
