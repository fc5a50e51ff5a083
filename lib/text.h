/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted text without a C library: into a buffer, or through a sink (console, file, test). */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Where text goes. write gets UTF-8 that is not NUL-terminated; what it cannot take it drops. */
struct text_sink {
    void (*write)(void *ctx, const char *text, size_t length);
    void *ctx;
};

/* Conversions: %d %i %u %x %c %s %% with flags '-' and '0', width (number or *), precision for %s,
 * and length l, ll, z. Any other conversion is copied as it stands. */
void text_print(const struct text_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_vprint(const struct text_sink *sink, const char *format, va_list args);

/* As snprintf: always terminates where size > 0, returns the length that the whole text has. */
size_t text_format(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Nanoseconds for people in 2 or 3 significant digits and a fitting unit ("15.3 us", "1.20 ms",
 * "-40 ns", "0"). */
size_t text_duration(char *buffer, size_t size, long long ns);

/* Bytes for people: "768 KiB", "1.5 MiB", "36 B". */
size_t text_bytes(char *buffer, size_t size, unsigned long long bytes);

#endif
