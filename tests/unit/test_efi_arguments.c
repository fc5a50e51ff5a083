/* SPDX-License-Identifier: BSD-2-Clause */
/* Who started us, and with which words. What loaders do to the words is tested in test_cmdline.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/arguments.c"
#include "../../efi/efi.c"

#define OURS ((EFI_HANDLE)0x2000)

static struct {
    EFI_LOADED_IMAGE_PROTOCOL self;
    struct shell_parameters_protocol shell;
    bool has_shell, boot_current, sysprep_order;
    struct arguments arguments;
} test;

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    assert_ptr_equal(handle, OURS);
    if (guid->Data1 != 0x752f3136 || !test.has_shell)
        return EFI_UNSUPPORTED;
    *interface = &test.shell;
    return EFI_SUCCESS;
}

static bool is_name(const CHAR16 *name, const char *expected)
{
    for (size_t i = 0; i <= strlen(expected); i++)
        if (name[i] != expected[i])
            return false;
    return true;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes, UINTN *size,
                                      VOID *data)
{
    (void)attributes;
    assert_int_equal(guid->Data1, 0x8BE4DF61);
    if (is_name(name, "BootCurrent") && test.boot_current) {
        assert_int_equal(*size, 2);
        memset(data, 0, 2);
        return EFI_SUCCESS;
    }
    if (is_name(name, "SysPrepOrder") && test.sysprep_order) {
        *size = 6; /* three entries: more than we ask for */
        return EFI_BUFFER_TOO_SMALL;
    }
    return EFI_NOT_FOUND;
}

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    memset(&test, 0, sizeof(test));
    mock->efi.image = OURS;
    mock->efi.self = &test.self;
    mock->runtime.GetVariable = get_variable;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    struct mock *services = mock;
    mock_close();
    free(services);
    return 0;
}

static void read_options(const void *options, size_t bytes)
{
    test.self.LoadOptions = (VOID *)(uintptr_t)options;
    test.self.LoadOptionsSize = (UINT32)bytes;
    arguments_read(&mock->efi, &test.arguments);
}

/* E1: argv is preferred, and its first word is the program. */
static void the_shell_passes_words(void **state)
{
    (void)state;
    CHAR16 program[] = L"fs0:\\m.efi", one[] = L"--chain", two[] = L"two three";
    CHAR16 *argv[] = {program, one, two};
    test.has_shell = true;
    test.shell.argv = argv;
    test.shell.argc = 3;
    read_options(L"--show", 14); /* not what the shell says */
    assert_int_equal(test.arguments.mode, STARTED_BY_SHELL);
    assert_int_equal(test.arguments.status, ARGUMENTS_OK);
    assert_int_equal(test.arguments.count, 2);
    assert_string_equal(test.arguments.tokens[0], "--chain");
    assert_string_equal(test.arguments.tokens[1], "two three");
    assert_string_equal(arguments_rest(&test.arguments, 1), "\"two three\"");
    assert_string_equal(arguments_rest(&test.arguments, 2), "");
}

static void other_loaders_pass_a_line(void **state)
{
    (void)state;
    static const CHAR16 line[] = L"m.efi --chain  a  \"b c\"";
    test.boot_current = true;
    read_options(line, sizeof(line));
    assert_int_equal(test.arguments.mode, STARTED_BY_BOOT);
    assert_int_equal(test.arguments.count, 3);
    assert_string_equal(test.arguments.tokens[0], "--chain");
    assert_string_equal(arguments_rest(&test.arguments, 1), "a  \"b c\"");
}

/* E4: no options, however that is said. */
static void nothing_is_no_options(void **state)
{
    (void)state;
    static const CHAR16 nul[] = {0};
    read_options(NULL, 0);
    assert_int_equal(test.arguments.count, 0);
    read_options(NULL, 10);
    assert_int_equal(test.arguments.count, 0);
    read_options(nul, 1);
    assert_int_equal(test.arguments.count, 0);
    read_options(nul, 2);
    assert_int_equal(test.arguments.count, 0);
    assert_int_equal(test.arguments.status, ARGUMENTS_OK);
    mock->efi.self = NULL;
    arguments_read(&mock->efi, &test.arguments);
    assert_int_equal(test.arguments.count, 0);
}

/* E2: the very bytes of a Dell. */
static void garbage_is_said_and_ignored(void **state)
{
    (void)state;
    static const uint8_t dell[] = {1, 0, 0, 0, 'B', 0, 'o', 0, 'o', 0, 't', 0, 0, 0};
    read_options(dell, sizeof(dell));
    assert_int_equal(test.arguments.status, ARGUMENTS_GARBAGE);
    assert_int_equal(test.arguments.count, 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static CHAR16 line[CMDLINE_MAX + 1];
    for (unsigned i = 0; i < CMDLINE_MAX; i++)
        line[i] = 'x';
    read_options(line, sizeof(line));
    assert_int_equal(test.arguments.status, ARGUMENTS_TOO_LONG);

    CHAR16 program[] = L"m.efi";
    CHAR16 *argv[] = {program, line};
    test.has_shell = true;
    test.shell.argv = argv;
    test.shell.argc = 2;
    arguments_read(&mock->efi, &test.arguments);
    assert_int_equal(test.arguments.status, ARGUMENTS_TOO_LONG);
}

/* F2: SysPrep runs before BootCurrent is set; so may a menu that boots a file, but then there are
 * no SysPrep entries. */
static void the_mode_follows_from_what_is_set(void **state)
{
    (void)state;
    const struct {
        bool shell, boot_current, sysprep_order;
        enum start_mode mode;
    } cases[] = {
        {true, false, false, STARTED_BY_SHELL}, {true, true, true, STARTED_BY_SHELL},
        {false, true, false, STARTED_BY_BOOT},  {false, true, true, STARTED_BY_BOOT},
        {false, false, false, STARTED_BY_BOOT}, {false, false, true, STARTED_BY_SYSPREP},
    };
    CHAR16 program[] = L"m.efi";
    CHAR16 *argv[] = {program};
    test.shell.argv = argv;
    test.shell.argc = 1;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test.has_shell = cases[i].shell;
        test.boot_current = cases[i].boot_current;
        test.sysprep_order = cases[i].sysprep_order;
        arguments_read(&mock->efi, &test.arguments);
        assert_int_equal(test.arguments.mode, cases[i].mode);
    }
}

static void a_shell_without_words_is_no_shell(void **state)
{
    (void)state;
    test.has_shell = true;
    arguments_read(&mock->efi, &test.arguments);
    assert_int_equal(test.arguments.mode, STARTED_BY_BOOT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_shell_passes_words),
        TEST(other_loaders_pass_a_line),
        TEST(nothing_is_no_options),
        TEST(garbage_is_said_and_ignored),
        TEST(what_does_not_fit_is_refused),
        TEST(the_mode_follows_from_what_is_set),
        TEST(a_shell_without_words_is_no_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
