/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a machine file: numbers with units, words, sets of CPUs. Every reader takes the
 * whole text, or says in one sentence why not. */
#ifndef TESTS_MACHINE_VALUE_H
#define TESTS_MACHINE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_TEXT 160u

/* What a reader complains about; `text` stays the reader's buffer. */
struct value_error {
    char text[VALUE_TEXT];
    unsigned long line; /* of a machine file, where it is not the one being read; 0 */
};

enum value_unit {
    UNIT_NONE,    /* 12; 0x0F */
    UNIT_TIME,    /* 97 ns, 1.5 us, 30 ms, 1 s: picoseconds */
    UNIT_SIZE,    /* 128K, 2M, 1G: bytes */
    UNIT_RATE,    /* 20 GB/s, 500 MB/s: bytes per microsecond */
    UNIT_CLOCK,   /* 2.4 GHz, 700 MHz: kHz */
    UNIT_PERCENT, /* 60%, 2.5%: thousandths */
    UNIT_PPM,     /* 2%, 0.1%, 50 ppm: millionths */
    UNIT_RATIO    /* 2.5: thousandths */
};

/* A number in its unit, min..max in the unit of the result. */
bool value_number(const char *text, enum value_unit unit, uint64_t min, uint64_t max, uint64_t *ret,
                  struct value_error *error);

/* The same with a sign before it. */
bool value_signed(const char *text, enum value_unit unit, int64_t min, int64_t max, int64_t *ret,
                  struct value_error *error);

/* yes or no. */
bool value_flag(const char *text, bool *ret, struct value_error *error);

/* One of words[0..count-1]. */
bool value_word(const char *text, const char *const *words, unsigned count, unsigned *ret,
                struct value_error *error);

/* A set of CPUs ("0 5-7", "all"): ret_in[cpu] for all below count. Ends at one of the characters
 * `ends` or at the end of the text; *ret_rest is behind it. */
bool value_cpus(const char *text, const char *ends, unsigned count, bool *ret_in,
                const char **ret_rest, struct value_error *error);

/* Disjoint groups ("0 5-7; 1-4", "all", "each", "each 4"): ret_group[cpu], VALUE_NO_GROUP for CPUs
 * in none. */
#define VALUE_NO_GROUP 0xFFFFu
bool value_groups(const char *text, unsigned count, uint16_t *ret_group, unsigned *ret_groups,
                  struct value_error *error);

/* Whitespace-separated numbers, at most `room` of them. */
bool value_list(const char *text, enum value_unit unit, uint64_t min, uint64_t max, unsigned room,
                uint64_t *ret, unsigned *ret_count, struct value_error *error);

bool value_fail(struct value_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
