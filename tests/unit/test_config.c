/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration file: what people write into it, and what else is found in such files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/cmdline.h"
#include "../../lib/config.h"

static struct config *config;
static struct options options;

static int set_up(void **state)
{
    (void)state;
    config = malloc(sizeof *config);
    memset(config, 0xA5, sizeof *config); /* memory of firmware */
    options_default(&options);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(config);
    return 0;
}

static void apply_bytes(const void *bytes, size_t length)
{
    assert_true(length <= sizeof config->raw);
    memcpy(config->raw, bytes, length);
    config_apply(config, length, &options);
}

static void apply(const char *text)
{
    apply_bytes(text, strlen(text));
}

static void nothing_is_told(void)
{
    assert_string_equal(config->notes, "");
}

static void nothing_changed(void)
{
    struct options fresh;
    options_default(&fresh);
    assert_int_equal(config->taken, 0);
    assert_memory_equal(&options, &fresh, sizeof fresh);
}

static void lines_are_options_with_or_without_dashes(void **state)
{
    (void)state;
    apply("quiet\n--size 16K\nbudget=7\n-q\n\n  force  \n--pattern=chase");
    nothing_is_told();
    assert_int_equal(config->taken, 6);
    assert_true(options.quiet && options.force);
    assert_int_equal(options.engine.size, 16384);
    assert_int_equal(options.engine.budget_ns, 7000000000);
    assert_int_equal(options.engine.pattern, TOUCH_CHASE);
}

static void a_line_may_hold_several_options(void **state)
{
    (void)state;
    apply("quiet --size 16K --capacity L2=1M\n");
    nothing_is_told();
    assert_int_equal(config->taken, 1);
    assert_true(options.quiet);
    assert_int_equal(options.capacity_bytes[0], 1 << 20);
}

static void comments_and_blank_lines_say_nothing(void **state)
{
    (void)state;
    apply("# quiet\n \t # force\n\n\t\nsize 16K # 32K\n#");
    nothing_is_told();
    assert_int_equal(config->taken, 1);
    assert_false(options.quiet || options.force);
    assert_int_equal(options.engine.size, 16384);
}

static void lines_end_as_on_any_system(void **state)
{
    (void)state;
    apply("quiet\r\nforce\rreport\n\r\nbad\r\nno-store");
    assert_true(options.quiet && options.force && options.report && options.no_store);
    assert_non_null(strstr(config->notes, "line 5 is ignored"));
}

static void a_byte_order_mark_is_skipped(void **state) /* E6 */
{
    (void)state;
    apply("\xEF\xBB\xBFquiet\n");
    nothing_is_told();
    assert_true(options.quiet);
}

static void the_shell_s_editor_writes_utf16(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "\xFF\xFEq\0u\0i\0e\0t\0\r\0\n\0c\0h\0a\0i\0n\0 \0\\\0\xFC\0";
    apply_bytes(bytes, sizeof bytes - 1);
    nothing_is_told();
    assert_true(options.quiet && options.chain);
    assert_string_equal(options.chain_path, "\\\xC3\xBC");
}

static void half_a_character_at_the_end_is_left_out(void **state)
{
    (void)state;
    apply_bytes("\xFF\xFEq\0u\0i\0e\0t\0x", 13);
    nothing_is_told();
    assert_true(options.quiet);
}

static void nuls_behind_the_text_are_padding(void **state) /* E4 */
{
    (void)state;
    apply_bytes("quiet\n\0\0\0\0", 10);
    nothing_is_told();
    assert_true(options.quiet);
}

static void what_is_no_text_is_ignored_as_a_whole(void **state) /* E2 */
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {{"quiet\n\0force\n", 13},   {"quiet\n\1", 7},
                 {"quiet\nforce\x7F\n", 13}, {"\0\0BO", 4},
                 {"MZ\x90\0\3", 5},          {"quiet\n\x1B[2J\n", 11}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        apply_bytes(cases[i].bytes, cases[i].length);
        nothing_changed();
        assert_non_null(strstr(config->notes, "migcost.conf is ignored: it is no text"));
    }
}

