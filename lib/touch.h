/* SPDX-License-Identifier: BSD-2-Clause */
/* What a touch is: the pattern and the access of one timed pass over a working set. */
#ifndef LIB_TOUCH_H
#define LIB_TOUCH_H

/* The order in which the lines of a working set are visited. Numbers are part of the record
 * (docs/record.md). */
enum touch_pattern {
    TOUCH_LINEAR = 0, /* ascending addresses: prefetchers help, the lower end of a cost */
    TOUCH_SCATTER =
        1, /* each line once in a pseudo-random order, addresses independent: misses overlap */
    TOUCH_CHASE = 2, /* the scatter order, but each address depends on the value loaded before: the
                        upper end */
    TOUCH_PATTERNS
};

/* What is done to each line. Numbers are part of the record (docs/record.md). */
enum touch_access {
    TOUCH_READ = 0,   /* load */
    TOUCH_WRITE = 1,  /* store without a load */
    TOUCH_UPDATE = 2, /* load, add one, store: the line ends dirty in the toucher's cache */
    TOUCH_ACCESSES
};

/* What a touch was made for: the engine counts them apart. */
enum touch_purpose {
    PURPOSE_WARM_UP,
    PURPOSE_SCREENING, /* every pair at one small working set, and the second looks */
    PURPOSE_COST,      /* the working set and the cost of each class */
    PURPOSE_CONTROLS,  /* linear, chase, first visits */
    PURPOSE_MATRIX,    /* stays of each CPU, and the raw matrix */
    PURPOSE_DECAY,     /* what evicts a footprint */
    PURPOSES
};

/* "warm_up", "screening", "cost", "controls", "matrix", "decay"; NULL for other numbers. */
const char *touch_purpose_name(unsigned purpose);

/* "linear", "scatter", "chase" and "read", "write", "update"; NULL for other numbers. */
const char *touch_pattern_name(unsigned pattern);
const char *touch_access_name(unsigned access);

#define TOUCH_SEGMENTS_MAX 31u /* segments << shift lines: steps of at most 1/16 between sizes */

/* The working sets that the touch kernel can visit: lines = segments << shift, segments at most
 * TOUCH_SEGMENTS_MAX (arch/x86/touch_kernel.h says what for). Rounds bytes to the nearest of them,
 * at least one line. line is the line size in bytes, a power of two. Every working set of the
 * engine passes through here, so that all back ends touch the same lines. */
unsigned long long touch_round(unsigned long long bytes, unsigned line);

#endif
