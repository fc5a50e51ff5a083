/* SPDX-License-Identifier: BSD-2-Clause */
/* Options: what is refused and in which words, and that --help tells of all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/options.h"
#include "options_parse.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void a_wrong_option_names_itself_and_the_nearest_right_one(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *near;
    } cases[] = {
        {"--siez", "size"},
        {"--sise=4M", "size"},
        {"--Size", "size"},
        {"-size", "size"},
        {"--patern", "pattern"},
        {"--pattren", "pattern"},
        {"--quite", "quiet"},
        {"-quiet", "quiet"},
        {"--hepl", "help"},
        {"--nostore", "no-store"},
        {"--no_store", "no-store"},
        {"--no", "no-store"},
        {"--capacities", "capacity"},
        {"--versoin", "version"},
        {"--vers", "version"},
        {"--cpu=1", "cpus"},
        {"--hand-off", "handoff"},
        {"---size", "size"},
        {"--sho", "show"},
        {"--delet", "delete"},
        {"--desacy", "decay"},
        {"--formats=x", "format"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char want[128];
        snprintf(want, sizeof want, "unknown option \"%s\": did you mean --%s?", cases[i].typed,
                 cases[i].near);
        FAILS(OPTIONS_UNKNOWN, want, cases[i].typed);
    }
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"quiet\": did you mean --quiet?", "quiet");
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"/force\": did you mean --force?", "/force");
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"size=4M\": did you mean --size?", "-q",
          "size=4M");
}

static void what_is_like_nothing_gets_no_suggestion(void **state)
{
    (void)state;
    static const char *const words[] = {
        "--xyzzy", "--",  "-",     "-x",
        "-?",      "--=", "--=4M", "--a-name-far-longer-than-any-option-that-there-is"};
    for (size_t i = 0; i < COUNT(words); i++) {
        char want[160];
        int shown = strlen(words[i]) > 41 ? 41 : (int)strlen(words[i]);
        snprintf(want, sizeof want, "unknown option \"%.*s%s\"; --help lists what there is", shown,
                 words[i], shown == 41 ? "..." : "");
        FAILS(OPTIONS_UNKNOWN, want, words[i]);
    }
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"\"; --help lists what there is", "");
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"L\"; --help lists what there is", "L");
}

static void a_message_shows_no_control_characters_and_no_half_ones(void **state)
{
    (void)state;
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"a?[2Jb?c\"; --help lists what there is",
          "a\x1B[2Jb\nc");
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"?\"; --help lists what there is", "\xC2\x9B");
    FAILS(OPTIONS_UNKNOWN,
          "unexpected argument \"\xEF\xBF\xBD\xEF\xBF\xBD\"; --help lists what there is",
          "\xE2\x82");
    char long_word[200] = "";
    for (int i = 0; i < 60; i++)
        strcat(long_word, "\xE2\x82\xAC");
    struct parsed p = parse_words((const char *const[MAX_WORDS]){long_word});
    char want[128];
    snprintf(want, sizeof want, "unexpected argument \"%.*s...\"; --help lists what there is", 42,
             long_word);
    assert_string_equal(p.message, want);
}

static void a_wrong_value_says_the_range(void **state)
{
    (void)state;
    static const struct {
        const char *word, *message;
    } cases[] = {
        {"--size=4Q", "--size: \"4Q\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=4KK", "--size: \"4KK\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=K", "--size: \"K\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=4K ", "--size: \"4K \" is not such a number (1 KiB to 1 GiB)"},
        {"--size= 4K", "--size: \" 4K\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=+4K", "--size: \"+4K\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=-4K", "--size: \"-4K\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=1.5M", "--size: \"1.5M\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=0x", "--size: \"0x\" is not such a number (1 KiB to 1 GiB)"},
        {"--size=1023", "--size: \"1023\" is out of range (1 KiB to 1 GiB)"},
        {"--size=0", "--size: \"0\" is out of range (1 KiB to 1 GiB)"},
        {"--size=1073741825", "--size: \"1073741825\" is out of range (1 KiB to 1 GiB)"},
        {"--size=2G", "--size: \"2G\" is out of range (1 KiB to 1 GiB)"},
        /* 2^64, 2^64 * 1K, and 17179869185G, which wraps to 1G */
        {"--size=18446744073709551616",
         "--size: \"18446744073709551616\" is out of range (1 KiB to 1 GiB)"},
        {"--size=18446744073709551615K",
         "--size: \"18446744073709551615K\" is out of range (1 KiB to 1 GiB)"},
        {"--size=17179869185G", "--size: \"17179869185G\" is out of range (1 KiB to 1 GiB)"},
        {"--size=0x10000000000000400",
         "--size: \"0x10000000000000400\" is out of range (1 KiB to 1 GiB)"},
        {"--capacity=L4=1M", "--capacity: \"L4=1M\" is not LEVEL[@LIST]=BYTES with LEVEL L1, L2 or "
                             "L3 (1 KiB to 1 GiB)"},
        {"--capacity=L0=1M", "--capacity: \"L0=1M\" is not LEVEL[@LIST]=BYTES with LEVEL L1, L2 or "
                             "L3 (1 KiB to 1 GiB)"},
        {"--capacity=LL2=1M", "--capacity: \"LL2=1M\" is not LEVEL[@LIST]=BYTES with LEVEL L1, L2 "
                              "or L3 (1 KiB to 1 GiB)"},
        {"--capacity=1M",
         "--capacity: \"1M\" is not LEVEL[@LIST]=BYTES with LEVEL L1, L2 or L3 (1 KiB to 1 GiB)"},
        {"--capacity=L",
         "--capacity: \"L\" is not LEVEL[@LIST]=BYTES with LEVEL L1, L2 or L3 (1 KiB to 1 GiB)"},
        {"--capacity=L2=", "--capacity: \"\" is not such a number (1 KiB to 1 GiB)"},
        {"--capacity=L2=2G", "--capacity: \"2G\" is out of range (1 KiB to 1 GiB)"},
        {"--pattern=scater", "--pattern: \"scater\" is not known (linear, scatter, chase)"},
        {"--pattern=Linear", "--pattern: \"Linear\" is not known (linear, scatter, chase)"},
        {"--access=rw", "--access: \"rw\" is not known (read, write, update)"},
        {"--policy=v2", "--policy: \"v2\" is not known (levels, v1, v5, expected, decay)"},
        {"--format=json", "--format: \"json\" is not known (table, 2004, 2004-units)"},
        {"--start=init", "--start: \"init\" is not known (auto, mp, sipi)"},
        {"--handoff=file", "--handoff: \"file\" is not known (none, cmdline, sysctl, grub)"},
        {"--budget=0", "--budget: \"0\" is out of range (1 to 3600)"},
        {"--budget=3601", "--budget: \"3601\" is out of range (1 to 3600)"},
        {"--budget=60s", "--budget: \"60s\" is not such a number (1 to 3600)"},
        {"--factor=0", "--factor: \"0\" is out of range (1 to 100000)"},
        {"--factor=100001", "--factor: \"100001\" is out of range (1 to 100000)"},
        {"--factor=4294967297", "--factor: \"4294967297\" is out of range (1 to 100000)"},
        {"--factor=200%", "--factor: \"200%\" is not such a number (1 to 100000)"},
        {"--decay=0", "--decay: \"0\" is out of range (1 us to 100 ms)"},
        {"--decay=999", "--decay: \"999\" is out of range (1 us to 100 ms)"},
        {"--decay=100000001", "--decay: \"100000001\" is out of range (1 us to 100 ms)"},
        {"--decay=4294967296000us",
         "--decay: \"4294967296000us\" is out of range (1 us to 100 ms)"},
        {"--decay=1m", "--decay: \"1m\" is not such a number (1 us to 100 ms)"},
        {"--cpus=1,,2",
         "--cpus: \"1,,2\" is not a list of APIC ids such as 0,2,0x10-0x1f (0 to 4294967294)"},
        {"--cpus=,1",
         "--cpus: \",1\" is not a list of APIC ids such as 0,2,0x10-0x1f (0 to 4294967294)"},
        {"--cpus=1,",
         "--cpus: \"1,\" is not a list of APIC ids such as 0,2,0x10-0x1f (0 to 4294967294)"},
        {"--cpus=1-",
         "--cpus: \"1-\" is not a list of APIC ids such as 0,2,0x10-0x1f (0 to 4294967294)"},
        {"--cpus=1-2-3",
         "--cpus: \"1-2-3\" is not a list of APIC ids such as 0,2,0x10-0x1f (0 to 4294967294)"},
        {"--cpus=all",
         "--cpus: \"all\" is not a list of APIC ids such as 0,2,0x10-0x1f (0 to 4294967294)"},
        {"--cpus=1;2",
         "--cpus: \"1;2\" is not a list of APIC ids such as 0,2,0x10-0x1f (0 to 4294967294)"},
        {"--cpus=5-3", "--cpus: \"5-3\" has a range that runs backwards (0 to 4294967294)"},
        {"--cpus=0xFFFFFFFF", "--cpus: \"0xFFFFFFFF\" is out of range (0 to 4294967294)"},
        {"--cpus=0-4294967296", "--cpus: \"0-4294967296\" is out of range (0 to 4294967294)"},
        {"--cpus=99999999999999999999",
         "--cpus: \"99999999999999999999\" is out of range (0 to 4294967294)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        FAILS(OPTIONS_VALUE, cases[i].message, cases[i].word);
}

