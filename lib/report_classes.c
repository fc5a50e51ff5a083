/* SPDX-License-Identifier: BSD-2-Clause */
/* The level table: one line a class, and what has to be said of some of them beneath. */
#include "report_parts.h"

enum { NAME, PAIRS, COST, SPREAD, SAMPLES, WORKING_SET, RANGE, DECAY };

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

void report_name_classes(struct report_class *classes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[GRID_CELL], other[GRID_CELL];
        unsigned before = 0, after = 0;
        report_class_name(name, sizeof name, classes[i].key, classes[i].flags);
        for (unsigned j = 0; j < count; j++) {
            report_class_name(other, sizeof other, classes[j].key, classes[j].flags);
            if (j != i && same_text(name, other))
                (*(j < i ? &before : &after))++;
        }
        if (before + after)
            text_format(classes[i].name, GRID_CELL, "%s %u", name, before + 1);
        else
            text_format(classes[i].name, GRID_CELL, "%s", name);
        report_solid(classes[i].name);
    }
}

/* A cost that cannot be told from zero is shown by the most that it may be. */
static void zero_cost(char *cell, const struct report_class *class)
{
    int64_t most = (int64_t) class->cost_ns + class->spread_ns;
    char text[GRID_CELL];
    report_spread(text, sizeof text, most > 0 ? (uint32_t)most : 0);
    text_format(cell, GRID_CELL, most > 0 ? "<%s" : "%s", text);
}

/* Two peaks have no mean worth printing. */
static void two_peaks(char *cell, const struct report_class *class)
{
    char least[GRID_CELL / 2], most[GRID_CELL / 2];
    if (!class->range_known) {
        text_format(cell, GRID_CELL, "two peaks");
        return;
    }
    report_us(least, sizeof least, class->min_ns, class->spread_ns);
    report_us(most, sizeof most, class->max_ns, class->spread_ns);
    text_format(cell, GRID_CELL, "%s..%s", least, most);
}

static void range_end(char *text, size_t size, const struct figure *figure)
{
    int64_t ns = figure->ns < 0 ? -(int64_t)figure->ns : figure->ns;
    if (figure->samples && ns <= figure->spread_ns)
        text_format(text, size, "0");
    else if (figure->samples)
        report_us(text, size, figure->ns, figure->spread_ns);
    else
        text_format(text, size, "?");
}

static void fill_row(char row[GRID_COLUMNS][GRID_CELL], const struct report_class *class,
                     bool kernel_default)
{
    text_format(row[NAME], GRID_CELL, "%s", class->name);
    report_plain(row[NAME]);
    text_format(row[PAIRS], GRID_CELL, "%u", class->pairs);
    for (unsigned c = COST; c < GRID_COLUMNS; c++)
        text_format(row[c], GRID_CELL, "-");
    if (!class->measured) {
        text_format(row[COST], GRID_CELL, "?");
        return;
    }

    if (class->flags & CLASS_ZERO)
        zero_cost(row[COST], class);
    else if (class->flags & CLASS_TWO_PEAKS)
        two_peaks(row[COST], class);
    else
        report_us(row[COST], GRID_CELL, class->cost_ns, class->spread_ns);
    if (!(class->flags & (CLASS_ZERO | CLASS_TWO_PEAKS)))
        report_spread(row[SPREAD], GRID_CELL, class->spread_ns);
    if (class->samples)
        text_format(row[SAMPLES], GRID_CELL, "%u", class->samples);
    else
        row[SAMPLES][0] = '\0';
    text_bytes(row[WORKING_SET], GRID_CELL, class->working_set);
    if (class->linear.samples || class->chase.samples) {
        char low[GRID_CELL / 2], high[GRID_CELL / 2];
        range_end(low, sizeof low, &class->linear);
        range_end(high, sizeof high, &class->chase);
        text_format(row[RANGE], GRID_CELL, "%s..%s", low, high);
    }
    if (class->decay && !(kernel_default && class->key.level != LEVEL_CORE))
        text_duration(row[DECAY], GRID_CELL, class->decay->decay_ns);
}

static void fill_heading(char row[GRID_COLUMNS][GRID_CELL], bool samples)
{
    static const char names[] =
        "level\0pairs\0cost us\0+-\0samples\0working set\0linear..chase\0decay\0";
    for (unsigned c = 0; c < GRID_COLUMNS; c++)
        text_format(row[c], GRID_CELL, "%s", c == SAMPLES && !samples ? "" : text_nth(names, c));
}

/* A footnote of a class: `flag`, or without one that it was not measured. */
static bool noted(const struct report_class *class, uint16_t flag)
{
    return flag ? class->measured && class->flags & flag : !class->measured;
}

