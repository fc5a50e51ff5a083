/* SPDX-License-Identifier: BSD-2-Clause */
/* The volume of the firmware for tests: our image's, with three files that it may know. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

struct handle {
    EFI_FILE api; /* first: a handle is its address */
    struct fw_file *file;
    UINTN position;
    struct handle *next;
};
static struct handle *handles;
static struct fw_file child = {.present = true}; /* the image that may be started */

static EFI_STATUS EFIAPI never(VOID)
{
    fw_misuse(FW_NEVER, "is never to be called (G8)");
    return EFI_UNSUPPORTED;
}

static bool same(const CHAR16 *path, const char *wanted)
{
    while (*wanted && *path == (unsigned char)*wanted) {
        path++;
        wanted++;
    }
    return *path == 0 && *wanted == '\0';
}

static struct fw_file *find(const CHAR16 *path)
{
    struct fw *fw = fw_state.fw;
    if (same(path, "\\migcost.conf"))
        return &fw->config;
    if (same(path, "\\report.json"))
        return &fw->report;
    if (same(path, "\\MigrationCost.bin"))
        return &fw->store;
    return same(path, "\\child.efi") ? &child : NULL;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE_HANDLE self)
{
    struct handle *closed = (struct handle *)(void *)self, **at = &handles;
    const enum fw_fate fate = fw_enter(FW_CLOSE);

    while (*at && *at != closed)
        at = &(*at)->next;
    if (!*at) {
        fw_misuse(FW_CLOSE, "of what is not open");
        return EFI_INVALID_PARAMETER;
    }
    *at = closed->next;
    free(closed);
    fw_state.fw->files_open--;
    FW_LEAVE_FREED(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI read_file(EFI_FILE_HANDLE self, UINTN *size, VOID *bytes)
{
    struct handle *handle = (struct handle *)(void *)self;
    FW_ENTER(FW_READ);
    UINTN left = handle->file->length - handle->position;

    if (*size > left)
        *size = left;
    if (*size > 0) /* with nothing to read there may be no buffer */
        memcpy(bytes, handle->file->bytes + handle->position, *size);
    handle->position += *size;
    FW_LEAVE(EFI_SUCCESS);
}

/* In place only. Power that goes while it writes leaves whole sectors. */
static EFI_STATUS EFIAPI write_file(EFI_FILE_HANDLE self, UINTN *size, VOID *bytes)
{
    struct handle *handle = (struct handle *)(void *)self;
    FW_ENTER(FW_WRITE);
    UINTN left = handle->file->length - handle->position;

    if (*size > left) {
        fw_misuse(FW_WRITE, "beyond the end of a file (G8)");
        return EFI_VOLUME_FULL;
    }
    UINTN done = fate == FW_DIES_TORN && *size > 512 ? 512 : *size;
    memcpy(handle->file->bytes + handle->position, bytes, done);
    handle->position += *size;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI flush(EFI_FILE_HANDLE self)
{
    FW_ENTER(FW_FLUSH);
    (void)self;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI set_position(EFI_FILE_HANDLE self, UINT64 position)
{
    struct handle *handle = (struct handle *)(void *)self;
    FW_ENTER(FW_SET_POSITION);
    handle->position = position > handle->file->length ? handle->file->length : position;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI get_position(EFI_FILE_HANDLE self, UINT64 *position)
{
    FW_ENTER(FW_GET_POSITION);
    *position = ((struct handle *)(void *)self)->position;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI open_file(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *ret, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes);

static EFI_FILE_HANDLE new_handle(struct fw_file *file)
{
    struct handle *handle = calloc(1, sizeof(*handle));

    handle->api = (EFI_FILE){.Revision = 0x00010000,
                             .Open = open_file,
                             .Close = close_file,
                             .Delete = (VOID *)never,
                             .Read = read_file,
                             .Write = write_file,
                             .GetPosition = get_position,
                             .SetPosition = set_position,
                             .GetInfo = (VOID *)never,
                             .SetInfo = (VOID *)never,
                             .Flush = flush};
    handle->file = file;
    handle->next = handles;
    handles = handle;
    fw_state.fw->files_open++;
    return &handle->api;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *ret, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes)
{
    FW_ENTER(FW_OPEN);
    struct fw_file *file = find(name);

    (void)self, (void)attributes;
    if (mode & EFI_FILE_MODE_CREATE)
        fw_misuse(FW_OPEN, "makes a file (G8)");
    if (!file || !file->present)
        FW_LEAVE(EFI_NOT_FOUND);
    *ret = new_handle(file);
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *self, EFI_FILE_HANDLE *ret)
{
    FW_ENTER(FW_OPEN_VOLUME);
    (void)self;
    *ret = new_handle(NULL);
    FW_LEAVE(EFI_SUCCESS);
}

void fw_files_open(void)
{
    fw_state.volume.OpenVolume = open_volume;
}

void fw_files_close(void)
{
    while (handles) {
        struct handle *next = handles->next;
        free(handles);
        handles = next;
    }
}
