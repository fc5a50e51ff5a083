/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix in a record: extremes, gaps, bounds, and classes that are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record_machine.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void negative_unknown_and_extreme_cells_come_back(void **state)
{
    (void)state;
    static const struct shape shape = {"four", 1, 1, 4, 1, 0, 0, 0, 0};
    static const int32_t values[] = {-1, 0, 1, COST_UNKNOWN, INT32_MAX - 1, -5000, 77, 1 << 30};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    for (unsigned i = 0; i < 16; i++)
        f.result.cost_ns[i] = values[i % COUNT(values)];
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.cells, CELLS_EXACT);
    for (unsigned i = 0; i < 16; i++) {
        int32_t ns = 1;
        bool exact;
        bool known = record_cell(&back, buffer, i / 4, i % 4, &ns, &exact);
        assert_int_equal(known, i / 4 != i % 4 && values[i % COUNT(values)] != COST_UNKNOWN);
        if (known)
            assert_int_equal(ns, values[i % COUNT(values)]);
    }
    fixture_free(&f);
}

static void both_ends_of_the_range_at_once_still_fit_32_bits(void **state)
{
    (void)state;
    static const struct shape shape = {"two", 1, 1, 2, 1, 0, 0, 0, 0};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    int32_t least, most;
    bool exact;
    fixture_make(&f, &shape);
    f.result.cost_ns[1] = INT32_MIN + 1;
    f.result.cost_ns[2] = INT32_MAX;
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.cells, CELLS_EXACT);
    assert_true(record_cell(&back, buffer, 0, 1, &least, &exact));
    assert_true(record_cell(&back, buffer, 1, 0, &most, &exact));
    assert_int_equal(least, INT32_MIN + 1);
    assert_int_equal(most, INT32_MAX);
    fixture_free(&f);
}

static void a_bound_too_wide_for_its_field_is_none(void **state)
{
    (void)state;
    static const struct shape shape = {"40", 1, 1, 40, 1, 0, 0, 30, 3};
    struct fixture f;
    struct record record;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    f.result.cost_ns[1] = INT32_MIN + 1;
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record.bound_permille, RECORD_NO_BOUND);
    fixture_free(&f);
}

static void a_pair_that_was_not_measured_has_no_cell_in_class_form(void **state)
{
    (void)state;
    static const struct shape shape = {"40", 1, 1, 40, 1, 0, 0, 30, 3};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    int32_t ns;
    bool exact;
    fixture_make(&f, &shape);
    f.result.cost_ns[result_cell(&f.result, 3, 9)] = COST_UNKNOWN; /* one way is known */
    f.result.cost_ns[result_cell(&f.result, 5, 6)] = COST_UNKNOWN;
    f.result.cost_ns[result_cell(&f.result, 6, 5)] = COST_UNKNOWN;
    f.result.class_of[result_cell(&f.result, 38, 39)] = CLASS_NONE;
    f.result.class_of[result_cell(&f.result, 39, 38)] = CLASS_NONE;
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.cells, CELLS_CLASS);
    assert_true(record_cell(&back, buffer, 3, 9, &ns, &exact));
    assert_false(record_cell(&back, buffer, 5, 6, &ns, &exact));
    assert_false(record_cell(&back, buffer, 6, 5, &ns, &exact));
    assert_false(record_cell(&back, buffer, 39, 38, &ns, &exact));
    assert_false(record_cell(&back, buffer, 7, 7, &ns, &exact));
    assert_false(record_cell(&back, buffer, 40, 0, &ns, &exact));
    assert_false(record_cell(&back, buffer, 0, 65535, &ns, &exact));
    fixture_free(&f);
}

