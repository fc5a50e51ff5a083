/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags to names. */
#include "flags_text.h"
#include "../lib/flags.h"
#include "../lib/text.h"

void flags_list(uint32_t flags, char ret[FLAGS_TEXT])
{
    struct text_buffer buffer;
    const struct text_sink sink = text_buffer_sink(&buffer, ret, FLAGS_TEXT);
    for (unsigned bit = 0; bit < FLAG_COUNT; bit++)
        if (flags >> bit & 1)
            text_print(&sink, "%s%s", buffer.length ? ", " : "", flag_name(bit));
}
