/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines as loaders and shells really pass them (E1 to E6), and what a child gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/cmdline.h"
#include "../../lib/utf.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A byte buffer of exactly its size, so that ASan sees a read beyond it. */
struct exact {
    unsigned char *bytes;
    size_t size;
};

static struct exact exact_bytes(const void *bytes, size_t size)
{
    struct exact e = {malloc(size + 1),
                      size}; /* malloc(0) may be NULL, which means another thing */
    e.bytes = realloc(e.bytes, size > 0 ? size : 1);
    memcpy(e.bytes, bytes, size);
    return e;
}

/* UTF-16LE of text, with or without its NUL. */
static struct exact exact_utf16(const char *text, bool terminated)
{
    uint16_t units[CMDLINE_MAX * 2];
    size_t count = utf16_from_utf8(text, units, COUNT(units));
    return exact_bytes(units, 2 * (count + (terminated ? 1 : 0)));
}

static void assert_decodes(struct exact e, enum cmdline_status status, const char *want)
{
    char text[CMDLINE_MAX];
    memset(text, 'X', sizeof text);
    assert_int_equal(cmdline_decode(e.bytes, e.size, text, sizeof text), status);
    assert_string_equal(text, want);
    free(e.bytes);
}

#define DECODES(status, want, ...)                                          \
    assert_decodes(exact_bytes((const unsigned char[]){__VA_ARGS__},        \
                               sizeof(const unsigned char[]){__VA_ARGS__}), \
                   status, want)

static void nothing_a_lone_byte_and_null_are_no_options(void **state)
{
    (void)state; /* E4 */
    char text[8] = "old";
    assert_int_equal(cmdline_decode(NULL, 0, text, sizeof text), CMDLINE_NONE);
    assert_string_equal(text, "");
    assert_int_equal(cmdline_decode(NULL, 1000, text, sizeof text), CMDLINE_NONE);
    assert_decodes(exact_bytes("", 0), CMDLINE_NONE, "");
    DECODES(CMDLINE_NONE, "", 0);
    DECODES(CMDLINE_NONE, "", '-');
    DECODES(CMDLINE_NONE, "", 0, 0);
    DECODES(CMDLINE_NONE, "", 0, 0, 0, 0, 0, 0);
    DECODES(CMDLINE_NONE, "", ' ', 0, '\t', 0);
    DECODES(CMDLINE_NONE, "", ' ', ' ');
    DECODES(CMDLINE_NONE, "", 0xFF, 0xFE);
}

static void utf16_is_read_to_its_nul_or_its_end(void **state)
{
    (void)state; /* E4 */
    assert_decodes(exact_utf16("-q --size 4M", true), CMDLINE_OK, "-q --size 4M");
    assert_decodes(exact_utf16("-q --size 4M", false), CMDLINE_OK, "-q --size 4M");
    assert_decodes(exact_utf16("a\tb", true), CMDLINE_OK, "a\tb");
    DECODES(CMDLINE_OK, "q", 'q', 0);
    /* what stands behind the NUL is padding, whatever it is, and may be half a unit */
    DECODES(CMDLINE_OK, "-q", '-', 0, 'q', 0, 0, 0, 1, 2, 3, 0xFF, 0xFF, 0xD8);
    DECODES(CMDLINE_OK, "-q", '-', 0, 'q', 0, 0, 0, 0xAA);
    /* size > 0, first character NUL (systemd#5467, shim#505: NUL, then garbage) */
    DECODES(CMDLINE_NONE, "", 0, 0, '-', 0, 'q', 0);
}

static void half_a_character_at_the_end_is_garbage(void **state)
{
    (void)state; /* E4: odd size */
    DECODES(CMDLINE_GARBAGE, "", '-', 0, 'q', 0, 'x');
    DECODES(CMDLINE_GARBAGE, "", '-', 0, 'q');
}

