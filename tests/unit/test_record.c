/* SPDX-License-Identifier: BSD-2-Clause */
/* The record goes out and comes back: every machine size, every form of cells, every room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_store.h"
#include "record_machine.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct {
    struct shape shape;
    uint8_t cells;
    bool ids;
} machines[] = {
    {{"one CPU", 1, 1, 1, 1, 0, 0, 0, 0}, CELLS_NONE, true},
    {{"two cores", 1, 1, 2, 1, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"one core, SMT", 1, 1, 1, 2, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"three cores", 1, 1, 3, 1, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"four CPUs, two sockets, SMT", 2, 1, 1, 2, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"eight, two clusters", 1, 2, 4, 1, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"nine, three sockets of three", 3, 1, 3, 1, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"six, sparse ids", 2, 1, 3, 1, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"sixteen", 1, 2, 4, 2, 0, 0, 30, 0}, CELLS_EXACT, true},
    {{"sixteen, random ids", 2, 2, 2, 2, 0, 1, 30, 0}, CELLS_EXACT, true},
    {{"32 in four CCX", 1, 4, 4, 2, 0, 0, 30, 0}, CELLS_TREE, true},
    {{"40, classes without order", 1, 1, 40, 1, 0, 0, 30, 3}, CELLS_CLASS, true},
    {{"64 in two sockets", 2, 2, 8, 2, 0, 0, 30, 0}, CELLS_TREE, true},
    {{"64, classes without order", 2, 1, 32, 1, 0, 0, 30, 2}, CELLS_CLASS, true},
    {{"112 in sockets of 28 cores", 2, 1, 28, 2, 0, 0, 30, 0}, CELLS_TREE, true},
    {{"255", 2, 4, 16, 2, 255, 0, 30, 0}, CELLS_TREE, true},
    {{"255, classes without order", 2, 4, 16, 2, 255, 0, 30, 7}, CELLS_NONE, true},
    {{"255, random ids", 2, 4, 16, 2, 255, 1, 30, 0}, CELLS_NONE, false},
    {{"256", 2, 8, 8, 2, 0, 0, 30, 0}, CELLS_TREE, true},
    {{"960 in eight sockets of 60 cores", 8, 1, 60, 2, 0, 0, 30, 0}, CELLS_TREE, true},
    {{"1024", 4, 16, 8, 2, 0, 0, 30, 0}, CELLS_TREE, true},
    {{"1024, random ids", 4, 16, 8, 2, 0, 1, 30, 0}, CELLS_NONE, false},
    {{"1024, twelve classes without order", 4, 16, 8, 2, 0, 0, 30, 12}, CELLS_NONE, true},
};

static void assert_same_record(const struct record *a, const struct record *b)
{
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->decay_ns, b->decay_ns);
    assert_int_equal(a->policy, b->policy);
    assert_int_equal(a->basis, b->basis);
    assert_int_equal(a->pattern, b->pattern);
    assert_int_equal(a->access, b->access);
    assert_int_equal(a->factor_percent, b->factor_percent);
    assert_int_equal(a->started, b->started);
    assert_int_equal(a->duration_ms, b->duration_ms);
    assert_int_equal(a->tsc_khz, b->tsc_khz);
    assert_memory_equal(&a->identity, &b->identity,
                        offsetof(struct record_identity, method) + sizeof a->identity.method);
    assert_int_equal(a->cpu_count, b->cpu_count);
    assert_int_equal(a->class_count, b->class_count);
    assert_memory_equal(a->classes, b->classes, a->class_count * sizeof a->classes[0]);
    assert_int_equal(a->cells, b->cells);
    assert_int_equal(a->bound_permille, b->bound_permille);
    assert_int_equal(a->apic_ids_known, b->apic_ids_known);
    if (a->apic_ids_known)
        assert_memory_equal(a->apic_ids, b->apic_ids, a->cpu_count * sizeof a->apic_ids[0]);
}

/* Every cell of the record against the result, whose CPUs are in ascending order. */
static void assert_cells(const struct record *record, const uint8_t *buffer,
                         const struct result *result)
{
    for (unsigned s = 0; s < record->cpu_count; s++)
        for (unsigned d = 0; d < record->cpu_count; d++) {
            int32_t ns = 1, truth = result->cost_ns[result_cell(result, s, d)];
            bool exact = false;
            bool known = record_cell(record, buffer, s, d, &ns, &exact);
            if (s == d || record->cells == CELLS_NONE) {
                assert_false(known);
                continue;
            }
            assert_true(known);
            assert_int_equal(exact, record->cells == CELLS_EXACT);
            if (exact) {
                assert_int_equal(ns, truth);
                continue;
            }
            unsigned class = result->class_of[result_cell(result, s, d)];
            assert_int_equal(ns, result->classes[class].cost.ns);
            int64_t off = truth > ns ? (int64_t)truth - ns : (int64_t)ns - truth;
            assert_true(off <= record->classes[class].spread_ns ||
                        off * 1000 <= (int64_t)ns * record->bound_permille);
        }
}

