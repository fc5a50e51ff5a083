/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the report: files.h has the contract. */
#include "files.h"

#include "../lib/mem.h"

static const EFI_GUID file_system_guid = {
    0x964e5b22, 0x6459, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};

#define REPORT_ROOM_MAX (16ull << 20) /* a file beyond that is not one made for the report */
#define POSITION_END    0xFFFFFFFFFFFFFFFFull

const char *file_status_text(enum file_status status)
{
    switch (status) {
    case FILE_OK:
        return "written";
    case FILE_NO_VOLUME:
        return "this image came from no file system";
    case FILE_MISSING:
        return "there is no such file to write into";
    case FILE_TOO_SMALL:
        return "the file that is there is too small";
    case FILE_FAILED:
        break;
    }
    return "the firmware failed to write it";
}

static EFI_FILE_HANDLE open_root(const struct efi *efi, EFI_STATUS *ret_status)
{
    EFI_FILE_HANDLE root = NULL;
    EFI_FILE_IO_INTERFACE *volume =
        efi->self ? efi_protocol(efi, efi->self->DeviceHandle, &file_system_guid) : NULL;

    *ret_status = EFI_UNSUPPORTED;
    if (volume)
        *ret_status = volume->OpenVolume(volume, &root);
    return EFI_ERROR(*ret_status) ? NULL : root;
}

static EFI_STATUS size_of(EFI_FILE_HANDLE file, uint64_t *ret_size)
{
    EFI_STATUS status = file->SetPosition(file, POSITION_END);
    if (!EFI_ERROR(status))
        status = file->GetPosition(file, ret_size);
    if (!EFI_ERROR(status))
        status = file->SetPosition(file, 0);
    return status;
}

static EFI_STATUS write_all(const struct efi *efi, EFI_FILE_HANDLE file, const char *text,
                            size_t length, size_t size)
{
    char *bytes = efi_allocate(efi, size);
    if (!bytes)
        return EFI_OUT_OF_RESOURCES;
    memcpy(bytes, text, length);
    memset(bytes + length, ' ', size - length);
    bytes[size - 1] = '\n';

    UINTN written = size;
    EFI_STATUS status = file->Write(file, &written, bytes);
    if (!EFI_ERROR(status) && written != size)
        status = EFI_VOLUME_FULL;
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    efi_free(efi, bytes, size);
    return status;
}

static enum file_status fill(const struct efi *efi, EFI_FILE_HANDLE file, const char *text,
                             size_t length, bool may_grow, uint64_t *ret_room,
                             EFI_STATUS *ret_status)
{
    size_t size = length + 1; /* a line end behind the text */

    *ret_status = size_of(file, ret_room);
    if (EFI_ERROR(*ret_status))
        return FILE_FAILED;
    if (*ret_room < size && !may_grow)
        return FILE_TOO_SMALL;
    if (*ret_room > size && *ret_room <= REPORT_ROOM_MAX)
        size = (size_t)*ret_room;
    *ret_status = write_all(efi, file, text, length, size);
    return EFI_ERROR(*ret_status) ? FILE_FAILED : FILE_OK;
}

enum file_status files_write_report(const struct efi *efi, const char *text, size_t length,
                                    bool may_create, uint64_t *ret_room, EFI_STATUS *ret_status)
{
    EFI_FILE_HANDLE file = NULL;
    CHAR16 *name = EFI_CONST(L"\\report.json");
    UINT64 mode = EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE;

    *ret_room = 0;
    EFI_FILE_HANDLE root = open_root(efi, ret_status);
    if (!root)
        return FILE_NO_VOLUME;
    *ret_status = root->Open(root, &file, name, mode, 0);
    if (*ret_status == EFI_NOT_FOUND && may_create)
        *ret_status = root->Open(root, &file, name, mode | EFI_FILE_MODE_CREATE, 0);

    enum file_status status = *ret_status == EFI_NOT_FOUND ? FILE_MISSING : FILE_FAILED;
    if (!EFI_ERROR(*ret_status)) {
        status = fill(efi, file, text, length, may_create, ret_room, ret_status);
        EFI_STATUS closed = file->Close(file);
        if (status == FILE_OK && EFI_ERROR(closed)) {
            *ret_status = closed;
            status = FILE_FAILED;
        }
    }
    (void)root->Close(root);
    return status;
}
