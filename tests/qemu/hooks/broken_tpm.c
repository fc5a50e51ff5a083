/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver: a TPM that is there and takes no event of PCR 12. For machines without another; the
 * firmware has events for it too, and starts nothing where those fail. */
#include "hook.h"

struct broken_tpm {
    EFI_STATUS(EFIAPI *get_capability)(VOID *self, UINT8 *ret);
    VOID *get_event_log;
    EFI_STATUS(EFIAPI *extend)
    (VOID *self, UINT64 flags, EFI_PHYSICAL_ADDRESS data, UINT64 length, const UINT8 *event);
};

static EFI_STATUS EFIAPI get_capability(VOID *self, UINT8 *ret)
{
    (void)self;
    ret[16] = 1; /* TPMPresentFlag */
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI extend(VOID *self, UINT64 flags, EFI_PHYSICAL_ADDRESS data, UINT64 length,
                                const UINT8 *event)
{
    (void)self, (void)flags, (void)data, (void)length;
    return event[10] == 12 ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    static const EFI_GUID guid = {
        0x607f766c, 0x7455, 0x42be, {0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f}};
    static struct broken_tpm tpm;
    struct efi efi;

    efi_open(&efi, image, system_table);
    tpm = (struct broken_tpm){.get_capability = get_capability, .extend = extend};
    return efi.bs->InstallProtocolInterface(&image, EFI_CONST(&guid), EFI_NATIVE_INTERFACE, &tpm);
}
