/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits per CPU and page. */
#include "visits.h"
#include <stdlib.h>
#include <string.h>

bool visits_init(struct visits *visits, unsigned cpu_count, uint32_t pages)
{
    visits->words = (pages + 63) / 64;
    visits->cpu_count = cpu_count;
    visits->bits = calloc((size_t)cpu_count * visits->words, sizeof *visits->bits);
    return visits->bits != NULL;
}

void visits_free(struct visits *visits)
{
    free(visits->bits);
    visits->bits = NULL;
}

void visits_reset(struct visits *visits)
{
    if (visits->bits)
        memset(visits->bits, 0, (size_t)visits->cpu_count * visits->words * sizeof *visits->bits);
}

void visits_copy(struct visits *to, const struct visits *from)
{
    if (to->bits)
        memcpy(to->bits, from->bits, (size_t)to->cpu_count * to->words * sizeof *to->bits);
}

void visits_forget(struct visits *visits, uint32_t page)
{
    for (unsigned cpu = 0; cpu < visits->cpu_count; cpu++)
        visits->bits[(size_t)cpu * visits->words + page / 64] &= ~(1ull << (page % 64));
}