static void ascii_is_told_by_its_odd_bytes(void **state)
{
    (void)state;                                                          /* E5 */
    DECODES(CMDLINE_OK, "/efi", 0x2F, 0x65, 0x66, 0x69);                  /* efibootmgr#219 */
    assert_decodes(exact_bytes("-q --usb!", 9), CMDLINE_OK, "-q --usb!"); /* odd, as OVMF gave it */
    assert_decodes(exact_bytes("-q", 2), CMDLINE_OK, "-q");
    assert_decodes(exact_bytes("-q\0", 3), CMDLINE_OK, "-q");
    assert_decodes(exact_bytes("-q\0\0\0", 5), CMDLINE_OK, "-q");
    assert_decodes(exact_bytes("--size\t4M", 9), CMDLINE_OK, "--size\t4M");
    assert_decodes(exact_bytes("-q\n", 3), CMDLINE_GARBAGE, "");
    assert_decodes(exact_bytes("caf\xC3\xA9", 5), CMDLINE_GARBAGE, "");
}

static void binary_from_firmware_entries_is_garbage_or_nothing(void **state)
{
    (void)state;                                       /* E2 */
    DECODES(CMDLINE_NONE, "", 0x00, 0x00, 0x42, 0x4F); /* fwupd#8435 */
    /* systemd#10001, Dell: 01 00 00 00, the entry's name, more */
    DECODES(CMDLINE_GARBAGE, "", 1, 0, 0, 0, 'U', 0, 'E', 0, 'F', 0, 'I', 0, 0, 0, 7, 9);
    /* efibootmgr#170, Lenovo: "....2.LN........", a dot for each byte that is not known */
    static const unsigned char dots[] = {0x00, 0x01, 0x1F, 0x7F, 0x80, 0xFF};
    for (size_t i = 0; i < COUNT(dots); i++) {
        unsigned char bytes[16];
        memset(bytes, dots[i], sizeof bytes);
        bytes[4] = '2';
        memcpy(bytes + 6, "LN", 2);
        assert_decodes(exact_bytes(bytes, sizeof bytes),
                       dots[i] == 0 ? CMDLINE_NONE : CMDLINE_GARBAGE, "");
    }
    /* Windows Boot Manager's: text, NUL, binary: the odd bytes are letters, the whole is no text */
    DECODES(CMDLINE_GARBAGE, "", 'W', 'I', 'N', 'D', 'O', 'W', 'S', 0, 1, 0, 0, 0, 0x88, 0, 0, 0,
            'x', 0, 0, 0, 'B', 0, 'C', 0, 'D', 0);
    /* systemd#39347: looks like CJK */
    DECODES(CMDLINE_GARBAGE, "", 0x2D, 0x4E, 0x87, 0x65, 0, 0);
}

static void one_bad_character_makes_all_of_it_garbage(void **state)
{
    (void)state; /* E2: below 0x20 but tab, above 0x7E */
    for (unsigned unit = 1; unit <= 0xFFFF; unit++) {
        const unsigned char bytes[] = {
            '-', 0, 'q', 0, (unsigned char)unit, (unsigned char)(unit >> 8), 'x', 0};
        char text[8];
        const bool good = unit == '\t' || (unit >= 0x20 && unit <= 0x7E);
        assert_int_equal(cmdline_decode(bytes, sizeof bytes, text, sizeof text),
                         good ? CMDLINE_OK : CMDLINE_GARBAGE);
        assert_int_equal(strlen(text), good ? 4 : 0);
    }
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state; /* E6 */
    DECODES(CMDLINE_OK, "-q", 0xFF, 0xFE, '-', 0, 'q', 0);
    DECODES(CMDLINE_OK, "-q", 0xFF, 0xFE, '-', 0, 'q', 0, 0, 0);
    DECODES(CMDLINE_GARBAGE, "", '-', 0, 0xFF, 0xFE);         /* only in front */
    DECODES(CMDLINE_GARBAGE, "", 0xFE, 0xFF, 0, '-', 0, 'q'); /* big-endian */
}

