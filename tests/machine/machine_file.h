/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the reader of machine files and its table of keys. */
#ifndef TESTS_MACHINE_MACHINE_FILE_H
#define TESTS_MACHINE_MACHINE_FILE_H

#include "desc.h"
#include "value.h"

enum section {
    SECTION_TOP = 0, /* before the first heading */
    SECTION_OVERLAP,
    SECTION_KIND,
    SECTION_CPU,
    SECTION_TOPOLOGY,
    SECTION_CACHE,
    SECTION_DISTANCE,
    SECTION_MEMORY,
    SECTION_NODE,
    SECTION_LINK,
    SECTION_PREFETCH,
    SECTION_OTHERS,
    SECTION_CLAIMS,
    SECTION_CLOCK,
    SECTION_NOISE,
    SECTIONS
};

struct reader {
    struct desc *desc;
    enum section section;
    void *target;          /* what the section's plain keys are written into */
    bool chosen[MAX_CPUS]; /* CPUs of a [cpu] heading */
    uint64_t seen;         /* keys of this section so far, a bit per table entry */
    bool had[SECTIONS];
    unsigned long line;       /* the one being read */
    struct value_error error; /* what was wrong */
};

/* Sets one key of the current section. False: reader->error says why. */
bool machine_file_set(struct reader *reader, const char *key, const char *value);
/* True if no required key of the current section is missing. */
bool machine_file_complete(struct reader *reader);

/* machine_check.c: fills in what was left out and refuses what cannot be. */
bool machine_check(struct desc *desc, struct value_error *error);

#endif
