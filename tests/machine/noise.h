/* SPDX-License-Identifier: BSD-2-Clause */
/* What disturbs a measurement on a real machine, on demand: slower passes, SMIs, clock ramps,
 * counters with faults. From a seed; integers only, so that every host draws the same. */
#ifndef TESTS_MACHINE_NOISE_H
#define TESTS_MACHINE_NOISE_H

#include "desc.h"
#include "value.h"

struct noise {
    struct desc_noise kinds;
    uint64_t chance;      /* generator */
    uint64_t salt;        /* from the seed: when the busy CPU is busy */
    uint64_t next_smi_ps; /* time of the next SMI */
    uint64_t *busy_ps;    /* [cpu]: worked so long, until its ramp is over */
    uint64_t *offset;     /* [cpu]: counter at time 0 */
    unsigned cpu_count;
};

/* False: out of memory. */
bool noise_init(struct noise *noise, const struct desc_noise *kinds, unsigned cpu_count,
                uint64_t seed);
void noise_free(struct noise *noise);

/* How long a pass that takes ps on a quiet machine takes when it starts at start_ps on that CPU.
 * *ret_smis: SMIs that hit it and were counted. */
uint64_t noise_pass(struct noise *noise, unsigned cpu, uint64_t start_ps, uint64_t ps,
                    uint32_t *ret_smis);

/* How long a pass that takes ps takes on a sibling of the busy CPU, slow_permille times as long
 * while that is busy. */
uint64_t noise_beside_busy(const struct noise *noise, uint64_t start_ps, uint64_t ps,
                           uint32_t slow_permille);

/* A CPU's counter at a time. */
uint64_t noise_counter(const struct noise *noise, const struct desc_clock *clock, unsigned cpu,
                       uint64_t at_ps);

/* Standard normal, scaled by 2^16: the sum of twelve uniform draws. */
int32_t noise_gauss(uint64_t *chance);

/* Changes kinds by text: "none", "study" (the noise of the study that the targets were set with),
 * or "key=value,key=value" with the keys of [noise]; several, separated by commas, add up. */
bool noise_parse(struct desc *desc, const char *text, struct value_error *error);

#endif