/* EFI_LOAD_OPTION with one file path node, and optional data. */
static size_t load_option(unsigned char *ret, uint32_t attributes, const void *data, size_t size)
{
    static const unsigned char paths[] = {4,    4,    10, 0, 'a', 0, 'b', 0, 0, 0, /* file path */
                                          0x7F, 0xFF, 4,  0};
    static const unsigned char description[] = {'O', 0, 'S', 0, 0, 0};
    unsigned char *at = ret;
    for (int i = 0; i < 4; i++)
        *at++ = (unsigned char)(attributes >> 8 * i);
    *at++ = sizeof paths;
    *at++ = 0;
    memcpy(at, description, sizeof description);
    at += sizeof description;
    memcpy(at, paths, sizeof paths);
    at += sizeof paths;
    memcpy(at, data, size);
    return (size_t)(at - ret) + size;
}

static void a_whole_load_option_is_unwrapped(void **state)
{
    (void)state; /* E3 */
    static const struct {
        const char *data;
        size_t size;
        enum cmdline_status status;
        const char *want;
    } cases[] = {
        {"-\0q\0\0\0", 6, CMDLINE_OK, "-q"},
        {"-\0q\0", 4, CMDLINE_OK, "-q"},
        {"-q --usb", 8, CMDLINE_OK, "-q --usb"},
        {"\xFF\xFE-\0q\0", 6, CMDLINE_OK, "-q"},
        {"", 0, CMDLINE_NONE, ""},
        {"\0\0BO", 4, CMDLINE_NONE, ""},
        {"\1\2\3\4", 4, CMDLINE_GARBAGE, ""},
    };
    static const uint32_t attributes[] = {0, 1, 3, 9, 0x101, 0x1F0B};
    for (size_t a = 0; a < COUNT(attributes); a++) {
        for (size_t i = 0; i < COUNT(cases); i++) {
            unsigned char bytes[64];
            size_t size = load_option(bytes, attributes[a], cases[i].data, cases[i].size);
            assert_decodes(exact_bytes(bytes, size), cases[i].status, cases[i].want);
        }
    }
}

static void what_is_not_quite_a_load_option_is_garbage(void **state)
{
    (void)state; /* E3: well formed, and ends exactly where it says */
    unsigned char good[64], bytes[64];
    const size_t size = load_option(good, 1, "-\0q\0", 4);
    static const struct {
        size_t at;
        unsigned char value;
    } changes[] = {
        {0, 0x11},  /* an attribute that is not defined */
        {3, 0x80},  /* another */
        {4, 13},    /* path list one byte short */
        {4, 15},    /* one byte long */
        {5, 1},     /* 256 bytes long */
        {4, 10},    /* ends before the end node */
        {14, 0},    /* node without length */
        {14, 3},    /* shorter than its header */
        {14, 11},   /* reaches into the next */
        {15, 0xFF}, /* far too long */
        {24, 5},    /* so does the end node, by one byte */
        {24, 3},    /* end node shorter than its header */
        {22, 4},    /* no end node */
        {23, 1},    /* ends an instance only */
    };
    for (size_t i = 0; i < COUNT(changes); i++) {
        memcpy(bytes, good, size);
        bytes[changes[i].at] = changes[i].value;
        char text[CMDLINE_MAX];
        struct exact e = exact_bytes(bytes, size);
        enum cmdline_status status = cmdline_decode(e.bytes, e.size, text, sizeof text);
        assert_int_equal(status, CMDLINE_GARBAGE);
        free(e.bytes);
    }
    /* cut anywhere: never read beyond, never options */
    for (size_t cut = 0; cut < size - 4; cut++) {
        char text[CMDLINE_MAX];
        struct exact e = exact_bytes(good, cut);
        assert_int_not_equal(cmdline_decode(e.bytes, e.size, text, sizeof text), CMDLINE_OK);
        free(e.bytes);
    }
}

