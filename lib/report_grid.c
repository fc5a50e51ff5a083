/* SPDX-License-Identifier: BSD-2-Clause */
/* A small table for people: columns as wide as their longest cell, narrow pages drop some. */
#include "report_parts.h"

#define GAP 2u /* blanks between two columns */

static unsigned length_of(const char *text)
{
    unsigned length = 0;
    while (text[length])
        length++;
    return length;
}

/* Widths of the columns, 0 for those without any text. */
static void measure(const struct report_grid *grid, unsigned *width)
{
    for (unsigned c = 0; c < GRID_COLUMNS; c++) {
        width[c] = 0;
        for (unsigned r = 0; r < grid->rows; r++) {
            unsigned length = length_of(grid->cell[r][c]);
            if (length > width[c])
                width[c] = length;
        }
    }
}

static unsigned total_width(const unsigned *width)
{
    unsigned total = 0;
    for (unsigned c = 0; c < GRID_COLUMNS; c++)
        if (width[c])
            total += width[c] + (total ? GAP : 0);
    return total;
}

void report_grid(const struct report_page *page, const struct report_grid *grid)
{
    unsigned width[GRID_COLUMNS];
    measure(grid, width);
    for (unsigned i = 0; i < GRID_COLUMNS && grid->drop[i]; i++)
        if (total_width(width) > page->columns)
            width[grid->drop[i]] = 0;

    for (unsigned r = 0; r < grid->rows; r++) {
        for (unsigned c = 0; c < GRID_COLUMNS; c++) {
            if (!width[c])
                continue;
            if (c == 0)
                text_print(page->sink, "%-*s", (int)width[c], grid->cell[r][c]);
            else
                text_print(page->sink, "%*s%*s", (int)GAP, "", (int)width[c], grid->cell[r][c]);
        }
        text_print(page->sink, "\n");
    }
}
