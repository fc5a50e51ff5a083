/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable MigrationCost on a firmware with edk2's rules, and on firmware that lies or refuses.
 * The decisions themselves are tested in test_store_policy.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"
#include "mock_store.h"
#include "record_machine.h"

#include "../../efi/efi.c"
#include "../../efi/firmware_version.c"
#include "../../efi/variables.c"

struct store {
    struct mock_store variable;
    EFI_STATUS get_status;   /* not EFI_SUCCESS: what GetVariable says */
    EFI_STATUS query_status; /* what QueryVariableInfo says */
    UINT64 remaining;        /* UINT64_MAX: as the store has it */
    unsigned queries, gets;
    uint8_t record[RECORD_MAX_BYTES];
    size_t length;
};
static struct store *store;

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

static void check_name(const CHAR16 *name, const EFI_GUID *guid)
{
    const char *expected = "MigrationCost";
    for (unsigned i = 0; i <= strlen(expected); i++)
        assert_int_equal(name[i], expected[i]);
    assert_int_equal(guid->Data1, 0x947a949a);
    assert_int_equal(guid->Data4[7], 0xe7);
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes, UINTN *size,
                                      VOID *data)
{
    UINTN room = *size;
    check_name(name, guid);
    store->gets++;
    if (EFI_ERROR(store->get_status))
        return store->get_status;
    if (!store->variable.present)
        return EFI_NOT_FOUND;
    *size = store->variable.length;
    *attributes = store->variable.attributes;
    if (room < *size)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(data, store->variable.data, *size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    check_name(name, guid);
    return mock_store_set(&store->variable, attributes, data, size);
}

static EFI_STATUS EFIAPI query(UINT32 attributes, UINT64 *total, UINT64 *remaining, UINT64 *largest)
{
    assert_int_equal(attributes, STORE_ATTRIBUTES);
    store->queries++;
    *total = store->variable.total;
    *remaining =
        store->remaining == UINT64_MAX ? mock_store_remaining(&store->variable) : store->remaining;
    *largest = mock_store_largest(&store->variable);
    return store->query_status;
}

static const struct shape four_cpus = {
    .name = "4", .sockets = 1, .clusters = 1, .cores = 4, .threads = 1};

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    store = calloc(1, sizeof(*store));
    store->variable = mock_store_empty();
    store->remaining = UINT64_MAX;
    mock->runtime.GetVariable = get_variable;
    mock->runtime.SetVariable = set_variable;
    mock->runtime.QueryVariableInfo = query;

    struct fixture fixture;
    fixture_make(&fixture, &four_cpus);
    struct record *record = calloc(1, sizeof(*record));
    record_from_result(&fixture.result, &fixture.recommendation, &fixture.identity, record);
    assert_int_equal(record_encode(record, &fixture.result, store->record, sizeof(store->record),
                                   &store->length),
                     RECORD_OK);
    free(record);
    fixture_free(&fixture);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    struct mock *services = mock;
    mock_close();
    free(services);
    free(store);
    return 0;
}

static void put(uint32_t attributes, const void *data, size_t length)
{
    store->variable.present = true;
    store->variable.attributes = attributes;
    store->variable.length = length;
    memcpy(store->variable.data, data, length);
}

static enum store_outcome save(bool unchanged, bool force, struct store_plan *plan)
{
    struct stored *stored = calloc(1, sizeof(*stored));
    struct to_store what = {.full = store->record,
                            .full_length = store->length,
                            .compact = store->record,
                            .compact_length = store->length / 2,
                            .unchanged = unchanged,
                            .force = force};
    variables_read(&mock->efi, stored);
    variables_store(&mock->efi, stored, &what, plan);
    free(stored);
    return plan->outcome;
}

static void what_was_written_is_found_again(void **state)
{
    (void)state;
    struct store_plan plan;
    struct stored *stored = calloc(1, sizeof(*stored));
    variables_read(&mock->efi, stored);
    assert_int_equal(stored->found, STORE_ABSENT);

    assert_int_equal(save(false, false, &plan), STORE_STORED);
    assert_int_equal(store->variable.writes, 1);
    assert_int_equal(store->variable.attributes, 7);
    variables_read(&mock->efi, stored);
    assert_int_equal(stored->found, STORE_VALID);
    assert_int_equal(stored->record.cpu_count, 4);
    assert_int_equal(stored->length, store->length);
    assert_memory_equal(stored->bytes, store->record, store->length);
    free(stored);
}

/* D4. */
static void the_same_again_is_not_written(void **state)
{
    (void)state;
    struct store_plan plan;
    put(STORE_ATTRIBUTES, store->record, store->length);
    assert_int_equal(save(true, false, &plan), STORE_UNCHANGED);
    assert_int_equal(store->variable.writes + store->variable.deletes, 0);
}

static void a_foreign_variable_is_left_alone_unless_forced(void **state)
{
    (void)state;
    static uint8_t foreign[4096];
    const size_t lengths[] = {0, 1, 4, 100, RECORD_MAX_BYTES, RECORD_MAX_BYTES + 1, 4096};
    struct store_plan plan;
    memset(foreign, 'x', sizeof(foreign));
    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        put(STORE_ATTRIBUTES, foreign, lengths[i]);
        assert_int_equal(save(false, false, &plan), STORE_REFUSED_FOREIGN);
    }
    assert_int_equal(store->variable.writes + store->variable.deletes, 0);
    assert_int_equal(save(false, true, &plan), STORE_STORED);
}

static void what_cannot_be_read_counts_as_foreign(void **state)
{
    (void)state;
    struct store_plan plan;
    const EFI_STATUS statuses[] = {EFI_DEVICE_ERROR, EFI_SECURITY_VIOLATION, EFI_UNSUPPORTED};
    for (unsigned i = 0; i < 3; i++) {
        store->get_status = statuses[i];
        assert_int_equal(save(false, false, &plan), STORE_REFUSED_FOREIGN);
    }
    assert_int_equal(store->variable.writes, 0);
}

