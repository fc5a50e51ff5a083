/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable MigrationRun: crumb.h has the contract. */
#include "crumb.h"

#include "../lib/mem.h"
#include "variables.h"

static const CHAR16 crumb_name[] = L"MigrationRun";
_Static_assert(sizeof(crumb_name) <= STORE_NAME_BYTES, "room is asked for with the longer name");

static EFI_STATUS set(const struct efi *efi, uint32_t attributes, size_t length, const void *bytes)
{
    return efi->rt->SetVariable(EFI_CONST(crumb_name), EFI_CONST(&variables_guid), attributes,
                                length, EFI_CONST(bytes));
}

void crumb_read(const struct efi *efi, struct crumb *ret)
{
    uint8_t bytes[BREADCRUMB_BYTES] = {0};
    UINTN size = sizeof(bytes);

    memset(ret, 0, sizeof(*ret));
    ret->status = efi->rt->GetVariable(EFI_CONST(crumb_name), EFI_CONST(&variables_guid),
                                       &ret->attributes, &size, bytes);
    ret->there = ret->status != EFI_NOT_FOUND;
    ret->valid = !EFI_ERROR(ret->status) && breadcrumb_decode(bytes, size, &ret->found);
    if (ret->status == EFI_NOT_FOUND || ret->status == EFI_BUFFER_TOO_SMALL)
        ret->status = EFI_SUCCESS; /* what is too long is not ours: written over */
}

bool crumb_leave(const struct efi *efi, struct crumb *crumb, const struct breadcrumb *next)
{
    uint8_t bytes[BREADCRUMB_BYTES];

    if (EFI_ERROR(crumb->status)) /* what cannot be read would not be seen by the next boot */
        return false;
    if (!variables_have_room(efi, sizeof(bytes), &crumb->status))
        return false;
    if (crumb->there && crumb->attributes != STORE_ATTRIBUTES) /* (D8) */
        (void)set(efi, crumb->attributes, 0, NULL);
    breadcrumb_encode(next, bytes);
    crumb->status = set(efi, STORE_ATTRIBUTES, sizeof(bytes), bytes);
    if (crumb->status == EFI_INVALID_PARAMETER) { /* once more (D7) */
        (void)efi->bs->Stall(STORE_RETRY_DELAY_US);
        crumb->status = set(efi, STORE_ATTRIBUTES, sizeof(bytes), bytes);
    }
    if (EFI_ERROR(crumb->status))
        return false;
    crumb->there = true;
    crumb->attributes = STORE_ATTRIBUTES;
    return true;
}

bool crumb_take(const struct efi *efi, struct crumb *crumb)
{
    if (!crumb->there)
        return true;
    crumb->status = set(efi, crumb->attributes, 0, NULL);
    crumb->there = false;
    return !EFI_ERROR(crumb->status);
}
