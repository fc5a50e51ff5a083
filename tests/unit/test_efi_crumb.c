/* SPDX-License-Identifier: BSD-2-Clause */
/* The breadcrumb's variable, on firmware that takes it and on firmware that does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/crumb.c"
#include "../../efi/efi.c"
#include "../../efi/firmware_version.c"

/* One name, edk2's rules for attributes, and an answer put in by hand for each call of SetVariable.
 */
static struct {
    bool present;
    uint32_t attributes;
    uint8_t bytes[32];
    UINTN length;
    EFI_STATUS get, set[4];
    unsigned sets, deletes;
    bool room;
} store;

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

/* variables.c has its own test. */
const EFI_GUID variables_guid = {0x947a949a, 0, 0, {0}};
bool variables_have_room(const struct efi *efi, size_t bytes, EFI_STATUS *ret_status)
{
    (void)efi;
    assert_int_equal(bytes, BREADCRUMB_BYTES);
    *ret_status = store.room ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
    return store.room;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes, UINTN *size,
                                      VOID *data)
{
    assert_int_equal(name[9], 'R'); /* MigrationRun */
    assert_int_equal(guid->Data1, variables_guid.Data1);
    if (EFI_ERROR(store.get))
        return store.get;
    if (!store.present)
        return EFI_NOT_FOUND;
    UINTN room = *size;
    *size = store.length;
    *attributes = store.attributes;
    if (room < store.length)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(data, store.bytes, store.length);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *guid, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    unsigned call = store.sets + store.deletes;
    (void)name, (void)guid;
    if (size == 0)
        store.deletes++;
    else
        store.sets++;
    assert_true(call < 4);
    if (EFI_ERROR(store.set[call]))
        return store.set[call];
    if (size == 0) {
        store.present = false;
        return EFI_SUCCESS;
    }
    if (store.present && store.attributes != attributes)
        return EFI_INVALID_PARAMETER;
    assert_true(size <= sizeof(store.bytes));
    memcpy(store.bytes, data, size);
    store.length = size;
    store.attributes = attributes;
    store.present = true;
    return EFI_SUCCESS;
}

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    memset(&store, 0, sizeof(store));
    store.room = true;
    mock->runtime.GetVariable = get_variable;
    mock->runtime.SetVariable = set_variable;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    struct mock *services = mock;
    mock_close();
    free(services);
    return 0;
}

static const struct breadcrumb first = {BREADCRUMB_MP, 1, 7};

static void what_is_left_is_found_by_the_next_run_and_taken_by_it(void **state)
{
    (void)state;
    struct crumb crumb;
    crumb_read(&mock->efi, &crumb);
    assert_false(crumb.valid);
    assert_true(crumb_leave(&mock->efi, &crumb, &first));
    assert_int_equal(store.attributes, 7);
    crumb_read(&mock->efi, &crumb);
    assert_true(crumb.valid);
    assert_int_equal(crumb.found.subject, 7);
    assert_true(crumb_take(&mock->efi, &crumb));
    assert_false(store.present);
    assert_int_equal(store.sets, 1); /* two calls for a whole run (D4) */
    assert_int_equal(store.deletes, 1);
    assert_true(crumb_take(&mock->efi, &crumb)); /* nothing there: nothing called */
    assert_int_equal(store.deletes, 1);
}

static void what_is_not_ours_is_written_over(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct crumb crumb;
        store.present = true;
        store.attributes = i == 0 ? 3 : 7; /* other attributes: deleted first (D8) */
        store.length = i == 1 ? 32 : 16;
        memset(store.bytes, 0x11, sizeof(store.bytes));
        crumb_read(&mock->efi, &crumb);
        assert_false(crumb.valid);
        store.sets = store.deletes = 0;
        assert_true(crumb_leave(&mock->efi, &crumb, &first));
        assert_int_equal(store.deletes, i == 0);
        assert_int_equal(store.length, BREADCRUMB_BYTES);
    }
}

static void what_cannot_be_written_or_read_is_told(void **state)
{
    (void)state;
    struct crumb crumb;
    store.room = false; /* (D1) */
    crumb_read(&mock->efi, &crumb);
    assert_false(crumb_leave(&mock->efi, &crumb, &first));
    assert_int_equal(crumb.status, EFI_OUT_OF_RESOURCES);
    assert_int_equal(store.sets, 0);

    store.room = true; /* (D6) */
    store.set[0] = EFI_WRITE_PROTECTED;
    crumb_read(&mock->efi, &crumb);
    assert_false(crumb_leave(&mock->efi, &crumb, &first));
    assert_int_equal(crumb.status, EFI_WRITE_PROTECTED);
    assert_int_equal(store.sets, 1);

    store.get = EFI_DEVICE_ERROR; /* the next boot would not see it */
    crumb_read(&mock->efi, &crumb);
    assert_false(crumb_leave(&mock->efi, &crumb, &first));
    assert_int_equal(crumb.status, EFI_DEVICE_ERROR);
    assert_int_equal(store.sets, 1);
}

static void the_same_write_is_tried_once_more(void **state)
{
    (void)state;
    struct crumb crumb;
    store.set[0] = EFI_INVALID_PARAMETER; /* (D7) */
    crumb_read(&mock->efi, &crumb);
    assert_true(crumb_leave(&mock->efi, &crumb, &first));
    assert_int_equal(store.sets, 2);
    store.set[2] = EFI_DEVICE_ERROR;
    assert_false(crumb_take(&mock->efi, &crumb));
    assert_int_equal(crumb.status, EFI_DEVICE_ERROR);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_left_is_found_by_the_next_run_and_taken_by_it),
        TEST(what_is_not_ours_is_written_over),
        TEST(what_cannot_be_written_or_read_is_told),
        TEST(the_same_write_is_tried_once_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
