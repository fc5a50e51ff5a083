/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: takes EFI_MP_SERVICES_PROTOCOL away, as on firmware that has none (A1). */
#include "hook.h"

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    EFI_GUID guid = hook_mp_guid;
    EFI_HANDLE handles[8];
    UINTN size = sizeof(handles);

    efi_open(&efi, image, system_table);
    EFI_STATUS status = efi.bs->LocateHandle(ByProtocol, &guid, NULL, &size, handles);
    for (UINTN i = 0; !EFI_ERROR(status) && i < size / sizeof(handles[0]); i++)
        status = efi.bs->UninstallProtocolInterface(handles[i], &guid,
                                                    efi_protocol(&efi, handles[i], &guid));
    return status;
}
