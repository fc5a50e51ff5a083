/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of numbers: cpu_list.h has the form. */
#include "cpu_list.h"
#include "files.h"
#include <string.h>

bool cpu_list_parse(const char *text, struct cpu_set *ret)
{
    memset(ret, 0, sizeof *ret);
    if (*text == '\0' || strcmp(text, "\n") == 0)
        return true;
    for (;;) {
        uint32_t first, last;
        if (!text_take_u32(&text, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!text_take_u32(&text, &last))
                return false;
        }
        if (first > last || last >= CPU_NUMBERS)
            return false;
        for (uint32_t number = first; number <= last; number++)
            cpu_set_add(ret, number);
        if (*text == '\0' || strcmp(text, "\n") == 0)
            return true;
        if (*text++ != ',')
            return false;
    }
}

unsigned cpu_set_count(const struct cpu_set *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < CPU_NUMBERS / 64; i++)
        count += (unsigned)__builtin_popcountll(set->word[i]);
    return count;
}
