/* SPDX-License-Identifier: BSD-2-Clause */
/* The text console: console.h has the contract. */
#include "console.h"

#include "../lib/mem.h"
#include "../lib/utf.h"

#define CHUNK       96u /* bytes of UTF-8 that are handed over at once */
#define KEYS_MAX    64u /* keys taken in one look: a stuck key must not hold us */
#define KEY_POLL_US 50000u
#define SCAN_ESCAPE 0x17u /* UEFI 2.10, 12.1 */

unsigned console_sane_columns(uint64_t columns)
{
    return columns >= 40 && columns <= 500 ? (unsigned)columns : 80;
}

static unsigned ask_columns(const struct efi *efi)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = efi->st->ConOut;
    UINTN columns = 0, rows = 0;
    if (!out || !out->Mode || out->Mode->Mode < 0 ||
        EFI_ERROR(out->QueryMode(out, (UINTN)out->Mode->Mode, &columns, &rows)))
        return console_sane_columns(0);
    return console_sane_columns(columns);
}

/* Hands one piece over; text is NUL-terminated and at most CHUNK bytes long. */
static void put(const struct console *console, const char *text)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = console->efi->st->ConOut;
    CHAR16 units[2 * CHUNK + 1]; /* every "\n" becomes two */
    size_t count = 0;

    for (uint32_t c = utf8_next(&text); c && count < 2 * CHUNK; c = utf8_next(&text)) {
        if (c == '\n')
            units[count++] = '\r';
        units[count++] = (CHAR16)(c <= 0xFFFF ? c : '?'); /* consoles speak UCS-2 */
    }
    units[count] = 0;
    (void)out->OutputString(out, units); /* a glyph that is not there is no one's error */
}

static void console_write(void *ctx, const char *text, size_t length)
{
    struct console *console = ctx;
    char piece[CHUNK + 1];

    if (console->progress_width > 0)
        console_progress_end(console);
    while (length > 0) {
        size_t take = length < CHUNK ? length : CHUNK;
        while (take < length && take > 1 && ((unsigned char)text[take] & 0xC0u) == 0x80u)
            take--; /* never within a character */
        memcpy(piece, text, take);
        piece[take] = '\0';
        put(console, piece);
        text += take;
        length -= take;
    }
}

void console_open(struct console *console, const struct efi *efi, bool quiet)
{
    *console = (struct console){.efi = efi, .quiet = quiet};
    /* A boot that has nothing to do is not to format what nobody reads (F6). */
    if (!quiet && efi->st->ConOut)
        console->sink = (struct text_sink){console_write, console};
    console->columns = quiet ? console_sane_columns(0) : ask_columns(efi);
}

void console_progress(struct console *console, const struct progress *progress, uint64_t now_ns)
{
    char line[80];

    if (!console->sink.write)
        return;
    if (console->progress_width > 0 && now_ns - console->progress_ns < CONSOLE_PROGRESS_NS)
        return;
    size_t width = text_format(line, sizeof(line), "\r%s: %u of %u", progress->step, progress->done,
                               progress->total);
    if (width >= sizeof(line))
        width = sizeof(line) - 1;
    put(console, line);
    for (size_t i = width; i < console->progress_width; i++)
        put(console, " "); /* the last line was longer */
    if (console->progress_width < width)
        console->progress_width = (unsigned)width;
    console->progress_ns = now_ns;
}

void console_progress_end(struct console *console)
{
    char blanks[80];
    unsigned width = console->progress_width;

    if (width == 0)
        return;
    console->progress_width = 0;
    memset(blanks, ' ', width);
    blanks[0] = '\r';
    blanks[width] = '\0';
    put(console, blanks);
    put(console, "\r");
}

/* True if there was a key. */
static bool read_key(const struct efi *efi, EFI_INPUT_KEY *ret)
{
    SIMPLE_INPUT_INTERFACE *in = efi->st->ConIn;
    return in && !EFI_ERROR(in->ReadKeyStroke(in, ret));
}

bool console_escape(struct console *console)
{
    bool escape = false;
    EFI_INPUT_KEY key;

    if (console->quiet)
        return false;
    for (unsigned i = 0; i < KEYS_MAX && read_key(console->efi, &key); i++)
        escape = escape || key.ScanCode == SCAN_ESCAPE;
    return escape;
}

bool console_wait_key(struct console *console, unsigned seconds)
{
    EFI_INPUT_KEY key;

    if (console->quiet)
        return false;
    for (uint64_t left = seconds * 1000000ull; left >= KEY_POLL_US; left -= KEY_POLL_US) {
        if (read_key(console->efi, &key))
            return true;
        if (EFI_ERROR(console->efi->bs->Stall(KEY_POLL_US)))
            return false;
    }
    return false;
}
