/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: makes a boot entry for \migcost.efi on its own volume. Its first option says of
 * which kind, the others become the entry's optional data:
 *
 *   sysprep   SysPrep0001, in UTF-16 without a NUL (E4)
 *   boot      Boot0099, the same, to be started next
 *   ascii     Boot0099, in ASCII (E5)
 *   garbage   Boot0099, with bytes that firmware has been seen to put there (E2)
 *   whole     Boot0099, in a boot entry of its own, as firmware has been seen to pass it (E3)
 *   mark      Boot0099, behind a byte order mark (E6) */
#include "../../../efi/arguments.h"
#include "../../../lib/utf.h"
#include "hook.h"

static const EFI_GUID device_path_guid = {
    0x09576e91, 0x6d3f, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};
static const EFI_GUID global_guid = {
    0x8BE4DF61, 0x93CA, 0x11d2, {0xAA, 0x0D, 0x00, 0xE0, 0x98, 0x03, 0x2B, 0x8C}};

#define ATTRIBUTES 7u /* NV, BS, RT */
#define END_BYTES  4u /* of a device path */
#define ENTRY_MAX  2048u

struct load_option {
    UINT8 bytes[ENTRY_MAX];
    UINTN length;
};

static void put(struct load_option *option, const void *bytes, UINTN length)
{
    if (length > ENTRY_MAX - option->length)
        length = 0;
    __builtin_memcpy(option->bytes + option->length, bytes, length);
    option->length += length;
}

/* Bytes before the end node; the firmware's own paths have an end. */
static UINTN path_length(const UINT8 *path)
{
    UINTN length = 0;

    while (path[length] != 0x7F)
        length += path[length + 2] | (UINTN)path[length + 3] << 8;
    return length;
}

/* EFI_LOAD_OPTION: attributes, length of the path, name, path (UEFI 2.10, 3.1.3). */
static void put_head(struct load_option *option, const UINT8 *volume)
{
    static const CHAR16 name[] = L"boot test", file[] = L"\\migcost.efi";
    const UINT8 node[] = {4, 4, sizeof(file) + 4, 0}, end[END_BYTES] = {0x7F, 0xFF, END_BYTES, 0};
    const UINT32 active = 1;
    UINTN volume_bytes = path_length(volume);
    UINT16 path_bytes = (UINT16)(volume_bytes + sizeof(node) + sizeof(file) + sizeof(end));

    put(option, &active, sizeof(active));
    put(option, &path_bytes, sizeof(path_bytes));
    put(option, name, sizeof(name));
    put(option, volume, volume_bytes);
    put(option, node, sizeof(node));
    put(option, file, sizeof(file));
    put(option, end, sizeof(end));
}

static void put_data(struct load_option *option, char kind, const char *text)
{
    static const UINT8 garbage[] = {1, 0, 0, 0, 'U', 0, 'E', 0, 'F', 0, 'I', 0};
    CHAR16 wide[512];
    UINTN length = 0;

    while (text[length])
        length++;
    if (kind == 'm')
        put(option, "\xFF\xFE", 2);
    if (kind == 'g')
        put(option, garbage, sizeof(garbage));
    else if (kind == 'a')
        put(option, text, length);
    else
        put(option, wide, utf16_from_utf8(text, wide, 512) * sizeof(wide[0]));
}

static EFI_STATUS set(const struct efi *efi, CHAR16 *name, UINTN size, const void *bytes)
{
    EFI_GUID guid = global_guid;
    return efi->rt->SetVariable(name, &guid, ATTRIBUTES, size, (VOID *)(UINTN)bytes);
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    CHAR16 sysprep[] = L"SysPrep0001", sysprep_order[] = L"SysPrepOrder";
    CHAR16 boot[] = L"Boot0099", next[] = L"BootNext";
    const UINT16 first = 1, number = 0x99;

    efi_open(&efi, image, system_table);
    struct arguments *arguments = efi_allocate(&efi, sizeof(*arguments));
    struct load_option *option = efi_allocate(&efi, sizeof(*option));
    const UINT8 *volume =
        efi.self ? efi_protocol(&efi, efi.self->DeviceHandle, &device_path_guid) : NULL;
    if (!arguments || !option || !volume)
        return EFI_OUT_OF_RESOURCES;
    arguments_read(&efi, arguments);
    if (arguments->count == 0)
        return EFI_INVALID_PARAMETER;

    char kind = arguments->tokens[0][0];
    put_head(option, volume);
    if (kind == 'w')
        put_head(option, volume);
    put_data(option, kind, arguments_rest(arguments, 1));
    EFI_STATUS status = set(&efi, kind == 's' ? sysprep : boot, option->length, option->bytes);
    if (EFI_ERROR(status))
        return status;
    return kind == 's' ? set(&efi, sysprep_order, sizeof(first), &first)
                       : set(&efi, next, sizeof(number), &number);
}
