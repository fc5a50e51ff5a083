/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a run measures: by what is stored, how it was started, what was asked for, and what
 * became of the runs before it (A3, D3, D16, F6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../efi/gate.c"

/* The machine, and what stands between it and the gate. */
static const struct record_identity machine = {1, 2, 3, 4, 5, 6, 7};
static struct {
    struct app app;
    bool nvram_unsafe, key, crumb_fails, take_fails;
    struct crumb kept; /* what outlives a boot */
    unsigned reads, lefts, takes, waits, lines;
} test;

void measure_identity(const struct app *app, struct record_identity *ret)
{
    (void)app;
    *ret = machine;
}

void store_read(struct app *app)
{
    (void)app;
    test.reads++;
}

void store_crumb_read(struct app *app)
{
    app->crumb = test.kept;
}

bool store_crumb_leave(struct app *app, const struct breadcrumb *next)
{
    if (test.crumb_fails) {
        app->crumb.status = EFI_WRITE_PROTECTED;
        return false;
    }
    test.lefts++;
    test.kept = (struct crumb){.there = true, .valid = true, .found = *next};
    return true;
}

bool store_crumb_take(struct app *app)
{
    (void)app;
    test.takes++;
    if (!test.take_fails)
        test.kept = (struct crumb){0};
    return !test.take_fails;
}

bool firmware_nvram_unsafe(const struct efi *efi)
{
    (void)efi;
    return test.nvram_unsafe;
}

bool console_escape(struct console *console)
{
    (void)console;
    return false;
}

bool console_wait_key(struct console *console, unsigned seconds)
{
    (void)console;
    assert_int_equal(seconds, 1);
    test.waits++;
    return test.key;
}

void app_tell(const struct app *app, const char *format, ...)
{
    (void)app, (void)format;
    test.lines++;
}

const char *efi_status_text(EFI_STATUS status)
{
    (void)status;
    return "";
}

static int set_up(void **state)
{
    (void)state;
    memset(&test, 0, sizeof(test));
    test.app.arguments.mode = STARTED_BY_BOOT;
    return 0;
}

/* The next boot: what a run finds is what the last one left. */
static bool boot(enum outcome *ret_outcome)
{
    test.app.crumb_left = false;
    test.app.plan.outcome = STORE_PENDING;
    return gate_open(&test.app, ret_outcome);
}

static void measures(void)
{
    enum outcome outcome;
    assert_true(boot(&outcome));
}

/* And comes to its end. */
static void measures_well(void)
{
    measures();
    test.app.plan.outcome = STORE_STORED;
    gate_close(&test.app);
}

static void skips(enum outcome expected)
{
    enum outcome outcome = OUTCOMES;
    unsigned lefts = test.lefts, takes = test.takes;
    assert_false(boot(&outcome));
    assert_int_equal(outcome, expected);
    assert_int_equal(test.lefts, lefts); /* nothing is written for nothing (D4) */
    assert_int_equal(test.takes, takes);
}

static void store_valid(void)
{
    test.app.stored.found = STORE_VALID;
    test.app.stored.record.identity = machine;
}

static void a_valid_record_ends_every_boot_and_no_command(void **state)
{
    (void)state;
    store_valid();
    skips(OUTCOME_SKIPPED);
    test.app.arguments.mode = STARTED_BY_SYSPREP;
    skips(OUTCOME_SKIPPED);
    assert_int_equal(test.waits, 0); /* at once */
    test.app.arguments.mode = STARTED_BY_SHELL;
    measures_well();
    test.app.arguments.mode = STARTED_BY_BOOT;
    test.app.options.force = true;
    measures_well();
    test.app.options.force = false;
    test.app.options.verify = true;
    measures_well();
    test.app.options.verify = false;
    test.app.options.usb = test.app.options.no_store = true; /* someone put the stick in */
    measures_well();
}

/* D16: field by field, as docs/record.md says. */
static void every_field_but_microcode_is_measured_anew_for(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 7; i++) {
        set_up(NULL);
        store_valid();
        struct record_identity *stored = &test.app.stored.record.identity;
        uint32_t *fields[] = {&stored->cpu_signature, &stored->apic_ids_crc, &stored->caches_crc,
                              &stored->numa_crc,      &stored->firmware_crc, &stored->microcode};
        if (i < 6)
            ++*fields[i];
        else
            stored->method++;
        if (i == 5)
            skips(OUTCOME_SKIPPED);
        else
            measures();
    }
}

static void what_else_a_record_says_is_not_measured_for(void **state)
{
    (void)state;
    store_valid();
    test.app.stored.record.flags = FLAG_BUDGET_HIT | FLAG_CPUS_LEFT_OUT | FLAG_CAPACITY_BY_HAND;
    test.app.stored.record.started = 1;
    test.app.stored.record.policy = POLICY_V5;
    test.app.options.policy = POLICY_LEVELS;
    test.app.options.engine.size = 4096;
    skips(OUTCOME_SKIPPED);
}

