/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields wrapped to a console's width, and figures with as many digits as they deserve. */
#include "report_parts.h"

#define SOLID_BLANK '\036' /* a blank that is no place to break a line */

struct report_page report_page(const struct text_sink *sink, unsigned columns)
{
    if (columns < 40 || columns > 500)
        columns = REPORT_COLUMNS_DEFAULT;
    return (struct report_page){.sink = sink, .columns = columns - 1};
}

static void end_word(struct report_wrap *wrap)
{
    if (!wrap->length)
        return;
    bool first = wrap->column <= wrap->indent;
    if (!first && wrap->column + 1 + wrap->length > wrap->page->columns) {
        text_print(wrap->page->sink, "\n%*s", (int)wrap->indent, "");
        wrap->column = wrap->indent;
        first = true;
    }
    text_print(wrap->page->sink, "%s%.*s", first ? "" : " ", (int)wrap->length, wrap->word);
    wrap->column += wrap->length + !first;
    wrap->length = 0;
}

static void wrap_write(void *ctx, const char *text, size_t length)
{
    struct report_wrap *wrap = ctx;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ') {
            end_word(wrap);
            continue;
        }
        if (wrap->length == sizeof wrap->word)
            end_word(wrap);
        wrap->word[wrap->length++] = text[i] == SOLID_BLANK ? ' ' : text[i];
    }
}

void report_wrap_begin(struct report_wrap *wrap, const struct report_page *page, const char *label)
{
    *wrap = (struct report_wrap){
        .sink = {.write = wrap_write, .ctx = wrap}, .page = page, .indent = REPORT_MARGIN};
    wrap->column = wrap->indent;
    text_print(page->sink, "%-*s", (int)REPORT_MARGIN, label);
}

void report_wrap_end(struct report_wrap *wrap)
{
    end_word(wrap);
    text_print(wrap->page->sink, "\n");
}

void report_field(const struct report_page *page, const char *label, const char *format, ...)
{
    struct report_wrap wrap;
    va_list args;
    report_wrap_begin(&wrap, page, label);
    va_start(args, format);
    text_vprint(&wrap.sink, format, args);
    va_end(args);
    report_wrap_end(&wrap);
}

void report_list_begin(struct report_list *list, const struct report_page *page, const char *label)
{
    list->page = page;
    list->label = label;
    list->begun = false;
}

void report_list_item(struct report_list *list, const char *format, ...)
{
    va_list args;
    if (list->begun)
        text_print(&list->wrap.sink, ", ");
    else
        report_wrap_begin(&list->wrap, list->page, list->label);
    list->begun = true;
    va_start(args, format);
    text_vprint(&list->wrap.sink, format, args);
    va_end(args);
}

void report_list_end(struct report_list *list, const char *tail)
{
    if (!list->begun)
        return;
    text_print(&list->wrap.sink, "%s", tail);
    report_wrap_end(&list->wrap);
}

void report_title(const struct report_page *page, const char *format, ...)
{
    struct report_wrap wrap = {.sink = {.write = wrap_write, .ctx = &wrap}, .page = page};
    va_list args;
    va_start(args, format);
    text_vprint(&wrap.sink, format, args);
    va_end(args);
    report_wrap_end(&wrap);
}

static char *replace(char *text, char from, char to)
{
    for (char *at = text; *at; at++)
        if (*at == from)
            *at = to;
    return text;
}

char *report_solid(char *text)
{
    return replace(text, ' ', SOLID_BLANK);
}

char *report_plain(char *text)
{
    return replace(text, SOLID_BLANK, ' ');
}

char *report_duration(char *buffer, size_t size, int64_t ns)
{
    text_duration(buffer, size, ns);
    return report_solid(buffer);
}

char *report_bytes(char *buffer, size_t size, uint64_t bytes)
{
    text_bytes(buffer, size, bytes);
    return report_solid(buffer);
}

/* The step of the last of `digits` (2 or 3) significant digits, at least 1. */
static uint64_t last_step(uint64_t value, unsigned digits)
{
    uint64_t step = 1;
    for (uint64_t rest = value; rest >= 1000; rest /= 10)
        step *= 10;
    if (digits == 3 || value / step < 100) /* nothing left to drop below a nanosecond */
        return step;
    return step * 10;
}

/* ns as microseconds, without the digits below step, a power of ten. */
static size_t put_us(char *buffer, size_t size, bool negative, uint64_t ns, uint64_t step)
{
    unsigned decimals = ns ? 3 : 0;
    for (uint64_t unit = 1; decimals && unit < step; unit *= 10, decimals--)
        ns /= 10;
    return text_decimal(buffer, size, negative && ns, ns, decimals);
}

static uint64_t rounded(uint64_t ns, uint64_t step)
{
    return (ns + step / 2) / step * step;
}

size_t report_us(char *buffer, size_t size, int64_t ns, uint32_t spread_ns)
{
    uint64_t value = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    unsigned digits = spread_ns < 5 * last_step(value, 3) ? 3 : 2;
    value = rounded(value, last_step(value, digits));
    /* 9.996 became 10.00: one digit less */
    return put_us(buffer, size, ns < 0, value, last_step(value, digits));
}

size_t report_spread(char *buffer, size_t size, uint32_t spread_ns)
{
    uint32_t first = spread_ns;
    while (first >= 10)
        first /= 10;
    uint64_t step = 1;
    for (uint32_t rest = spread_ns; rest >= (first == 1 ? 100u : 10u); rest /= 10)
        step *= 10;
    return put_us(buffer, size, false, rounded(spread_ns, step), step);
}

size_t report_factor(char *buffer, size_t size, uint32_t percent)
{
    unsigned decimals = 2;
    for (; decimals && percent % 10 == 0; decimals--)
        percent /= 10;
    return text_decimal(buffer, size, false, percent, decimals);
}

static bool leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

size_t report_date(char *buffer, size_t size, uint64_t seconds)
{
    static const uint8_t days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint64_t days = seconds / 86400;
    unsigned minutes = (unsigned)(seconds % 86400 / 60), year = 1970, month = 0;
    for (; year < 10000 && days >= (leap(year) ? 366u : 365u); year++)
        days -= leap(year) ? 366 : 365;
    if (!seconds || year > 9999)
        return text_format(buffer, size, "not known");
    for (;; month++) {
        unsigned length = days_of[month];
        if (month == 1 && leap(year))
            length++;
        if (days < length)
            break;
        days -= length;
    }
    return text_format(buffer, size, "%04u-%02u-%02u %02u:%02u", year, month + 1,
                       (unsigned)days + 1, minutes / 60, minutes % 60);
}

size_t report_clean(char *buffer, size_t size, const char *text)
{
    size_t length = 0;
    bool blank = false;
    for (; *text; text++) {
        if (*text == ' ') {
            blank = length > 0;
            continue;
        }
        if (length + blank + 1 >= size)
            break;
        if (blank)
            buffer[length++] = ' ';
        blank = false;
        buffer[length++] = *text > ' ' && *text < '\x7f' ? *text : '?';
    }
    if (size)
        buffer[length] = '\0';
    return length;
}
