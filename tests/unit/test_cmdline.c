/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a command line, from LoadOptions or from a shell (E1), and what of it is a child's. */
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
#include "exact.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Bytes of exactly their size. */
struct exact {
    unsigned char *bytes;
    size_t size;
};

static struct exact exact_utf16(const char *text, bool terminated)
{
    uint16_t units[CMDLINE_MAX * 2];
    size_t size = 2 * (utf16_from_utf8(text, units, COUNT(units)) + (terminated ? 1 : 0));
    return (struct exact){exact_copy(units, size), size};
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
