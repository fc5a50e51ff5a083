/* SPDX-License-Identifier: BSD-2-Clause */
/* A square of costs: as numbers where the console is wide enough, else as shades. */
#include "report_parts.h"

#define CELL    16u /* bytes of a formatted cell */
#define SHADES  8u
#define LG_UNIT 16u /* lg() counts sixteenths of an octave */

static const char shade_mark[SHADES + 1] = ":-=+*#%@";

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

/* Logarithm to base 2 in sixteenths, straight between powers of two. ns > 0. */
static unsigned lg(uint64_t ns)
{
    unsigned octave = 0;
    while (ns >> octave > 1)
        octave++;
    uint64_t rest = octave > 4 ? ns >> (octave - 4) : ns << (4 - octave);
    return octave * LG_UNIT + (unsigned)(rest - 16);
}

struct scale {
    unsigned low, span; /* lg() of the smallest cost, and what all shades cover */
    int64_t least[SHADES], most[SHADES];
};

static unsigned shade_of(const struct scale *scale, int64_t ns)
{
    uint64_t shade = (uint64_t)(lg((uint64_t)ns) - scale->low) * SHADES / (scale->span + 1ull);
    return shade < SHADES ? (unsigned)shade : SHADES - 1;
}

/* Calls visit for every known cost above zero. */
static void each_cost(const struct report_cells *cells, struct scale *scale,
                      void (*visit)(struct scale *scale, int64_t ns))
{
    for (unsigned s = 0; s < cells->count; s++)
        for (unsigned d = 0; shown(cells, s) && d < cells->count; d++) {
            int64_t ns;
            uint32_t spread;
            bool zero;
            if (s != d && shown(cells, d) && cells->cell(cells->ctx, s, d, &ns, &spread, &zero) &&
                !zero && ns > 0)
                visit(scale, ns);
        }
}

static void visit_range(struct scale *scale, int64_t ns)
{
    unsigned at = lg((uint64_t)ns);
    if (at < scale->low)
        scale->low = at;
    if (at > scale->span) /* the highest, until the lowest is known */
        scale->span = at;
}

static void visit_shade(struct scale *scale, int64_t ns)
{
    unsigned shade = shade_of(scale, ns);
    if (!scale->most[shade] || ns < scale->least[shade])
        scale->least[shade] = ns;
    if (ns > scale->most[shade])
        scale->most[shade] = ns;
}

/* Two octaves at least: noise within one class shall not look like structure. */
static void make_scale(const struct report_cells *cells, struct scale *scale)
{
    *scale = (struct scale){.low = UINT32_MAX};
    each_cost(cells, scale, visit_range);
    if (scale->low == UINT32_MAX)
        return;
    scale->span -= scale->low;
    if (scale->span < 2 * LG_UNIT)
        scale->span = 2 * LG_UNIT;
    each_cost(cells, scale, visit_shade);
}

static char mark_of(const struct report_cells *cells, const struct scale *scale, unsigned source,
                    unsigned target)
{
    int64_t ns;
    uint32_t spread;
    bool zero;
    if (source == target)
        return '\\';
    if (!cells->cell(cells->ctx, source, target, &ns, &spread, &zero))
        return '?';
    return zero || ns <= 0 ? '.' : shade_mark[shade_of(scale, ns)];
}

static int64_t two_digits(int64_t ns)
{
    int64_t step = 1;
    while (ns / step >= 100)
        step *= 10;
    return (ns + step / 2) / step * step;
}

static void print_legend(const struct report_page *page, const struct scale *scale)
{
    struct report_wrap wrap;
    report_wrap_begin(&wrap, page, "shades");
    text_print(&wrap.sink, ".\036none");
    for (unsigned i = 0; i < SHADES; i++) {
        char least[24], most[24];
        if (!scale->most[i])
            continue;
        int64_t low = two_digits(scale->least[i]), high = two_digits(scale->most[i]);
        report_duration(least, sizeof least, low);
        report_duration(most, sizeof most, high);
        text_print(&wrap.sink, ", %c\036%s", shade_mark[i], least);
        if (low != high)
            text_print(&wrap.sink, "\036to\036%s", most);
    }
    report_wrap_end(&wrap);
}

bool report_heat_map(const struct report_page *page, const struct report_cells *cells)
{
    unsigned ids = id_width(cells);
    if (ids + 2 + shown_count(cells) > page->columns)
        return false;
    report_title(page, "migration cost by shade (APIC ids; row: from, column: to)");
    struct scale scale;
    make_scale(cells, &scale);
    for (unsigned s = 0; s < cells->count; s++) {
        uint32_t apic_id;
        if (!cells->name(cells->ctx, s, &apic_id))
            continue;
        text_print(page->sink, "%*u  ", (int)ids, apic_id);
        for (unsigned d = 0; d < cells->count; d++)
            if (shown(cells, d))
                text_print(page->sink, "%c", mark_of(cells, &scale, s, d));
        text_print(page->sink, "\n");
    }
    print_legend(page, &scale);
    return true;
}

void report_square(const struct report_page *page, const struct report_cells *cells)
{
    if (report_cells_fit(page, cells)) {
        report_title(page, "migration cost in us (APIC ids; row: from, column: to)");
        report_cells(page, cells);
    } else if (!report_heat_map(page, cells)) {
        report_field(page, "matrix",
                     "%u CPUs are more than %u columns: classes only here, every cell in JSON",
                     shown_count(cells), page->columns + 1);
    }
}
