/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel's command line: appended only where it is seen whole (E8), and the hand-off text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/cmdline.h"
#include "../../lib/utf.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define UNITS        5000

/* Appends into a buffer of exactly `size` units. Returns the text as UTF-8, "" where it is refused
 * and then nothing was written. */
static bool append(const char *rest, const char *extra, size_t size, char ret[3 * UNITS])
{
    uint16_t *text = malloc(size * sizeof *text);
    memset(text, 0xA5, size * sizeof *text);
    size_t units = 12345;
    bool done = cmdline_append(rest, extra, text, size, &units);
    ret[0] = '\0';
    if (done) {
        assert_true(units >= 1 && units <= size);
        assert_int_equal(text[units - 1], 0);
        utf8_from_utf16(text, units, ret, 3 * UNITS);
        assert_int_equal(utf16_from_utf8(ret, NULL, 0), units - 1);
    } else {
        assert_int_equal(units, 12345);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(text[i], 0xA5A5);
    }
    free(text);
    return done;
}

static void the_result_stands_behind_what_was_typed_unless_it_would_not_be_seen_there(void **state)
{
    (void)state; /* E8 */
    static const struct {
        const char *rest, *extra, *want; /* want NULL: refused */
    } cases[] = {
        {"root=/dev/sda1 quiet", "m.x=1", "root=/dev/sda1 quiet m.x=1"},
        {"", "m.x=1", "m.x=1"},
        {"quiet", "", "quiet"},
        {"", "", ""},
        {"quiet  ", "m.x=1", "quiet   m.x=1"}, /* byte for byte, blanks too */
        {"a=\"b c\"", "m.x=1", "a=\"b c\" m.x=1"},
        {"dyndbg=\"file a.c +p\" \"b c\"", "m.x=1", "dyndbg=\"file a.c +p\" \"b c\" m.x=1"},
        {"a=\"b c", "m.x=1", "m.x=1 a=\"b c"},                 /* an open quote would swallow it */
        {"quiet -- single", "m.x=1", "m.x=1 quiet -- single"}, /* init's, behind -- */
        {"quiet --", "m.x=1", "m.x=1 quiet --"},
        {"-- quiet", "m.x=1", "m.x=1 -- quiet"},
        {"a\t--\tb", "m.x=1", "m.x=1 a\t--\tb"},
        {"a --b c--", "m.x=1", "a --b c-- m.x=1"},
        {"a=\" -- \"", "m.x=1", "a=\" -- \" m.x=1"}, /* quoted: a value */
        {"a --- b", "m.x=1", "a --- b m.x=1"},
        {"quiet\nroot=x", "m.x=1", NULL}, /* the EFI stub stops at a newline */
        {"quiet\n", "m.x=1", NULL},
        {"quiet\r", "m.x=1", NULL},
        {"quiet\nroot=x", "", "quiet\nroot=x"}, /* nothing of ours to lose: as it stands */
        {"r=\xC3\xA4 \xF0\x9F\x98\x80", "m.x=1", "r=\xC3\xA4 \xF0\x9F\x98\x80 m.x=1"},
        {"r=\xED\xA0\xBD", "m.x=1", "r=\xED\xA0\xBD m.x=1"}, /* a lone surrogate comes through */
    };
    static char got[3 * UNITS];
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(append(cases[i].rest, cases[i].extra, 100, got), cases[i].want != NULL);
        assert_string_equal(got, cases[i].want ? cases[i].want : "");
    }
}

static void nothing_is_appended_beyond_what_the_kernel_keeps(void **state)
{
    (void)state; /* E8: 2,047 bytes and a NUL */
    static const char extra[] = "migcost.cache_decay_ns=1624000";
    static char rest[UNITS], got[3 * UNITS];
    for (size_t total = 2040; total <= 2060; total++) {
        const size_t length = total - 1 - strlen(extra);
        memset(rest, 'r', length);
        rest[length] = '\0';
        assert_int_equal(append(rest, extra, UNITS, got), total <= LINUX_CMDLINE_MAX);
        if (total <= LINUX_CMDLINE_MAX) {
            assert_int_equal(strlen(got), total);
            assert_memory_equal(got, rest, length);
            assert_string_equal(got + length + 1, extra);
        }
    }
    /* the same where it comes first */
    for (size_t total = 2040; total <= 2060; total++) {
        const size_t length = total - 1 - strlen(extra);
        memset(rest, 'r', length);
        rest[0] = '"';
        rest[length] = '\0';
        assert_int_equal(append(rest, extra, UNITS, got), total <= LINUX_CMDLINE_MAX);
    }
}

