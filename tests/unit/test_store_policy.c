/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the variable store (D1 to D8), carried out on a mock with edk2's rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_store.h"

#define FULL    900u
#define COMPACT 512u
#define OTHER   0x27u /* NV+BS+RT with time-based authentication */

static const uint8_t full[FULL] = {1, 2, 3}, compact[COMPACT] = {4, 5, 6};

static struct store_situation situation_of(const struct mock_store *store)
{
    return (struct store_situation){.found = store->present ? STORE_VALID : STORE_ABSENT,
                                    .found_attributes = store->attributes,
                                    .nvram_safe = true,
                                    .full_bytes = FULL,
                                    .compact_bytes = COMPACT,
                                    .queried = true,
                                    .remaining = mock_store_remaining(store),
                                    .largest = mock_store_largest(store)};
}

static struct store_plan run(struct mock_store *store, const struct store_situation *situation)
{
    struct store_plan plan;
    store_plan_begin(&plan, situation);
    mock_store_follow(store, &plan, full, FULL, compact, COMPACT);
    return plan;
}

static void put(struct mock_store *store, uint32_t attributes)
{
    assert_int_equal(mock_store_set(store, attributes, compact, COMPACT), STORE_EFI_SUCCESS);
    store->writes = 0;
}

static void content_is_classified_by_what_the_decoder_says(void **state)
{
    (void)state;
    assert_int_equal(store_classify(RECORD_OK), STORE_VALID);
    assert_int_equal(store_classify(RECORD_NEWER), STORE_NEWER);
    assert_int_equal(store_classify(RECORD_LENGTH), STORE_CORRUPT);
    assert_int_equal(store_classify(RECORD_CORRUPT), STORE_CORRUPT);
    assert_int_equal(store_classify(RECORD_BAD_FIELD), STORE_CORRUPT);
    assert_int_equal(store_classify(RECORD_FOREIGN), STORE_FOREIGN);
    assert_int_equal(store_classify(RECORD_TOO_SHORT), STORE_FOREIGN);
    assert_int_equal(store_classify((enum record_error)99), STORE_FOREIGN);
}

static void space_check_does_not_underflow_when_size_exceeds_what_remains_d2(void **state)
{
    (void)state;
    const uint64_t overhead =
        STORE_HEADER_BYTES + STORE_NAME_BYTES + STORE_RESERVE_BYTES + STORE_MARGIN_BYTES;
    assert_true(store_space_ok(overhead + 900, 900));
    assert_false(store_space_ok(overhead + 899, 900));
    assert_false(store_space_ok(0, 900));
    assert_false(store_space_ok(899, 900));
    assert_false(store_space_ok(100, 1000000));
    assert_false(store_space_ok(UINT64_MAX, UINT64_MAX));
    assert_false(store_space_ok(UINT64_MAX, UINT64_MAX - overhead + 1));
    assert_true(store_space_ok(UINT64_MAX, UINT64_MAX - overhead));
    assert_true(STORE_RESERVE_BYTES >= 5120);
}

static void our_bytes_and_edk2s_add_up_to_936_of_data_d5(void **state)
{
    (void)state;
    assert_int_equal(STORE_HEADER_BYTES, MOCK_HEADER_BYTES);
    assert_int_equal(STORE_NAME_BYTES, MOCK_NAME_BYTES);
    assert_int_equal(MOCK_LIMIT_EDK2 - STORE_HEADER_BYTES - STORE_NAME_BYTES, 936);
    assert_true(RECORD_MAX_BYTES <= 936);

    struct mock_store store = mock_store_empty();
    uint8_t data[937] = {0};
    assert_int_equal(mock_store_set(&store, 7, data, 937), STORE_EFI_INVALID_PARAMETER);
    assert_int_equal(mock_store_set(&store, 7, data, 936), STORE_EFI_SUCCESS);
}

static void an_absent_record_is_written_once_and_read_back(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    struct store_situation situation = situation_of(&store);
    struct store_plan plan = run(&store, &situation);
    assert_int_equal(plan.outcome, STORE_STORED);
    assert_int_equal(store.writes, 1);
    assert_int_equal(store.deletes, 0);
    assert_int_equal(store.length, FULL);
    assert_int_equal(store.attributes, 7);
}

