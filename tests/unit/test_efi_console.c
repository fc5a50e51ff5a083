/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: what goes out, what is never called, and keys of keyboards that are odd or missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/console.c"

#define OUT_MAX 8192u

struct screen {
    SIMPLE_TEXT_OUTPUT_INTERFACE out;
    SIMPLE_TEXT_OUTPUT_MODE mode;
    SIMPLE_INPUT_INTERFACE in;
    CHAR16 text[OUT_MAX];
    size_t length;
    unsigned calls, keys_read;
    UINTN columns;
    EFI_STATUS query_status;
    EFI_STATUS key_status;
    UINT16 scan[4]; /* of the keys that wait */
    unsigned keys, key;
    bool held; /* another key at every look */
};
static struct screen *screen;

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI output(SIMPLE_TEXT_OUTPUT_INTERFACE *self, CHAR16 *text)
{
    (void)self;
    screen->calls++;
    for (; *text; text++) {
        assert_true(screen->length < OUT_MAX);
        screen->text[screen->length++] = *text;
    }
    return EFI_WARN_UNKNOWN_GLYPH;
}

static EFI_STATUS EFIAPI query(SIMPLE_TEXT_OUTPUT_INTERFACE *self, UINTN mode, UINTN *columns,
                               UINTN *rows)
{
    (void)self;
    assert_int_equal(mode, 0);
    screen->calls++;
    *columns = screen->columns;
    *rows = 25;
    return screen->query_status;
}

static EFI_STATUS EFIAPI read_stroke(SIMPLE_INPUT_INTERFACE *self, EFI_INPUT_KEY *key)
{
    (void)self;
    screen->keys_read++;
    if (EFI_ERROR(screen->key_status))
        return screen->key_status;
    if (screen->held) {
        *key = (EFI_INPUT_KEY){.ScanCode = 1};
        return EFI_SUCCESS;
    }
    if (screen->key == screen->keys)
        return EFI_NOT_READY;
    *key = (EFI_INPUT_KEY){.ScanCode = screen->scan[screen->key++]};
    return EFI_SUCCESS;
}

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    screen = calloc(1, sizeof(*screen));
    screen->columns = 100;
    screen->out.OutputString = output;
    screen->out.QueryMode = query;
    screen->out.Mode = &screen->mode;
    screen->in.ReadKeyStroke = read_stroke;
    mock->table.ConOut = &screen->out;
    mock->table.ConIn = &screen->in;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    struct mock *services = mock;
    mock_close();
    free(services);
    free(screen);
    return 0;
}

static void assert_text(const char *expected)
{
    assert_int_equal(screen->length, strlen(expected));
    for (size_t i = 0; i < screen->length; i++)
        assert_int_equal(screen->text[i], (unsigned char)expected[i]);
}

/* G3: the very figures of the report, and the edges. */
static void columns_that_cannot_be_are_not_believed(void **state)
{
    (void)state;
    const struct {
        uint64_t said, taken;
    } cases[] = {{(uint64_t)-2067006952, 80},
                 {0, 80},
                 {39, 80},
                 {40, 40},
                 {80, 80},
                 {161, 161},
                 {500, 500},
                 {501, 80},
                 {UINT64_MAX, 80}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(console_sane_columns(cases[i].said), cases[i].taken);
}

static void columns_come_from_the_mode_that_is_set(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    assert_int_equal(console.columns, 100);
    screen->query_status = EFI_UNSUPPORTED;
    console_open(&console, &mock->efi, false);
    assert_int_equal(console.columns, 80);
    screen->mode.Mode = -1;
    console_open(&console, &mock->efi, false);
    assert_int_equal(console.columns, 80);
    screen->out.Mode = NULL;
    console_open(&console, &mock->efi, false);
    assert_int_equal(console.columns, 80);
}

static void a_line_ends_as_firmware_wants_it(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    text_print(&console.sink, "one\n\ntwo");
    assert_text("one\r\n\r\ntwo");
}

static void long_texts_arrive_whole(void **state)
{
    (void)state;
    struct console console;
    char text[1000], expected[2000];
    size_t length = 0;
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = i % 7 == 6 ? '\n' : (char)('a' + i % 26);
        if (text[i] == '\n')
            expected[length++] = '\r';
        expected[length++] = text[i];
    }
    expected[length] = '\0';
    console_open(&console, &mock->efi, false);
    console.sink.write(console.sink.ctx, text, sizeof(text));
    assert_text(expected);
}

/* Three bytes each: no piece of the text ends on a multiple of three by itself. */
static void characters_are_not_cut_in_pieces(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    char text[3 * 200 + 1];
    for (unsigned i = 0; i < 200; i++)
        memcpy(text + 3 * i + 1, "\xE2\x80\xA6", 3);
    text[0] = 'x';
    console.sink.write(console.sink.ctx, text, sizeof(text));
    assert_int_equal(screen->length, 201);
    for (unsigned i = 1; i < 201; i++)
        assert_int_equal(screen->text[i], 0x2026);
}