/* One line for all classes that it is true of. */
static void footnote(const struct report_page *page, const struct report_class *classes,
                     unsigned count, uint16_t flag, const char *text)
{
    struct report_list list;
    report_list_begin(&list, page, "");
    for (unsigned i = 0; i < count; i++)
        if (noted(&classes[i], flag))
            report_list_item(&list, "%s", classes[i].name);
    report_list_end(&list, text);
}

static void footnotes(const struct report_page *page, const struct report_class *classes,
                      unsigned count)
{
    footnote(page, classes, count, 0, ": not measured");
    footnote(page, classes, count, CLASS_ZERO, ": no cost can be told from zero");
    footnote(page, classes, count, CLASS_TWO_PEAKS,
             ": the pairs fall into two groups, and a mean would be neither");
    footnote(page, classes, count, CLASS_SPLIT,
             ": pairs that cost unlike the others with the same things in common");
    footnote(page, classes, count, CLASS_NO_CAPACITY,
             ": no capacity is known; the working set was found by search alone");
    footnote(page, classes, count, CLASS_EDGE,
             ": the working set is the largest that could be tried; the cost may be higher");
}

/* Said where the cells of a class lie so far apart that its one figure hides it, as directions of a
 * hybrid pair may. */
static void wide_ranges(const struct report_page *page, const struct report_class *classes,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct report_class *class = &classes[i];
        int64_t range = (int64_t) class->max_ns - class->min_ns;
        char least[16], most[16];
        if (!class->measured || !class->range_known ||
            class->flags & (CLASS_ZERO | CLASS_TWO_PEAKS) || range * 3 < class->cost_ns ||
            range < 4 * (int64_t) class->spread_ns)
            continue;
        report_us(least, sizeof least, class->min_ns, class->spread_ns);
        report_us(most, sizeof most, class->max_ns, class->spread_ns);
        report_field(page, "", "%s: its cells lie between %s and %s\036us", class->name, least,
                     most);
    }
}

static void first_visits(const struct report_page *page, const struct report_class *classes,
                         unsigned count)
{
    struct report_list list;
    report_list_begin(&list, page, "first visit");
    for (unsigned i = 0; i < count; i++) {
        unsigned percent = classes[i].first_visit_percent;
        if (percent)
            report_list_item(&list, "%s\036%u.%02ux", classes[i].name, percent / 100,
                             percent % 100);
    }
    report_list_end(&list, " a revisit");
}

static bool same_domain(const struct report_class *a, const struct report_class *b)
{
    return a->evict_bytes == b->evict_bytes && a->evict_ns == b->evict_ns;
}

/* One line for each cache domain: the classes whose footprints lie in the same kind of cache. */
static void evictions(const struct report_page *page, const struct report_class *classes,
                      unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct report_list list;
        char bytes[24], time[24], tail[96];
        unsigned first = 0;
        while (!same_domain(&classes[first], &classes[i]))
            first++;
        if (!classes[i].evict_bytes || first < i)
            continue;
        report_list_begin(&list, page, "evicted by");
        for (unsigned j = i; j < count; j++)
            if (same_domain(&classes[j], &classes[i]))
                report_list_item(&list, "%s", classes[j].name);
        text_format(tail, sizeof tail, ": %s of other data, which take one CPU %s",
                    report_bytes(bytes, sizeof bytes, classes[i].evict_bytes),
                    report_duration(time, sizeof time, classes[i].evict_ns));
        report_list_end(&list, tail);
    }
}

void report_classes(const struct report_page *page, const struct report_class *classes,
                    unsigned count, bool kernel_default)
{
    if (!count)
        return;
    struct report_grid grid = {.drop = {SAMPLES, RANGE, SPREAD, PAIRS}};
    bool samples = false, clamped = false;
    for (unsigned i = 0; i < count && grid.rows + 1 < GRID_ROWS; i++) {
        samples = samples || classes[i].samples;
        clamped = clamped || (classes[i].decay && classes[i].decay->clamped);
        fill_row(grid.cell[++grid.rows], &classes[i], kernel_default);
    }
    fill_heading(grid.cell[0], samples);
    grid.rows++;
    if (!samples)
        for (unsigned r = 0; r < grid.rows; r++)
            grid.cell[r][SAMPLES][0] = '\0';
    report_grid(page, &grid);
    footnotes(page, classes, count);
    wide_ranges(page, classes, count);
    if (clamped)
        report_field(page, "", "a decay outside of %u us to %u ms was put to that bound",
                     DECAY_MIN_NS / 1000, DECAY_MAX_NS / 1000000);
    first_visits(page, classes, count);
    evictions(page, classes, count);
}
