/* SPDX-License-Identifier: BSD-2-Clause */
/* Recorder and replayer of the seam: a run on a real machine, kept as text and run again on any
 * host for regressions. */
#ifndef LIB_REPLAY_H
#define LIB_REPLAY_H

#include "machine.h"
#include "text.h"

/* Wraps `inner`: every call goes through, and is written to sink as one line each. */
struct recorder {
    struct machine machine; /* give &machine to the engine */
    const struct machine *inner;
    const struct text_sink *sink;
};
void recorder_init(struct recorder *recorder, const struct machine *inner,
                   const struct text_sink *sink);

/* Answers an engine from a recorded text. `cpus` has room for MAX_CPUS. After the run `diverged` is
 * 0, or the line number at which the engine asked for something else than was recorded (every later
 * touch is then TOUCH_SKIPPED). */
struct replayer {
    struct machine machine; /* give &machine to the engine */
    struct cpu_info *cpus;
    struct numa numa;
    const char *text;
    unsigned long line;
    unsigned long diverged;
};
/* text stays the caller's and must outlive the replayer. False: not a recording, *ret_line says
 * where. */
bool replayer_init(struct replayer *replayer, const char *text, struct cpu_info *cpus,
                   unsigned long *ret_line);

#endif
