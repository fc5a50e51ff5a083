/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people type them: decimal or 0x..., with a unit behind, refused rather than wrapped.
 */
#ifndef LIB_NUMBER_H
#define LIB_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum number_status {
    NUMBER_OK = 0,
    NUMBER_BAD,    /* empty, no digits, or something behind the number that is no unit */
    NUMBER_TOO_BIG /* more than 64 bits */
};

/* A unit and what it stands for; "" is the plain number. Case does not matter. */
struct number_unit {
    char name[4];
    uint32_t factor;
};

/* Reads digits at *text, which moves behind them (also when they are too big). */
enum number_status number_take(const char **text, uint64_t *ret);

/* The whole of text as one number with one of these units. *ret only on NUMBER_OK. */
enum number_status number_parse(const char *text, const struct number_unit *units, size_t count,
                                uint64_t *ret);

/* Bytes: plain, K, M, G, KiB, MiB, GiB (powers of 1024). */
enum number_status number_parse_bytes(const char *text, uint64_t *ret);

/* A duration in nanoseconds: plain or ns, us, ms, s. */
enum number_status number_parse_ns(const char *text, uint64_t *ret);

#endif