static void a_text_too_long_is_refused_not_cut(void **state)
{
    (void)state;
    char text[CMDLINE_MAX + 1], out[CMDLINE_MAX];
    memset(text, 'x', sizeof text);
    struct exact e = exact_bytes(text, CMDLINE_MAX - 1);
    assert_int_equal(cmdline_decode(e.bytes, e.size, out, sizeof out), CMDLINE_OK);
    assert_int_equal(strlen(out), CMDLINE_MAX - 1);
    free(e.bytes);
    e = exact_bytes(text, CMDLINE_MAX);
    assert_int_equal(cmdline_decode(e.bytes, e.size, out, sizeof out), CMDLINE_TOO_LONG);
    assert_string_equal(out, "");
    for (size_t size = 0; size < 4; size++) {
        char *small = malloc(size);
        assert_int_equal(cmdline_decode("-\0q\0x\0", 6, small, size), CMDLINE_TOO_LONG);
        free(small);
    }
    free(e.bytes);
}

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = CMDLINE_OK; a <= CMDLINE_TOO_LONG; a++) {
        for (int b = CMDLINE_OK; b < a; b++)
            assert_string_not_equal(cmdline_status_text((enum cmdline_status)a),
                                    cmdline_status_text((enum cmdline_status)b));
    }
}

static void blanks_split_and_quotes_group(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int count;
        const char *tokens[4];
        size_t offsets[4];
    } cases[] = {
        {"", 0, {NULL}, {0}},
        {"   ", 0, {NULL}, {0}},
        {"a", 1, {"a"}, {0}},
        {" a  b\tc ", 3, {"a", "b", "c"}, {1, 4, 6}},
        {"one \"two three\" four", 3, {"one", "two three", "four"}, {0, 4, 16}},
        {"--chain=\"a b\" c", 2, {"--chain=a b", "c"}, {0, 14}},
        {"\"\" x", 2, {"", "x"}, {0, 3}},
        {"a\"\"b", 1, {"ab"}, {0}},
        {"\"open to the end ", 1, {"open to the end "}, {0}},
        {"a^ b", 2, {"a^", "b"}, {0, 3}},
        {"\"a\"\"b\" \"", 2, {"ab", ""}, {0, 7}},
        {"a b c d", 4, {"a", "b", "c", "d"}, {0, 2, 4, 6}},
        {"a b c d e", -1, {"a", "b", "c", "d"}, {0, 2, 4, 6}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int with = 0; with < 2; with++) {
            char *text = malloc(strlen(cases[i].text) + 1);
            char *tokens[4];
            size_t offsets[4];
            strcpy(text, cases[i].text);
            int count = cmdline_split(text, tokens, with ? offsets : NULL, 4);
            assert_int_equal(count, cases[i].count);
            for (int t = 0; t < (count < 0 ? 4 : count); t++) {
                assert_string_equal(tokens[t], cases[i].tokens[t]);
                if (with)
                    assert_int_equal(offsets[t], cases[i].offsets[t]);
            }
            free(text);
        }
    }
}

static void a_first_token_in_efi_is_the_program(void **state)
{
    (void)state; /* E1 */
    static const char *const names[] = {"sp.efi", "SP.EFI", "fs0:\\EFI\\x\\sp.Efi",
                                        "/EFI/BOOT/BOOTX64.EFI"};
    static const char *const others[] = {"",       "efi",     ".efi", "--chain=x.efi",
                                         "-x.efi", "sp.efi2", "sp",   "\\EFI\\x\\sp"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_true(cmdline_is_program_name(names[i]));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(cmdline_is_program_name(others[i]));
}

static enum cmdline_status from_text(struct cmdline *c, const char *text, const char *own_name)
{
    struct exact e = exact_utf16(text, true);
    enum cmdline_status status = cmdline_from_load_options(c, e.bytes, e.size, own_name);
    free(e.bytes); /* nothing may point into it */
    return status;
}

static void a_program_name_is_dropped_from_load_options(void **state)
{
    (void)state; /* E1 */
    static const struct {
        const char *text, *own;
        unsigned count;
        const char *first;
    } cases[] = {
        {"fs0:\\EFI\\x\\sp.efi one two", NULL, 2, "one"}, /* a shell without its protocol */
        {"-q --usb", NULL, 2, "-q"},                      /* Boot####, systemd-boot, GRUB */
        {"\"fs0:\\my dir\\sp.efi\" one", NULL, 1, "one"},
        {"sp.efi", NULL, 0, NULL},
        {"sp.efi sp.efi", NULL, 1, "sp.efi"}, /* once */
        {"\\EFI\\x\\sp -q", "sp.efi", 1, "-q"},
        {"/EFI/x/SP.efi -q", "sp.efi", 1, "-q"},
        {"EFI\\x\\sp -q", "SP", 1, "-q"},
        {"\\EFI\\x\\other -q", "sp.efi", 2, "\\EFI\\x\\other"},
        {"\\EFI\\x\\s -q", "sp.efi", 2, "\\EFI\\x\\s"},
        {"\\EFI\\x\\ -q", "sp.efi", 2, "\\EFI\\x\\"},
        {"sp -q", "sp.efi", 2, "sp"}, /* a bare word is no path: it is said to be wrong */
        {"\\EFI\\x\\sp -q", NULL, 2, "\\EFI\\x\\sp"},
        {"-a/sp -q", "sp.efi", 2, "-a/sp"},
    };
    static struct cmdline c;
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum cmdline_status status = from_text(&c, cases[i].text, cases[i].own);
        assert_int_equal(status, cases[i].count > 0 ? CMDLINE_OK : CMDLINE_NONE);
        assert_int_equal(c.count, cases[i].count);
        if (cases[i].count > 0)
            assert_string_equal(c.tokens[0], cases[i].first);
    }
}

