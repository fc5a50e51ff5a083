/* SPDX-License-Identifier: BSD-2-Clause */
/* The power goes at each call in turn, before it and after it, and in the middle of what is
 * written: the record is then the old one, the new one or none, a boot that comes to that point
 * again and again stops to measure, and once the power holds, all is in order within three boots
 * (A3, D4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"

#define SAME_CUTS 5u

static const struct way ways[] = {
    {.name = "boot", .options = "--quiet"},
    {.name = "boot, blocking", .options = "--quiet", .blocking = true},
    {.name = "boot with an old record", .options = "--quiet", .has_old = true},
    {.name = "boot, then an image", .options = "--quiet --chain \\child.efi a"},
    {.name = "SysPrep with an old record", .options = "", .sysprep = true, .has_old = true},
    {.name = "SysPrep into a file", .options = "--store=esp", .sysprep = true, .files = true},
    {.name = "SysPrep into a file, old record",
     .options = "--store=esp",
     .sysprep = true,
     .has_old = true,
     .files = true},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* The machine before the boot, after one in which the power held, and the one at hand. */
static struct fw prepared, good, fw;

/* The record as a program finds it that takes only what checks. */
static bool find_record(const struct fw *of, const uint8_t **ret_bytes, size_t *ret_length)
{
    static struct record record;

    *ret_bytes = of->record.present ? of->record.bytes : NULL;
    *ret_length = of->record.present ? of->record.length : 0;
    if (of->store.present && record_file_check(of->store.bytes, of->store.length) == RECORD_FILE_OK)
        *ret_bytes = record_file_record(of->store.bytes, ret_length);
    return *ret_length > 0 && record_decode(*ret_bytes, *ret_length, &record) == RECORD_OK;
}

static bool same_record(const struct fw *a, const struct fw *b)
{
    const uint8_t *bytes_a, *bytes_b;
    size_t length_a, length_b;
    return find_record(a, &bytes_a, &length_a) && find_record(b, &bytes_b, &length_b) &&
           length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
}

static void old_new_or_none(void)
{
    const uint8_t *bytes;
    size_t length;
    HOLDS(!find_record(&fw, &bytes, &length) || same_record(&fw, &prepared) ||
          same_record(&fw, &good));
}

/* Two runs did not come to their end: that is kept, and nothing is tried any more. */
static bool given_up(void)
{
    struct breadcrumb crumb;
    const uint8_t *bytes = fw.crumb.present ? fw.crumb.bytes : fw.store.bytes + RECORD_FILE_CRUMB;
    return breadcrumb_decode(bytes, BREADCRUMB_BYTES, &crumb) && crumb.count == 2;
}

static void boot(const struct way *way)
{
    fw_boot(&fw);
    whole_at(&fw, way->name);
    whole_end(&fw);
    old_new_or_none();
}

/* The same again and again, as where the machine itself goes down by it. */
static void cut(const struct way *way, enum fw_fault fault, unsigned call)
{
    unsigned measured = 0;

    fw = prepared;
    fw.fault = fault;
    fw.fault_call = call;
    for (unsigned i = 0; i < SAME_CUTS; i++) {
        boot(way);
        measured += fw.starts > 0;
    }
    HOLDS(measured <= 2);

    fw.fault = FW_NO_FAULT;
    for (unsigned i = 0; i < 3; i++) {
        boot(way);
        HOLDS(fw.end == FW_RETURNED);
        measured += fw.starts > 0;
    }
    HOLDS(measured <= 3);
    HOLDS(fw.starts == 0 && fw.sets + fw.deletes == 0);
    HOLDS(same_record(&fw, &good) || given_up());
}

static bool writes(enum fw_service service)
{
    return service == FW_SET_VARIABLE || service == FW_WRITE;
}

static void every_cut_ends_well(void **state)
{
    static uint8_t service_of[FW_CALLS_MAX];
    const struct way *way = *state;
    const uint8_t *bytes;
    size_t length;

    way_prepare(&prepared, way);
    good = prepared;
    fw_boot(&good);
    assert_true(find_record(&good, &bytes, &length));
    assert_false(same_record(&prepared, &good));
    memcpy(service_of, good.service_of, sizeof(service_of));
    for (unsigned call = 0; call < good.calls; call++) {
        cut(way, FW_CUT_BEFORE, call);
        if (!writes((enum fw_service)service_of[call]))
            continue;
        cut(way, FW_CUT_AFTER, call);
        cut(way, FW_CUT_TORN, call);
    }
}

static int tear_down(void **state)
{
    (void)state;
    fw_done();
    return 0;
}

int main(void)
{
    struct CMUnitTest tests[WAYS];
    char names[WAYS][96];

    for (unsigned i = 0; i < WAYS; i++) {
        snprintf(names[i], sizeof(names[i]), "every_cut_ends_well: %s", ways[i].name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = every_cut_ends_well,
                                       .initial_state = (void *)(uintptr_t)&ways[i]};
    }
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
