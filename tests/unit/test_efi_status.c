/* SPDX-License-Identifier: BSD-2-Clause */
/* Outcomes, statuses, and the firmware's clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/efi.c"
#include "../../efi/status.c"

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

static void every_outcome_has_words_and_every_failure_a_status_of_its_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < OUTCOMES; i++) {
        assert_non_null(outcome_text(i));
        assert_true(outcome_text(i)[0] != '\0');
        EFI_STATUS status = outcome_status(i, STARTED_BY_SHELL);
        for (unsigned j = 0; j < i; j++)
            if (EFI_ERROR(status))
                assert_int_not_equal(status, outcome_status(j, STARTED_BY_SHELL));
    }
}

/* The words lie in a list of their own, in the order of the outcomes. */
static void words_stand_with_their_outcomes(void **state)
{
    (void)state;
    assert_string_equal(outcome_text(OUTCOME_STORED), "measured, stored");
    assert_string_equal(outcome_text(OUTCOME_STORE_FULL), "measured, not stored: too little room");
    assert_string_equal(outcome_text(OUTCOME_BAD_OPTION), "wrong option");
    assert_string_equal(outcome_text(OUTCOME_LOST_CPU), "a CPU did not come back");
    assert_null(outcome_text(OUTCOMES));
}

static void a_wrong_option_is_an_invalid_parameter(void **state)
{
    (void)state;
    assert_int_equal(outcome_status(OUTCOME_BAD_OPTION, STARTED_BY_SHELL), EFI_INVALID_PARAMETER);
    assert_int_equal(outcome_status(OUTCOME_BAD_OPTION, STARTED_BY_BOOT), EFI_INVALID_PARAMETER);
}

/* F2: firmware takes success for "booted", and tries no further entry. */
static void a_boot_entry_never_returns_success(void **state)
{
    (void)state;
    for (unsigned i = 0; i < OUTCOMES; i++)
        assert_true(EFI_ERROR(outcome_status(i, STARTED_BY_BOOT)));
    for (unsigned i = 0; i < OUTCOMES; i++)
        assert_int_not_equal(outcome_status(i, STARTED_BY_SHELL), OUTCOME_BOOT_STATUS);
}

/* F1. */
static void sysprep_always_returns_success(void **state)
{
    (void)state;
    for (unsigned i = 0; i < OUTCOMES; i++)
        assert_int_equal(outcome_status(i, STARTED_BY_SYSPREP), EFI_SUCCESS);
}

static void the_worse_of_two_outcomes_is_told(void **state)
{
    (void)state;
    assert_int_equal(outcome_worse(OUTCOME_STORED, OUTCOME_NO_MP), OUTCOME_NO_MP);
    assert_int_equal(outcome_worse(OUTCOME_NO_MP, OUTCOME_STORED), OUTCOME_NO_MP);
    assert_int_equal(outcome_worse(OUTCOME_NOT_STORED, OUTCOME_ONE_CPU), OUTCOME_NOT_STORED);
    for (unsigned i = 0; i < OUTCOMES; i++)
        assert_int_equal(outcome_worse(i, OUTCOME_LOST_CPU), OUTCOME_LOST_CPU);
}

static void statuses_have_names(void **state)
{
    (void)state;
    assert_string_equal(efi_status_text(EFI_SUCCESS), "Success");
    assert_string_equal(efi_status_text(EFI_OUT_OF_RESOURCES), "Out of Resources");
    assert_string_equal(efi_status_text(EFI_SECURITY_VIOLATION), "Security Violation");
    assert_string_equal(efi_status_text(EFIERR(99)), "error");
    assert_string_equal(efi_status_text(EFI_LOAD_ERROR - EFIERR(0)), "error"); /* a warning */
}

static EFI_TIME time_of(UINT16 year, UINT8 month, UINT8 day, UINT8 hour, UINT8 minute, UINT8 second,
                        INT16 zone)
{
    return (EFI_TIME){.Year = year,
                      .Month = month,
                      .Day = day,
                      .Hour = hour,
                      .Minute = minute,
                      .Second = second,
                      .TimeZone = zone};
}

