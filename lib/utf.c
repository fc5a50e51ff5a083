/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 to and from UTF-16. */
#include "utf.h"
#include "mem.h"
#include <stdbool.h>

uint32_t utf8_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    const uint32_t first = at[0];
    if (first == 0)
        return 0;
    *text += 1;
    if (first < 0x80)
        return first;

    /* 0xC0, 0xC1 and 0xF5 on can only begin overlong forms or characters that do not exist. */
    unsigned more = first >= 0xC2 && first < 0xE0   ? 1
                    : first >= 0xE0 && first < 0xF0 ? 2
                    : first >= 0xF0 && first < 0xF5 ? 3
                                                    : 0;
    uint32_t character = first & (0x3Fu >> more);
    for (unsigned i = 1; i <= more; i++) { /* a NUL is no continuation: never past the end */
        if ((at[i] & 0xC0) != 0x80)
            return UTF_REPLACEMENT;
        character = character << 6 | (at[i] & 0x3Fu);
    }
    static const uint32_t least[] = {UINT32_MAX, 0x80, 0x800, 0x10000};
    if (character < least[more] || character > 0x10FFFF)
        return UTF_REPLACEMENT;
    *text += more;
    return character;
}

size_t utf8_put(char ret[UTF8_CHAR_MAX], uint32_t character)
{
    if (character < 0x80) {
        ret[0] = (char)character;
        return 1;
    }
    if (character > 0x10FFFF)
        character = UTF_REPLACEMENT;
    const unsigned more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    for (unsigned i = more; i > 0; i--) {
        ret[i] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    ret[0] = (char)(lead[more] | character);
    return more + 1;
}

static uint32_t unit_at(const unsigned char *bytes, size_t index)
{
    return (uint32_t)bytes[2 * index] | (uint32_t)bytes[2 * index + 1] << 8;
}

size_t utf8_from_utf16(const void *text, size_t units, char *ret, size_t size)
{
    const unsigned char *bytes = text;
    size_t length = 0;
    bool fits = size > 0;
    if (fits)
        ret[0] = '\0';
    for (size_t i = 0; i < units; i++) {
        uint32_t character = unit_at(bytes, i);
        if (character == 0)
            break;
        if (character >= 0xD800 && character < 0xDC00 && i + 1 < units) {
            uint32_t low = unit_at(bytes, i + 1);
            if (low >= 0xDC00 && low < 0xE000) {
                character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
                i++;
            }
        }
        char encoded[UTF8_CHAR_MAX];
        size_t count = utf8_put(encoded, character);
        fits = fits && length + count < size;
        if (fits) {
            memcpy(ret + length, encoded, count);
            ret[length + count] = '\0';
        }
        length += count;
    }
    return length;
}

size_t utf16_from_utf8(const char *text, uint16_t *ret, size_t size)
{
    size_t length = 0;
    bool fits = size > 0;
    if (fits)
        ret[0] = 0;
    for (uint32_t character; (character = utf8_next(&text)) != 0;) {
        const bool pair = character >= 0x10000;
        const size_t count = pair ? 2 : 1;
        fits = fits && length + count < size;
        if (fits) {
            const uint32_t over = character - 0x10000;
            ret[length] = (uint16_t)(pair ? 0xD800 + (over >> 10) : character);
            if (pair)
                ret[length + 1] = (uint16_t)(0xDC00 + (over & 0x3FF));
            ret[length + count] = 0;
        }
        length += count;
    }
    return length;
}