static void every_machine_fits_900_bytes_and_comes_back_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        struct fixture f;
        struct record record, back;
        uint8_t buffer[RECORD_MAX_BYTES];
        size_t length = 0;
        print_message("# %s\n", machines[i].shape.name);
        fixture_make(&f, &machines[i].shape);
        record_from_result(&f.result, &f.recommendation, &f.identity, &record);
        assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length),
                         RECORD_OK);
        assert_true(length <= RECORD_MAX_BYTES);
        assert_int_equal(record.cells, machines[i].cells);
        assert_int_equal(record.apic_ids_known, machines[i].ids);
        assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
        assert_same_record(&record, &back);
        assert_cells(&back, buffer, &f.result);

        struct mock_store store = mock_store_empty();
        assert_int_equal(mock_store_set(&store, STORE_ATTRIBUTES, buffer, length),
                         STORE_EFI_SUCCESS);
        fixture_free(&f);
    }
}

static void every_machine_has_a_compact_form_of_512_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        struct fixture f;
        struct record record, back;
        uint8_t buffer[RECORD_COMPACT_BYTES];
        size_t length = 0;
        fixture_make(&f, &machines[i].shape);
        record_from_result(&f.result, &f.recommendation, &f.identity, &record);
        assert_int_equal(record_encode(&record, NULL, buffer, sizeof buffer, &length), RECORD_OK);
        assert_true(length <= RECORD_COMPACT_BYTES);
        assert_int_equal(record.cells, CELLS_NONE);
        assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
        assert_same_record(&record, &back);
        assert_int_equal(back.decay_ns, f.recommendation.decay_ns);
        fixture_free(&f);
    }
}

static void a_record_can_be_encoded_again_into_more_room(void **state)
{
    (void)state;
    /* Twelve classes leave the compact form no room for ids; the full form has it. */
    static const struct shape shape = {"twelve", 1, 1, 12, 1, 0, 0, 0, 12};
    struct fixture f;
    struct record record;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, NULL, buffer, RECORD_COMPACT_BYTES, &length),
                     RECORD_OK);
    assert_int_equal(length, RECORD_COMPACT_BYTES);
    assert_false(record.apic_ids_known);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_true(record.apic_ids_known);
    assert_int_equal(record.cells, CELLS_EXACT);
    fixture_free(&f);
}

static void no_room_is_ever_overrun_and_more_room_never_says_less(void **state)
{
    (void)state;
    static const struct shape shape = {"sixteen", 1, 2, 4, 2, 0, 0, 30, 0};
    struct fixture f;
    fixture_make(&f, &shape);
    bool had_ids = false, had_cells = false;
    for (size_t size = 0; size <= RECORD_MAX_BYTES + 50; size++) {
        struct record record, back;
        uint8_t *buffer = malloc(size + 1); /* ASan guards what lies behind */
        size_t length = 12345;
        buffer[size] = 0xA5;
        record_from_result(&f.result, &f.recommendation, &f.identity, &record);
        enum record_error error = record_encode(&record, &f.result, buffer, size, &length);
        assert_int_equal(buffer[size], 0xA5);
        if (size < 80 + 36 * 3) {
            assert_int_equal(error, RECORD_NO_ROOM);
            assert_int_equal(length, 12345);
        } else {
            assert_int_equal(error, RECORD_OK);
            assert_true(length <= size && length <= RECORD_MAX_BYTES);
            assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
            assert_true(back.apic_ids_known || !had_ids);
            assert_true(back.cells != CELLS_NONE || !had_cells);
            had_ids = back.apic_ids_known;
            had_cells = back.cells != CELLS_NONE;
        }
        free(buffer);
    }
    assert_true(had_cells);
    fixture_free(&f);
}

