/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware back end behind the seam, with one CPU: interrupts, keys, the end of the window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/backend.c"
#include "../../efi/console.c"
#include "../../efi/memory.c"
#include "../../efi/regions.c"

#define BUFFER    (4u << 20)
#define FLAG_MARK (1u << 0) /* any flag */

struct window {
    struct backend backend;
    struct console console;
    struct arena arena;
    struct cpu_info cpu;
    struct mp_region regions[REGIONS_MAX];
    struct mp_lane lane;
    SIMPLE_INPUT_INTERFACE in;
    EFI_TPL highest;
    unsigned raises;
};
static struct window *window;
static UINT16 scan_code; /* of the key that waits; 0: none */

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI read_stroke(SIMPLE_INPUT_INTERFACE *self, EFI_INPUT_KEY *key)
{
    (void)self;
    *key = (EFI_INPUT_KEY){.ScanCode = scan_code};
    EFI_STATUS status = scan_code ? EFI_SUCCESS : EFI_NOT_READY;
    scan_code = 0;
    return status;
}

static EFI_TPL EFIAPI raise_and_note(EFI_TPL level)
{
    window->raises++;
    if (level > window->highest)
        window->highest = level;
    return mock_raise_tpl(level);
}

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    window = calloc(1, sizeof(*window));
    scan_code = 0;
    window->in.ReadKeyStroke = read_stroke;
    mock->table.ConIn = &window->in;
    mock->boot.RaiseTPL = raise_and_note;
    window->console = (struct console){.efi = &mock->efi};
    window->arena = (struct arena){aligned_alloc(ARENA_ALIGN, BUFFER), BUFFER, 3, MEMORY_WB};
    memset(window->arena.base, 0, BUFFER);
    window->cpu = (struct cpu_info){.flags = CPU_BOOT, .line_bytes = 64};
    window->backend = (struct backend){
        .efi = &mock->efi,
        .console = &window->console,
        .arena = &window->arena,
        .start = clock_read(),
        .limit_ns = 3600000000000ull,
        .machine = {.clock = {.khz = 1000000}, .flags = FLAG_MARK},
        .dispatcher = {.cpus = &window->cpu, .cpu_count = 1, .lanes = &window->lane},
        .regions = {.list = window->regions},
    };
    backend_init(&window->backend);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    struct mock *services = mock;
    mock_close();
    free(services);
    free(window->arena.base);
    free(window);
    return 0;
}

static uint16_t take(uint64_t bytes)
{
    const struct machine *machine = &window->backend.machine;
    uint16_t region;
    uint32_t home;
    assert_true(machine->ops->region_get(machine->ctx, NODE_UNKNOWN, bytes, &region, &home));
    assert_int_equal(home, 3);
    return region;
}

static bool run(uint16_t region, struct touch_result *result)
{
    const struct machine *machine = &window->backend.machine;
    const struct touch_job job = {
        .region = region, .pattern = TOUCH_SCATTER, .access = TOUCH_UPDATE, .bytes = 1024};
    return machine->ops->run(machine->ctx, &job, result, 1);
}

static bool between(void)
{
    const struct machine *machine = &window->backend.machine;
    const struct progress progress = {"curves", 1, 2};
    return machine->ops->between(machine->ctx, &progress);
}

/* B11: around the touch, and nothing else. */
static void a_touch_is_free_of_interrupts_and_nothing_else_is(void **state)
{
    (void)state;
    struct touch_result result;
    uint16_t region = take(4096);
    assert_int_equal(window->raises, 0);
    assert_true(run(region, &result));
    assert_int_equal(result.status, TOUCH_DONE);
    assert_int_equal(window->raises, 1);
    assert_int_equal(window->highest, TPL_HIGH_LEVEL);
    assert_int_equal(mock->level, TPL_APPLICATION);
    assert_true(between());
    assert_int_equal(window->raises, 1);
}

static void escape_ends_the_run(void **state)
{
    (void)state;
    struct touch_result result;
    uint16_t region = take(4096);
    scan_code = 1;
    assert_true(between()); /* some other key */
    scan_code = SCAN_ESCAPE;
    assert_false(between());
    assert_true(window->backend.stopped);
    assert_false(between());
    assert_false(run(region, &result));
    assert_int_equal(result.status, TOUCH_SKIPPED);
    assert_int_equal(window->raises, 0);
}

/* The other CPUs must be back before firmware takes them back by force. */
static void the_end_of_the_window_ends_the_run(void **state)
{
    (void)state;
    struct touch_result result;
    uint16_t region = take(4096);
    window->backend.limit_ns = 0;
    assert_false(between());
    assert_false(run(region, &result));
    assert_int_equal(result.status, TOUCH_SKIPPED);
    assert_true(window->backend.late);
    assert_false(window->backend.stopped);
}

/* A working set so large that the rest of the window does not hold one touch. */
static void what_would_take_too_long_ends_the_run_as_the_end_of_the_window_does(void **state)
{
    (void)state;
    struct touch_result result;
    const struct machine *machine = &window->backend.machine;
    uint16_t region = take(4096);
    window->backend.dispatcher.slowest_line = UINT64_MAX / 1024;
    assert_false(run(region, &result));
    assert_int_equal(result.status, TOUCH_SKIPPED);
    assert_int_equal(window->raises, 0);
    assert_true(window->backend.late);
    assert_true(machine->ops->now(machine->ctx) >= window->backend.limit_ns);
    assert_false(between());
}

static void a_machine_without_other_cpus_has_none_to_let_go(void **state)
{
    (void)state;
    const struct machine *machine = &window->backend.machine;
    machine->ops->release(machine->ctx);
}

static void the_machine_is_as_its_parts_say(void **state)
{
    (void)state;
    const struct machine *machine = &window->backend.machine;
    assert_int_equal(machine->region_max, BUFFER);
    assert_int_equal(machine->flags, FLAG_MARK);
    assert_int_equal(machine->cpu_count, 1);
    assert_int_equal(machine->clock.khz, 1000000);
    assert_null(machine->numa);
    uint64_t first = machine->ops->now(machine->ctx);
    assert_true(machine->ops->now(machine->ctx) >= first);
}

static void regions_come_and_go(void **state)
{
    (void)state;
    const struct machine *machine = &window->backend.machine;
    uint16_t region;
    uint32_t home;
    uint16_t whole = take(BUFFER);
    assert_false(machine->ops->region_get(machine->ctx, 3, 64, &region, &home));
    machine->ops->region_put(machine->ctx, whole);
    take(BUFFER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_touch_is_free_of_interrupts_and_nothing_else_is),
        TEST(escape_ends_the_run),
        TEST(the_end_of_the_window_ends_the_run),
        TEST(what_would_take_too_long_ends_the_run_as_the_end_of_the_window_does),
        TEST(a_machine_without_other_cpus_has_none_to_let_go),
        TEST(the_machine_is_as_its_parts_say),
        TEST(regions_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