/* Figures of `date -u +%s`. */
static void dates_become_seconds_since_1970(void **state)
{
    (void)state;
    const struct {
        EFI_TIME time;
        uint64_t seconds;
    } cases[] = {
        {time_of(1970, 1, 1, 0, 0, 1, 0), 1},
        {time_of(1972, 2, 29, 0, 0, 0, 0), 68169600},
        {time_of(1999, 12, 31, 23, 59, 59, 2047), 946684799},
        {time_of(2000, 2, 29, 12, 0, 0, 0), 951825600},
        {time_of(2000, 3, 1, 0, 0, 0, 0), 951868800},
        {time_of(2024, 2, 29, 1, 2, 3, 0), 1709168523},
        {time_of(2100, 3, 1, 0, 0, 0, 0), 4107542400},
        {time_of(2026, 11, 30, 23, 14, 0, 60), 1796084040},  /* an hour behind UTC */
        {time_of(2026, 11, 30, 23, 14, 0, -60), 1796076840}, /* an hour ahead */
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(efi_seconds(&cases[i].time), cases[i].seconds);
}

static void nonsense_is_no_time(void **state)
{
    (void)state;
    const EFI_TIME times[] = {
        time_of(0, 0, 0, 0, 0, 0, 0),      time_of(1969, 12, 31, 0, 0, 0, 0),
        time_of(2026, 0, 1, 0, 0, 0, 0),   time_of(2026, 13, 1, 0, 0, 0, 0),
        time_of(2026, 1, 0, 0, 0, 0, 0),   time_of(2026, 1, 32, 0, 0, 0, 0),
        time_of(2026, 1, 1, 24, 0, 0, 0),  time_of(2026, 1, 1, 0, 60, 0, 0),
        time_of(2026, 1, 1, 0, 0, 60, 0),  time_of(65535, 255, 255, 255, 255, 255, 0),
        time_of(1970, 1, 1, 0, 0, 0, -60),
    };
    for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        assert_int_equal(efi_seconds(&times[i]), 0);
}

static EFI_STATUS EFIAPI no_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
    (void)time, (void)capabilities;
    return EFI_DEVICE_ERROR;
}

static void a_machine_without_a_clock_has_no_time(void **state)
{
    (void)state;
    struct mock services;
    mock_open(&services);
    services.runtime.GetTime = no_time;
    assert_int_equal(efi_wall_clock(&services.efi), 0);
    mock_close();
}

static void configuration_tables_are_found_by_their_whole_guid(void **state)
{
    (void)state;
    struct mock services;
    EFI_CONFIGURATION_TABLE tables[] = {{.VendorGuid = {1, 2, 3, {4}}, .VendorTable = &services},
                                        {.VendorGuid = {1, 2, 3, {5}}, .VendorTable = &tables}};
    const EFI_GUID guid = {1, 2, 3, {5}}, other = {1, 2, 3, {6}};
    mock_open(&services);
    assert_null(efi_configuration_table(&services.efi, &guid));
    services.table.ConfigurationTable = tables;
    services.table.NumberOfTableEntries = 2;
    assert_ptr_equal(efi_configuration_table(&services.efi, &guid), &tables);
    assert_null(efi_configuration_table(&services.efi, &other));
    mock_close();
}

static void memory_is_zeroed_and_nothing_is_no_memory(void **state)
{
    (void)state;
    struct mock services;
    mock_open(&services);
    uint8_t *memory = efi_allocate(&services.efi, 5000);
    for (unsigned i = 0; i < 8192; i++)
        assert_int_equal(memory[i], 0);
    assert_int_equal(services.pages_out, 2);
    efi_free(&services.efi, memory, 5000);
    assert_null(efi_allocate(&services.efi, 0));
    services.pages_limit = 0;
    assert_null(efi_allocate(&services.efi, 1));
    efi_free(&services.efi, NULL, 1);
    mock_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_has_words_and_every_failure_a_status_of_its_own),
        cmocka_unit_test(words_stand_with_their_outcomes),
        cmocka_unit_test(a_wrong_option_is_an_invalid_parameter),
        cmocka_unit_test(a_boot_entry_never_returns_success),
        cmocka_unit_test(sysprep_always_returns_success),
        cmocka_unit_test(the_worse_of_two_outcomes_is_told),
        cmocka_unit_test(statuses_have_names),
        cmocka_unit_test(dates_become_seconds_since_1970),
        cmocka_unit_test(nonsense_is_no_time),
        cmocka_unit_test(a_machine_without_a_clock_has_no_time),
        cmocka_unit_test(configuration_tables_are_found_by_their_whole_guid),
        cmocka_unit_test(memory_is_zeroed_and_nothing_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
