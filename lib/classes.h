/* SPDX-License-Identifier: BSD-2-Clause */
/* Distance classes: from the keys that CPUID and ACPI give, and from the matrix itself; where the
 * two disagree, the matrix is believed. Works on numbers only: nothing is measured here. */
#ifndef LIB_CLASSES_H
#define LIB_CLASSES_H

#include "result.h"
#include <stdbool.h>
#include <stdint.h>

#define CLUSTER_GAP_PERCENT \
    12 /* neighbours in cost further apart than this belong to different groups */

/* Cuts ascending costs into groups wherever neighbours are more than CLUSTER_GAP_PERCENT apart.
 * Fills ret_first[] with the value at which each group begins, and returns their number; groups
 * beyond max are one. */
unsigned classes_cut(const int64_t *sorted, unsigned count, int64_t *ret_first, unsigned max);

/* Fills result->classes (keys, pairs, flags) and class_of from the keys alone. Usable CPUs only:
 * `usable` tells. Keys beyond MAX_CLASSES join the last class of the same level, or the last. */
void classes_from_keys(struct result *result, const bool *usable);

/* Believes the matrix: cost_ns[s*n+d] at one common working set (COST_UNKNOWN: no opinion). Pairs
 * of one key that fall into several groups become classes of their own; where keys and groups cross
 * each other, the groups alone are the classes. values has room for n*n numbers. Returns true and
 * sets CLASS_SPLIT where the matrix differs from the keys. */
bool classes_from_matrix(struct result *result, const int32_t *cost_ns, int64_t near_zero,
                         int64_t *values);

/* Puts classes in their order: rising level, distance, then cost given by `cost` (one per class);
 * class_of follows. */
void classes_sort(struct result *result, int32_t *cost);

#endif