static void equal_or_impossible_apic_ids_leave_only_the_sum(void **state)
{
    (void)state;
    static const struct shape shape = {"four", 1, 1, 4, 1, 0, 0, 0, 0};
    static const uint32_t bad[] = {1, 0xFFFFFFFF}; /* id of CPU 2, whose neighbour has 1 (A16) */
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct fixture f;
        struct record record, back;
        uint8_t buffer[RECORD_MAX_BYTES];
        size_t length;
        fixture_make(&f, &shape);
        f.cpus[2].apic_id = bad[i];
        fixture_identity(&f);
        record_from_result(&f.result, &f.recommendation, &f.identity, &record);
        assert_false(record.apic_ids_known);
        assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length),
                         RECORD_OK);
        assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
        assert_false(back.apic_ids_known);
        assert_int_equal(back.cells, CELLS_NONE);
        fixture_free(&f);
    }
}

static void ids_at_the_end_of_their_range_come_back(void **state)
{
    (void)state;
    static const uint32_t ids[] = {0, 1, 70000, 0x80000000, 0xFFFFFF00, 0xFFFFFFFE};
    static const struct shape shape = {"six", 1, 1, 6, 1, 0, 0, 0, 0};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    for (unsigned i = 0; i < 6; i++)
        f.cpus[i].apic_id = ids[i];
    fixture_identity(&f);
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_memory_equal(back.apic_ids, ids, sizeof ids);
    fixture_free(&f);
}

static void what_does_not_fit_its_field_is_cut_to_the_nearest_that_does(void **state)
{
    (void)state;
    static const struct shape shape = {"two", 1, 1, 2, 1, 0, 0, 0, 0};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    f.result.started = UINT64_MAX; /* a clock that runs wild is no time */
    f.result.duration_ns = UINT64_MAX;
    f.result.clock.khz = 1ull << 40;
    f.result.classes[0].working_set = 1ull << 33;
    f.result.classes[0].cost.ns = INT32_MIN;
    f.result.classes[0].linear.samples = 0;
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.started, 0);
    assert_int_equal(back.duration_ms, UINT32_MAX);
    assert_int_equal(back.tsc_khz, UINT32_MAX);
    assert_int_equal(back.classes[0].working_set, UINT32_MAX);
    assert_int_equal(back.classes[0].cost_ns, INT32_MIN + 1);
    assert_int_equal(back.classes[0].linear_ns, 0);
    fixture_free(&f);
}

static void a_result_without_any_measurement_is_a_record_of_the_kernels_default(void **state)
{
    (void)state;
    static const struct shape shape = {"four", 1, 1, 4, 1, 0, 0, 0, 0};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    f.result.class_count = 0;
    for (unsigned i = 0; i < 16; i++) {
        f.result.cost_ns[i] = COST_UNKNOWN;
        f.result.class_of[i] = CLASS_NONE;
    }
    recommend(&f.result, POLICY_LEVELS, 0, 0, &f.recommendation);
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.decay_ns, KERNEL_DEFAULT_NS);
    assert_int_equal(back.basis, BASIS_KERNEL_DEFAULT);
    assert_int_equal(back.class_count, 0);
    assert_int_equal(back.cells, CELLS_NONE);
    fixture_free(&f);
}

static void a_result_of_another_machine_gives_no_cells(void **state)
{
    (void)state;
    static const struct shape four = {"four", 1, 1, 4, 1, 0, 0, 0, 0};
    static const struct shape two = {"two", 1, 1, 2, 1, 0, 0, 0, 0};
    struct fixture a, b;
    struct record record;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&a, &four);
    fixture_make(&b, &two);
    record_from_result(&a.result, &a.recommendation, &a.identity, &record);
    assert_int_equal(record_encode(&record, &b.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_int_equal(record.cells, CELLS_NONE);
    fixture_free(&a);
    fixture_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_fits_900_bytes_and_comes_back_whole),
        cmocka_unit_test(every_machine_has_a_compact_form_of_512_bytes),
        cmocka_unit_test(a_record_can_be_encoded_again_into_more_room),
        cmocka_unit_test(no_room_is_ever_overrun_and_more_room_never_says_less),
        cmocka_unit_test(equal_or_impossible_apic_ids_leave_only_the_sum),
        cmocka_unit_test(ids_at_the_end_of_their_range_come_back),
        cmocka_unit_test(what_does_not_fit_its_field_is_cut_to_the_nearest_that_does),
        cmocka_unit_test(a_result_without_any_measurement_is_a_record_of_the_kernels_default),
        cmocka_unit_test(a_result_of_another_machine_gives_no_cells),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
