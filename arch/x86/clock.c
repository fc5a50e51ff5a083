/* SPDX-License-Identifier: BSD-2-Clause */
/* The time stamp counter as this processor has it: reads, calibration, the core clock beside it. */
#include "clock.h"
#include "../../lib/flags.h"
#include "cpu.h"
#include <stddef.h>

#define READS         64u /* in a row, for the cost of one */
#define READ_ROUNDS   8u
#define STEPS         96u         /* differences looked at for the resolution */
#define STILL_MAX     2u          /* windows in which a reference may stand before it is left */
#define WINDOW_MAX_NS 1000000000u /* a longer one was disturbed, or lies (B12) */

uint64_t clock_read(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

void clock_core_read(struct clock_core *ret)
{
    ret->mperf = cpu_read_msr(MSR_MPERF);
    ret->aperf = cpu_read_msr(MSR_APERF);
}

static uint32_t measure_read_cost(void)
{
    uint64_t least = UINT32_MAX;
    for (unsigned round = 0; round < READ_ROUNDS; round++) {
        uint64_t start = clock_read(), end = start;
        for (unsigned i = 0; i < READS; i++)
            end = clock_read();
        if (end > start && (end - start) / READS < least)
            least = (end - start) / READS;
    }
    return least < 1 ? 1 : (uint32_t)least;
}

static uint32_t measure_step(void)
{
    uint64_t differences[STEPS], last = clock_read();
    for (unsigned i = 0; i < STEPS; i++) {
        /* Of changing length, or each difference might be the same multiple of the step. */
        for (unsigned pause = i % 8; pause > 0; pause--)
            __asm__ volatile("" ::: "memory");
        uint64_t now = clock_read();
        differences[i] = now > last ? now - last : 0;
        last = now;
    }
    return clock_step(differences, STEPS);
}

static uint64_t measure_rate(const struct clock_reference *reference, uint32_t *ret_spread_ppm)
{
    uint64_t khz[CLOCK_RUNS];
    unsigned count = 0, still = 0;
    for (unsigned run = 0; run < CLOCK_RUNS && still < STILL_MAX; run++) {
        uint64_t start = clock_read();
        uint64_t ns = reference->wait(reference->ctx, CLOCK_WINDOW_US);
        uint64_t end = clock_read();
        if (ns == 0)
            still++;
        else if (ns <= WINDOW_MAX_NS && end > start)
            khz[count++] = clock_khz(end - start, ns);
    }
    return clock_settle(khz, count, ret_spread_ppm);
}

void clock_calibrate(const struct cpuid_features *features,
                     const struct clock_reference *references, unsigned count,
                     struct clock_info *ret, uint32_t *ret_flags)
{
    uint64_t khz[CLOCK_REFERENCES];
    uint32_t spread_ppm[CLOCK_REFERENCES];
    if (count > CLOCK_REFERENCES)
        count = CLOCK_REFERENCES;
    for (unsigned i = 0; i < count; i++)
        khz[i] = measure_rate(&references[i], &spread_ppm[i]);

    *ret = (struct clock_info){.read_cost = measure_read_cost(), .resolution = measure_step()};
    clock_choose(features->tsc_khz_hint, khz, spread_ppm, references, count, ret, ret_flags);
    *ret_flags |= clock_flags(ret, features->invariant_tsc);
}
