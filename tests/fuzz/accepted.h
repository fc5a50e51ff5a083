/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds for every set of options that a parser accepts: all lies within its range. */
#ifndef FUZZ_ACCEPTED_H
#define FUZZ_ACCEPTED_H

#include "../../lib/options.h"
#include "../../lib/touch.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

static inline bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return value >= low && value <= high;
}

static inline void check_accepted(const struct options *o, unsigned count)
{
    REQUIRE(o->action <= ACTION_DELETE && o->format <= FORMAT_2004_UNITS);
    REQUIRE(o->handoff <= HANDOFF_GRUB && o->start <= START_MP && o->policy < POLICIES);
    REQUIRE(o->engine.pattern < TOUCH_PATTERNS && o->engine.access < TOUCH_ACCESSES);
    REQUIRE(o->factor_percent <= FACTOR_MAX_PERCENT);
    REQUIRE(o->decay_ns == 0 || within(o->decay_ns, DECAY_MIN_NS, DECAY_MAX_NS));
    REQUIRE(within(o->engine.budget_ns, 1000000000, ENGINE_BUDGET_MAX_S * 1000000000ull));
    REQUIRE(o->engine.size == 0 || within(o->engine.size, OPTIONS_BYTES_MIN, OPTIONS_BYTES_MAX));
    REQUIRE(o->capacity_count <= sizeof o->capacity_level);
    for (unsigned i = 0; i < o->capacity_count; i++) {
        REQUIRE(o->capacity_level[i] > 0 && o->capacity_level[i] < CACHE_LEVELS);
        REQUIRE(within(o->capacity_bytes[i], OPTIONS_BYTES_MIN, OPTIONS_BYTES_MAX));
        REQUIRE(o->capacity_range[i].first <= o->capacity_range[i].last);
        REQUIRE(o->capacity_range[i].last <= OPTIONS_APIC_ID_MAX);
    }
    REQUIRE(o->cpu_range_count <= sizeof o->cpu_range / sizeof o->cpu_range[0]);
    for (unsigned i = 0; i < o->cpu_range_count; i++) {
        REQUIRE(o->cpu_range[i].first <= o->cpu_range[i].last);
        REQUIRE(o->cpu_range[i].last <= OPTIONS_APIC_ID_MAX);
        REQUIRE(options_cpu_chosen(o, o->cpu_range[i].first));
    }
    REQUIRE(memchr(o->chain_path, '\0', sizeof o->chain_path) != NULL);
    REQUIRE(o->chain == (o->chain_path[0] != '\0'));
    REQUIRE(o->chain_first_token <= count);
}

#endif
