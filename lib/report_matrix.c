/* SPDX-License-Identifier: BSD-2-Clause */
/* A square of costs, where the console is wide enough for it. */
#include "report_parts.h"

#define CELL 16u /* bytes of a formatted cell */

static bool shown(const struct report_cells *cells, unsigned i)
{
    uint32_t apic_id;
    return cells->name(cells->ctx, i, &apic_id);
}

static unsigned id_width(const struct report_cells *cells)
{
    unsigned widest = 1;
    for (unsigned i = 0; i < cells->count; i++) {
        uint32_t apic_id;
        if (!cells->name(cells->ctx, i, &apic_id))
            continue;
        unsigned width = (unsigned)text_format(NULL, 0, "%u", apic_id);
        if (width > widest)
            widest = width;
    }
    return widest;
}

static unsigned format_cell(char *text, const struct report_cells *cells, unsigned source,
                            unsigned target, bool coarse)
{
    int64_t ns = 0;
    uint32_t spread = 0;
    bool zero = false;
    if (source == target && !cells->diagonal)
        return (unsigned)text_format(text, CELL, ".");
    if (!cells->cell(cells->ctx, source, target, &ns, &spread, &zero))
        return (unsigned)text_format(text, CELL, "?");
    if (zero)
        return (unsigned)text_format(text, CELL, "0");
    return (unsigned)report_us(text, CELL, ns, coarse ? UINT32_MAX : spread);
}

static unsigned cell_width(const struct report_cells *cells, bool coarse)
{
    unsigned widest = 1;
    char text[CELL];
    for (unsigned s = 0; s < cells->count; s++)
        for (unsigned d = 0; shown(cells, s) && d < cells->count; d++) {
            unsigned width = shown(cells, d) ? format_cell(text, cells, s, d, coarse) : 0;
            if (width > widest)
                widest = width;
        }
    return widest;
}

static unsigned shown_count(const struct report_cells *cells)
{
    unsigned count = 0;
    for (unsigned i = 0; i < cells->count; i++)
        count += shown(cells, i);
    return count;
}

struct layout {
    unsigned ids, width; /* columns of a row's name, and of a cell with the blanks before it */
    bool coarse;         /* two digits at most */
};

/* Two blanks between cells; where that is too wide, one and two digits. False: too wide still. */
static bool lay_out(const struct report_page *page, const struct report_cells *cells,
                    struct layout *ret)
{
    unsigned ids = id_width(cells), count = shown_count(cells);
    if (ids + count * 2 > page->columns) /* before every cell is formatted for nothing */
        return false;
    for (unsigned gap = 2; gap > 0; gap--) {
        bool coarse = gap < 2;
        unsigned width = cell_width(cells, coarse);
        width = (width < ids ? ids : width) + gap;
        *ret = (struct layout){.ids = ids, .width = width, .coarse = coarse};
        if (ids + count * width <= page->columns)
            return true;
    }
    return false;
}

bool report_cells_fit(const struct report_page *page, const struct report_cells *cells)
{
    struct layout layout;
    return lay_out(page, cells, &layout);
}

void report_cells(const struct report_page *page, const struct report_cells *cells)
{
    struct layout layout;
    uint32_t apic_id;
    if (!lay_out(page, cells, &layout))
        return;
    text_print(page->sink, "%*s", (int)layout.ids, "");
    for (unsigned d = 0; d < cells->count; d++)
        if (cells->name(cells->ctx, d, &apic_id))
            text_print(page->sink, "%*u", (int)layout.width, apic_id);
    text_print(page->sink, "\n");
    for (unsigned s = 0; s < cells->count; s++) {
        if (!cells->name(cells->ctx, s, &apic_id))
            continue;
        text_print(page->sink, "%*u", (int)layout.ids, apic_id);
        for (unsigned d = 0; d < cells->count; d++) {
            char text[CELL];
            if (!shown(cells, d))
                continue;
            format_cell(text, cells, s, d, layout.coarse);
            text_print(page->sink, "%*s", (int)layout.width, text);
        }
        text_print(page->sink, "\n");
    }
}

void report_square(const struct report_page *page, const struct report_cells *cells)
{
    if (report_cells_fit(page, cells)) {
        report_title(page, "migration cost in us (APIC ids; row: from, column: to)");
        report_cells(page, cells);
    } else {
        report_field(page, "matrix",
                     "%u CPUs are more than %u columns: classes only here, every cell in JSON",
                     shown_count(cells), page->columns + 1);
    }
}
