/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run found. Filled by the engine, read by recommendation, record and reports. The caller
 * owns all memory. */
#ifndef LIB_RESULT_H
#define LIB_RESULT_H

#include "flags.h"
#include "machine.h"
#include "topology.h"
#include "touch.h"
#include <stdbool.h>
#include <stdint.h>

#define MAX_CLASSES \
    24u /* distinct class keys plus split-off classes; the record keeps at most 12 of them */
#define MAX_CURVE_POINTS 32u       /* working sets tried per class */
#define CLASS_NONE       0xFFu     /* class_of[] on the diagonal and for CPUs that take no part */
#define COST_UNKNOWN     INT32_MIN /* cost_ns[] and raw_ns[] (as 0) where nothing was measured */

/* A measured duration. spread_ns is the half-width of an interval that covers the true value in at
 * least 95 of 100 runs. Times are ns, 32 bit: 2.1 s at most, larger ones saturate. */
struct figure {
    int32_t ns;
    uint32_t spread_ns;
    uint16_t samples; /* 0: not measured */
};

/* One point of a class's cost curve. */
struct curve_point {
    uint64_t bytes;
    struct figure cost; /* C = move - stay, may be negative beyond the capacity */
    struct figure stay; /* T(d after d) */
};

#define CLASS_ZERO  (1u << 0) /* the cost cannot be told from zero */
#define CLASS_SPLIT (1u << 1) /* split off: its pairs did not look like the class of their key */
#define CLASS_TWO_PEAKS \
    (1u << 2) /* its pairs fall into two groups; min and max say more than the figure */
#define CLASS_FIRST_VISIT (1u << 3) /* first visits cost over 1.3 times a revisit */
#define CLASS_NO_CAPACITY (1u << 4) /* working set found by search alone: no capacity known */
#define CLASS_EDGE \
    (1u            \
     << 5) /* the chosen working set is the largest that could be tried: the cost may be higher */

struct class_result {
    struct class_key key;
    uint16_t flags;        /* CLASS_... */
    uint16_t cpu_a, cpu_b; /* CPU indexes of the pair that was measured in full */
    uint32_t pairs;        /* unordered pairs in this class */
    uint64_t working_set;  /* bytes at which cost stands */
    struct figure cost;    /* pattern and access of the run; both directions of the pair together */
    struct figure linear,
        chase; /* the same working set in linear and chase order: the range; samples 0: not done */
    int32_t min_ns, max_ns; /* over the cells of the class */
    int32_t placement_ns;   /* T(d after d) - T(s after s) of a to b: slower core or farther memory,
                               not migration */
    uint16_t first_visit_percent; /* first visit of fresh memory / revisit * 100; 0 not done */
    uint64_t evict_bytes; /* other data that a CPU touches until a footprint is gone from the cache
                             that a move leaves behind; 0 not measured */
    uint64_t footprint;   /* bytes of that footprint; of no meaning where evict_bytes is 0 */
    uint32_t evict_ns;    /* how long the CPU needs to touch evict_bytes */
    unsigned point_count;
    struct curve_point point[MAX_CURVE_POINTS]; /* ascending bytes */
};

/* How a cell of the matrix came about. */
enum cell_source {
    CELL_NONE = 0,     /* diagonal of cost, or not measured */
    CELL_MEASURED = 1, /* this pair, at its class's working set */
    CELL_SCREENED = 2, /* this pair at a small working set, agreed with its class: the class's cost
                          scaled by the ratio */
    CELL_CLASS = 3     /* the class's figure */
};

/* T(s after s) of one CPU over its capacities: finds an odd one. */
struct stay_result {
    struct figure stay[CACHE_LEVELS]; /* at 0.9 of the capacity of that level; [0]: at the raw
                                         matrix's working set */
    bool odd;                         /* over 1.15 times slower or faster than its kind's median */
};

struct result {
    uint32_t flags; /* FLAG_... */
    uint8_t pattern, access;
    struct clock_info clock;
    unsigned cpu_count; /* all CPUs, as machine.cpu_count; matrices are cpu_count * cpu_count, row =
                           source */
    const struct cpu_info *cpus;
    const struct numa *numa;
    unsigned class_count;
    struct class_result classes[MAX_CLASSES]; /* by rising level, then distance */
    uint64_t raw_working_set;                 /* bytes of the raw matrix */
    uint32_t *raw_ns;  /* [s*n+d]: T(d after s); diagonal: T(s after s), the pure dirtying cost; 0
                          unknown */
    int32_t *cost_ns;  /* [s*n+d]: migration cost at the class's working set; COST_UNKNOWN */
    uint8_t *class_of; /* [s*n+d]: index into classes, CLASS_NONE */
    uint8_t *source;   /* [s*n+d]: enum cell_source */
    struct stay_result *stay; /* [cpu] */
    uint64_t started;         /* seconds since 1970 as the firmware's clock says, 0 unknown */
    uint64_t duration_ns;     /* of the measurement */
    uint64_t touches, touched_bytes;
    uint64_t touched_for[PURPOSES]; /* touched_bytes by enum touch_purpose */
    uint64_t longest_touch_ns;      /* the longest window with interrupts off (B11) */
    uint64_t region_bytes;          /* of the buffer */
    uint32_t region_home;           /* its node, NODE_UNKNOWN */
};

static inline unsigned result_cell(const struct result *result, unsigned source, unsigned target)
{
    return source * result->cpu_count + target;
}

#endif
