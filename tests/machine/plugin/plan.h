/* SPDX-License-Identifier: BSD-2-Clause */
/* How a machine is shown in QEMU: how much slower than itself, and with which arguments. */
#ifndef TESTS_MACHINE_PLUGIN_PLAN_H
#define TESTS_MACHINE_PLUGIN_PLAN_H

#include "../sim_truth.h"
#include "guest.h"
#include "pass.h"

/* What QEMU itself may need for a line, its tables and the model included, on a busy host: so much
 * of a guest's time there is at least. Measured: 50 to 110 ns and 300 ns on a quiet one. COLD:
 * behind much other data, where decay is told by a few ns. */
#define PLAN_LINE_NS      200u
#define PLAN_COLD_LINE_NS 450u
#define PLAN_FAR_LINE_NS  800u
#define PLAN_SLOWDOWN_MAX 1000u

/* Chooses pad and slowdown: the smallest slowdown with which each class's cost is a good part
 * of a stay, but no pass near the second at which the engine takes a clock for broken.
 * slowdown: that one instead, unless 0. patience: percent of the times above, for slow hosts;
 * 100. False: out of memory. */
bool plan_scale(struct truth *truth, uint32_t slowdown, uint32_t patience, struct pass_scale *ret);

/* Arguments, one per line behind "qemu " or "option ": QEMU's CPUs, nodes and memory; capacities
 * for the application. */
void plan_print(const struct guest *guest);

#endif
