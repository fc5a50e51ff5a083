/* SPDX-License-Identifier: BSD-2-Clause */
/* What an unfinished run means to the next one, and the bytes that say so (A3, F6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/breadcrumb.h"
#include "../../lib/crc32.h"
#include "../../lib/little_endian.h"
#include <string.h>

#define SUBJECT 0x12345678u

/* A store that outlives boots, and boots that hang or come to their end. */
struct life {
    uint8_t bytes[BREADCRUMB_BYTES];
    size_t length;
};

/* True if the run is made. */
static bool boot(struct life *life, enum breadcrumb_stage stage, uint32_t subject, bool force,
                 bool hangs)
{
    struct breadcrumb found, next;
    bool there = breadcrumb_decode(life->bytes, life->length, &found);
    if (!breadcrumb_next(there ? &found : NULL, stage, subject, force, &next))
        return false;
    breadcrumb_encode(&next, life->bytes);
    life->length = hangs ? sizeof(life->bytes) : 0;
    return true;
}

static void one_unfinished_run_is_tried_again_and_two_are_not(void **state)
{
    (void)state;
    struct life life = {{0}, 0};
    assert_true(boot(&life, BREADCRUMB_MP, SUBJECT, false, true));
    assert_true(boot(&life, BREADCRUMB_MP, SUBJECT, false, true));
    for (unsigned i = 0; i < 300; i++)
        assert_false(boot(&life, BREADCRUMB_MP, SUBJECT, false, true));
}

static void a_run_that_came_to_its_end_leaves_nothing(void **state)
{
    (void)state;
    struct life life = {{0}, 0};
    for (unsigned i = 0; i < 5; i++) {
        assert_true(boot(&life, BREADCRUMB_MP, SUBJECT, false, true));
        assert_true(boot(&life, BREADCRUMB_MP, SUBJECT, false, false));
    }
}

static void another_machine_version_or_start_is_tried_anew(void **state)
{
    (void)state;
    struct life life = {{0}, 0};
    for (unsigned i = 0; i < 2; i++)
        assert_true(boot(&life, BREADCRUMB_MP, SUBJECT, false, true));
    assert_false(boot(&life, BREADCRUMB_MP, SUBJECT, false, true));
    for (unsigned i = 0; i < 2; i++)
        assert_true(boot(&life, BREADCRUMB_SIPI, SUBJECT, false, true));
    assert_false(boot(&life, BREADCRUMB_SIPI, SUBJECT, false, true));
    for (unsigned i = 0; i < 2; i++)
        assert_true(boot(&life, BREADCRUMB_SIPI, SUBJECT + 1, false, true));
    assert_false(boot(&life, BREADCRUMB_SIPI, SUBJECT + 1, false, true));
}

static void who_says_so_may_try_for_ever(void **state)
{
    (void)state;
    struct life life = {{0}, 0};
    for (unsigned i = 0; i < 600; i++) /* the count does not wrap to "none" */
        assert_true(boot(&life, BREADCRUMB_MP, SUBJECT, true, true));
    assert_false(boot(&life, BREADCRUMB_MP, SUBJECT, false, true));
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    struct breadcrumb found = {BREADCRUMB_MP, 2, SUBJECT}, next = {9, 9, 9};
    assert_false(breadcrumb_next(&found, BREADCRUMB_MP, SUBJECT, false, &next));
    assert_int_equal(next.stage, 9);
}

static void every_field_of_identity_and_the_version_make_another_subject(void **state)
{
    (void)state;
    struct record_identity identity = {1, 2, 3, 4, 5, 6, 7};
    uint32_t subject = breadcrumb_subject(&identity, "1.0");
    assert_int_equal(breadcrumb_subject(&identity, "1.0"), subject);
    assert_int_not_equal(breadcrumb_subject(&identity, "1.1"), subject);
    assert_int_not_equal(breadcrumb_subject(&identity, ""), subject);
    uint32_t *fields[] = {&identity.cpu_signature, &identity.apic_ids_crc, &identity.caches_crc,
                          &identity.numa_crc, &identity.firmware_crc};
    for (unsigned i = 0; i < 5; i++) {
        ++*fields[i];
        assert_int_not_equal(breadcrumb_subject(&identity, "1.0"), subject);
        --*fields[i];
    }
    identity.microcode++; /* an operating system may have loaded another (D16) */
    assert_int_equal(breadcrumb_subject(&identity, "1.0"), subject);
    identity.method++;
    assert_int_not_equal(breadcrumb_subject(&identity, "1.0"), subject);
}

/* docs/record.md. */
static void the_bytes_are_those_of_the_document(void **state)
{
    (void)state;
    static const uint8_t expected[12] = {'M', 'I', 'G', 'R', 1, 2, 3, 0, 0x78, 0x56, 0x34, 0x12};
    uint8_t bytes[BREADCRUMB_BYTES];
    breadcrumb_encode(&(struct breadcrumb){BREADCRUMB_SIPI, 3, SUBJECT}, bytes);
    assert_memory_equal(bytes, expected, sizeof(expected));
    assert_int_equal(get32(bytes + 12), crc32_update(0, expected, sizeof(expected)));
}

static void mend(uint8_t *bytes)
{
    put32(bytes + 12, crc32_update(0, bytes, 12));
}

static void what_is_damaged_or_foreign_counts_as_none(void **state)
{
    (void)state;
    uint8_t good[BREADCRUMB_BYTES], bytes[BREADCRUMB_BYTES + 1] = {0};
    struct breadcrumb read;
    breadcrumb_encode(&(struct breadcrumb){BREADCRUMB_MP, 1, SUBJECT}, good);
    assert_true(breadcrumb_decode(good, sizeof(good), &read));
    memcpy(bytes, good, sizeof(good));
    for (size_t length = 0; length <= sizeof(bytes); length++)
        assert_int_equal(breadcrumb_decode(bytes, length, &read), length == BREADCRUMB_BYTES);
    for (unsigned bit = 0; bit < BREADCRUMB_BYTES * 8; bit++) {
        memcpy(bytes, good, sizeof(good));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(breadcrumb_decode(bytes, BREADCRUMB_BYTES, &read));
    }
    static const struct {
        uint8_t at, value;
    } wrong[] = {{0, 'X'}, {4, 2}, {5, 0}, {5, 3}, {6, 0}}; /* with a sum that is right */
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        memcpy(bytes, good, sizeof(good));
        bytes[wrong[i].at] = wrong[i].value;
        mend(bytes);
        assert_false(breadcrumb_decode(bytes, BREADCRUMB_BYTES, &read));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_unfinished_run_is_tried_again_and_two_are_not),
        cmocka_unit_test(a_run_that_came_to_its_end_leaves_nothing),
        cmocka_unit_test(another_machine_version_or_start_is_tried_anew),
        cmocka_unit_test(who_says_so_may_try_for_ever),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(every_field_of_identity_and_the_version_make_another_subject),
        cmocka_unit_test(the_bytes_are_those_of_the_document),
        cmocka_unit_test(what_is_damaged_or_foreign_counts_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
