/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted text without a C library. */
#include "text.h"
#include "mem.h"
#include <stdbool.h>
#include <stdint.h>

#define WIDTH_MAX 4096 /* a width or precision beyond it is a mistake: bounded, not obeyed */

struct conversion {
    bool left, zero;
    int width;
    int precision; /* -1: none given */
    bool wide;     /* l, ll, z: all of 64 bits */
    char kind;
};

static void put(const struct text_sink *sink, const char *text, size_t length)
{
    if (length > 0)
        sink->write(sink->ctx, text, length);
}

static void pad(const struct text_sink *sink, char fill, size_t count)
{
    char chunk[16];
    memset(chunk, fill, sizeof chunk);
    for (; count > sizeof chunk; count -= sizeof chunk)
        put(sink, chunk, sizeof chunk);
    put(sink, chunk, count);
}

/* Blanks around `length` bytes: what of the width comes before, then what comes after. */
static void put_field(const struct text_sink *sink, const struct conversion *c, const char *text,
                      size_t length)
{
    size_t width = (size_t)c->width;
    size_t fill = width > length ? width - length : 0;
    if (!c->left)
        pad(sink, ' ', fill);
    put(sink, text, length);
    if (c->left)
        pad(sink, ' ', fill);
}

static void put_string(const struct text_sink *sink, const struct conversion *c, const char *text)
{
    size_t length = 0;
    if (text == NULL)
        text = "(null)";
    while ((c->precision < 0 || length < (size_t)c->precision) && text[length] != '\0')
        length++;
    put_field(sink, c, text, length);
}

static void put_number(const struct text_sink *sink, const struct conversion *c, uint64_t value,
                       bool negative)
{
    char digits[20]; /* 2^64 - 1 has 20 */
    size_t count = 0;
    const unsigned base = c->kind == 'x' ? 16 : 10;
    for (; value > 0 || (count == 0 && c->precision != 0); value /= base)
        digits[sizeof digits - ++count] = "0123456789abcdef"[value % base];

    size_t zeros =
        c->precision > 0 && (size_t)c->precision > count ? (size_t)c->precision - count : 0;
    size_t length = count + zeros + (negative ? 1 : 0);
    size_t fill = (size_t)c->width > length ? (size_t)c->width - length : 0;
    bool fill_with_zeros = c->zero && !c->left && c->precision < 0;

    if (!c->left && !fill_with_zeros)
        pad(sink, ' ', fill);
    if (negative)
        put(sink, "-", 1);
    pad(sink, '0', zeros + (fill_with_zeros ? fill : 0));
    put(sink, digits + sizeof digits - count, count);
    if (c->left)
        pad(sink, ' ', fill);
}

/* Digits or an asterisk; -1 where there are none. Bounded by WIDTH_MAX. */
static int parse_count(const char **format, va_list *args)
{
    if (**format == '*') {
        int value = va_arg(*args, int);
        (*format)++;
        return value > WIDTH_MAX ? WIDTH_MAX : value < -WIDTH_MAX ? -WIDTH_MAX : value;
    }
    if (**format < '0' || **format > '9')
        return -1;
    int value = 0;
    for (; **format >= '0' && **format <= '9'; (*format)++) {
        value = value * 10 + (**format - '0');
        if (value > WIDTH_MAX)
            value = WIDTH_MAX;
    }
    return value;
}

/* Reads what follows a '%'. Returns where the text goes on. */
static const char *parse_conversion(const char *format, struct conversion *c, va_list *args)
{
    *c = (struct conversion){.precision = -1};
    for (; *format == '-' || *format == '0'; format++) {
        if (*format == '-')
            c->left = true;
        else
            c->zero = true;
    }
    bool from_args = *format == '*';
    c->width = parse_count(&format, args);
    if (from_args && c->width < 0) { /* as in C: a negative width from arguments is a '-' flag */
        c->left = true;
        c->width = -c->width;
    }
    if (c->width < 0)
        c->width = 0;
    if (*format == '.') {
        format++;
        from_args = *format == '*';
        c->precision = parse_count(&format, args);
        if (c->precision < 0 && !from_args)
            c->precision = 0;
    }
    if (*format == 'l' || *format == 'z') {
        c->wide = true;
        format += format[0] == 'l' && format[1] == 'l' ? 2 : 1;
    }
    c->kind = *format;
    return *format != '\0' ? format + 1 : format;
}

_Static_assert(sizeof(long) == 8 && sizeof(long long) == 8 && sizeof(size_t) == 8,
               "arguments with a length are taken alike");

/* False for a conversion that is none of ours. */
static bool put_conversion(const struct text_sink *sink, const struct conversion *c, va_list *args)
{
    switch (c->kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'x': {
        bool is_signed = c->kind == 'd' || c->kind == 'i';
        uint64_t bits = c->wide ? va_arg(*args, unsigned long long) : va_arg(*args, unsigned);
        if (is_signed && !c->wide)
            bits = (uint64_t)(int32_t)(uint32_t)bits;
        bool negative = is_signed && (int64_t)bits < 0;
        put_number(sink, c, negative ? 0 - bits : bits, negative);
        return true;
    }
    case 'c': {
        char one = (char)va_arg(*args, int);
        put_field(sink, c, &one, 1);
        return true;
    }
    case 's':
        put_string(sink, c, va_arg(*args, const char *));
        return true;
    case '%':
        put(sink, "%", 1);
        return true;
    default:
        return false;
    }
}

