/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: prints PCR 12 of the TPM's SHA-256 bank, "pcr: " and 64 digits. */
#include "hook.h"

struct tcg2_submit {
    VOID *others[3];
    EFI_STATUS(EFIAPI *submit)
    (struct tcg2_submit *self, UINT32 length, const UINT8 *command, UINT32 room, UINT8 *response);
};

/* TPM2_PCR_Read (TPM 2.0 part 3, 22.4): no session, size, code, one selection, SHA-256, PCR 12. */
static const UINT8 command[] = {0x80, 0x01, 0, 0, 0, 20, 0, 0, 0x01, 0x7E,
                                0,    0,    0, 1, 0, 11, 3, 0, 0x10, 0};
#define DIGEST       30u /* where it lies in the response */
#define DIGEST_BYTES 32u

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    static const EFI_GUID guid = {
        0x607f766c, 0x7455, 0x42be, {0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f}};
    UINT8 response[128] = {0};
    VOID *interface = NULL;
    struct efi efi;
    struct console console;

    efi_open(&efi, image, system_table);
    console_open(&console, &efi, false);
    EFI_STATUS status = efi.bs->LocateProtocol(EFI_CONST(&guid), NULL, &interface);
    if (EFI_ERROR(status))
        return status;
    struct tcg2_submit *tcg2 = interface;
    status = tcg2->submit(tcg2, sizeof(command), command, sizeof(response), response);
    if (EFI_ERROR(status))
        return status;
    if (response[DIGEST - 1] != DIGEST_BYTES)
        return EFI_UNSUPPORTED;
    text_print(&console.sink, "pcr: ");
    for (unsigned i = 0; i < DIGEST_BYTES; i++)
        text_print(&console.sink, "%02x", response[DIGEST + i]);
    text_print(&console.sink, "\n");
    return EFI_SUCCESS;
}
