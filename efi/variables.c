/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable MigrationCost: variables.h has the contract. */
#include "variables.h"

#include "../lib/mem.h"
#include "firmware_version.h"

const EFI_GUID variables_guid = {
    0x947a949a, 0xb9cc, 0x4678, {0xb1, 0x78, 0x44, 0x3e, 0xdd, 0xc5, 0xa6, 0xe7}};

static const CHAR16 variable_name[] = L"MigrationCost";
_Static_assert(sizeof(variable_name) == STORE_NAME_BYTES, "the store policy counts our name");
_Static_assert(STORE_ATTRIBUTES == (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS |
                                    EFI_VARIABLE_RUNTIME_ACCESS),
               "the store policy knows our attributes");

static EFI_STATUS get(const struct efi *efi, uint32_t *attributes, size_t *length, void *bytes)
{
    UINTN size = *length;
    EFI_STATUS status = efi->rt->GetVariable(EFI_CONST(variable_name), EFI_CONST(&variables_guid),
                                             attributes, &size, bytes);
    *length = size;
    return status;
}

static EFI_STATUS set(const struct efi *efi, uint32_t attributes, size_t length, const void *bytes)
{
    return efi->rt->SetVariable(EFI_CONST(variable_name), EFI_CONST(&variables_guid), attributes,
                                length, EFI_CONST(bytes));
}

void variables_read(const struct efi *efi, struct stored *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->length = sizeof(ret->bytes);
    ret->status = get(efi, &ret->attributes, &ret->length, ret->bytes);
    if (ret->status == EFI_NOT_FOUND) {
        ret->found = STORE_ABSENT;
        return;
    }
    if (ret->status == EFI_BUFFER_TOO_SMALL) {
        ret->error = RECORD_FOREIGN; /* no record is that long */
        ret->found = STORE_FOREIGN;
        return;
    }
    if (EFI_ERROR(ret->status) || ret->length > sizeof(ret->bytes)) {
        ret->found = STORE_UNREADABLE;
        return;
    }
    ret->error = record_decode(ret->bytes, ret->length, &ret->record);
    ret->found = store_classify(ret->error);
}

static void ask_space(const struct efi *efi, struct store_situation *situation)
{
    UINT64 total = 0, remaining = 0, largest = 0;

    /* An error says nothing: SetVariable has the last word (D3). */
    if (!situation->nvram_safe || situation->no_store ||
        EFI_ERROR(
            efi->rt->QueryVariableInfo(situation->is_volatile ? STORE_VOLATILE : STORE_ATTRIBUTES,
                                       &total, &remaining, &largest)))
        return;
    situation->queried = true;
    situation->remaining = remaining;
    situation->largest = largest;
}

bool variables_have_room(const struct efi *efi, size_t bytes, EFI_STATUS *ret_status)
{
    struct store_situation situation = {.nvram_safe = !firmware_nvram_unsafe(efi)};

    ask_space(efi, &situation);
    *ret_status = EFI_SUCCESS;
    if (!situation.nvram_safe)
        *ret_status = EFI_UNSUPPORTED;
    else if (situation.queried && !store_space_ok(situation.remaining, bytes))
        *ret_status = EFI_OUT_OF_RESOURCES;
    return !EFI_ERROR(*ret_status);
}

static bool reads_back(const struct efi *efi, uint32_t expected, const uint8_t *bytes,
                       size_t length)
{
    uint8_t back[RECORD_MAX_BYTES];
    uint32_t attributes = 0;
    size_t back_length = sizeof(back);

    return !EFI_ERROR(get(efi, &attributes, &back_length, back)) && back_length == length &&
           attributes == expected && memcmp(back, bytes, length) == 0;
}

void variables_store(const struct efi *efi, const struct stored *stored,
                     const struct to_store *what, struct store_plan *ret_plan)
{
    struct store_situation situation = {
        .found = stored->found,
        .found_attributes = stored->attributes,
        .unchanged = what->unchanged,
        .no_store = what->no_store,
        .force = what->force,
        .is_volatile = what->is_volatile,
        .nvram_safe = !firmware_nvram_unsafe(efi),
        .full_bytes = (uint32_t)what->full_length,
        .compact_bytes = (uint32_t)what->compact_length,
    };
    ask_space(efi, &situation);

    store_plan_begin(ret_plan, &situation);
    while (ret_plan->step != STORE_STEP_DONE) {
        const uint8_t *bytes = ret_plan->compact ? what->compact : what->full;
        size_t length = ret_plan->compact ? what->compact_length : what->full_length;

        switch (ret_plan->step) {
        case STORE_STEP_DELETE:
            store_plan_next(ret_plan, set(efi, ret_plan->delete_attributes, 0, NULL));
            break;
        case STORE_STEP_WRITE:
            store_plan_next(ret_plan, set(efi, ret_plan->attributes, length, bytes));
            break;
        case STORE_STEP_WAIT:
            (void)efi->bs->Stall(STORE_RETRY_DELAY_US);
            store_plan_next(ret_plan, EFI_SUCCESS);
            break;
        case STORE_STEP_READ_BACK:
            store_plan_read_back(ret_plan, reads_back(efi, ret_plan->attributes, bytes, length));
            break;
        case STORE_STEP_DONE:
            break;
        }
    }
}

EFI_STATUS variables_delete(const struct efi *efi, const struct stored *stored)
{
    return set(efi, stored->attributes, 0, NULL);
}