/* D8: a volatile variable of our name is deleted first. */
static void other_attributes_are_deleted_first(void **state)
{
    (void)state;
    struct store_plan plan;
    put(6, store->record, store->length);
    assert_int_equal(save(true, false, &plan), STORE_STORED);
    assert_int_equal(store->variable.deletes, 1);
    assert_int_equal(store->variable.attributes, 7);
}

/* D7: once more after 10 ms. */
static void a_write_that_fails_by_chance_is_repeated_once(void **state)
{
    (void)state;
    struct store_plan plan;
    store->variable.inject[0] = EFI_INVALID_PARAMETER;
    assert_int_equal(save(false, false, &plan), STORE_STORED);
    assert_int_equal(store->variable.writes, 2);
    assert_int_equal(mock->stalled_us, STORE_RETRY_DELAY_US);
}

/* D6: each is final, and told. */
static void refusals_are_told(void **state)
{
    (void)state;
    struct store_plan plan;
    const EFI_STATUS statuses[] = {EFI_WRITE_PROTECTED, EFI_SECURITY_VIOLATION, EFI_DEVICE_ERROR};
    for (unsigned i = 0; i < 3; i++) {
        store->variable.writes = 0;
        store->variable.inject[0] = statuses[i];
        assert_int_equal(save(false, false, &plan), STORE_FAILED);
        assert_int_equal(plan.status, statuses[i]);
        assert_int_equal(store->variable.writes, 1);
    }
}

/* D5. */
static void a_store_that_refuses_the_size_gets_the_compact_form(void **state)
{
    (void)state;
    struct store_plan plan;
    store->variable.inject[0] = EFI_OUT_OF_RESOURCES;
    assert_int_equal(save(false, false, &plan), STORE_STORED_COMPACT);
    assert_int_equal(store->variable.length, store->length / 2);
}

static void what_reads_back_otherwise_is_not_stored(void **state)
{
    (void)state;
    struct store_plan plan;
    store->variable.tamper = true;
    assert_int_equal(save(false, false, &plan), STORE_READ_BACK_DIFFERS);
}

/* D1: other programs need room too. */
static void a_nearly_full_store_is_not_written_to(void **state)
{
    (void)state;
    struct store_plan plan;
    store->remaining = 5120;
    assert_int_equal(save(false, false, &plan), STORE_REFUSED_FULL);
    assert_int_equal(store->variable.writes, 0);
}

/* D3: an error of the query is no reason not to write. */
static void a_query_that_fails_says_nothing(void **state)
{
    (void)state;
    struct store_plan plan;
    store->query_status = EFI_UNSUPPORTED;
    store->remaining = 0;
    assert_int_equal(save(false, false, &plan), STORE_STORED);
    assert_int_equal(store->queries, 1);
}

/* D3, D14: no query and no write where they are known to hang. */
static void unsafe_firmware_is_only_read(void **state)
{
    (void)state;
    struct store_plan plan;
    CHAR16 apple[] = L"Apple", other[] = L"App", long_one[] = L"The Apple of EFI";

    mock->table.FirmwareVendor = apple;
    assert_int_equal(save(false, true, &plan), STORE_REFUSED_UNSAFE);
    mock->table.FirmwareVendor = long_one;
    assert_int_equal(save(false, true, &plan), STORE_REFUSED_UNSAFE);
    mock->table.FirmwareVendor = other;
    mock->table.Hdr.Revision = 0x0001000A;
    assert_int_equal(save(false, true, &plan), STORE_REFUSED_UNSAFE);
    assert_int_equal(store->queries + store->variable.writes + store->variable.deletes, 0);
    mock->table.Hdr.Revision = 0x00020000;
    assert_int_equal(save(false, true, &plan), STORE_STORED);
}

static void nothing_is_asked_of_the_store_where_nothing_is_to_be_stored(void **state)
{
    (void)state;
    struct store_plan plan;
    struct stored *stored = calloc(1, sizeof(*stored));
    const struct to_store what = {
        .full = store->record, .full_length = store->length, .no_store = true};
    variables_store(&mock->efi, stored, &what, &plan);
    assert_int_equal(plan.outcome, STORE_NOT_ASKED);
    assert_int_equal(store->queries + store->gets + store->variable.writes, 0);
    free(stored);
}

static void deleting_uses_the_attributes_that_are_there(void **state)
{
    (void)state;
    struct stored *stored = calloc(1, sizeof(*stored));
    put(6, store->record, store->length);
    variables_read(&mock->efi, stored);
    assert_int_equal(variables_delete(&mock->efi, stored), EFI_SUCCESS);
    assert_false(store->variable.present);
    assert_int_equal(variables_delete(&mock->efi, stored), EFI_NOT_FOUND);
    free(stored);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_is_found_again),
        TEST(the_same_again_is_not_written),
        TEST(a_foreign_variable_is_left_alone_unless_forced),
        TEST(what_cannot_be_read_counts_as_foreign),
        TEST(other_attributes_are_deleted_first),
        TEST(a_write_that_fails_by_chance_is_repeated_once),
        TEST(refusals_are_told),
        TEST(a_store_that_refuses_the_size_gets_the_compact_form),
        TEST(what_reads_back_otherwise_is_not_stored),
        TEST(a_nearly_full_store_is_not_written_to),
        TEST(a_query_that_fails_says_nothing),
        TEST(unsafe_firmware_is_only_read),
        TEST(nothing_is_asked_of_the_store_where_nothing_is_to_be_stored),
        TEST(deleting_uses_the_attributes_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