static void print(const struct text_sink *sink, const char *format, va_list *args)
{
    while (sink->write && *format != '\0') {
        const char *start = format;
        while (*format != '\0' && *format != '%')
            format++;
        put(sink, start, (size_t)(format - start));
        if (*format == '\0')
            return;

        struct conversion c;
        start = format;
        format = parse_conversion(format + 1, &c, args);
        if (put_conversion(sink, &c, args))
            continue;
        /* Which argument it would have taken is not known, so no later one can be trusted. */
        while (*format != '\0')
            format++;
        put(sink, start, (size_t)(format - start));
    }
}

void text_vprint(const struct text_sink *sink, const char *format, va_list args)
{
    /* A va_list parameter may be an array that decayed: only a copy has an address to hand on. */
    va_list copy;
    va_copy(copy, args);
    print(sink, format, &copy);
    va_end(copy);
}

void text_print(const struct text_sink *sink, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(sink, format, &args);
    va_end(args);
}

static void buffer_write(void *ctx, const char *text, size_t length)
{
    struct text_buffer *buffer = ctx;
    size_t used = buffer->length;
    buffer->length += length;
    if (buffer->size == 0 || used >= buffer->size - 1)
        return;
    size_t room = buffer->size - 1 - used;
    size_t taken = length < room ? length : room;
    memcpy(buffer->data + used, text, taken);
    used += taken;
    /* Never half a character: a console would show something else for it. */
    if (taken < length && ((unsigned char)text[taken] & 0xC0) == 0x80) {
        while (used > 0 && ((unsigned char)buffer->data[used - 1] & 0xC0) == 0x80)
            used--;
        if (used > 0)
            used--;
    }
    buffer->data[used] = '\0';
}

struct text_sink text_buffer_sink(struct text_buffer *buffer, char *data, size_t size)
{
    *buffer = (struct text_buffer){.data = data, .size = size};
    if (size > 0)
        data[0] = '\0';
    return (struct text_sink){.write = buffer_write, .ctx = buffer};
}

size_t text_format(char *buffer, size_t size, const char *format, ...)
{
    struct text_buffer state;
    struct text_sink sink = text_buffer_sink(&state, buffer, size);
    va_list args;
    va_start(args, format);
    print(&sink, format, &args);
    va_end(args);
    return state.length;
}

const char *text_nth(const char *list, unsigned n)
{
    for (; *list != '\0'; n--) {
        if (n == 0)
            return list;
        while (*list++ != '\0')
            ;
    }
    return NULL;
}

size_t text_decimal(char *buffer, size_t size, bool negative, unsigned long long value,
                    unsigned decimals)
{
    unsigned long long scale = 1;
    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    return text_format(buffer, size, "%s%llu%s%.*llu", negative ? "-" : "", value / scale,
                       decimals > 0 ? "." : "", (int)decimals, value % scale);
}

/* Three significant digits of value / unit, rounded half up, and the whole part in full where it
 * has more; `trim` drops zeros behind the point. */
static size_t put_scaled(char *buffer, size_t size, bool negative, uint64_t value, uint64_t unit,
                         const char *name, bool trim)
{
    uint64_t whole = value / unit, rest = value % unit;
    for (; unit >> 50 != 0; unit >>= 10) /* rest * 100 below must fit */
        rest >>= 10;
    unsigned digits = whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
    unsigned scale = digits == 0 ? 1 : digits == 1 ? 10 : 100;
    uint64_t scaled = whole * scale + (rest * scale + unit / 2) / unit;
    if (digits > 0 && scaled >= 1000) { /* 9.996 became 10.00: one digit too many */
        scaled = (scaled + 5) / 10;
        digits--;
    }
    for (; trim && digits > 0 && scaled % 10 == 0; digits--)
        scaled /= 10;
    char number[24];
    text_decimal(number, sizeof number, negative, scaled, digits);
    return text_format(buffer, size, "%s %s", number, name);
}

size_t text_duration(char *buffer, size_t size, long long ns)
{
    const bool negative = ns < 0;
    const uint64_t value = negative ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (value == 0)
        return text_format(buffer, size, "0");
    if (value < 1000)
        return text_format(buffer, size, "%lld ns", ns);
    if (value < 999500) /* from here on three digits would say "1000 us" */
        return put_scaled(buffer, size, negative, value, 1000, "us", false);
    if (value < 999500000)
        return put_scaled(buffer, size, negative, value, 1000000, "ms", false);
    return put_scaled(buffer, size, negative, value, 1000000000, "s", false);
}

size_t text_bytes(char *buffer, size_t size, unsigned long long bytes)
{
    if (bytes < 1024)
        return text_format(buffer, size, "%llu B", bytes);
    unsigned index = 0;
    uint64_t unit = 1024;
    /* The next unit as soon as rounding would say "1024". */
    while (index < 5 && bytes >= unit * 1024 - unit / 2) {
        unit *= 1024;
        index++;
    }
    const char name[] = {"KMGTPE"[index], 'i', 'B', '\0'};
    return put_scaled(buffer, size, false, bytes, unit, name, true);
}