static void an_unchanged_record_is_not_rewritten_d4(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    put(&store, STORE_ATTRIBUTES);
    struct store_situation situation = situation_of(&store);
    situation.unchanged = true;
    assert_int_equal(run(&store, &situation).outcome, STORE_UNCHANGED);
    assert_int_equal(store.writes + store.deletes, 0);

    situation.force = true; /* force overwrites what is foreign; it does not wear the flash */
    assert_int_equal(run(&store, &situation).outcome, STORE_UNCHANGED);
    situation.unchanged = false;
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED);
}

static void a_corrupt_record_of_ours_is_overwritten(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    put(&store, STORE_ATTRIBUTES);
    struct store_situation situation = situation_of(&store);
    situation.found = STORE_CORRUPT;
    situation.unchanged = true; /* means nothing for what did not decode */
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED);
    assert_int_equal(store.writes, 1);
}

static void what_is_not_ours_or_newer_is_left_alone_unless_forced(void **state)
{
    (void)state;
    static const struct {
        enum store_found found;
        enum store_outcome outcome;
    } cases[] = {{STORE_FOREIGN, STORE_REFUSED_FOREIGN},
                 {STORE_UNREADABLE, STORE_REFUSED_FOREIGN},
                 {STORE_NEWER, STORE_REFUSED_NEWER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mock_store store = mock_store_empty();
        put(&store, STORE_ATTRIBUTES);
        struct store_situation situation = situation_of(&store);
        situation.found = cases[i].found;
        assert_int_equal(run(&store, &situation).outcome, cases[i].outcome);
        assert_int_equal(store.writes + store.deletes, 0);
        situation.force = true;
        assert_int_equal(run(&store, &situation).outcome, STORE_STORED);
        assert_int_equal(store.writes, 1);
    }
}

static void deleting_needs_force_only_for_what_is_not_ours(void **state)
{
    (void)state;
    assert_true(store_may_delete(STORE_VALID, false));
    assert_true(store_may_delete(STORE_CORRUPT, false));
    assert_true(store_may_delete(STORE_NEWER, false));
    assert_false(store_may_delete(STORE_FOREIGN, false));
    assert_true(store_may_delete(STORE_FOREIGN, true));
    assert_false(store_may_delete(STORE_UNREADABLE, false));
    assert_false(store_may_delete(STORE_ABSENT, true));
}

static void other_attributes_are_deleted_first_with_the_attributes_they_have_d8(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    put(&store, 6);
    struct store_situation situation = situation_of(&store);
    situation.unchanged = true; /* but volatile: Linux would see it, the next boot would not */
    struct store_plan plan;
    store_plan_begin(&plan, &situation);
    assert_int_equal(plan.step, STORE_STEP_DELETE);
    assert_int_equal(plan.delete_attributes, 6);
    mock_store_follow(&store, &plan, full, FULL, compact, COMPACT);
    assert_int_equal(plan.outcome, STORE_STORED);
    assert_int_equal(store.deletes, 1);
    assert_int_equal(store.writes, 1);
    assert_int_equal(store.attributes, 7);
}

static void a_delete_that_is_refused_ends_the_plan_without_a_write(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    put(&store, OTHER);
    store.inject[0] = STORE_EFI_SECURITY_VIOLATION;
    struct store_situation situation = situation_of(&store);
    struct store_plan plan = run(&store, &situation);
    assert_int_equal(plan.outcome, STORE_FAILED);
    assert_int_equal(plan.status, STORE_EFI_SECURITY_VIOLATION);
    assert_int_equal(store.writes, 0);
    assert_true(store.present);
}

static void a_delete_that_finds_nothing_goes_on(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    struct store_situation situation = situation_of(&store);
    situation.found = STORE_VALID;
    situation.found_attributes = 6;
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED);
}

static void no_store_and_unsafe_firmware_make_no_call_d3(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    struct store_situation situation = situation_of(&store);
    situation.force = true;
    situation.nvram_safe = false;
    assert_int_equal(run(&store, &situation).outcome, STORE_REFUSED_UNSAFE);
    situation.no_store = true;
    assert_int_equal(run(&store, &situation).outcome, STORE_NOT_ASKED);
    assert_int_equal(store.writes + store.deletes, 0);
}

