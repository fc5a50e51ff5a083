/* SPDX-License-Identifier: BSD-2-Clause */
/* From costs to thresholds: per level, and as one number. docs/method.md gives the reasons for
 * the default rule. */
#ifndef LIB_RECOMMEND_H
#define LIB_RECOMMEND_H

#include "result.h"

#define KERNEL_DEFAULT_NS 500000u /* Linux since 2.6.23: sysctl_sched_migration_cost */
#define DECAY_MIN_NS \
    1000u /* the one range of values that may be recommended or applied (I5): 1 us .. */
#define DECAY_MAX_NS       100000000u /* .. 100 ms */
#define LEVELS_APART       5u         /* costs further apart than this: no one number fits */
#define FACTOR_MAX_PERCENT 100000u

/* Numbers are part of the record. */
enum policy {
    POLICY_LEVELS = 0, /* factor x cost per level; one number: outermost non-SMT level. Default
                          factor 200 percent */
    POLICY_V1 = 1, /* smallest off-diagonal cell of the raw matrix (2004-10-06). Default factor 100
                      percent */
    POLICY_V5 = 2, /* twice the maximum cost (2.6.16). Default factor 200 percent */
    POLICY_EXPECTED = 3, /* expected cost under power-law footprints (exponent 0.3, from 4 KiB).
                            Default 1600 percent */
    POLICY_DECAY = 4,    /* as levels, but at most the time others need to evict a footprint, where
                            that is known. Default factor 200 percent */
    POLICIES
};
const char *policy_name(unsigned policy); /* "levels", "v1", "v5", "expected", "decay"; NULL
                                             for others */
unsigned policy_default_factor(enum policy policy); /* percent */

/* Why the one number is what it is. Numbers are part of the record. */
enum basis {
    BASIS_KERNEL_DEFAULT = 0, /* no cost could be told from zero, or nothing was measured: 500 us */
    BASIS_OUTERMOST =
        1, /* classes lie within LEVELS_APART: the outermost non-SMT level serves all */
    BASIS_NO_ONE_NUMBER =
        2, /* classes lie further apart: the outermost is given nevertheless, per-level is better */
    BASIS_POLICY = 3,  /* an old rule, as policy says */
    BASIS_BY_HAND = 4, /* --decay */
    BASES
};

struct level_decay {
    uint8_t level;    /* enum level */
    uint8_t distance; /* SLIT distance, as in class_key */
    bool zero;        /* cost negative or not told from zero: cost_ns and decay_ns are 0 (by hand,
                         decay_ns is what the hand gave) */
    bool clamped;     /* would lie outside DECAY_MIN_NS..DECAY_MAX_NS */
    uint32_t cost_ns; /* what the factor applies to: the largest class cost of the level (the dearer
                         peak of a class with two); the expected cost under POLICY_EXPECTED; the
                         plain maximum over all sizes under POLICY_V5 */
    uint32_t decay_ns; /* recommended; 0 for LEVEL_CORE (an SMT sibling shares every cache) */
};

struct recommendation {
    uint8_t policy; /* enum policy */
    uint8_t basis;  /* enum basis */
    bool clamped;
    bool partial; /* some class that is not SMT has no figure, and so no part in this */
    uint32_t factor_percent;
    uint32_t decay_ns; /* the one number, DECAY_MIN_NS..DECAY_MAX_NS */
    unsigned level_count;
    struct level_decay level[MAX_CLASSES]; /* one for each (level, distance) that was measured,
                                              innermost first */
    unsigned ratio_percent; /* dearest class / cheapest * 100, SMT left out; 0 if fewer than two. A
                               zero class counts as the most it may be, cost + spread, so that one
                               that is surely far cheaper is not overlooked */
};

/* factor_percent 0 takes the policy's default; decay_by_hand_ns 0 means none and anything else
 * overrides the one number and every level but LEVEL_CORE. Never fails: where nothing was measured,
 * or FLAG_COST_ZERO is set, the answer is the kernel's default under every policy, and says so.
 *
 * The one number: POLICY_LEVELS and POLICY_EXPECTED, factor x the outermost level that is neither
 * SMT nor zero; POLICY_V1, factor x the smallest known off-diagonal cell of raw_ns, and every level
 * gets it; POLICY_V5, factor x the dearest level; POLICY_DECAY, as
 * POLICY_LEVELS, with the time to evict as a bound. The order of the classes does not matter. */
void recommend(const struct result *result, enum policy policy, uint32_t factor_percent,
               uint32_t decay_by_hand_ns, struct recommendation *ret);

/* One sentence without a newline: on what basis the number stands. NULL for other numbers. */
const char *basis_sentence(unsigned basis);

/* The flush-time estimate that i386 printed as "arch cache_decay_nsec" until 2.6.15: the time to
 * write cache_kib back at 350 MB/s, in whole milliseconds plus one, as ns. In 64 bits: the original
 * overflowed 32 on later machines. 0 where either is 0 or beyond any machine (2^32 kHz, 2^30 KiB).
 */
uint64_t arch_estimate_ns(uint64_t cpu_khz, uint64_t cache_kib);

#endif