static void a_missing_value_is_asked_for(void **state)
{
    (void)state;
    FAILS(OPTIONS_VALUE, "--size needs a value: BYTES (1 KiB to 1 GiB)", "--size");
    FAILS(OPTIONS_VALUE, "--size needs a value: BYTES (1 KiB to 1 GiB)", "--size=");
    FAILS(OPTIONS_VALUE, "--size needs a value: BYTES (1 KiB to 1 GiB)", "--size", "");
    FAILS(OPTIONS_VALUE, "--size needs a value: BYTES (1 KiB to 1 GiB)", "--size", "--quiet");
    FAILS(OPTIONS_VALUE, "--size needs a value: BYTES (1 KiB to 1 GiB)", "--size", "-q");
    FAILS(OPTIONS_VALUE, "--pattern needs a value: NAME (linear, scatter, chase)", "--pattern",
          "--access", "read");
    FAILS(OPTIONS_VALUE, "--chain needs a value: PATH", "--chain");
    FAILS(OPTIONS_VALUE, "--chain needs a value: PATH", "--chain=");
    FAILS(OPTIONS_VALUE, "--decay: \"-5\" is not such a number (1 us to 100 ms)", "--decay", "-5");
}

static void a_flag_takes_no_value(void **state)
{
    (void)state;
    FAILS(OPTIONS_VALUE, "--quiet takes no value", "--quiet=1");
    FAILS(OPTIONS_VALUE, "--show takes no value", "--show=");
    FAILS(OPTIONS_UNKNOWN, "unexpected argument \"1\"; --help lists what there is", "--force", "1");
}

