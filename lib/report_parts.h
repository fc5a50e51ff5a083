/* SPDX-License-Identifier: BSD-2-Clause */
/* What the reports for people share: wrapped fields with a label in the margin, figures with as
 * many digits as their spread allows, aligned tables, names. Used by lib/report_*.c only. */
#ifndef LIB_REPORT_PARTS_H
#define LIB_REPORT_PARTS_H

#include "report.h"

#define REPORT_COLUMNS_DEFAULT 80u
#define REPORT_MARGIN          12u /* columns that labels take */

/* Where lines go. columns is one less than the console has: some consoles go to the next line by
 * themselves once the last column is filled. */
struct report_page {
    const struct text_sink *sink;
    unsigned columns;
};

/* Widths that no console has (G3) become 80. */
struct report_page report_page(const struct text_sink *sink, unsigned columns);

/* Breaks at blanks whatever is written to `sink`, with all lines but the first indented. */
struct report_wrap {
    struct text_sink sink;
    const struct report_page *page;
    unsigned indent, column;
    unsigned length; /* of word */
    char word[80];   /* longer words are cut in two */
};
void report_wrap_begin(struct report_wrap *wrap, const struct report_page *page, const char *label);
void report_wrap_end(struct report_wrap *wrap);
void report_field(const struct report_page *page, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A field of items with commas between them; without items there is no field. */
struct report_list {
    struct report_wrap wrap;
    const struct report_page *page;
    const char *label;
    bool begun;
};
void report_list_begin(struct report_list *list, const struct report_page *page, const char *label);
void report_list_item(struct report_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_list_end(struct report_list *list, const char *tail); /* what is said of them all */

/* A line of its own, from the left edge. */
void report_title(const struct report_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Replaces the blanks of text by a mark that report_wrap does not break at, and back. Returns
 * text. */
char *report_solid(char *text);
char *report_plain(char *text);
char *report_duration(char *buffer, size_t size, int64_t ns); /* text_duration(), solid */
char *report_bytes(char *buffer, size_t size, uint64_t bytes);

/* ns as microseconds without the unit: three digits where the spread is below five steps of the
 * third, else two, and never a digit below a nanosecond. */
size_t report_us(char *buffer, size_t size, int64_t ns, uint32_t spread_ns);
/* A spread, as microseconds: one digit, two where the first is a 1. */
size_t report_spread(char *buffer, size_t size, uint32_t spread_ns);
/* percent as a factor: "2", "1.5", "0.25". */
size_t report_factor(char *buffer, size_t size, uint32_t percent);
/* "2025-11-30 22:15" of seconds since 1970; "not known" for 0 or years past 9999. */
size_t report_date(char *buffer, size_t size, uint64_t seconds);
/* Foreign text for a console: printable ASCII, other bytes as '?', blanks trimmed and single. */
size_t report_clean(char *buffer, size_t size, const char *text);

/* Names of enum values, "?" for numbers that are none. */
const char *report_pattern(unsigned pattern);
const char *report_access(unsigned access);
const char *report_clock(unsigned source);

/* "package", "system d21", "LLC E+P", "LLC split". */
size_t report_class_name(char *buffer, size_t size, struct class_key key, unsigned class_flags);

static inline bool report_takes_part(const struct cpu_info *cpu)
{
    return !(cpu->flags & (CPU_LOST | CPU_DISABLED | CPU_NOT_CHOSEN));
}

/* A table whose columns are as wide as their longest cell. Row 0 is the heading. */
#define GRID_ROWS    (MAX_CLASSES + 1u)
#define GRID_COLUMNS 8u
#define GRID_CELL    28u
struct report_grid {
    unsigned rows;
    uint8_t drop[GRID_COLUMNS]; /* columns to leave out, in this order, while the page is too
                                   narrow; 0 ends the list */
    char cell[GRID_ROWS][GRID_COLUMNS][GRID_CELL];
};
void report_grid(const struct report_page *page, const struct report_grid *grid);

/* One class as result and record both know it. */
struct report_class {
    char name[GRID_CELL]; /* solid; set by report_name_classes() */
    struct class_key key;
    uint16_t flags;
    bool measured;
    bool range_known; /* min_ns, max_ns are set */
    uint32_t pairs;
    uint64_t working_set;
    int32_t cost_ns;
    uint32_t spread_ns;
    uint16_t samples;     /* 0: not known */
    struct figure linear; /* samples 0: not done */
    struct figure chase;
    int32_t min_ns, max_ns;
    uint16_t first_visit_percent; /* 0: not done */
    uint64_t evict_bytes;         /* 0: not known */
    uint32_t evict_ns;
    const struct level_decay *decay; /* NULL: none recommended */
};
/* Names them; those with the same name are numbered ("LLC split 2"). */
void report_name_classes(struct report_class *classes, unsigned count);
/* The level table, its footnotes, first visits, and what evicts a footprint. kernel_default: no
 * decay but the kernel's is recommended. */
void report_classes(const struct report_page *page, const struct report_class *classes,
                    unsigned count, bool kernel_default);

/* A square of costs. */
struct report_cells {
    unsigned count; /* rows and columns */
    const void *ctx;
    /* Name of CPU i; false: it took no part and is left out. */
    bool (*name)(const void *ctx, unsigned i, uint32_t *ret_apic_id);
    /* False: not known. *ret_zero: not told from zero. */
    bool (*cell)(const void *ctx, unsigned source, unsigned target, int64_t *ret_ns,
                 uint32_t *ret_spread, bool *ret_zero);
    bool diagonal; /* it has figures */
};
bool report_cells_fit(const struct report_page *page, const struct report_cells *cells);
void report_cells(const struct report_page *page, const struct report_cells *cells);
/* The cost matrix in the first of these forms that fits, or the line that none does. */
void report_square(const struct report_page *page, const struct report_cells *cells);

/* The recommendation. arch_ns 0: the old estimate is left out. */
void report_advice(const struct report_page *page, const struct recommendation *recommendation,
                   unsigned pattern, unsigned access, uint64_t arch_ns);
void report_flag_lines(const struct report_page *page, uint32_t flags);
void report_machine_fields(const struct report_page *page, const struct result *result,
                           const struct report_machine *machine);
/* Placement, odd CPUs: nothing where there is nothing to say. classes are those of
 * result, named. */
void report_remarks(const struct report_page *page, const struct result *result,
                    const struct report_class *classes);
/* Time, touches, bytes, the longest window (B11). */
void report_effort(const struct report_page *page, const struct result *result);
uint64_t report_arch_estimate(const struct result *result, const struct report_machine *machine);
/* " 0-3 8 10-30 by 2": the APIC ids of cells' CPUs in order, runs joined; only name is called. */
void report_apic_ids(const struct text_sink *sink, const struct report_cells *cells);

#endif
