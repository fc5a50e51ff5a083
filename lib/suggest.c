/* SPDX-License-Identifier: BSD-2-Clause */
/* Edit distance for "did you mean". */
#include "suggest.h"
#include "mem.h"
#include <stdbool.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Length and lower case copy; SUGGEST_WORD_MAX + 1 for longer words. */
static unsigned take_word(const char *word, char ret[SUGGEST_WORD_MAX])
{
    unsigned length = 0;
    for (; word[length] != '\0'; length++) {
        if (length == SUGGEST_WORD_MAX)
            return SUGGEST_WORD_MAX + 1;
        ret[length] = lower(word[length]);
    }
    return length;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned suggest_distance(const char *typed, const char *known)
{
    char a[SUGGEST_WORD_MAX], b[SUGGEST_WORD_MAX];
    const unsigned m = take_word(typed, a), n = take_word(known, b);
    if (m < 2 || n < 2 || m > SUGGEST_WORD_MAX || n > SUGGEST_WORD_MAX)
        return SUGGEST_FAR;
    if (m < n && memcmp(a, b, m) == 0)
        return 1;

    /* Optimal string alignment; rows i, i - 1 and i - 2 of the table are kept. */
    unsigned rows[3][SUGGEST_WORD_MAX + 1];
    for (unsigned j = 0; j <= n; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            const bool equal = a[i - 1] == b[j - 1];
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (equal ? 0 : 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    const unsigned distance = rows[m % 3][n], longer = m > n ? m : n;
    return distance <= longer / 3 || distance <= 1 ? distance : SUGGEST_FAR;
}
