/* SPDX-License-Identifier: BSD-2-Clause */
/* LoadOptions bytes to UTF-8. */
#include "cmdline.h"
#include "little_endian.h"

/* UEFI 2.10, 3.1.3: EFI_LOAD_OPTION is attributes, length of the device paths, description, device
 * paths, optional data; packed. */
#define LOAD_OPTION_HEADER     6u
#define LOAD_OPTION_ATTRIBUTES 0x1F0Bu /* active, force reconnect, hidden, category */
#define NODE_HEADER            4u      /* type, subtype, length; 10.2 */

struct bytes {
    const uint8_t *at;
    size_t size;
};

static struct bytes skip(struct bytes bytes, size_t count)
{
    return (struct bytes){bytes.at + count, bytes.size - count};
}

/* True if these bytes are device paths, one or more, to their last byte. */
static bool is_path_list(struct bytes list)
{
    bool ended = false;
    while (list.size > 0) {
        if (list.size < NODE_HEADER)
            return false;
        const size_t length = get16(list.at + 2);
        if (length < NODE_HEADER || length > list.size)
            return false;
        ended = list.at[0] == 0x7F && list.at[1] == 0xFF;
        list = skip(list, length);
    }
    return ended;
}

/* Some firmware (Dell) passes the whole boot option instead of its optional data (E3). */
static struct bytes unwrap_load_option(struct bytes bytes)
{
    struct bytes rest = bytes;
    if (rest.size < LOAD_OPTION_HEADER)
        return bytes;
    const unsigned attributes_high = get16(rest.at + 2), paths = get16(rest.at + 4);
    if ((get16(rest.at) & ~LOAD_OPTION_ATTRIBUTES) != 0 || attributes_high != 0)
        return bytes;
    rest = skip(rest, LOAD_OPTION_HEADER);
    for (;;) { /* the description */
        if (rest.size < 2)
            return bytes;
        const unsigned unit = get16(rest.at);
        rest = skip(rest, 2);
        if (unit == 0)
            break;
    }
    if (paths > rest.size || !is_path_list((struct bytes){rest.at, paths}))
        return bytes;
    return skip(rest, paths);
}

static bool is_text(unsigned unit)
{
    return (unit >= 0x20 && unit <= 0x7E) || unit == '\t';
}

/* ASCII as efibootmgr writes it without --unicode: text in every byte, then at most NULs (E5).
 * UTF-16 of a single character looks the same, and means the same. */
static bool is_ascii(struct bytes bytes)
{
    size_t i = 0;
    while (i < bytes.size && is_text(bytes.at[i]))
        i++;
    while (i < bytes.size && bytes.at[i] == 0)
        i++;
    return i == bytes.size;
}

/* One character of every `step` bytes, up to a NUL. Nothing but text is in it (E2). */
static enum cmdline_status copy(struct bytes bytes, size_t step, char *text, size_t text_size)
{
    size_t length = 0;
    bool blank = true;
    for (; bytes.size >= step; bytes = skip(bytes, step)) {
        const unsigned unit = step == 1 ? bytes.at[0] : get16(bytes.at);
        if (unit == 0)
            return blank ? CMDLINE_NONE : CMDLINE_OK;
        if (!is_text(unit))
            return CMDLINE_GARBAGE;
        if (length + 1 >= text_size)
            return CMDLINE_TOO_LONG;
        blank = blank && (unit == ' ' || unit == '\t');
        text[length++] = (char)unit;
        text[length] = '\0';
    }
    if (bytes.size > 0) /* half a character, and no end before it: not what anyone typed */
        return CMDLINE_GARBAGE;
    return blank ? CMDLINE_NONE : CMDLINE_OK;
}

enum cmdline_status cmdline_decode(const void *load_options, size_t size, char *text,
                                   size_t text_size)
{
    struct bytes bytes = {load_options, size};
    if (text_size > 0)
        text[0] = '\0';
    if (load_options == NULL || size < 2)
        return CMDLINE_NONE;

    bytes = unwrap_load_option(bytes);
    if (bytes.size < 2)
        return CMDLINE_NONE;
    if (bytes.at[0] == 0xFF && bytes.at[1] == 0xFE) /* E6 */
        bytes = skip(bytes, 2);
    const bool ascii = is_ascii(bytes);
    const enum cmdline_status status = copy(bytes, ascii ? 1 : 2, text, text_size);
    if (status != CMDLINE_OK && text_size > 0)
        text[0] = '\0';
    return status;
}

const char *cmdline_status_text(enum cmdline_status status)
{
    switch (status) {
    case CMDLINE_OK:
        return "option text is good";
    case CMDLINE_NONE:
        return "no option text";
    case CMDLINE_GARBAGE:
        return "option text is binary data";
    case CMDLINE_TOO_LONG:
        return "option text is too long";
    }
    return "?";
}
