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
        cmocka_unit_test(no_room_is_ever_overrun_and_more_room_never_says_less),
        cmocka_unit_test(cpus_in_any_order_are_listed_by_ascending_id),
        cmocka_unit_test(negative_unknown_and_extreme_cells_come_back),
        cmocka_unit_test(both_ends_of_the_range_at_once_still_fit_32_bits),
        cmocka_unit_test(a_bound_too_wide_for_its_field_is_none),
        cmocka_unit_test(a_pair_that_was_not_measured_has_no_cell_in_class_form),
        cmocka_unit_test(the_bound_is_the_worst_cell_and_spares_what_the_spread_covers),
        cmocka_unit_test(of_too_many_classes_the_outermost_stay_and_cells_of_others_go),
        cmocka_unit_test(cells_name_the_right_class_when_an_earlier_one_was_left_out),
        cmocka_unit_test(equal_or_impossible_apic_ids_leave_only_the_sum),
        cmocka_unit_test(ids_at_the_end_of_their_range_come_back),
        cmocka_unit_test(what_does_not_fit_its_field_is_cut_to_the_nearest_that_does),
        cmocka_unit_test(a_result_without_any_measurement_is_a_record_of_the_kernels_default),
        cmocka_unit_test(a_result_of_another_machine_gives_no_cells),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
