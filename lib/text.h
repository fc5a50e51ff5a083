/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted text without a C library: into a buffer, or through a sink (console, file, test). */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Where text goes. write gets UTF-8 that is not NUL-terminated; what it cannot take it drops.
 * Without a write nothing is formatted at all. */
struct text_sink {
    void (*write)(void *ctx, const char *text, size_t length);
    void *ctx;
};

/* Conversions: %d %i %u %x %c %s %% with flags '-' and '0', width and precision (number or *), and
 * length l, ll, z. Width and precision count bytes and are bounded by 4096. NULL for %s prints
 * "(null)". Any other conversion is copied as it stands, and all that follows it too: which
 * argument it would have taken is not known. */
void text_print(const struct text_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_vprint(const struct text_sink *sink, const char *format, va_list args);

/* A sink into memory: always terminated where size > 0, what does not fit is dropped, never within
 * a UTF-8 character. length is what the whole text would have, so `length >= size` means cut. */
struct text_buffer {
    char *data;
    size_t size, length;
};
struct text_sink text_buffer_sink(struct text_buffer *buffer, char *data, size_t size);

/* As snprintf: always terminates where size > 0, returns the length that the whole text has. Cuts
 * between UTF-8 characters. */
size_t text_format(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The n-th string of a list, from 0: "a\0b\0" has two. NULL where it has not that many. A list
 * takes no relocations, which an array of pointers does, one each. */
const char *text_nth(const char *list, unsigned n);

/* value / 10^decimals, with that many digits (at most 9) behind the point: "-12.34", and "12" for
 * 0. Returns as text_format. */
size_t text_decimal(char *buffer, size_t size, bool negative, unsigned long long value,
                    unsigned decimals);

/* Nanoseconds for people in at most 3 significant digits and a fitting unit ("15.3 us", "1.20 ms",
 * "-40 ns", "0"); seconds from 1,000 on in full. Returns as text_format. */
size_t text_duration(char *buffer, size_t size, long long ns);

/* Bytes for people, 3 significant digits: "768 KiB", "1.25 MiB", "36 B". Returns as text_format. */
size_t text_bytes(char *buffer, size_t size, unsigned long long bytes);

#endif
