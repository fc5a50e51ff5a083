/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost measure`: what its parts share. The engine of lib/ and the touch kernel run on pinned
 * threads; what an OS does meanwhile is in the figures, and the result is flagged so. */
#ifndef LINUX_MEASURE_H
#define LINUX_MEASURE_H

#include "../lib/options.h"
#include "../lib/recommend.h"
#include "../lib/result.h"
#include "cpu_list.h"
#include "machine_facts.h"
#include "say.h"
#include "status.h"
#include "threads_machine.h"

struct measure_options {
    struct options options; /* those that the firmware application has, too */
    bool json;
    const char *save; /* write the record into this file; NULL: do not */
};

/* measure_options.c. Takes the words behind "measure". False: *message says what is wrong. */
bool measure_options_take(const char *const *words, unsigned count, struct measure_options *ret,
                          struct message *message);

/* The CPUs of this machine, by Linux's account: measure_cpus.c. */
struct measure_cpus {
    unsigned allowed_count;    /* online, and this process may use them: cpus[] begins with them */
    unsigned number[MAX_CPUS]; /* Linux's number of each of these */
    unsigned outside;          /* online, but outside of what this process may use */
    unsigned offline;          /* present and not online */
    unsigned too_many;         /* beyond MAX_CPUS */
};

/* Which CPUs there are, from the texts of present and online (empty: not known) and from what this
 * process may use. False where it may use none that is online. */
bool measure_cpus_find(const char *present, const char *online, const struct cpu_set *allowed,
                       struct measure_cpus *ret);

/* Appends to cpus[], of which `count` are filled, those CPUs of the machine (`ids`: all online
 * ones) that are not among them, as disabled: they are in the machine and take no part. Returns the
 * new count. */
unsigned measure_cpus_append(const uint32_t *ids, unsigned id_count, struct cpu_info *cpus,
                             unsigned count);

/* Marks the CPUs that --cpus does not ask for. False: *message names what does not exist, is
 * offline, or may not be used. */
bool measure_cpus_choose(const struct options *options, const struct measure_cpus *found,
                         struct cpu_info *cpus, unsigned count, struct message *message);

/* The nodes of /sys/devices/system/node below root: Linux's numbers, distances, and which CPU is on
 * which. False where there are none or more than MAX_NODES: every CPU's node stays unknown. */
bool measure_nodes(const char *root, const struct measure_cpus *found, struct cpu_info *cpus,
                   struct numa *ret);
/* Its text of one node's distances, "10 21 21", `count` of them. False: another number of them, or
 * no distances. */
bool measure_distances(const char *text, unsigned count, uint8_t *ret);

/* All of a run. */
struct measure {
    const char *root;
    struct measure_options options;
    struct measure_cpus found;
    struct machine_facts facts;
    struct threads threads;
    struct threads_machine back_end;
    struct cpu_info cpus[MAX_CPUS];
    unsigned cpu_count;
    uint32_t caches_crc; /* as CPUID describes them */
    struct numa numa;
    bool has_numa;
    void *workspace;
    struct result result;
    struct recommendation recommendation;
    struct record *into; /* not NULL: the record goes there, and nothing is printed */
};

/* How a run that has figures ends: the first that holds of stopped, lost, one CPU, outside,
 * offline. chosen: --cpus was given, so that those left out were not asked for. */
enum status measure_status(const struct measure_cpus *found, const struct result *result,
                           bool stopped, bool chosen);

/* measure_output.c: the record of a result. */
void measure_record(const struct measure *measure, struct record *ret);
/* Prints the result, and saves the record where that was asked for. */
enum status measure_output(const struct measure *measure);

/* measure.c: measures as `migcost measure` with these words does, and prints nothing but what went
 * wrong. *ret is set where the status is STATUS_OK or one of a run in part that has figures. */
enum status measure_quietly(const char *root, const char *const *words, unsigned count,
                            struct record *ret);

#endif