static void garbage_gives_no_tokens(void **state)
{
    (void)state; /* E2 */
    static struct cmdline c;
    memset(&c, 0xA5, sizeof c);
    assert_int_equal(cmdline_from_load_options(&c, "\1\0\2\0", 4, NULL), CMDLINE_GARBAGE);
    assert_int_equal(c.count, 0);
    memset(&c, 0xA5, sizeof c);
    assert_int_equal(cmdline_from_load_options(&c, NULL, 0, NULL), CMDLINE_NONE);
    assert_int_equal(c.count, 0);
}

static void assert_rest(const struct cmdline *c, unsigned token, const char *want)
{
    const size_t length = strlen(want);
    for (size_t size = 0; size <= length + 1; size++) {
        char *rest = malloc(size);
        bool fits = cmdline_rest(c, token, rest, size);
        assert_int_equal(fits, size > length);
        if (fits)
            assert_string_equal(rest, want);
        free(rest);
    }
}

static void the_rest_is_what_was_typed_byte_for_byte(void **state)
{
    (void)state;
    static struct cmdline c;
    from_text(&c, "sp.efi  -q --chain \"\\my dir\\k\"  root=/dev/sda1   a=\"b  c\"\tquiet  ", NULL);
    assert_int_equal(c.count, 6);
    assert_string_equal(c.tokens[2], "\\my dir\\k");
    assert_string_equal(c.tokens[4], "a=b  c");
    assert_rest(&c, 3, "root=/dev/sda1   a=\"b  c\"\tquiet  ");
    assert_rest(&c, 4, "a=\"b  c\"\tquiet  ");
    assert_rest(&c, 0, "-q --chain \"\\my dir\\k\"  root=/dev/sda1   a=\"b  c\"\tquiet  ");
    assert_rest(&c, 6, "");
    assert_rest(&c, 60, "");
}

static void more_tokens_than_fit_are_still_the_rest(void **state)
{
    (void)state;
    static struct cmdline c;
    char text[2048] = "sp.efi --chain k", rest[2048] = "";
    for (int i = 0; i < 200; i++)
        sprintf(rest + strlen(rest), "%sp%d", i > 0 ? " " : "", i);
    strcat(strcat(text, " "), rest);
    assert_int_equal(from_text(&c, text, NULL), CMDLINE_OK);
    assert_int_equal(c.count, OPTIONS_MAX_TOKENS + 1);
    assert_rest(&c, 2, rest);

    struct options options;
    char message[OPTIONS_MESSAGE_SIZE];
    options_default(&options);
    assert_int_equal(options_parse(&options, c.tokens, c.count, message, sizeof message),
                     OPTIONS_OK);
    assert_int_equal(options.chain_first_token, 2);
}

/* A shell's argv and the LoadOptions that it leaves beside it. */
struct shell {
    uint16_t text[4096];
    const uint16_t *argv[200];
    size_t argc;
};