static void an_empty_file_says_nothing(void **state)
{
    (void)state;
    apply_bytes("", 0);
    nothing_changed();
    nothing_is_told();
    apply_bytes("\0\0\0", 3);
    nothing_is_told();
    apply_bytes("\xFF\xFE", 2);
    nothing_changed();
    nothing_is_told();
}

static void a_file_that_is_too_long_is_ignored_as_a_whole(void **state)
{
    (void)state;
    char text[CONFIG_MAX];
    memset(text, ' ', sizeof text);
    memcpy(text, "quiet\n", 6);
    apply_bytes(text, sizeof text);
    nothing_changed();
    assert_non_null(strstr(config->notes, "more than 4095 bytes"));
    apply_bytes(text, sizeof text - 1);
    nothing_is_told();
    assert_true(options.quiet);
}

static void utf16_that_is_too_long_as_utf8_is_ignored(void **state)
{
    (void)state;
    uint8_t bytes[CONFIG_MAX - 2] = {0xFF, 0xFE, '#', 0};
    for (size_t i = 4; i < sizeof bytes; i += 2)
        bytes[i] = 0x2D, bytes[i + 1] = 0x4E; /* three bytes each */
    apply_bytes(bytes, sizeof bytes);
    nothing_changed();
    assert_non_null(strstr(config->notes, "is ignored"));
}

static void a_wrong_line_is_told_and_the_others_hold(void **state) /* E2, E7 */
{
    (void)state;
    apply("quiet\nsise 16K\nbudget 0\nforce\n");
    assert_int_equal(config->taken, 2);
    assert_true(options.quiet && options.force);
    assert_int_equal(options.engine.size, 0);
    assert_string_equal(
        config->notes,
        "migcost: migcost.conf, line 2 is ignored: unknown option \"--sise\": did you mean "
        "--size?\n"
        "migcost: migcost.conf, line 3 is ignored: --budget: \"0\" is out of range (1 to 3600)\n");
}

static void of_a_line_all_holds_or_nothing(void **state)
{
    (void)state;
    apply("quiet --budget 0\n");
    nothing_changed();
}

static void of_many_wrong_lines_some_are_told_and_the_rest_counted(void **state)
{
    (void)state;
    char text[CONFIG_MAX] = "";
    for (unsigned i = 0; i < 600; i++)
        strcat(text, "\"a\xC3\xBC\n");
    apply(text);
    assert_non_null(strstr(config->notes, "line 3 is ignored"));
    assert_null(strstr(config->notes, "line 4 is ignored"));
    assert_non_null(strstr(config->notes, "597 more lines are ignored\n"));
}

static void a_file_asks_for_nothing_instead_of_measuring(void **state)
{
    (void)state;
    apply("delete\nshow\nhelp\n--version\n");
    nothing_changed();
    assert_non_null(strstr(config->notes, "line 1 is ignored: --delete is for the command line"));
    assert_non_null(strstr(config->notes, "1 more lines"));
}

static void a_line_with_too_many_words_is_ignored(void **state)
{
    (void)state;
    char text[CONFIG_MAX] = "";
    for (unsigned i = 0; i < OPTIONS_MAX_TOKENS; i++)
        strcat(text, "--quiet ");
    apply(text);
    nothing_is_told();
    assert_true(options.quiet);
    options_default(&options);
    strcat(text, "\nforce\n");
    memcpy(text + strlen(text) - 8, " --quiet\n", 10);
    apply(text);
    assert_non_null(strstr(config->notes, "line 1 is ignored: more than 64 arguments"));
}

