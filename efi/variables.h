/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable MigrationCost: read, written as lib/store_policy.h decides, deleted. By name only,
 * never by enumeration (D15). */
#ifndef EFI_VARIABLES_H
#define EFI_VARIABLES_H

#include "../lib/store_policy.h"
#include "efi.h"

/* The GUID of all variables of this program. */
extern const EFI_GUID variables_guid;

/* True unless the firmware's variable services are not to be used (D3), or say that too little room
 * would be left (D1); *ret_status says which. */
bool variables_have_room(const struct efi *efi, size_t bytes, EFI_STATUS *ret_status);

/* What lies under our name. Content larger than a record can be is not kept: it is foreign. */
struct stored {
    enum store_found found;
    enum record_error error; /* of decoding, where found is not ABSENT or UNREADABLE */
    EFI_STATUS status;       /* of GetVariable */
    uint32_t attributes;
    size_t length;
    uint8_t bytes[RECORD_MAX_BYTES];
    struct record record; /* where found is STORE_VALID */
};
void variables_read(const struct efi *efi, struct stored *ret);

/* Both forms of a new record. compact_length 0: there is none. */
struct to_store {
    const uint8_t *full;
    size_t full_length;
    const uint8_t *compact;
    size_t compact_length;
    bool unchanged; /* record_unchanged() against what is stored */
    bool no_store, force;
    bool is_volatile; /* --store=volatile */
};
/* Carries a whole plan out. *ret_plan says how it ended. */
void variables_store(const struct efi *efi, const struct stored *stored,
                     const struct to_store *what, struct store_plan *ret_plan);

/* Deletes what is there. */
EFI_STATUS variables_delete(const struct efi *efi, const struct stored *stored);

#endif