static void shell_words(struct shell *shell, const char *const *words)
{
    size_t used = 0;
    for (shell->argc = 0; words[shell->argc] != NULL; shell->argc++) {
        shell->argv[shell->argc] = shell->text + used;
        used +=
            utf16_from_utf8(words[shell->argc], shell->text + used, COUNT(shell->text) - used) + 1;
    }
}

static void the_shells_argv_gives_tokens_and_its_line_the_rest(void **state)
{
    (void)state; /* E1 */
    static const struct {
        const char *line; /* NULL: no LoadOptions */
        const char *words[8];
        unsigned token;
        const char *rest;
    } cases[] = {
        {"fs0:\\x\\sp.efi --chain \\k  root=\"a b\"  quiet ",
         {"FS0:\\x\\sp.efi", "--chain", "\\k", "root=\"a b\"", "quiet"},
         2,
         "root=\"a b\"  quiet "},
        /* a shell that splits within quotes: what belongs to the child is still as typed */
        {"sp.efi --chain \\k root=\"a  b\" quiet",
         {"sp.efi", "--chain", "\\k", "root=\"a", "b\"", "quiet"},
         2,
         "root=\"a  b\" quiet"},
        /* a shell that removes them */
        {"sp --chain \\k root=\"a  b\"", {"sp", "--chain", "\\k", "root=a  b"}, 2, "root=\"a  b\""},
        {"sp \"--chain\" \"\\my dir\\k\" x", {"sp", "--chain", "\\my dir\\k", "x"}, 2, "x"},
        /* the line says something else, or nothing: joined anew */
        {"something else", {"sp", "--chain", "\\k", "a b", "c", ""}, 2, "\"a b\" c \"\""},
        {NULL, {"sp", "--chain", "\\k", "a b", "c\td", "e"}, 2, "\"a b\" \"c\td\" e"},
        {"", {"sp", "--chain", "\\k", "x=\"1 2\"", "c"}, 2, "x=\"1 2\" c"},
        {"sp --chain", {"sp", "--chain", "\\k", "x"}, 2, "x"},
        {"sp --chain \\k", {"sp", "--chain", "\\k", "x"}, 2, "x"},
        {"sp --chain \\^k x", {"sp", "--chain", "\\k", "x  y"}, 2, "\"x  y\""},
        /* nothing for the child */
        {"sp --chain \\k", {"sp", "--chain", "\\k"}, 2, ""},
        {"sp --chain \\k > log.txt", {"sp", "--chain", "\\k"}, 2, ""},
        /* not ASCII: a shell passes what was typed, garbage does not come this way */
        {"sp --chain \\\xC3\xA4 \xF0\x9F\x98\x80 =\xE2\x82\xAC",
         {"sp", "--chain", "\\\xC3\xA4", "\xF0\x9F\x98\x80", "=\xE2\x82\xAC"},
         2,
         "\xF0\x9F\x98\x80 =\xE2\x82\xAC"},
    };
    static struct cmdline c;
    static struct shell shell;
    for (size_t i = 0; i < COUNT(cases); i++) {
        shell_words(&shell, cases[i].words);
        struct exact line = exact_utf16(cases[i].line ? cases[i].line : "", i % 2 == 0);
        assert_int_equal(cmdline_from_argv(&c, shell.argv, shell.argc,
                                           cases[i].line ? line.bytes : NULL, line.size),
                         CMDLINE_OK);
        free(line.bytes);
        assert_int_equal(c.count, shell.argc - 1);
        assert_string_equal(c.tokens[0], "--chain");
        assert_rest(&c, cases[i].token, cases[i].rest);
    }
}

static void quotes_that_a_shell_left_within_an_option_are_dropped(void **state)
{
    (void)state;
    static struct cmdline c;
    static struct shell shell;
    shell_words(&shell, (const char *const[]){"sp", "--chain=\"a b\"", "\"--quiet\"", NULL});
    assert_int_equal(cmdline_from_argv(&c, shell.argv, shell.argc, NULL, 0), CMDLINE_OK);
    assert_string_equal(c.tokens[0], "--chain=a b");
    assert_string_equal(c.tokens[1], "--quiet");
}

