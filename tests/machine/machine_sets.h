/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of a machine file that need a function of their own: machine_set_KEY() takes the value of
 * that key in the current section. False: reader->error says why not. */
#ifndef TESTS_MACHINE_MACHINE_SETS_H
#define TESTS_MACHINE_MACHINE_SETS_H

#include "machine_file.h"

#define SECOND_PS 1000000000000u

bool machine_set_pages(struct reader *reader, const char *value);
bool machine_set_apic(struct reader *reader, const char *value);
bool machine_set_kind_cpus(struct reader *reader, const char *value);
bool machine_set_node_cpus(struct reader *reader, const char *value);
bool machine_set_node_slit(struct reader *reader, const char *value);
bool machine_set_node_latency(struct reader *reader, const char *value);
bool machine_set_cpu_speed(struct reader *reader, const char *value);
bool machine_set_cpu_way_mask(struct reader *reader, const char *value);
bool machine_set_core(struct reader *reader, const char *value);
bool machine_set_module(struct reader *reader, const char *value);
bool machine_set_die(struct reader *reader, const char *value);
bool machine_set_package(struct reader *reader, const char *value);
bool machine_set_cache_groups(struct reader *reader, const char *value);
bool machine_set_distance_groups(struct reader *reader, const char *value);
bool machine_set_distance_between(struct reader *reader, const char *value);
bool machine_claim_core(struct reader *reader, const char *value);
bool machine_claim_l2(struct reader *reader, const char *value);
bool machine_claim_module(struct reader *reader, const char *value);
bool machine_claim_llc(struct reader *reader, const char *value);
bool machine_claim_die(struct reader *reader, const char *value);
bool machine_claim_package(struct reader *reader, const char *value);
bool machine_claim_node(struct reader *reader, const char *value);

#endif