static void what_has_no_meaning_together_is_refused(void **state)
{
    (void)state;
    FAILS(OPTIONS_CONFLICT, "--show and --delete exclude each other", "--delete", "--show");
    FAILS(OPTIONS_CONFLICT, "--handoff needs --chain", "--handoff=cmdline");
    FAILS(OPTIONS_CONFLICT, "--usb and --quiet exclude each other", "-q", "--usb");
    FAILS(OPTIONS_CONFLICT, "--show and --chain exclude each other", "--show", "--chain", "x");
    FAILS(OPTIONS_CONFLICT, "--delete and --report exclude each other", "--report", "--delete");
    FAILS(OPTIONS_CONFLICT, "--show and --size exclude each other", "--show", "--size", "4K");
}

static void what_goes_together_is_taken(void **state)
{
    (void)state;
    static const char *const rows[][MAX_WORDS] = {
        {"--quiet", "--help"},
        {"--size=4M", "--capacity=L2=1M"},
        {"--show", "--quiet"},
        {"--delete", "--force"},
        {"--usb", "--no-store", "--report"},
        {"--decay=1ms", "--factor=300", "--policy=v5"},
        {"--handoff=none"},
        {"--help", "--show", "--delete"}, /* help answers whatever else is there */
        {"--version", "--help"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct parsed p = parse_words(rows[i]);
        assert_string_equal(p.message, "");
        assert_int_equal(p.status, OPTIONS_OK);
    }
    assert_int_equal(parse_words(rows[7]).options.action, ACTION_HELP);
    assert_int_equal(parse_words(rows[8]).options.action, ACTION_HELP);
}

static void a_message_is_cut_to_its_buffer(void **state)
{
    (void)state;
    static const char *const words[] = {"--patern=x"};
    for (size_t size = 0; size < 64; size++) {
        struct options options;
        options_default(&options);
        char *message = malloc(size + 1);
        message[size] = 'X';
        assert_int_equal(options_parse(&options, words, 1, message, size), OPTIONS_UNKNOWN);
        assert_int_equal(message[size], 'X');
        if (size > 0)
            assert_true(strlen(message) < size);
        free(message);
    }
}

static void help_names_every_option_in_lines_that_fit_the_narrowest_console(void **state)
{
    (void)state;
    static char text[8192];
    struct text_buffer buffer;
    struct text_sink sink = text_buffer_sink(&buffer, text, sizeof text);
    options_help(&sink);
    assert_true(buffer.length < sizeof text);
    static const char *const names[] = {
        "--size BYTES",
        "--capacity LEVEL[@LIST]=BYTES",
        "--pattern NAME",
        "--access NAME",
        "--cpus LIST",
        "--budget SECONDS",
        "--policy NAME",
        "--factor PERCENT",
        "--decay NS",
        "--format NAME",
        "--report",
        "--chain PATH",
        "--handoff WAY",
        "--start HOW",
        "--usb",
        "--help, -h",
        "--version",
        "--quiet, -q",
        "--force",
        "--no-store",
        "--show",
        "--delete",
        "(1 KiB to 1 GiB)",
        "(1 us to 100 ms)",
        "(table, 2004, 2004-units)",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strstr(text, names[i]) == NULL)
            fail_msg("--help says nothing of %s", names[i]);
    }
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strlen(line) > 79) /* G3 */
            fail_msg("too wide: %s", line);
        assert_true(line[strlen(line) - 1] != ' ');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_option_names_itself_and_the_nearest_right_one),
        cmocka_unit_test(what_is_like_nothing_gets_no_suggestion),
        cmocka_unit_test(a_message_shows_no_control_characters_and_no_half_ones),
        cmocka_unit_test(a_wrong_value_says_the_range),
        cmocka_unit_test(a_missing_value_is_asked_for),
        cmocka_unit_test(a_flag_takes_no_value),
        cmocka_unit_test(what_has_no_meaning_together_is_refused),
        cmocka_unit_test(what_goes_together_is_taken),
        cmocka_unit_test(a_message_is_cut_to_its_buffer),
        cmocka_unit_test(help_names_every_option_in_lines_that_fit_the_narrowest_console),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