static void a_program_name_with_a_blank_does_not_shift_the_rest(void **state)
{
    (void)state;
    static struct cmdline c;
    static struct shell shell;
    shell_words(&shell, (const char *const[]){"fs0:\\my dir\\sp.efi", "--chain", "k", "x", NULL});
    struct exact line = exact_utf16("fs0:\\my dir\\sp.efi --chain k  x", true);
    assert_int_equal(cmdline_from_argv(&c, shell.argv, shell.argc, line.bytes, line.size),
                     CMDLINE_OK);
    free(line.bytes);
    assert_rest(&c, 0, "--chain k x");
    assert_rest(&c, 2, "x");
}

static void an_argv_without_arguments_is_no_options(void **state)
{
    (void)state;
    static struct cmdline c;
    static struct shell shell;
    shell_words(&shell, (const char *const[]){"sp.efi", NULL});
    assert_int_equal(cmdline_from_argv(&c, shell.argv, 1, "s\0p\0", 4), CMDLINE_NONE);
    assert_int_equal(c.count, 0);
    assert_rest(&c, 0, "");
    assert_int_equal(cmdline_from_argv(&c, NULL, 0, NULL, 0), CMDLINE_NONE);
    assert_int_equal(c.count, 0);
}

static void a_long_argv_is_kept_as_far_as_options_go_and_joined_whole(void **state)
{
    (void)state;
    static struct cmdline c;
    static struct shell shell;
    const char *words[190] = {"sp", "--chain", "k"};
    char rest[1024] = "";
    for (size_t i = 3; i < COUNT(words) - 1; i++) {
        words[i] = "ab";
        strcat(strcat(rest, i > 3 ? " " : ""), "ab");
    }
    shell_words(&shell, words);
    assert_int_equal(cmdline_from_argv(&c, shell.argv, shell.argc, NULL, 0), CMDLINE_OK);
    assert_int_equal(c.count, OPTIONS_MAX_TOKENS + 1);
    assert_rest(&c, 2, rest);

    char big[CMDLINE_MAX + 8];
    memset(big, 'x', sizeof big);
    big[CMDLINE_MAX - 1] = '\0';
    static uint16_t units[CMDLINE_MAX + 8];
    utf16_from_utf8(big, units, COUNT(units));
    const uint16_t *argv[] = {shell.argv[0], units};
    assert_int_equal(cmdline_from_argv(&c, argv, 2, NULL, 0), CMDLINE_OK);
    const uint16_t *two[] = {shell.argv[0], units, shell.argv[2]};
    assert_int_equal(cmdline_from_argv(&c, two, 3, NULL, 0), CMDLINE_TOO_LONG);
    assert_int_equal(c.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_a_lone_byte_and_null_are_no_options),
        cmocka_unit_test(utf16_is_read_to_its_nul_or_its_end),
        cmocka_unit_test(half_a_character_at_the_end_is_garbage),
        cmocka_unit_test(ascii_is_told_by_its_odd_bytes),
        cmocka_unit_test(binary_from_firmware_entries_is_garbage_or_nothing),
        cmocka_unit_test(one_bad_character_makes_all_of_it_garbage),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(a_whole_load_option_is_unwrapped),
        cmocka_unit_test(what_is_not_quite_a_load_option_is_garbage),
        cmocka_unit_test(a_text_too_long_is_refused_not_cut),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(blanks_split_and_quotes_group),
        cmocka_unit_test(a_first_token_in_efi_is_the_program),
        cmocka_unit_test(a_program_name_is_dropped_from_load_options),
        cmocka_unit_test(garbage_gives_no_tokens),
        cmocka_unit_test(the_rest_is_what_was_typed_byte_for_byte),
        cmocka_unit_test(more_tokens_than_fit_are_still_the_rest),
        cmocka_unit_test(the_shells_argv_gives_tokens_and_its_line_the_rest),
        cmocka_unit_test(quotes_that_a_shell_left_within_an_option_are_dropped),
        cmocka_unit_test(a_program_name_with_a_blank_does_not_shift_the_rest),
        cmocka_unit_test(an_argv_without_arguments_is_no_options),
        cmocka_unit_test(a_long_argv_is_kept_as_far_as_options_go_and_joined_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
