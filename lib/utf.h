/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, which lib/ speaks, to and from the UTF-16 of UEFI, without loss. UEFI's strings may hold
 * surrogates without a partner (file names do): such a unit becomes three bytes in UTF-8 and the
 * same unit again on the way back. Any other ill-formed byte becomes U+FFFD. */
#ifndef LIB_UTF_H
#define LIB_UTF_H

#include <stddef.h>
#include <stdint.h>

#define UTF_REPLACEMENT 0xFFFDu
#define UTF8_CHAR_MAX   4u /* bytes of one character */

/* The next character of a NUL-terminated text, which moves behind it; 0 at its end, and then the
 * text does not move. */
uint32_t utf8_next(const char **text);

/* Puts 1 to 4 bytes, without a terminator, and returns how many. */
size_t utf8_put(char ret[UTF8_CHAR_MAX], uint32_t character);

/* From little-endian UTF-16 at any alignment: at most `units` units, up to the first NUL. Returns
 * the bytes that the whole text has in UTF-8, without the NUL; always terminates where size > 0;
 * what does not fit is cut between characters (returned value >= size). */
size_t utf8_from_utf16(const void *text, size_t units, char *ret, size_t size);

/* The way back. Returns the units that the whole text has, without the NUL; terminates and cuts
 * likewise. ret may be NULL with size 0, to learn the length. */
size_t utf16_from_utf8(const char *text, uint16_t *ret, size_t size);

#endif
