/* SPDX-License-Identifier: BSD-2-Clause */
/* What besides this command decides over the knob, or makes it matter less on this system. */
#ifndef LINUX_INFLUENCES_H
#define LINUX_INFLUENCES_H

#include <stdbool.h>
#include <stdint.h>

#define INFLUENCE_TEXT 256u

/* What the kernel counted since it started: how often a task that was cache hot was pulled all the
 * same, over all CPUs and domains. */
struct schedstat {
    bool known;      /* /proc/schedstat is there, in a version that is understood */
    uint64_t pulled; /* tasks that balancing moved */
    uint64_t hot;    /* of these, such as were hot */
};

struct influences {
    char setter[INFLUENCE_TEXT]; /* who else sets the knob; "" nobody was found */
    unsigned last_level_caches;  /* 0: not known */
    bool numa_balancing, cache_aware, sched_ext, schedstats_on;
    struct schedstat counted;
};

/* Looks at what there is below root; what is not there is not said. */
void influences_find(const char *root, struct influences *ret);

/* The counters out of the text of /proc/schedstat. False: a version that is not understood. */
bool schedstat_count(const char *text, struct schedstat *ret);

/* A line for each, as `migcost status` prints them. */
void influences_print(const struct influences *influences);

#endif
