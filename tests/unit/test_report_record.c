/* SPDX-License-Identifier: BSD-2-Clause */
/* A stored record as text and as JSON, after a way through its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "json_check.h"
#include "report_fixture.h"

static char text[1 << 16];
static struct text_buffer buffer;
static struct text_sink sink;
static uint8_t bytes[RECORD_MAX_BYTES];
static struct record record;

/* Encodes what the fixture holds into at most `size` bytes and decodes it again. */
static void store(size_t size)
{
    struct record_identity identity = {.cpu_signature = 0x50654,
                                       .microcode = 0x2006e05,
                                       .caches_crc = 0x12345678,
                                       .firmware_crc = 0x9abcdef0,
                                       .method = RECORD_METHOD};
    static struct record fresh;
    size_t length;
    identity.apic_ids_crc = record_apic_ids_crc(fixture.cpus, fixture.result.cpu_count);
    record_from_result(&fixture.result, &fixture.recommendation, &identity, &fresh);
    assert_int_equal(record_encode(&fresh, &fixture.result, bytes, size, &length), RECORD_OK);
    assert_int_equal(record_decode(bytes, length, &record), RECORD_OK);
}

static const char *shown(unsigned columns)
{
    sink = text_buffer_sink(&buffer, text, sizeof text);
    report_record(&sink, &record, bytes, columns);
    assert_in_range(buffer.length, 1, sizeof text - 1);
    return text;
}

static void exact_cells_are_shown_as_a_matrix(void **state)
{
    (void)state;
    fixture_two_sockets();
    store(sizeof bytes);
    assert_int_equal(record.cells, CELLS_EXACT);
    golden_compare("record-two-sockets.txt", shown(80));
}

static void class_coded_cells_say_how_far_they_may_be_off(void **state)
{
    (void)state;
    fixture_big();
    store(sizeof bytes);
    assert_int_not_equal(record.cells, CELLS_EXACT);
    assert_int_not_equal(record.cells, CELLS_NONE);
    golden_compare("record-64-cpus.txt", shown(80));
    record.bound_permille = RECORD_NO_BOUND;
    assert_non_null(strstr(shown(80), "how far a pair is off is not known"));
}

static void a_summary_has_classes_only(void **state)
{
    (void)state;
    fixture_hybrid();
    fixture.result.flags &= (1u << FLAG_COUNT) - 1;
    store(RECORD_COMPACT_BYTES);
    record.cells = CELLS_NONE;
    record.apic_ids_known = false;
    golden_compare("record-summary.txt", shown(80));
}

static void zero_costs_are_zero_in_the_matrix_too(void **state)
{
    (void)state;
    fixture_zero();
    store(sizeof bytes);
    golden_compare("record-zero.txt", shown(80));

    /* A cell that the noise threw beyond its class's spread. */
    fixture.cost[result_cell(&fixture.result, 0, 1)] = 65770;
    store(sizeof bytes);
    golden_compare("record-zero.txt", shown(80));
}

static void one_cpu_has_no_pair(void **state)
{
    (void)state;
    fixture_one_cpu();
    store(sizeof bytes);
    assert_non_null(strstr(shown(80), "matrix      no pair\n"));
    assert_non_null(strstr(text, "no pair of CPUs was measured\n"));
}

/* A17: a CPU that took no part has an id, but no row. */
static void cpus_without_cells_have_no_row(void **state)
{
    (void)state;
    fixture_two_sockets();
    for (unsigned i = 0; i < 4; i++)
        fixture.cost[result_cell(&fixture.result, i, 3)] =
            fixture.cost[result_cell(&fixture.result, 3, i)] = COST_UNKNOWN;
    store(sizeof bytes);
    assert_non_null(strstr(shown(80), "\n      0     1     4\n"));
    assert_non_null(strstr(text, "APIC ids 0-1 4-5\n"));
}

static void a_record_without_its_bytes_has_no_cells(void **state)
{
    (void)state;
    fixture_two_sockets();
    store(sizeof bytes);
    sink = text_buffer_sink(&buffer, text, sizeof text);
    report_record(&sink, &record, NULL, 80);
    assert_non_null(strstr(text, "matrix      not in the record, its classes only\n"));
    sink = text_buffer_sink(&buffer, text, sizeof text);
    report_record_json(&sink, &record, NULL);
    assert_true(json_is_valid(text));
    assert_non_null(strstr(text, "\"cost_ns\": null"));
}

static void json_holds_every_field(void **state)
{
    (void)state;
    fixture_two_sockets();
    store(sizeof bytes);
    sink = text_buffer_sink(&buffer, text, sizeof text);
    report_record_json(&sink, &record, bytes);
    assert_true(json_is_valid(text));
    golden_compare("record-two-sockets.json", text);
}

static void json_is_valid_for_every_form(void **state)
{
    (void)state;
    static void (*const fixtures[])(void) = {fixture_one_cpu, fixture_big, fixture_zero,
                                             fixture_wide};
    static const size_t sizes[] = {RECORD_MAX_BYTES, RECORD_COMPACT_BYTES};
    for (unsigned i = 0; i < sizeof fixtures / sizeof *fixtures; i++)
        for (unsigned s = 0; s < 2; s++) {
            static char large[1 << 20];
            fixtures[i]();
            store(sizes[s]);
            sink = text_buffer_sink(&buffer, large, sizeof large);
            report_record_json(&sink, &record, bytes);
            assert_in_range(buffer.length, 1, sizeof large - 1);
            assert_true(json_is_valid(large));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_cells_are_shown_as_a_matrix),
        cmocka_unit_test(class_coded_cells_say_how_far_they_may_be_off),
        cmocka_unit_test(a_summary_has_classes_only),
        cmocka_unit_test(zero_costs_are_zero_in_the_matrix_too),
        cmocka_unit_test(one_cpu_has_no_pair),
        cmocka_unit_test(cpus_without_cells_have_no_row),
        cmocka_unit_test(a_record_without_its_bytes_has_no_cells),
        cmocka_unit_test(json_holds_every_field),
        cmocka_unit_test(json_is_valid_for_every_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
