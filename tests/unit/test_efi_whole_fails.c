/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole application on a firmware of which each call fails in turn: it always comes to an end,
 * gives back all that it took, calls nothing in the wrong state, and the next boot comes up.
 *
 * Some statuses are tried at each call, other ones at the next: more where the status decides what
 * is done then. With EVERY_STATUS set (suite "whole") it is each at each call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"

#define STATUSES 35u /* errors that UEFI 2.10, appendix D, has */
#define SOME     6u  /* of them, where the status decides */

static const struct way ways[] = {
    {.name = "shell", .options = "--size 16K", .by_shell = true},
    {.name = "shell, old record", .options = "--quiet", .by_shell = true, .has_old = true},
    {.name = "boot", .options = "--quiet"},
    {.name = "boot with a record", .options = "", .has_record = true},
    {.name = "boot, blocking", .options = "--quiet", .blocking = true},
    {.name = "boot, then an image", .options = "--quiet --handoff=cmdline --chain \\child.efi a b"},
    {.name = "boot with a record, then an image",
     .options = "--quiet --chain \\child.efi",
     .has_record = true},
    {.name = "boot, then a kernel", .options = "--quiet --chain \\child.efi", .takes_over = true},
    {.name = "SysPrep", .options = "", .sysprep = true},
    {.name = "SysPrep into a file", .options = "--store=esp", .sysprep = true, .files = true},
    {.name = "report", .options = "--quiet --report", .by_shell = true, .files = true},
    {.name = "verify", .options = "--quiet --verify", .by_shell = true, .has_record = true},
    {.name = "show", .options = "--show", .by_shell = true, .has_record = true},
    {.name = "delete", .options = "--delete", .by_shell = true, .has_record = true},
    {.name = "delete in a file",
     .options = "--store=esp --delete",
     .by_shell = true,
     .has_record = true,
     .files = true},
    {.name = "wrong option", .options = "--sise 1", .by_shell = true},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct fw prepared, fw;

static bool status_decides(enum fw_service service)
{
    switch (service) {
    case FW_GET_VARIABLE:
    case FW_SET_VARIABLE:
    case FW_LOAD_IMAGE:
    case FW_START_IMAGE:
    case FW_MP_START:
    case FW_OPEN:
        return true;
    default:
        return false;
    }
}

/* Calls that are made over and over: every so many will do. */
static bool is_one_of_many(enum fw_service service, unsigned before)
{
    bool many = service == FW_OUTPUT || service == FW_READ_KEY || service == FW_STALL;
    return many && before > 2 && before % 29 != 0;
}

/* A boot that returns an error has the next entry tried; SysPrep is to say nothing. But for its own
 * memory and for the variables that tell how it was started, nothing may change that. */
static void expect_status(const struct way *way)
{
    enum fw_service faulty = whole_faulty(&fw);
    if (way->sysprep && faulty != FW_GET_VARIABLE && faulty != FW_ALLOCATE_PAGES)
        HOLDS(fw.status == EFI_SUCCESS); /* (F1) */
    if (!way->sysprep && !way->by_shell)
        HOLDS(EFI_ERROR(fw.status)); /* (F2) */
}

static void boot_with(const struct way *way, enum fw_fault fault, unsigned call, unsigned code)
{
    fw = prepared;
    fw.fault = fault;
    fw.fault_call = call;
    fw.fault_status = EFIERR(code);
    fw_boot(&fw);
    whole_at(&fw, way->name);
    whole_end(&fw);
    HOLDS(fw.end != FW_POWER_CUT);
    /* A reset is for lost CPUs, and nothing is started then (A11). */
    HOLDS(fw.end != FW_RESET_END || (fw.starts > 0 && fw.children == 0));
    HOLDS(fw.end != FW_TAKEN_OVER || way->takes_over);
    if (fw.end == FW_RETURNED)
        expect_status(way);
}

/* What failed has gone; everything else is as it was left. */
static void next_boot_comes_up(const struct way *way)
{
    fw.fault = FW_NO_FAULT;
    fw.options = "--quiet";
    fw.sysprep = fw.by_shell = fw.refuse_event = false;
    fw_boot(&fw);
    whole_at(&fw, way->name);
    whole_end(&fw);
    HOLDS(fw.end == FW_RETURNED && EFI_ERROR(fw.status));
}

static void each_call_fails(const struct way *way)
{
    static uint8_t service_of[FW_CALLS_MAX];
    unsigned before[FW_SERVICES] = {0};
    bool every = getenv("EVERY_STATUS") != NULL;

    way_prepare(&prepared, way);
    boot_with(way, FW_NO_FAULT, 0, 0);
    unsigned calls = fw.calls;
    HOLDS(calls <= FW_CALLS_MAX);
    memcpy(service_of, fw.service_of, sizeof(service_of));
    for (unsigned call = 0; call < calls; call++) {
        enum fw_service service = (enum fw_service)service_of[call];
        if (is_one_of_many(service, before[service]++))
            continue;
        unsigned statuses = every ? STATUSES : status_decides(service) ? SOME : 1;
        for (unsigned i = 0; i < statuses; i++)
            boot_with(way, FW_FAILS, call, (call * statuses + i) % STATUSES + 1);
        next_boot_comes_up(way);
        boot_with(way, FW_FAILS_ALWAYS, call, call % STATUSES + 1);
    }
}

static void nothing_that_fails_leaves_anything_behind(void **state)
{
    each_call_fails(*state);
}

/* The hook into the firmware is one that bites: what it forbids is found. */
static void a_misuse_is_found(void **state)
{
    (void)state;
    way_prepare(&prepared, &ways[2]);
    fw = prepared;
    fw_boot(&fw);
    assert_null(fw.misuse);
    assert_int_equal(fw.starts, 1);
    assert_int_equal(fw.sets, 2); /* breadcrumb and record */
    assert_int_equal(fw.deletes, 1);
    assert_true(fw.record.present && !fw.crumb.present);
    fw_boot(&fw); /* with a record nothing is started or written (F6) */
    assert_int_equal(fw.starts + fw.sets + fw.deletes, 0);
}

static int tear_down(void **state)
{
    (void)state;
    fw_done();
    return 0;
}

int main(void)
{
    struct CMUnitTest tests[WAYS + 1];
    char names[WAYS][96];

    for (unsigned i = 0; i < WAYS; i++) {
        snprintf(names[i], sizeof(names[i]), "nothing_that_fails_leaves_anything_behind: %s",
                 ways[i].name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = nothing_that_fails_leaves_anything_behind,
                                       .initial_state = (void *)(uintptr_t)&ways[i]};
    }
    tests[WAYS] = (struct CMUnitTest)cmocka_unit_test(a_misuse_is_found);
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
