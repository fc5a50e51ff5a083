/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of exit statuses. */
#include "status.h"
#include <stddef.h>

void status_list(FILE *to)
{
    static const struct {
        int number;
        const char *meaning;
    } table[] = {
#define X(name, number, meaning) {number, meaning},
        STATUS_TABLE(X)
#undef X
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        fprintf(to, "  %2d  %s\n", table[i].number, table[i].meaning);
}
