/* SPDX-License-Identifier: BSD-2-Clause */
/* A result as text: the table for people, the lines of the 2004 patch, JSON for machines. */
#ifndef LIB_REPORT_H
#define LIB_REPORT_H

#include "recommend.h"
#include "record.h"
#include "result.h"
#include "text.h"

/* What a report says of the machine besides the result. Strings may be NULL: not known. */
struct report_machine {
    const char *vendor, *model; /* CPUID vendor and brand string */
    const char *firmware;       /* SMBIOS type 0 version */
    uint32_t cpu_signature;
    unsigned madt_cpus, mp_cpus; /* enabled in MADT, enabled for MP Services (A13); 0 not known */
    uint64_t capacity[CACHE_LEVELS]; /* as used, bytes */
    const char *capacity_source;     /* "CPUID leaf 4", "--capacity", ... */
};

/* Machine, matrix in microseconds, levels, recommendation, flags, time taken. columns is the
 * console's width: a matrix wider than that is replaced by its classes. */
void report_table(const struct text_sink *sink, const struct result *result,
                  const struct recommendation *recommendation, const struct report_machine *machine,
                  unsigned columns);
/* Parts of it, for those who show less. */
void report_machine_lines(const struct text_sink *sink, const struct result *result,
                          const struct report_machine *machine);
void report_recommendation(const struct text_sink *sink, const struct result *result,
                           const struct recommendation *recommendation,
                           const struct report_machine *machine);
void report_flags(const struct text_sink *sink, uint32_t flags); /* one line each; "none" */

/* The lines of the 2004 patch, from figures as data so that the published matrices can be put in.
 */
#define REPORT_2004_NO_DELTA UINT64_MAX /* min_delta of a machine without pairs: printed as -1 */
struct report_2004 {
    unsigned cpu_count;
    const uint64_t *raw_ns;      /* [s*n+d], diagonal included; 0 where not known */
    const struct cpu_info *cpus; /* names by APIC id, and leaves out CPUs that took no part; NULL:
                                    all, named 0 .. n-1 */
    uint64_t cache_bytes, cpu_mhz;
    uint64_t arch_decay_ns, min_delta_ns, decay_ns;
    bool units_2004; /* 2^20 ns as the patch did, else true milliseconds */
};
void report_2004(const struct text_sink *sink, const struct report_2004 *data);
/* Fills it from a result; scratch holds cpu_count^2 values and must outlive *ret. cache_bytes is
 * the outermost capacity known, min_delta_ns the smallest known off-diagonal cell. */
void report_2004_from_result(const struct result *result,
                             const struct recommendation *recommendation,
                             const struct report_machine *machine, uint64_t *scratch,
                             struct report_2004 *ret);

/* report.json: all that the record holds, the full matrix, curves, stay figures. */
void report_json(const struct text_sink *sink, const struct result *result,
                 const struct recommendation *recommendation, const struct record *record,
                 const struct report_machine *machine);

/* A decoded record as text (--show in firmware, `migcost show` on Linux). buffer is the encoded
 * record, for cells. */
void report_record(const struct text_sink *sink, const struct record *record, const uint8_t *buffer,
                   unsigned columns);
void report_record_json(const struct text_sink *sink, const struct record *record,
                        const uint8_t *buffer);

#endif
