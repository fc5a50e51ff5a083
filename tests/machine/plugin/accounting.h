/* SPDX-License-Identifier: BSD-2-Clause */
/* What the plugin wrote of a run: each pass, what the machine took for it, and how well the host
 * kept that time. */
#ifndef TESTS_MACHINE_PLUGIN_ACCOUNTING_H
#define TESTS_MACHINE_PLUGIN_ACCOUNTING_H

#include "pass.h"

/* One kind of pass: the CPU that touched the same lines before (this one itself: a stay), the CPU,
 * how many lines, how. */
struct account_pass {
    uint16_t source, target; /* ACCOUNT_FRESH as source: nobody yet, or others' lines in between */
    uint8_t pattern, access;
    uint32_t lines;
    uint64_t machine_ps;
};

#define ACCOUNT_FRESH 0xFFFFu

struct accounting {
    struct account_pass *pass; /* sorted by all but machine_ps, then by that */
    size_t count, room;
    struct pass_scale scale;
    bool complete;            /* the trace has its end */
    bool hurried;             /* the host let the plugin go before others */
    uint64_t strays, outside; /* accesses that no pass had: none on a good run */
    uint64_t broken;          /* passes that were no one range with each line once: none */
    uint64_t late;            /* passes for which QEMU needed more than the guest's time .. */
    uint64_t disturbed;       /* .. and those that took over 1 percent more of it for any reason */
    uint64_t overshoot_ps;    /* time beyond, of all passes .. */
    uint64_t due_ps;          /* .. and their own */
};

/* False: no such file, not a trace, or out of memory; reason says which. */
bool accounting_read(struct accounting *ret, const char *path, unsigned cpu_count, char *reason,
                     size_t reason_size);
void accounting_free(struct accounting *accounting);

/* Median of what the machine took for passes of that kind; machine_ps of key is not looked at.
 * False: there was none. */
bool accounting_median(const struct accounting *accounting, const struct account_pass *key,
                       uint64_t *ret_ps);

/* Cost of moving `lines` lines between two CPUs, the mean of both directions, as the plugin had it:
 * move minus stay. False where a leg was never run. */
bool accounting_cost(const struct accounting *accounting, unsigned a, unsigned b, uint32_t lines,
                     unsigned pattern, unsigned access, int64_t *ret_ps);

#endif
