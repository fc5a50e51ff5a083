/* SPDX-License-Identifier: BSD-2-Clause */
/* Images and protocols of the firmware for tests: the application's own, and one that it may start.
 */
#include "private.h"

#include <stdlib.h>
#include <string.h>

#define GUID_LOADED_IMAGE 0x5B1B31A1u
#define GUID_SHELL        0x752f3136u
#define GUID_FILE_SYSTEM  0x964e5b22u
#define GUID_DEVICE_PATH  0x09576e91u
#define GUID_MP_SERVICES  0x3fdda605u

/* A disk, and our file on it: the ends of paths as UEFI has them. */
static uint8_t device_path[] = {1, 1, 6, 0, 0, 0, 0x7F, 0xFF, 4, 0};
static uint8_t file_path[] = {4,   4, 30,  0, '\\', 0, 'm',  0,    'i', 0, 'g', 0,
                              'c', 0, 'o', 0, 's',  0, 't',  0,    '.', 0, 'e', 0,
                              'f', 0, 'i', 0, 0,    0, 0x7F, 0xFF, 4,   0};

static VOID *exit_text; /* what the image left, until it is given back */

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    struct fw_state *state = &fw_state;
    FW_ENTER(FW_HANDLE_PROTOCOL);

    *interface = NULL;
    if (handle == &state->self && guid->Data1 == GUID_LOADED_IMAGE)
        *interface = &state->self;
    if (handle == &state->self && guid->Data1 == GUID_SHELL && state->fw->by_shell)
        *interface = &state->shell;
    if (handle == &state->child && guid->Data1 == GUID_LOADED_IMAGE)
        *interface = &state->child;
    if (handle == &state->volume && guid->Data1 == GUID_FILE_SYSTEM)
        *interface = &state->volume;
    if (handle == &state->volume && guid->Data1 == GUID_DEVICE_PATH)
        *interface = device_path;
    FW_LEAVE(*interface ? EFI_SUCCESS : EFI_UNSUPPORTED);
}

static EFI_STATUS EFIAPI locate_protocol(EFI_GUID *guid, VOID *registration, VOID **interface)
{
    FW_ENTER(FW_LOCATE_PROTOCOL);
    (void)registration;
    *interface = guid->Data1 == GUID_MP_SERVICES ? &fw_state.mp : NULL;
    FW_LEAVE(*interface ? EFI_SUCCESS : EFI_NOT_FOUND);
}

static EFI_STATUS EFIAPI load_image(BOOLEAN by_policy, EFI_HANDLE parent, EFI_DEVICE_PATH *path,
                                    VOID *buffer, UINTN size, EFI_HANDLE *ret)
{
    struct fw *fw = fw_state.fw;
    const enum fw_fate fate = fw_enter(FW_LOAD_IMAGE);

    (void)by_policy;
    if (parent != &fw_state.self || !path || buffer || size)
        fw_misuse(FW_LOAD_IMAGE, "not by its device path (E9)");
    if (fate == FW_RETURNS) {
        *ret = &fw_state.child; /* firmware may write it, whatever it returns */
        fw->images_loaded += fw->fault_status == EFI_SECURITY_VIOLATION; /* (E11) */
        return fw->fault_status;
    }
    fw->images_loaded++;
    *ret = &fw_state.child;
    FW_LEAVE(EFI_SUCCESS);
}

/* A status put in is what the image returned; a security violation, that it did not run. */
static EFI_STATUS EFIAPI start_image(EFI_HANDLE handle, UINTN *exit_size, CHAR16 **exit_data)
{
    struct fw *fw = fw_state.fw;
    const enum fw_fate fate = fw_enter(FW_START_IMAGE);

    if (handle != &fw_state.child || fw->images_loaded == 0)
        fw_misuse(FW_START_IMAGE, "of what is not loaded");
    if (fate == FW_RETURNS && fw->fault_status == EFI_SECURITY_VIOLATION)
        return fw->fault_status;
    fw->children++;
    fw->watchdog_at_child = fw->watchdog;
    if (fw->child_takes_over)
        fw_power_off(FW_TAKEN_OVER);
    fw->images_loaded--;
    *exit_size = 8;
    *exit_data = exit_text = calloc(1, *exit_size);
    fw->pools_out++;
    FW_LEAVE_FREED(fw->child_status);
}

static EFI_STATUS EFIAPI free_pool(VOID *memory)
{
    const enum fw_fate fate = fw_enter(FW_FREE_POOL);
    if (!memory || memory != exit_text)
        fw_misuse(FW_FREE_POOL, "of what was not given");
    free(exit_text);
    exit_text = NULL;
    fw_state.fw->pools_out = 0;
    FW_LEAVE_FREED(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI unload_image(EFI_HANDLE handle)
{
    const enum fw_fate fate = fw_enter(FW_UNLOAD_IMAGE);
    if (handle != &fw_state.child || fw_state.fw->images_loaded == 0)
        fw_misuse(FW_UNLOAD_IMAGE, "of what is not loaded");
    else
        fw_state.fw->images_loaded--;
    FW_LEAVE_FREED(EFI_SUCCESS);
}

/* The shell cuts words; nothing else does. */
static void set_options(const char *text)
{
    size_t length = strlen(text), words = 1;
    static CHAR16 name[] = L"migcost.efi";

    for (size_t i = 0; i <= length; i++)
        fw_state.options[i] = (CHAR16)(unsigned char)text[i];
    fw_state.argv[0] = name;
    if (!fw_state.fw->by_shell) {
        fw_state.self.LoadOptions = length ? fw_state.options : NULL;
        fw_state.self.LoadOptionsSize = (UINT32)(length ? (length + 1) * sizeof(CHAR16) : 0);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ')
            fw_state.options[i] = 0;
        else if (i == 0 || text[i - 1] == ' ')
            fw_state.argv[words++] = fw_state.options + i;
    }
    fw_state.shell.argv = fw_state.argv;
    fw_state.shell.argc = words;
}

void fw_images_open(void)
{
    EFI_BOOT_SERVICES *boot = &fw_state.boot;

    boot->HandleProtocol = handle_protocol;
    boot->LocateProtocol = locate_protocol;
    boot->FreePool = free_pool;
    boot->LoadImage = load_image;
    boot->StartImage = start_image;
    boot->UnloadImage = unload_image;
    fw_state.self.DeviceHandle = &fw_state.volume;
    fw_state.self.FilePath = (EFI_DEVICE_PATH *)(void *)file_path;
    set_options(fw_state.fw->options);
}

void fw_images_close(void)
{
    free(exit_text);
    exit_text = NULL;
}
