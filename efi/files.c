/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes files in place: files.h has the contract. */
#include "files.h"

#include "../lib/mem.h"
#include "device_path.h"

static const EFI_GUID file_system_guid = {
    0x964e5b22, 0x6459, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};

#define ROOM_MAX     (16ull << 20) /* a file beyond that was not made for our text */
#define POSITION_END 0xFFFFFFFFFFFFFFFFull

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
    return "the firmware failed";
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
    if (*ret_room > size && *ret_room <= ROOM_MAX)
        size = (size_t)*ret_room;
    *ret_status = write_all(efi, file, text, length, size);
    return EFI_ERROR(*ret_status) ? FILE_FAILED : FILE_OK;
}

/* Opens a file of our volume. *ret_file is NULL where that fails. */
static enum file_status open_path(const struct efi *efi, const CHAR16 *path, UINT64 mode,
                                  bool may_create, EFI_FILE_HANDLE *ret_file,
                                  EFI_STATUS *ret_status)
{
    CHAR16 *name = EFI_CONST(path);
    EFI_FILE_HANDLE root = open_root(efi, ret_status);

    *ret_file = NULL;
    if (!root)
        return FILE_NO_VOLUME;
    *ret_status = root->Open(root, ret_file, name, mode, 0);
    if (*ret_status == EFI_NOT_FOUND && may_create)
        *ret_status = root->Open(root, ret_file, name, mode | EFI_FILE_MODE_CREATE, 0);
    (void)root->Close(root);
    if (!EFI_ERROR(*ret_status))
        return FILE_OK;
    *ret_file = NULL;
    return *ret_status == EFI_NOT_FOUND ? FILE_MISSING : FILE_FAILED;
}

enum file_status files_read(const struct efi *efi, const CHAR16 *path, void *bytes, size_t room,
                            size_t *ret_length, EFI_STATUS *ret_status)
{
    EFI_FILE_HANDLE file;
    UINTN length = room;

    *ret_length = 0;
    enum file_status status = open_path(efi, path, EFI_FILE_MODE_READ, false, &file, ret_status);
    if (status != FILE_OK)
        return status;
    *ret_status = file->Read(file, &length, bytes);
    (void)file->Close(file);
    if (EFI_ERROR(*ret_status) || length > room)
        return FILE_FAILED;
    *ret_length = length;
    return FILE_OK;
}

enum file_status files_write(const struct efi *efi, const CHAR16 *path, const char *text,
                             size_t length, bool may_create, uint64_t *ret_room,
                             EFI_STATUS *ret_status)
{
    EFI_FILE_HANDLE file;

    *ret_room = 0;
    enum file_status status = open_path(efi, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE,
                                        may_create, &file, ret_status);
    if (status != FILE_OK)
        return status;
    status = fill(efi, file, text, length, may_create, ret_room, ret_status);
    EFI_STATUS closed = file->Close(file);
    if (status == FILE_OK && EFI_ERROR(closed)) {
        *ret_status = closed;
        status = FILE_FAILED;
    }
    return status;
}

enum file_status files_patch(const struct efi *efi, const CHAR16 *path, uint64_t size,
                             uint64_t offset, const void *bytes, size_t length,
                             EFI_STATUS *ret_status)
{
    EFI_FILE_HANDLE file;
    UINTN written = length;
    uint64_t there = 0;

    enum file_status status =
        open_path(efi, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, false, &file, ret_status);
    if (status != FILE_OK)
        return status;
    *ret_status = size_of(file, &there);
    if (!EFI_ERROR(*ret_status) && there != size)
        status = FILE_TOO_SMALL;
    if (!EFI_ERROR(*ret_status) && status == FILE_OK)
        *ret_status = file->SetPosition(file, offset);
    if (!EFI_ERROR(*ret_status) && status == FILE_OK)
        *ret_status = file->Write(file, &written, EFI_CONST(bytes));
    if (!EFI_ERROR(*ret_status) && written != length)
        *ret_status = EFI_VOLUME_FULL;
    if (!EFI_ERROR(*ret_status) && status == FILE_OK)
        *ret_status = file->Flush(file);
    EFI_STATUS closed = file->Close(file);
    if (!EFI_ERROR(*ret_status))
        *ret_status = closed;
    return EFI_ERROR(*ret_status) ? FILE_FAILED : status;
}

bool files_beside(const struct efi *efi, const CHAR16 *name, CHAR16 *ret)
{
    const uint8_t *own = efi->self ? (const uint8_t *)efi->self->FilePath : NULL;
    size_t used = 0;

    if (!own || !device_path_folder(own, ret, FILES_PATH_MAX))
        return false;
    while (ret[used])
        used++;
    do {
        if (used == FILES_PATH_MAX)
            return false;
        ret[used++] = *name;
    } while (*name++);
    return true;
}
