/* SPDX-License-Identifier: BSD-2-Clause */
/* "Did you mean ...?": how far a typed word is from a known one. */
#ifndef LIB_SUGGEST_H
#define LIB_SUGGEST_H

#define SUGGEST_WORD_MAX 24u /* longer words are like nothing */
#define SUGGEST_FAR      0xFFFFFFFFu

/* Letters to insert, drop, change or swap with a neighbour to come from typed to known; case does
 * not matter; the beginning of a known word counts 1. SUGGEST_FAR where they are too unlike to be
 * meant: more than a third of the longer word, or nothing typed to go by. */
unsigned suggest_distance(const char *typed, const char *known);

#endif
