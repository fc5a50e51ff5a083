/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for people: whole texts of crafted machines (tests/data/golden), and what holds for
 * every one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "report_fixture.h"

static char text[1 << 18];
static struct text_buffer buffer;
static struct text_sink sink;

static const char *table(unsigned columns)
{
    sink = text_buffer_sink(&buffer, text, sizeof text);
    report_table(&sink, &fixture.result, &fixture.recommendation, &fixture.machine, columns);
    assert_in_range(buffer.length, 1, sizeof text - 1);
    return text;
}

static void two_sockets_show_matrix_levels_and_number(void **state)
{
    (void)state;
    fixture_two_sockets();
    golden_compare("table-two-sockets.txt", table(80));
}

static void narrow_consoles_drop_columns_and_wrap(void **state)
{
    (void)state;
    fixture_two_sockets();
    golden_compare("table-two-sockets-50-columns.txt", table(50));
}

/* A2: one CPU is a valid result. */
static void one_cpu_has_no_matrix_and_the_kernels_default(void **state)
{
    (void)state;
    fixture_one_cpu();
    golden_compare("table-one-cpu.txt", table(80));
}

static void sixteen_cpus_fit_with_two_digits(void **state)
{
    (void)state;
    fixture_sixteen();
    golden_compare("table-16-cpus.txt", table(80));
}

static void more_cpus_than_columns_are_shown_by_class(void **state)
{
    (void)state;
    fixture_big();
    golden_compare("table-64-cpus.txt", table(80));
}

static void very_many_cpus_are_shown_by_class(void **state)
{
    (void)state;
    fixture_wide();
    golden_compare("table-300-cpus.txt", table(80));
}

static void zero_costs_are_said_to_be_zero(void **state)
{
    (void)state;
    fixture_zero();
    golden_compare("table-zero.txt", table(80));
}

static void hybrid_with_flags_two_peaks_and_odd_cpus(void **state)
{
    (void)state;
    fixture_hybrid();
    golden_compare("table-hybrid.txt", table(80));
}

/* A20 to A24: where the matrix contradicts CPUID and ACPI, the report names pairs. */
static void pairs_unlike_what_is_claimed_are_named(void **state)
{
    (void)state;
    fixture_two_sockets();
    assert_null(strstr(table(80), "differs"));
    fixture.result.classes[1].flags |= CLASS_SPLIT;
    const char *said = table(80);
    assert_non_null(strstr(said, "\ndiffers     APIC 0-"));
    assert_non_null(strstr(said, "CPUID"));
    fixture.result.class_of = NULL;
    assert_null(strstr(table(80), "\ndiffers "));
}

static void old_rules_and_numbers_by_hand_say_so(void **state)
{
    (void)state;
    fixture_two_sockets();
    fixture.result.access = TOUCH_READ;
    fixture.result.flags = FLAG_DECAY_BY_HAND;
    sink = text_buffer_sink(&buffer, text, sizeof text);
    for (unsigned policy = 0; policy < POLICIES; policy++) {
        recommend(&fixture.result, (enum policy)policy, policy == POLICY_V5 ? 125 : 0, 0,
                  &fixture.recommendation);
        report_recommendation(&sink, &fixture.result, &fixture.recommendation, &fixture.machine);
        text_print(&sink, "\n");
    }
    recommend(&fixture.result, POLICY_LEVELS, 0, 200000000, &fixture.recommendation);
    report_recommendation(&sink, &fixture.result, &fixture.recommendation, &fixture.machine);
    golden_compare("recommendations.txt", text);
}

/* Firmware strings are foreign: no control character of theirs reaches a console. */
static void foreign_strings_cannot_steer_the_console(void **state)
{
    (void)state;
    fixture_two_sockets();
    fixture.machine.vendor = "\x1b[2J\x1b[H";
    fixture.machine.model = "a\r\nb\tc\x7f\x9b\xff  d ";
    fixture.machine.firmware =
        "1234567890123456789012345678901234567890123456789012345678901234567890";
    fixture.machine.capacity_source = "\x01\x02";
    sink = text_buffer_sink(&buffer, text, sizeof text);
    report_machine_lines(&sink, &fixture.result, &fixture.machine);
    assert_non_null(strstr(text, "?[2J?[H, a?"
                                 "?b?c?"
                                 "?"
                                 "? d, signature 0x50654\n"));
    assert_non_null(strstr(text, "(?"
                                 "?)"));
    for (const char *at = text; *at; at++)
        assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
}

/* Some consoles go to the next line once the last column is filled: it stays free. Matrix rows and
 * headings are as wide as they are, and are only printed where they fit. */
static void no_line_fills_the_last_column(void **state)
{
    (void)state;
    static void (*const fixtures[])(void) = {fixture_two_sockets, fixture_one_cpu, fixture_big,
                                             fixture_zero,        fixture_hybrid,  fixture_wide,
                                             fixture_sixteen};
    static const unsigned widths[] = {50, 80, 100, 132, 500};
    for (unsigned f = 0; f < sizeof fixtures / sizeof *fixtures; f++)
        for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
            fixtures[f]();
            const char *at = table(widths[w]);
            for (; *at; at += strcspn(at, "\n") + 1) {
                assert_in_range(strcspn(at, "\n"), 0, widths[w] - 1);
                for (size_t i = 0; at[i] != '\n'; i++)
                    assert_true(at[i] >= ' ' && at[i] <= '~');
                size_t length = strcspn(at, "\n");
                assert_true(length == 0 || at[length - 1] != ' ');
            }
        }
}

/* G3: text modes lie. */
static void impossible_widths_become_80(void **state)
{
    (void)state;
    static char want[1 << 18];
    fixture_two_sockets();
    strcpy(want, table(80));
    assert_string_equal(table(0), want);
    assert_string_equal(table(39), want);
    assert_string_equal(table(501), want);
    assert_string_equal(table(UINT32_MAX), want);
}

/* Arrays that a caller does not have are left out, not read. */
static void missing_parts_are_left_out(void **state)
{
    (void)state;
    fixture_two_sockets();
    fixture.result.raw_ns = NULL;
    fixture.result.cost_ns = NULL;
    fixture.result.class_of = NULL;
    fixture.result.source = NULL;
    fixture.result.stay = NULL;
    fixture.machine = (struct report_machine){0};
    assert_non_null(strstr(table(80), "\n4  ?  ?  .  ?\n"));
    assert_null(strstr(text, "whole touch"));
    assert_non_null(strstr(text, "machine     signature 0x0\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sockets_show_matrix_levels_and_number),
        cmocka_unit_test(narrow_consoles_drop_columns_and_wrap),
        cmocka_unit_test(one_cpu_has_no_matrix_and_the_kernels_default),
        cmocka_unit_test(sixteen_cpus_fit_with_two_digits),
        cmocka_unit_test(more_cpus_than_columns_are_shown_by_class),
        cmocka_unit_test(very_many_cpus_are_shown_by_class),
        cmocka_unit_test(zero_costs_are_said_to_be_zero),
        cmocka_unit_test(hybrid_with_flags_two_peaks_and_odd_cpus),
        cmocka_unit_test(pairs_unlike_what_is_claimed_are_named),
        cmocka_unit_test(old_rules_and_numbers_by_hand_say_so),
        cmocka_unit_test(foreign_strings_cannot_steer_the_console),
        cmocka_unit_test(no_line_fills_the_last_column),
        cmocka_unit_test(impossible_widths_become_80),
        cmocka_unit_test(missing_parts_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
