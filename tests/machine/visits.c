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
    free(visits->fresh);
    *visits = (struct visits){0};
}

void visits_reset(struct visits *visits)
{
    visits->fresh_count = 0;
    if (visits->bits)
        memset(visits->bits, 0, (size_t)visits->cpu_count * visits->words * sizeof *visits->bits);
}

void visits_copy(struct visits *to, const struct visits *from)
{
    if (to->bits)
        memcpy(to->bits, from->bits, (size_t)to->cpu_count * to->words * sizeof *to->bits);
}

bool visits_see(struct visits *visits, unsigned cpu, uint32_t page)
{
    if (visits_has(visits, cpu, page))
        return true;
    if (visits->fresh_count && visits->fresh[visits->fresh_count - 1] == page)
        return false;
    if (visits->fresh_count == visits->fresh_room) {
        size_t room = visits->fresh_room ? visits->fresh_room * 2 : 1024;
        uint32_t *more = realloc(visits->fresh, room * sizeof *more);
        if (!more)
            return true;
        visits->fresh = more;
        visits->fresh_room = room;
    }
    visits->fresh_cpu = cpu;
    visits->fresh[visits->fresh_count++] = page;
    return false;
}

void visits_settle(struct visits *visits)
{
    for (size_t i = 0; i < visits->fresh_count; i++)
        visits_note(visits, visits->fresh_cpu, visits->fresh[i]);
    visits->fresh_count = 0;
}

void visits_forget(struct visits *visits, uint32_t page)
{
    for (unsigned cpu = 0; cpu < visits->cpu_count; cpu++)
        visits->bits[(size_t)cpu * visits->words + page / 64] &= ~(1ull << (page % 64));
}