static void a_boot_with_nowhere_to_store_does_not_measure(void **state)
{
    (void)state;
    static const struct {
        enum store_found found;
        enum outcome outcome;
    } cases[] = {{STORE_FOREIGN, OUTCOME_FOREIGN},
                 {STORE_UNREADABLE, OUTCOME_FOREIGN},
                 {STORE_NEWER, OUTCOME_NEWER}};
    for (unsigned i = 0; i < 3; i++) {
        set_up(NULL);
        test.app.stored.found = cases[i].found;
        skips(cases[i].outcome);
        test.app.options.force = true;
        measures();
        test.app.options.force = false;
        test.app.arguments.mode = STARTED_BY_SHELL; /* who typed it sees the result */
        measures();
    }
    set_up(NULL);
    test.nvram_unsafe = true; /* (D3) */
    skips(OUTCOME_UNSAFE);
    test.app.options.force = true;
    skips(OUTCOME_UNSAFE);
    test.app.options.store = STORE_IN_ESP; /* what that is for */
    measures();
    test.app.options.force = false;
    test.app.store_file_status = FILE_MISSING;
    skips(OUTCOME_NO_FILE);
}

static void two_runs_without_an_end_are_enough_until_the_user_says_so(void **state)
{
    (void)state;
    measures(); /* hangs */
    measures(); /* hangs again */
    skips(OUTCOME_UNFINISHED);
    assert_int_equal(test.waits, 2); /* nobody is asked whether to skip what is skipped */
    test.app.arguments.mode = STARTED_BY_SHELL;
    skips(OUTCOME_UNFINISHED);
    test.app.arguments.mode = STARTED_BY_BOOT;
    test.app.by_sipi = true; /* what hung with the firmware may work without it */
    measures();
    test.app.by_sipi = false;
    test.app.options.force = true;
    measures();
}

static void a_record_that_was_stored_takes_the_breadcrumb_away(void **state)
{
    (void)state;
    static const enum store_outcome good[] = {STORE_STORED, STORE_STORED_COMPACT, STORE_UNCHANGED};
    for (unsigned i = 0; i < 3; i++) {
        measures();
        test.app.plan.outcome = good[i];
        gate_close(&test.app);
        assert_int_equal(test.takes, i + 1);
        assert_false(test.kept.there);
    }
    measures();
    test.app.backend.stopped = true; /* a key is no failure */
    gate_close(&test.app);
    assert_int_equal(test.takes, 4);
}

static void a_boot_that_cannot_store_stops_trying(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        measures();
        test.app.plan.outcome = STORE_FAILED;
        gate_close(&test.app);
    }
    assert_int_equal(test.takes, 0);
    skips(OUTCOME_UNFINISHED);

    set_up(NULL);
    test.app.arguments.mode = STARTED_BY_SHELL; /* someone saw it come to its end */
    measures();
    test.app.plan.outcome = STORE_FAILED;
    gate_close(&test.app);
    assert_int_equal(test.takes, 1);
}

static void without_a_breadcrumb_only_who_sits_there_may_measure(void **state)
{
    (void)state;
    test.crumb_fails = true;
    skips(OUTCOME_NO_CRUMB);
    test.app.arguments.mode = STARTED_BY_SHELL;
    measures();
    gate_close(&test.app);
    assert_int_equal(test.takes, 0);
    test.app.arguments.mode = STARTED_BY_BOOT;
    test.app.options.no_store = true; /* asked for */
    measures();
    test.app.options.no_store = false;
    test.app.options.store = STORE_IN_MEMORY;
    measures();
    assert_int_equal(test.lefts, 0);
}

static void a_breadcrumb_that_stays_is_told(void **state)
{
    (void)state;
    measures();
    test.take_fails = true;
    test.app.plan.outcome = STORE_STORED;
    test.lines = 0;
    gate_close(&test.app);
    assert_int_equal(test.lines, 1);
}

static void a_key_skips_where_anything_is_printed(void **state)
{
    (void)state;
    test.key = true;
    skips(OUTCOME_KEY);
    test.app.options.quiet = true; /* no key is read (G4) */
    measures();
    test.app.options.quiet = false;
    test.app.arguments.mode = STARTED_BY_SHELL; /* ESC stops it there */
    test.kept = (struct crumb){0};
    measures();
    assert_int_equal(test.waits, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_valid_record_ends_every_boot_and_no_command),
        TEST(every_field_but_microcode_is_measured_anew_for),
        TEST(what_else_a_record_says_is_not_measured_for),
        TEST(a_boot_with_nowhere_to_store_does_not_measure),
        TEST(two_runs_without_an_end_are_enough_until_the_user_says_so),
        TEST(a_record_that_was_stored_takes_the_breadcrumb_away),
        TEST(a_boot_that_cannot_store_stops_trying),
        TEST(without_a_breadcrumb_only_who_sits_there_may_measure),
        TEST(a_breadcrumb_that_stays_is_told),
        TEST(a_key_skips_where_anything_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
