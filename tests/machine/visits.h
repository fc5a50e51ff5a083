/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPU has been in which page: what makes a re-visit cheaper on some machines. */
#ifndef TESTS_MACHINE_VISITS_H
#define TESTS_MACHINE_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct visits {
    uint64_t *bits; /* [cpu * words]: bit per page; NULL: nobody asks */
    uint32_t words;
    unsigned cpu_count;
    uint32_t *fresh; /* pages that visits_see() met for the first time, once or more often */
    size_t fresh_count, fresh_room;
    unsigned fresh_cpu;
};

/* False: out of memory. */
bool visits_init(struct visits *visits, unsigned cpu_count, uint32_t pages);
void visits_free(struct visits *visits);
void visits_reset(struct visits *visits);
void visits_copy(struct visits *to, const struct visits *from); /* of equal size */

static inline bool visits_has(const struct visits *visits, unsigned cpu, uint32_t page)
{
    return visits->bits[(size_t)cpu * visits->words + page / 64] >> (page % 64) & 1;
}

/* Remembers a visit; true if that CPU had been there before. */
static inline bool visits_note(struct visits *visits, unsigned cpu, uint32_t page)
{
    uint64_t *word = &visits->bits[(size_t)cpu * visits->words + page / 64];
    uint64_t bit = 1ull << (page % 64);
    bool before = (*word & bit) != 0;
    *word |= bit;
    return before;
}

/* During a pass: true if that CPU had been there before the pass began. What is new counts once
 * visits_settle() was called. One CPU between two of these; without memory, nothing is new. */
bool visits_see(struct visits *visits, unsigned cpu, uint32_t page);
void visits_settle(struct visits *visits);

/* Nobody has been in this page. */
void visits_forget(struct visits *visits, uint32_t page);

#endif
