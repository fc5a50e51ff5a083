/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a record still hold? One pair of each of its classes is measured again, at the record's
 * working set, pattern and access, and compared with what is stored. Takes VERIFY_MS, and less
 * than 200 ms on real hardware, where ten touches of any working set take no longer than the rest.
 */
#ifndef LIB_VERIFY_H
#define LIB_VERIFY_H

#include "machine.h"
#include "record.h"
#include "text.h"

#define VERIFY_MS 120u /* shared out over the classes */

struct verify_class {
    struct figure cost; /* now; samples 0: not measured */
    bool drifted;
};
struct verify {
    unsigned measured, drifted; /* classes */
    struct verify_class class[RECORD_MAX_CLASSES];
};

/* Zeroed memory that a run needs. */
size_t verify_workspace_bytes(void);

/* record and its bytes (NULL: nothing is known of single cells) are as record_decode() took them,
 * and of this machine. The pair of a class is the first whose CPUs share what the class says, and
 * whose own cell, if there is one, lies within the class's spread. Ends when the machine says stop.
 */
void verify_run(const struct machine *machine, const struct record *record, const uint8_t *bytes,
                void *workspace, struct verify *ret);

/* True if cost and what is stored cannot both be right: they are further apart than both spreads
 * together. What could not be told from zero must stay below a tenth of staying, or its spread. */
bool verify_drifted(const struct record_class *stored, const struct figure *cost, int32_t stay_ns);

/* The table of what came out, and a line that sums it up. */
void verify_report(const struct text_sink *sink, const struct record *record,
                   const struct verify *verify);

#endif
