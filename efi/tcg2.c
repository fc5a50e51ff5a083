/* SPDX-License-Identifier: BSD-2-Clause */
/* Events for the TPM: tcg2.h has the contract. */
#include "tcg2.h"

#include "../lib/mem.h"

/* TCG EFI Protocol Specification, family 2.0, revision 00.13, 6. */
static const EFI_GUID tcg2_guid = {
    0x607f766c, 0x7455, 0x42be, {0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f}};

struct tcg2_capability {
    UINT8 size; /* in: how much of it firmware may write */
    UINT8 structure_version[2], protocol_version[2];
    UINT32 hashes, logs;
    UINT8 present;
    UINT16 command_max, response_max;
    UINT32 manufacturer, banks, active_banks;
};

struct tcg2_event {
    UINT32 size, header_size;
    UINT16 header_version;
    UINT32 pcr, type;
    char name[32];
} __attribute__((packed));
#define TCG2_EVENT_BYTES  18u /* without the name */
#define TCG2_HEADER_BYTES 14u /* and without size */
_Static_assert(offsetof(struct tcg2_event, name) == TCG2_EVENT_BYTES, "as the specification packs");

#define EV_IPL 13u /* what boot loaders log (PC Client platform firmware profile, 10.4.1) */

struct tcg2_protocol {
    EFI_STATUS(EFIAPI *get_capability)
    (struct tcg2_protocol *self, struct tcg2_capability *ret);
    VOID *get_event_log;
    EFI_STATUS(EFIAPI *hash_log_extend_event)
    (struct tcg2_protocol *self, UINT64 flags, EFI_PHYSICAL_ADDRESS data, UINT64 length,
     struct tcg2_event *event);
};

EFI_STATUS tcg2_measure(const struct efi *efi, const char *name, const void *bytes, size_t length)
{
    struct tcg2_capability capability = {.size = sizeof(capability)};
    struct tcg2_event event = {.header_size = TCG2_HEADER_BYTES, .header_version = 1};
    VOID *interface = NULL;
    size_t used = 0;

    if (length == 0 ||
        EFI_ERROR(efi->bs->LocateProtocol(EFI_CONST(&tcg2_guid), NULL, &interface)) || !interface)
        return EFI_SUCCESS;
    struct tcg2_protocol *tcg2 = interface;
    if (EFI_ERROR(tcg2->get_capability(tcg2, &capability)) || !capability.present)
        return EFI_SUCCESS;
    while (used < sizeof(event.name) - 1 && name[used]) {
        event.name[used] = name[used];
        used++;
    }
    event.size = (UINT32)(TCG2_EVENT_BYTES + used + 1);
    event.pcr = TCG2_PCR;
    event.type = EV_IPL;
    return tcg2->hash_log_extend_event(tcg2, 0, (uintptr_t)bytes, length, &event);
}