static void the_limit_counts_bytes_of_utf8_not_units(void **state)
{
    (void)state; /* E8 */
    static const char *const characters[] = {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                             "\xED\xA0\xBD"};
    static char rest[UNITS], got[3 * UNITS];
    for (size_t c = 0; c < COUNT(characters); c++) {
        const size_t width = strlen(characters[c]);
        for (size_t total = 2040; total <= 2060; total++) {
            size_t left = total - 2; /* blank and "x" */
            rest[0] = '\0';
            for (; left % width != 0; left--)
                strcat(rest, "r");
            char *at = rest + strlen(rest);
            for (; left > 0; left -= width, at += width)
                strcpy(at, characters[c]);
            assert_int_equal(append(rest, "x", UNITS, got), total <= LINUX_CMDLINE_MAX);
        }
    }
}

static void without_a_result_a_child_gets_all_whatever_its_length(void **state)
{
    (void)state;
    static char rest[CMDLINE_MAX], got[3 * UNITS];
    memset(rest, 'r', sizeof rest - 1);
    assert_true(append(rest, "", CMDLINE_MAX, got));
    assert_string_equal(got, rest);
    assert_false(append(rest, "", CMDLINE_MAX - 1, got));
}

static void a_buffer_too_small_is_left_alone(void **state)
{
    (void)state;
    static char got[3 * UNITS];
    static const char rest[] = "a\xF0\x9F\x98\x80z"; /* 4 units */
    for (size_t size = 0; size < 12; size++)
        assert_int_equal(append(rest, "xyz", size, got), size >= 4 + 1 + 3 + 1);
}

static void a_hand_off_holds_numbers_clamped_to_what_may_be_applied(void **state)
{
    (void)state;
    static const struct {
        uint32_t decay;
        unsigned count;
        struct level_decay level[4];
        enum handoff way;
        const char *want;
    } cases[] = {
        {1624000, 0, {{0}}, HANDOFF_CMDLINE, "migcost.cache_decay_ns=1624000"},
        {1624000,
         3,
         {{.level = LEVEL_CORE},
          {.level = LEVEL_LLC, .decay_ns = 31000},
          {.level = LEVEL_SYSTEM, .decay_ns = 812000}},
         HANDOFF_CMDLINE,
         "migcost.cache_decay_ns=1624000 migcost.level_ns=0:0,3:31000,7:812000"},
        /* several distances of one level: its largest, once; order does not matter */
        {5000,
         4,
         {{.level = LEVEL_SYSTEM, .distance = 21, .decay_ns = 700},
          {.level = LEVEL_SYSTEM, .distance = 31, .decay_ns = 900},
          {.level = LEVEL_DIE, .decay_ns = 5},
          {.level = LEVEL_SYSTEM, .distance = 41, .decay_ns = 800}},
         HANDOFF_CMDLINE,
         "migcost.cache_decay_ns=5000 migcost.level_ns=4:5,7:900"},
        {0, 0, {{0}}, HANDOFF_CMDLINE, "migcost.cache_decay_ns=1000"},
        {UINT32_MAX,
         2,
         {{.level = 5, .decay_ns = UINT32_MAX}, {.level = LEVELS, .decay_ns = 1}},
         HANDOFF_CMDLINE,
         "migcost.cache_decay_ns=100000000 migcost.level_ns=5:100000000"},
        {500000,
         1,
         {{.level = 3, .decay_ns = 7}},
         HANDOFF_SYSCTL,
         "sysctl.kernel.sched_migration_cost_ns=500000"},
        {1, 0, {{0}}, HANDOFF_SYSCTL, "sysctl.kernel.sched_migration_cost_ns=1000"},
        {500000, 0, {{0}}, HANDOFF_NONE, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct recommendation r = {.decay_ns = cases[i].decay, .level_count = cases[i].count};
        memcpy(r.level, cases[i].level, sizeof cases[i].level);
        const size_t length = strlen(cases[i].want);
        for (size_t size = 0; size < length + 3; size++) {
            char *text = malloc(size);
            bool fits = cmdline_handoff(&r, cases[i].way, text, size);
            assert_int_equal(fits, size > length);
            if (fits)
                assert_string_equal(text, cases[i].want);
            free(text);
        }
    }
}

static void a_level_count_beyond_its_array_is_not_followed(void **state)
{
    (void)state;
    struct recommendation *r = calloc(1, sizeof *r);
    r->level_count = MAX_CLASSES + 100;
    char text[512];
    assert_true(cmdline_handoff(r, HANDOFF_CMDLINE, text, sizeof text));
    assert_string_equal(text, "migcost.cache_decay_ns=1000 migcost.level_ns=0:0");
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_result_stands_behind_what_was_typed_unless_it_would_not_be_seen_there),
        cmocka_unit_test(nothing_is_appended_beyond_what_the_kernel_keeps),
        cmocka_unit_test(the_limit_counts_bytes_of_utf8_not_units),
        cmocka_unit_test(without_a_result_a_child_gets_all_whatever_its_length),
        cmocka_unit_test(a_buffer_too_small_is_left_alone),
        cmocka_unit_test(a_hand_off_holds_numbers_clamped_to_what_may_be_applied),
        cmocka_unit_test(a_level_count_beyond_its_array_is_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