static void the_bound_is_the_worst_cell_and_spares_what_the_spread_covers(void **state)
{
    (void)state;
    static const struct shape shape = {"40", 1, 1, 40, 1, 0, 0, 0, 3};
    struct fixture f;
    struct record record;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    struct class_result *class = &f.result.classes[f.result.class_of[1]];
    f.result.cost_ns[1] = class->cost.ns + (int32_t) class->cost.spread_ns;
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record.bound_permille, 0);

    class->cost = (struct figure){1000, 20, 5};
    for (unsigned i = 0; i < 1600; i++)
        if (f.result.class_of[i] == f.result.class_of[1])
            f.result.cost_ns[i] = 1000;
    f.result.cost_ns[1] = 849; /* 15.1 percent off, rounded up below only where it must */
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record.bound_permille, 151);

    class->cost = (struct figure){0, 20, 5}; /* no part of nothing */
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record.bound_permille, RECORD_NO_BOUND);
    fixture_free(&f);
}

static void of_too_many_classes_the_outermost_stay_and_cells_of_others_go(void **state)
{
    (void)state;
    static const struct shape shape = {"40", 1, 1, 40, 1, 0, 0, 0, 14};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record.class_count, RECORD_MAX_CLASSES);
    assert_int_equal(record.classes[0].distance, DISTANCE_LOCAL + 2);
    assert_int_equal(record.classes[11].distance, DISTANCE_LOCAL + 13);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);

    f.result.classes[5].cost.samples = 0; /* not measured: one more of the innermost stays */
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record.classes[0].distance, DISTANCE_LOCAL + 1);
    assert_int_equal(record.class_count, RECORD_MAX_CLASSES);
    for (unsigned i = 0; i < record.class_count; i++)
        assert_int_not_equal(record.classes[i].distance, DISTANCE_LOCAL + 5);
    fixture_free(&f);
}

static void cells_name_the_right_class_when_an_earlier_one_was_left_out(void **state)
{
    (void)state;
    static const struct shape shape = {"40", 1, 1, 40, 1, 0, 0, 0, 4};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    f.result.classes[0].cost.samples = 0;
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.cells, CELLS_CLASS);
    for (unsigned b = 1; b < 40; b++) {
        int32_t ns;
        bool exact;
        unsigned class = f.result.class_of[b];
        assert_int_equal(record_cell(&back, buffer, 0, b, &ns, &exact), class != 0);
        if (class != 0)
            assert_int_equal(ns, f.result.classes[class].cost.ns);
    }
    fixture_free(&f);
}

static void cpus_in_any_order_are_listed_by_ascending_id(void **state)
{
    (void)state;
    static const struct shape shape = {"eight", 1, 2, 4, 1, 0, 0, 30, 0};
    struct fixture f;
    struct record record;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    for (unsigned i = 0; i < 8; i++) /* 7, 2, 5, 0, 3, 6, 1, 4 */
        f.cpus[i].apic_id = (7 + i * 3) % 8;
    fixture_identity(&f);
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record.cells, CELLS_EXACT);
    for (unsigned s = 0; s < 8; s++)
        for (unsigned d = 0; d < 8; d++) {
            int32_t ns;
            bool exact;
            if (s == d)
                continue;
            assert_true(
                record_cell(&record, buffer, f.cpus[s].apic_id, f.cpus[d].apic_id, &ns, &exact));
            assert_int_equal(ns, f.result.cost_ns[result_cell(&f.result, s, d)]);
        }
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negative_unknown_and_extreme_cells_come_back),
        cmocka_unit_test(both_ends_of_the_range_at_once_still_fit_32_bits),
        cmocka_unit_test(a_bound_too_wide_for_its_field_is_none),
        cmocka_unit_test(a_pair_that_was_not_measured_has_no_cell_in_class_form),
        cmocka_unit_test(the_bound_is_the_worst_cell_and_spares_what_the_spread_covers),
        cmocka_unit_test(of_too_many_classes_the_outermost_stay_and_cells_of_others_go),
        cmocka_unit_test(cells_name_the_right_class_when_an_earlier_one_was_left_out),
        cmocka_unit_test(cpus_in_any_order_are_listed_by_ascending_id),
    };
    return cmocka_run_group_tests_name("record_cells", tests, NULL, NULL);
}
