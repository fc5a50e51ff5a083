/* SPDX-License-Identifier: BSD-2-Clause */
/* Recorder and replayer of the seam: a run on a real machine, kept as text and run again on any
 * host for regressions.
 *
 * The text has one line for each thing; numbers are decimal, "-" stands for 4294967295 (unknown).
 * Blank lines and lines that begin with # may stand anywhere. First the machine, in this order:
 *
 *   migcost recording 1
 *   machine CPUS KHZ RESOLUTION READ_COST ERROR_PPM CORE_PERMILLE SOURCE SECOND REGION_MAX FLAGS
 *   cpu APIC_ID FLAGS SHARE[0..7] NODE CACHE_BYTES[0..3] CACHE_WAYS[0..3] LINE KIND    for each CPU
 *   numa NODES RANGES                                    without SRAT: neither this nor the next
 * two node ID DISTANCE[0..NODES-1]                         for each node range BASE BYTES NODE for
 * each range
 *
 * then the calls, questions before the "=" and answers behind it:
 *
 *   run COUNT = OK
 *   job CPU LANE REGION PATTERN ACCESS OFFSET BYTES = TICKS NOISE STATUS   for each job of the
 * batch get NODE BYTES = OK REGION HOME put REGION now = NS between DONE TOTAL STEP = OK told for
 * the reader, and not compared flags CPU FLAGS                                       after a call
 * in which a CPU's flags changed
 */
#ifndef LIB_REPLAY_H
#define LIB_REPLAY_H

#include "machine.h"
#include "text.h"

/* Wraps `inner`: every call goes through, and is written to sink. */
struct recorder {
    struct machine machine; /* give &machine to the engine */
    const struct machine *inner;
    const struct text_sink *sink;
    uint32_t cpu_flags[MAX_CPUS]; /* as last written */
};

/* Writes the machine to sink, then waits for calls. inner and sink must outlive *recorder, which
 * must stay where it is. inner has at most MAX_CPUS CPUs. */
void recorder_init(struct recorder *recorder, const struct machine *inner,
                   const struct text_sink *sink);

/* Answers an engine from a recorded text. */
struct replayer {
    struct machine machine; /* give &machine to the engine */
    struct cpu_info *cpus;
    struct numa numa;
    const char *text;       /* next line */
    unsigned long line;     /* its number */
    unsigned long diverged; /* 0, or the line at which the engine asked for something else */
    uint64_t ns;            /* last answer of now() */
};

/* `cpus` has room for MAX_CPUS. text stays the caller's; it and *replayer, which must stay where it
 * is, must outlive the run. Every line is looked at: false, with the number of the first bad one in
 * *ret_line, if the text is no recording.
 *
 * After a divergence every touch is TOUCH_SKIPPED, no region is given, between() says stop, now()
 * stands. */
bool replayer_init(struct replayer *replayer, const char *text, struct cpu_info *cpus,
                   unsigned long *ret_line);

/* True once every recorded call was made, and none diverged. */
bool replayer_finished(const struct replayer *replayer);

#endif
