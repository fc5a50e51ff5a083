/* SPDX-License-Identifier: BSD-2-Clause */
/* What the search for a class's working set shares. Private to lib/engine_curve.c, engine_points.c
 * and engine_search.c. */
#ifndef LIB_ENGINE_CURVE_H
#define LIB_ENGINE_CURVE_H

#include "engine_state.h"

#define CURVE_MIN              (16u << 10) /* the smallest working set that is looked at in a search */
#define CURVE_LOOKS_MAX        3u          /* periods at one working set, one after the other */
#define CURVE_SURPRISE_PERCENT 12          /* a leg this far from what its lines let expect */
#define CURVE_RISEN_PERCENT    93          /* of what the lines let expect: the cost still grew */
#define CURVE_FALLEN_PERCENT   90          /* of the best */
#define CURVE_STAY_JUMPS       150         /* percent: more than any disturbance makes of a stay */

/* The search in hand: a class, its work, and what its curve's points rest on, in their order. */
struct search {
    struct engine *engine;
    struct class_result *into;
    struct class_work *work;
    struct chain_figures figures[MAX_CURVE_POINTS];
    bool sure[MAX_CURVE_POINTS]; /* not a few samples that looked lower than what is there */
    struct chain_samples peak;   /* those of the working set that is taken without a choice .. */
    unsigned peak_periods;       /* .. 0: chosen among several, and to be measured anew */
    uint64_t peak_bytes;
};

/* The index of a working set that was measured; MAX_CURVE_POINTS where it was not. */
unsigned curve_find(const struct search *search, uint64_t bytes);

/* Measures one working set with as few periods as will do. A cost that falls below `floor_ns` is
 * believed at once: nobody will take it for the largest. The samples stay in engine->samples;
 * ret_periods may be NULL. Returns its index, MAX_CURVE_POINTS when the run has to end or there is
 * no room. */
unsigned curve_look(struct search *search, uint64_t bytes, int64_t floor_ns, unsigned *ret_periods);

/* Figures of a point become those of the class's curve. */
void curve_keep(struct search *search, unsigned at);

/* What the next smaller working set lets expect of a leg at a point, ns. */
int64_t curve_expected(const struct search *search, unsigned at, const struct figure *smaller);
/* The cost at a point in percent of what its lines let expect from another. */
int64_t curve_percent(const struct search *search, unsigned at, unsigned from);

int64_t curve_lower(const struct search *search, unsigned at); /* lower confidence bound, ns */
unsigned curve_best(const struct search *search);              /* the point with the largest */

/* True if neither the screening nor any point so far shows a cost worth the name: larger working
 * sets are then spared, since a cost grows with the working set from the smallest on. */
bool curve_near_zero(const struct search *search);

/* The base of a working set (engine_cost.c), which is a point of the curve too; more samples of it.
 * False when the run has to end. */
bool curve_base(struct search *search, uint64_t bytes);
bool curve_base_again(struct search *search, unsigned at);

/* What one CPU pays for staying, ns: the shortest of `samples`, since disturbances lengthen;
 * INT32_MAX where it is not to be had. */
int64_t curve_stay_ns(struct engine *engine, unsigned cpu, uint64_t bytes, unsigned samples);

/* The working set that was just looked at is taken, with its samples. */
void curve_take_peak(struct search *search, uint64_t bytes, unsigned periods);

/* engine_search.c; false when the run has to end. The largest cost from `bytes` on, by doubling;
 * below a capacity that does not hold what it promises; at the smaller of two capacities. */
bool curve_search(struct search *search, uint64_t bytes);
bool curve_descend(struct search *search, uint64_t capacity);
bool curve_try_smaller(struct search *search, bool *ret_found);

#endif