static void a_store_nearly_full_is_not_written_even_by_force_d1(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    store.used = store.total - 5120;
    struct store_situation situation = situation_of(&store);
    situation.force = true;
    assert_int_equal(run(&store, &situation).outcome, STORE_REFUSED_FULL);
    assert_int_equal(store.writes, 0);
}

static void the_compact_form_is_taken_where_only_it_leaves_the_reserve(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    uint64_t overhead = 60 + 28 + STORE_RESERVE_BYTES + STORE_MARGIN_BYTES;
    store.used = store.total - overhead - 600;
    struct store_situation situation = situation_of(&store);
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED_COMPACT);
    assert_int_equal(store.length, COMPACT);
    assert_int_equal(store.writes, 1);

    store = mock_store_empty();
    store.used = store.total - overhead - 600;
    situation = situation_of(&store);
    situation.compact_bytes = 0;
    assert_int_equal(run(&store, &situation).outcome, STORE_REFUSED_FULL);
}

static void a_small_largest_variable_takes_the_compact_form(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    store.limit = 60 + 28 + 899;
    struct store_situation situation = situation_of(&store);
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED_COMPACT);
    assert_int_equal(store.writes, 1);
    store = mock_store_empty();
    store.limit = 60 + 28 + 900;
    situation = situation_of(&store);
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED);
}

/* Answers of SetVariable in turn, and what must come of them. */
static void each_status_of_a_write_has_its_answer_d5_d6_d7(void **state)
{
    (void)state;
    enum { INV = 2, OOR = 9, WP = 8, DEV = 7, SEC = 26, UNSUP = 3 };
    static const struct {
        uint8_t answers[4]; /* EFI error numbers, 0: by the rules, which accept */
        enum store_outcome outcome;
        uint8_t status;
        unsigned writes, waits;
    } cases[] = {
        {{INV}, STORE_STORED, 0, 2, 1},
        {{INV, INV}, STORE_STORED_COMPACT, 0, 3, 1},
        {{INV, OOR}, STORE_STORED_COMPACT, 0, 3, 1},
        {{INV, INV, INV}, STORE_FAILED, INV, 3, 1},
        {{INV, WP}, STORE_FAILED, WP, 2, 1},
        {{OOR}, STORE_STORED_COMPACT, 0, 2, 0},
        {{OOR, OOR}, STORE_FAILED, OOR, 2, 0},
        {{OOR, INV}, STORE_STORED_COMPACT, 0, 3, 1},
        {{OOR, INV, INV}, STORE_FAILED, INV, 3, 1},
        {{WP}, STORE_FAILED, WP, 1, 0},
        {{SEC}, STORE_FAILED, SEC, 1, 0},
        {{DEV}, STORE_FAILED, DEV, 1, 0},
        {{UNSUP}, STORE_FAILED, UNSUP, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mock_store store = mock_store_empty();
        for (size_t k = 0; k < 4; k++)
            store.inject[k] = cases[i].answers[k] ? STORE_EFI_ERROR | cases[i].answers[k] : 0;
        struct store_situation situation = situation_of(&store);
        struct store_plan plan;
        store_plan_begin(&plan, &situation);
        unsigned waits = mock_store_follow(&store, &plan, full, FULL, compact, COMPACT);
        assert_int_equal(plan.outcome, cases[i].outcome);
        assert_int_equal(plan.status, cases[i].status ? STORE_EFI_ERROR | cases[i].status : 0);
        assert_int_equal(store.writes, cases[i].writes);
        assert_int_equal(waits, cases[i].waits);
    }
}

static void a_lying_or_missing_query_leaves_the_last_word_to_the_write_d3(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    struct store_situation situation = situation_of(&store);
    situation.queried = false;
    situation.remaining = situation.largest = 0;
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED);

    store = mock_store_empty();
    store.limit = 60 + 28 + 600;
    situation = situation_of(&store);
    situation.largest = 0x85EC; /* says so, and refuses less */
    assert_int_equal(run(&store, &situation).outcome, STORE_STORED_COMPACT);
    assert_int_equal(store.writes, 3);
}

