/* SPDX-License-Identifier: BSD-2-Clause */
/* Events for the TPM: which bytes, which PCR, and what firmware without a TPM makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/tcg2.c"

static struct {
    struct tcg2_protocol protocol;
    bool absent, present;
    EFI_STATUS capability_status, event_status;
    unsigned located, events;
    const void *bytes;
    UINT64 length;
    uint8_t event[64];
} tpm;

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI locate(EFI_GUID *guid, VOID *registration, VOID **interface)
{
    assert_null(registration);
    assert_int_equal(guid->Data1, 0x607f766c);
    tpm.located++;
    if (tpm.absent)
        return EFI_NOT_FOUND;
    *interface = &tpm.protocol;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_capability(struct tcg2_protocol *self, struct tcg2_capability *ret)
{
    assert_ptr_equal(self, &tpm.protocol);
    assert_int_equal(ret->size, 36); /* version 1.1 of the structure */
    if (!EFI_ERROR(tpm.capability_status))
        ((uint8_t *)ret)[16] = tpm.present;
    return tpm.capability_status;
}

static EFI_STATUS EFIAPI extend(struct tcg2_protocol *self, UINT64 flags, EFI_PHYSICAL_ADDRESS data,
                                UINT64 length, struct tcg2_event *event)
{
    assert_ptr_equal(self, &tpm.protocol);
    assert_int_equal(flags, 0);
    tpm.events++;
    tpm.bytes = (const void *)(uintptr_t)data;
    tpm.length = length;
    assert_true(event->size <= sizeof(tpm.event));
    memcpy(tpm.event, event, event->size);
    return tpm.event_status;
}

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    memset(&tpm, 0, sizeof(tpm));
    tpm.present = true;
    tpm.protocol.get_capability = get_capability;
    tpm.protocol.hash_log_extend_event = extend;
    mock->boot.LocateProtocol = locate;
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

static const char options[] = "--quiet";

static EFI_STATUS measure(void)
{
    return tcg2_measure(&mock->efi, "name", options, sizeof(options));
}

static void the_bytes_go_to_pcr_12_as_they_came(void **state)
{
    (void)state;
    assert_int_equal(measure(), EFI_SUCCESS);
    assert_int_equal(tpm.events, 1);
    assert_ptr_equal(tpm.bytes, options);
    assert_int_equal(tpm.length, sizeof(options));
}

static void the_event_holds_nothing_but_its_name(void **state)
{
    (void)state;
    static const uint8_t expected[] = {23, 0, 0,  0, 14, 0, 0,   0,   1,   0,   12, 0,
                                       0,  0, 13, 0, 0,  0, 'n', 'a', 'm', 'e', 0};
    assert_int_equal(measure(), EFI_SUCCESS);
    assert_memory_equal(tpm.event, expected, sizeof(expected));
}

static void a_long_name_is_cut(void **state)
{
    (void)state;
    char name[64];
    memset(name, 'n', sizeof(name));
    name[63] = '\0';
    assert_int_equal(tcg2_measure(&mock->efi, name, options, 1), EFI_SUCCESS);
    assert_int_equal(tpm.event[0], 18 + 32);
    assert_int_equal(tpm.event[18 + 30], 'n');
    assert_int_equal(tpm.event[18 + 31], '\0');
}

static void without_options_there_is_no_event(void **state)
{
    (void)state;
    assert_int_equal(tcg2_measure(&mock->efi, "name", options, 0), EFI_SUCCESS);
    assert_int_equal(tpm.located + tpm.events, 0);
}

static void without_a_tpm_nothing_happens(void **state)
{
    (void)state;
    tpm.present = false; /* the protocol alone: OVMF has it so */
    assert_int_equal(measure(), EFI_SUCCESS);
    tpm.present = true;
    tpm.capability_status = EFI_DEVICE_ERROR;
    assert_int_equal(measure(), EFI_SUCCESS);
    tpm.absent = true;
    assert_int_equal(measure(), EFI_SUCCESS);
    assert_int_equal(tpm.events, 0);
}

static void a_tpm_that_fails_is_told(void **state)
{
    (void)state;
    tpm.event_status = EFI_DEVICE_ERROR;
    assert_int_equal(measure(), EFI_DEVICE_ERROR);
    tpm.event_status = EFI_VOLUME_FULL; /* extended, but the log is full */
    assert_int_equal(measure(), EFI_VOLUME_FULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_bytes_go_to_pcr_12_as_they_came),
        TEST(the_event_holds_nothing_but_its_name),
        TEST(a_long_name_is_cut),
        TEST(without_options_there_is_no_event),
        TEST(without_a_tpm_nothing_happens),
        TEST(a_tpm_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
