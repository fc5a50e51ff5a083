/* SPDX-License-Identifier: BSD-2-Clause */
/* Chain loading: chain.h has the contract. */
#include "chain.h"

#include "../lib/mem.h"
#include "../lib/utf.h"
#include "device_path.h"
#include "files.h"

static const EFI_GUID device_path_guid = {
    0x09576e91, 0x6d3f, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};

#define OPTIONS_UNITS 4096u

static void put_node(uint8_t *node, unsigned type, unsigned subtype, size_t length)
{
    node[0] = (uint8_t)type;
    node[1] = (uint8_t)subtype;
    node[2] = (uint8_t)(length & 0xFF);
    node[3] = (uint8_t)(length >> 8);
}

#define NAME_UNITS (sizeof(((struct options *)0)->chain_path) + 2)

/* The path as firmware takes it: from the root, with \. Its length; 0 where it is too long. */
static size_t make_name(const char *file, CHAR16 *name)
{
    size_t start = file[0] == '\\' || file[0] == '/' ? 0 : 1;

    name[0] = '\\';
    size_t units = utf16_from_utf8(file, name + start, NAME_UNITS - 1) + start;
    if (units >= NAME_UNITS)
        return 0;
    for (size_t i = 0; i < units; i++)
        if (name[i] == '/')
            name[i] = '\\';
    return units;
}

/* The volume's device path, a file path node, an end node. */
static bool make_path(const struct efi *efi, const uint8_t *volume, const char *file,
                      struct chain_image *ret)
{
    CHAR16 name[NAME_UNITS];
    size_t prefix = device_path_length(volume), units = make_name(file, name);

    if (prefix == 0 || units == 0)
        return false;
    size_t node_bytes = NODE_HEADER + (units + 1) * sizeof(CHAR16);
    ret->device_path_bytes = prefix + node_bytes + NODE_HEADER;
    uint8_t *path = efi_allocate(efi, ret->device_path_bytes);
    if (!path)
        return false;
    memcpy(path, volume, prefix);
    put_node(path + prefix, NODE_MEDIA, NODE_FILE_PATH, node_bytes);
    memcpy(path + prefix + NODE_HEADER, name, units * sizeof(CHAR16)); /* the NUL is there */
    put_node(path + prefix + node_bytes, NODE_END, NODE_END_ENTIRE, NODE_HEADER);
    ret->device_path = (EFI_DEVICE_PATH *)(void *)path;
    return true;
}

/* Sets the child's LoadOptions; none at all where there is nothing to say. */
static enum chain_status set_options(const struct efi *efi, const struct chain_request *chain,
                                     struct chain_image *image)
{
    EFI_LOADED_IMAGE_PROTOCOL *child = efi_protocol(efi, image->handle, &efi_loaded_image_guid);
    size_t units = 0;

    if (chain->options[0] == '\0' && chain->handoff[0] == '\0')
        return CHAIN_OK;
    image->options_bytes = OPTIONS_UNITS * sizeof(CHAR16);
    image->options = efi_allocate(efi, image->options_bytes);
    if (!child || !image->options)
        return CHAIN_FAILED;
    if (chain->handoff[0] == '\0') {
        units = utf16_from_utf8(chain->options, image->options, OPTIONS_UNITS) + 1;
        if (units > OPTIONS_UNITS)
            return CHAIN_LINE_TOO_LONG;
    } else if (!cmdline_append(chain->options, chain->handoff, image->options, OPTIONS_UNITS,
                               &units)) {
        return CHAIN_LINE_TOO_LONG;
    }
    child->LoadOptions = image->options;
    child->LoadOptionsSize = (UINT32)(units * sizeof(CHAR16));
    return CHAIN_OK;
}

void chain_unload(const struct efi *efi, struct chain_image *image)
{
    if (image->handle)
        (void)efi->bs->UnloadImage(image->handle);
    efi_free(efi, image->options, image->options_bytes);
    efi_free(efi, image->device_path, image->device_path_bytes);
    *image = (struct chain_image){0};
}

enum chain_status chain_look(const struct efi *efi, const char *path, EFI_STATUS *ret_status)
{
    CHAR16 name[NAME_UNITS];
    size_t length = 0;

    *ret_status = EFI_SUCCESS;
    if (make_name(path, name) > 0 &&
        files_read(efi, name, NULL, 0, &length, ret_status) == FILE_MISSING)
        return CHAIN_MISSING;
    return CHAIN_OK; /* whatever else is wrong with it, loading it will tell */
}

enum chain_status chain_load(const struct efi *efi, const struct chain_request *chain,
                             struct chain_image *ret, EFI_STATUS *ret_status)
{
    const uint8_t *volume =
        efi->self ? efi_protocol(efi, efi->self->DeviceHandle, &device_path_guid) : NULL;

    *ret = (struct chain_image){0};
    *ret_status = EFI_NOT_FOUND;
    if (!volume)
        return CHAIN_NO_VOLUME;
    if (!make_path(efi, volume, chain->path, ret)) {
        *ret_status = EFI_OUT_OF_RESOURCES;
        return CHAIN_FAILED;
    }
    *ret_status = efi->bs->LoadImage(FALSE, efi->image, ret->device_path, NULL, 0, &ret->handle);
    if (EFI_ERROR(*ret_status)) {
        /* A security violation leaves a handle behind, other errors do not (E11). */
        if (*ret_status != EFI_SECURITY_VIOLATION)
            ret->handle = NULL;
        chain_unload(efi, ret);
        if (*ret_status == EFI_NOT_FOUND)
            return CHAIN_MISSING;
        return *ret_status == EFI_SECURITY_VIOLATION || *ret_status == EFI_ACCESS_DENIED
                   ? CHAIN_REFUSED
                   : CHAIN_FAILED;
    }
    enum chain_status fits = set_options(efi, chain, ret);
    if (fits != CHAIN_OK) {
        *ret_status = fits == CHAIN_FAILED ? EFI_OUT_OF_RESOURCES : EFI_BAD_BUFFER_SIZE;
        chain_unload(efi, ret);
    }
    return fits;
}

enum chain_status chain_start(const struct efi *efi, struct chain_image *image,
                              EFI_STATUS *ret_status)
{
    UINTN exit_size = 0;
    CHAR16 *exit_data = NULL;

    efi_watchdog(efi, EFI_WATCHDOG_DEFAULT_S);
    *ret_status = efi->bs->StartImage(image->handle, &exit_size, &exit_data);
    if (exit_data)
        (void)efi->bs->FreePool(exit_data);

    /* What ran and came back was unloaded by the firmware, if it was an application. What never ran
     * still is there (UEFI 2.10, 7.4). */
    bool never_ran = *ret_status == EFI_SECURITY_VIOLATION;
    if (!never_ran)
        image->handle = NULL;
    chain_unload(efi, image);
    return never_ran ? CHAIN_REFUSED : CHAIN_OK;
}