static void what_is_beyond_ucs_2_shows_as_a_question_mark(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    text_print(&console.sink, "a\xF0\x9F\x98\x80z");
    assert_text("a?z");
}

/* G4. */
static void quiet_means_not_one_call(void **state)
{
    (void)state;
    struct console console;
    const struct progress progress = {"curves", 1, 2};
    console_open(&console, &mock->efi, true);
    text_print(&console.sink, "not seen\n");
    console_progress(&console, &progress, 0);
    console_progress_end(&console);
    assert_false(console_escape(&console));
    console_wait_key(&console, 60);
    assert_int_equal(screen->calls + screen->keys_read + mock->stall_calls, 0);
    assert_int_equal(console.columns, 80);
}

/* G6, G7. */
static void a_console_that_is_not_there_is_no_error(void **state)
{
    (void)state;
    struct console console;
    const struct progress progress = {"curves", 1, 2};
    mock->table.ConOut = NULL;
    mock->table.ConIn = NULL;
    console_open(&console, &mock->efi, false);
    text_print(&console.sink, "lost\n");
    console_progress(&console, &progress, 0);
    assert_false(console_escape(&console));
    assert_int_equal(console.columns, 80);
}

static void progress_stays_on_one_line_and_is_cleared(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    console_progress(&console, &(struct progress){"curves", 9, 10}, 0);
    console_progress(&console, &(struct progress){"stay", 1, 2}, CONSOLE_PROGRESS_NS);
    text_print(&console.sink, "done\n");
    assert_text("\rcurves: 9 of 10"
                "\rstay: 1 of 2   "
                "\r               \r"
                "done\r\n");
}

/* G5: ten times a second at most. */
static void progress_is_not_drawn_more_often_than_it_can_be_read(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    unsigned before = screen->calls;
    for (uint64_t ns = 0; ns < 1000000000u; ns += 1000000u)
        console_progress(&console, &(struct progress){"curves", 1, 2}, ns);
    assert_int_equal(screen->calls - before, 10);
}

static void a_long_step_name_does_not_overflow_the_line(void **state)
{
    (void)state;
    struct console console;
    char name[200];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    console_open(&console, &mock->efi, false);
    console_progress(&console, &(struct progress){name, 1, 2}, 0);
    console_progress_end(&console);
    console_progress_end(&console);
    assert_int_equal(screen->length, 79 + 79 + 1);
}

static void escape_is_seen_behind_other_keys(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    assert_false(console_escape(&console));
    screen->scan[0] = 1;
    screen->scan[1] = SCAN_ESCAPE;
    screen->scan[2] = 2;
    screen->keys = 3;
    assert_true(console_escape(&console));
    assert_false(console_escape(&console)); /* all keys were taken */
}

/* G6: an error is no key. */
static void keyboards_that_fail_have_no_keys(void **state)
{
    (void)state;
    struct console console;
    const EFI_STATUS statuses[] = {EFI_NOT_READY, EFI_UNSUPPORTED, EFI_DEVICE_ERROR};
    console_open(&console, &mock->efi, false);
    for (unsigned i = 0; i < 3; i++) {
        screen->key_status = statuses[i];
        screen->keys_read = 0;
        assert_false(console_escape(&console));
        assert_int_equal(screen->keys_read, 1);
    }
}

static void a_key_that_is_held_down_does_not_hold_us(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    screen->held = true;
    assert_false(console_escape(&console));
    assert_int_equal(screen->keys_read, KEYS_MAX);
}

static void waiting_for_a_key_ends_with_it_or_in_time(void **state)
{
    (void)state;
    struct console console;
    console_open(&console, &mock->efi, false);
    console_wait_key(&console, 2);
    assert_int_equal(mock->stalled_us, 2000000);
    screen->keys = 1;
    console_wait_key(&console, 2);
    assert_int_equal(mock->stalled_us, 2000000);
    mock->stall_status = EFI_DEVICE_ERROR; /* a clock that stands must not hold us */
    unsigned calls = mock->stall_calls;
    console_wait_key(&console, 60);
    assert_int_equal(mock->stall_calls, calls + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(columns_that_cannot_be_are_not_believed),
        TEST(columns_come_from_the_mode_that_is_set),
        TEST(a_line_ends_as_firmware_wants_it),
        TEST(long_texts_arrive_whole),
        TEST(characters_are_not_cut_in_pieces),
        TEST(what_is_beyond_ucs_2_shows_as_a_question_mark),
        TEST(quiet_means_not_one_call),
        TEST(a_console_that_is_not_there_is_no_error),
        TEST(progress_stays_on_one_line_and_is_cleared),
        TEST(progress_is_not_drawn_more_often_than_it_can_be_read),
        TEST(a_long_step_name_does_not_overflow_the_line),
        TEST(escape_is_seen_behind_other_keys),
        TEST(keyboards_that_fail_have_no_keys),
        TEST(a_key_that_is_held_down_does_not_hold_us),
        TEST(waiting_for_a_key_ends_with_it_or_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
