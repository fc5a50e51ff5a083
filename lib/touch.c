/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of patterns and accesses, and which working sets the touch kernel can visit. */
#include "touch.h"
#include "text.h"
#include <stddef.h>

const char *touch_pattern_name(unsigned pattern)
{
    return text_nth("linear\0scatter\0chase\0", pattern);
}

const char *touch_access_name(unsigned access)
{
    return text_nth("read\0write\0update\0", access);
}

const char *touch_purpose_name(unsigned purpose)
{
    return text_nth("warm_up\0screening\0cost\0controls\0matrix\0decay\0", purpose);
}

unsigned long long touch_round(unsigned long long bytes, unsigned line)
{
    unsigned long long most = ~0ull / line, lines = bytes / line;
    if (bytes % line >= line / 2 && lines < most)
        lines++;
    if (lines < 1)
        return line;
    unsigned shift = 0;
    while ((lines >> shift) > TOUCH_SEGMENTS_MAX)
        shift++;
    if (shift == 0)
        return lines * line;

    /* To the nearest step of 1 << shift lines; 32 << shift is 16 << (shift + 1), so rounding up
     * stays legal. Where that would not fit into 64 bits, down. */
    unsigned long long step = 1ull << shift, below = lines & ~(step - 1);
    if (lines - below >= step / 2 && below + step <= most)
        below += step;
    return below * line;
}