/* D9. */
static void a_volatile_record_has_other_attributes_and_no_reserve(void **state)
{
    (void)state;
    struct store_plan plan;
    struct store_situation situation = {
        .found = STORE_VALID,
        .found_attributes = STORE_ATTRIBUTES,
        .unchanged = true,
        .is_volatile = true,
        .nvram_safe = true,
        .full_bytes = 300,
        .queried = true,
        .remaining = 1000,
        .largest = 1000,
    };
    store_plan_begin(&plan, &situation); /* the same record, but one that stays */
    assert_int_equal(plan.step, STORE_STEP_DELETE);
    assert_int_equal(plan.delete_attributes, STORE_ATTRIBUTES);
    assert_int_equal(plan.attributes, STORE_VOLATILE);
    situation.found_attributes = STORE_VOLATILE;
    store_plan_begin(&plan, &situation);
    assert_int_equal(plan.outcome, STORE_UNCHANGED);
    situation.unchanged = false;
    situation.largest = 300;
    store_plan_begin(&plan, &situation);
    assert_int_equal(plan.outcome, STORE_REFUSED_FULL);
}

static void what_reads_back_otherwise_is_not_called_stored(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    store.tamper = true;
    struct store_situation situation = situation_of(&store);
    assert_int_equal(run(&store, &situation).outcome, STORE_READ_BACK_DIFFERS);
    assert_int_equal(store.writes, 1);
}

static void a_finished_plan_stays_finished(void **state)
{
    (void)state;
    struct mock_store store = mock_store_empty();
    struct store_situation situation = situation_of(&store);
    struct store_plan plan = run(&store, &situation);
    store_plan_next(&plan, STORE_EFI_OUT_OF_RESOURCES);
    store_plan_read_back(&plan, false);
    assert_int_equal(plan.step, STORE_STEP_DONE);
    assert_int_equal(plan.outcome, STORE_STORED);
}

static void every_outcome_has_its_own_text(void **state)
{
    (void)state;
    for (unsigned a = 0; a < STORE_OUTCOMES; a++) {
        assert_non_null(store_outcome_text(a));
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(store_outcome_text(a), store_outcome_text(b));
    }
    assert_string_equal(store_outcome_text(STORE_OUTCOMES), store_outcome_text(999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_is_classified_by_what_the_decoder_says),
        cmocka_unit_test(space_check_does_not_underflow_when_size_exceeds_what_remains_d2),
        cmocka_unit_test(our_bytes_and_edk2s_add_up_to_936_of_data_d5),
        cmocka_unit_test(an_absent_record_is_written_once_and_read_back),
        cmocka_unit_test(an_unchanged_record_is_not_rewritten_d4),
        cmocka_unit_test(a_corrupt_record_of_ours_is_overwritten),
        cmocka_unit_test(what_is_not_ours_or_newer_is_left_alone_unless_forced),
        cmocka_unit_test(deleting_needs_force_only_for_what_is_not_ours),
        cmocka_unit_test(other_attributes_are_deleted_first_with_the_attributes_they_have_d8),
        cmocka_unit_test(a_delete_that_is_refused_ends_the_plan_without_a_write),
        cmocka_unit_test(a_delete_that_finds_nothing_goes_on),
        cmocka_unit_test(no_store_and_unsafe_firmware_make_no_call_d3),
        cmocka_unit_test(a_store_nearly_full_is_not_written_even_by_force_d1),
        cmocka_unit_test(the_compact_form_is_taken_where_only_it_leaves_the_reserve),
        cmocka_unit_test(a_small_largest_variable_takes_the_compact_form),
        cmocka_unit_test(each_status_of_a_write_has_its_answer_d5_d6_d7),
        cmocka_unit_test(a_lying_or_missing_query_leaves_the_last_word_to_the_write_d3),
        cmocka_unit_test(a_volatile_record_has_other_attributes_and_no_reserve),
        cmocka_unit_test(what_reads_back_otherwise_is_not_called_stored),
        cmocka_unit_test(a_finished_plan_stays_finished),
        cmocka_unit_test(every_outcome_has_its_own_text),
    };
    return cmocka_run_group_tests_name("store_policy", tests, NULL, NULL);
}
