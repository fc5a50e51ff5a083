/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: changes bytes of the stored record, and mends its CRC. Each option is an offset,
 * whose lowest bit is flipped, or OFFSET=BYTE; both in decimal. docs/record.md says what lies
 * where. */
#include "../../../efi/arguments.h"
#include "../../../efi/variables.h"
#include "../../../lib/crc32.h"
#include "../../../lib/little_endian.h"
#include "hook.h"

#define CRC_AT 12u

static unsigned number(const char **text)
{
    unsigned value = 0;

    for (; **text >= '0' && **text <= '9'; ++*text)
        value = value * 10 + (unsigned)(**text - '0');
    return value;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    CHAR16 name[] = L"MigrationCost";
    EFI_GUID guid = variables_guid;
    UINT8 bytes[RECORD_MAX_BYTES];
    UINTN size = sizeof(bytes);
    UINT32 attributes = 0;

    efi_open(&efi, image, system_table);
    struct arguments *arguments = efi_allocate(&efi, sizeof(*arguments));
    if (!arguments)
        return EFI_OUT_OF_RESOURCES;
    arguments_read(&efi, arguments);
    EFI_STATUS status = efi.rt->GetVariable(name, &guid, &attributes, &size, bytes);
    if (EFI_ERROR(status))
        return status;
    for (unsigned i = 0; i < arguments->count; i++) {
        const char *text = arguments->tokens[i];
        unsigned at = number(&text);
        if (at >= size)
            return EFI_INVALID_PARAMETER;
        if (*text++ == '=')
            bytes[at] = (UINT8)number(&text);
        else
            bytes[at] ^= 1;
    }
    put32(bytes + CRC_AT, 0);
    put32(bytes + CRC_AT, crc32_update(0, bytes, size));
    return efi.rt->SetVariable(name, &guid, attributes, size, bytes);
}
