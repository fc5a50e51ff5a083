/* SPDX-License-Identifier: BSD-2-Clause */
/* Which working sets the touch kernel can visit. */
#include "touch.h"

unsigned long long touch_round(unsigned long long bytes, unsigned line)
{
    unsigned long long lines = bytes / line;
    if (lines < 1)
        lines = 1;
    unsigned shift = 0;
    while ((lines >> shift) >= 32)
        shift++;
    if (shift == 0)
        return lines * line;

    /* To the nearest step of 1 << shift lines; 32 << shift is 16 << (shift + 1), so rounding up
     * stays legal. */
    unsigned long long step = 1ull << shift;
    lines = (lines + step / 2) & ~(step - 1);
    return lines * line;
}