static void what_is_chained_gets_its_words_as_they_are_written(void **state)
{
    (void)state;
    apply("chain \\EFI\\debian\\grubx64.efi   a \"b  # c\"\td   # not this\nhandoff cmdline\n");
    nothing_is_told();
    assert_true(options.chain);
    assert_string_equal(options.chain_path, "\\EFI\\debian\\grubx64.efi");
    assert_string_equal(options.chain_options, "a \"b  # c\"\td");
    assert_int_equal(options.handoff, HANDOFF_CMDLINE);
    apply("chain \"\\a b.efi\"\n");
    assert_string_equal(options.chain_path, "\\a b.efi");
    assert_string_equal(options.chain_options, "");
    apply("quiet --chain=\\x.efi x=#\n");
    assert_string_equal(options.chain_options, "x=#");
}

static void what_is_chained_may_have_more_words_than_we(void **state)
{
    (void)state;
    char text[1024] = "chain \\x.efi", *words = text + strlen(text) + 1;
    for (unsigned i = 0; i < 100; i++)
        strcat(text, " w");
    apply(text);
    nothing_is_told();
    assert_string_equal(options.chain_options, words);
}

static enum options_status command_line(const char *const *tokens, unsigned count)
{
    char message[OPTIONS_MESSAGE_SIZE];
    return options_parse(&options, tokens, count, message, sizeof message);
}

static void the_command_line_overrides(void **state)
{
    (void)state;
    static const char *const tokens[] = {"--size", "32K", "--chain", "\\y.efi", "own"};
    apply("size 16K\nbudget 5\nchain \\x.efi theirs\nhandoff sysctl\n");
    assert_int_equal(command_line(tokens, 5), OPTIONS_OK);
    assert_int_equal(options.engine.size, 32768);
    assert_int_equal(options.engine.budget_ns, 5000000000);
    assert_string_equal(options.chain_path, "\\y.efi");
    assert_null(options.chain_options);
    assert_int_equal(options.chain_first_token, 4);
    assert_int_equal(options.handoff, HANDOFF_SYSCTL);
}

static void a_hand_off_in_the_file_is_no_error_where_nothing_is_chained(void **state)
{
    (void)state;
    static const char *const show[] = {"--show"}, *const handoff[] = {"--handoff=cmdline"};
    apply("handoff cmdline\n");
    nothing_is_told();
    assert_false(options.chain);
    assert_int_equal(command_line(show, 1), OPTIONS_OK);
    options_default(&options);
    assert_int_equal(command_line(handoff, 1), OPTIONS_CONFLICT);
    options_default(&options);
    apply("chain \\x.efi\n");
    assert_int_equal(command_line(handoff, 1), OPTIONS_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_are_options_with_or_without_dashes),
        TEST(a_line_may_hold_several_options),
        TEST(comments_and_blank_lines_say_nothing),
        TEST(lines_end_as_on_any_system),
        TEST(a_byte_order_mark_is_skipped),
        TEST(the_shell_s_editor_writes_utf16),
        TEST(half_a_character_at_the_end_is_left_out),
        TEST(nuls_behind_the_text_are_padding),
        TEST(what_is_no_text_is_ignored_as_a_whole),
        TEST(an_empty_file_says_nothing),
        TEST(a_file_that_is_too_long_is_ignored_as_a_whole),
        TEST(utf16_that_is_too_long_as_utf8_is_ignored),
        TEST(a_wrong_line_is_told_and_the_others_hold),
        TEST(of_a_line_all_holds_or_nothing),
        TEST(of_many_wrong_lines_some_are_told_and_the_rest_counted),
        TEST(a_file_asks_for_nothing_instead_of_measuring),
        TEST(a_line_with_too_many_words_is_ignored),
        TEST(what_is_chained_gets_its_words_as_they_are_written),
        TEST(what_is_chained_may_have_more_words_than_we),
        TEST(the_command_line_overrides),
        TEST(a_hand_off_in_the_file_is_no_error_where_nothing_is_chained),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
