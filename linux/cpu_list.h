/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of CPU or node numbers as the kernel writes them: "0-3,8,10-11". */
#ifndef LINUX_CPU_LIST_H
#define LINUX_CPU_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_NUMBERS 8192u /* the largest NR_CPUS of a kernel for x86 */

/* A set of Linux's CPU numbers, laid out as the masks of sched_setaffinity() are. */
struct cpu_set {
    uint64_t word[CPU_NUMBERS / 64];
};

/* False, and *ret unspecified, where text is no such list or names a number beyond CPU_NUMBERS. An
 * empty text is the empty set. */
bool cpu_list_parse(const char *text, struct cpu_set *ret);

static inline bool cpu_set_has(const struct cpu_set *set, unsigned number)
{
    return number < CPU_NUMBERS && (set->word[number / 64] >> number % 64 & 1) != 0;
}
static inline void cpu_set_add(struct cpu_set *set, unsigned number)
{
    set->word[number / 64] |= 1ull << number % 64;
}
unsigned cpu_set_count(const struct cpu_set *set);

#endif
