/* SPDX-License-Identifier: BSD-2-Clause */
/* What to do with the variable store, as pure decisions: the firmware side carries the steps out
 * and hands the status back, so that every path is tested on the host (D1 to D8).
 *
 *     struct store_plan plan;
 *     store_plan_begin(&plan, &situation);
 *     while (plan.step != STORE_STEP_DONE)
 *         switch (plan.step) {
 *         case STORE_STEP_DELETE:    store_plan_next(&plan, <SetVariable of 0 bytes with
 *                                                            plan.delete_attributes>);
 *         case STORE_STEP_WRITE:     store_plan_next(&plan, <SetVariable of plan.compact ? the
 *                                                            compact form : the full form, with
 *                                                            plan.attributes>);
 *         case STORE_STEP_WAIT:      <wait STORE_RETRY_DELAY_US>; store_plan_next(&plan, 0);
 *         case STORE_STEP_READ_BACK: store_plan_read_back(&plan, <what GetVariable gives is what
 *                                                                 was written>);
 *         }
 *
 * Every plan ends: at most one delete, three writes, one wait and one read-back. */
#ifndef LIB_STORE_POLICY_H
#define LIB_STORE_POLICY_H

#include "record.h"
#include <stdbool.h>
#include <stdint.h>

#define STORE_ATTRIBUTES     7u /* NV + BS + RT: Linux must see it, and it outlives a boot (D6) */
#define STORE_VOLATILE       6u /* BS + RT: gone with the power; an operating system can read it (D9) */
#define STORE_RETRY_DELAY_US 10000u /* before the one repeated write (D7) */

/* Bytes that must stay free after a write: some firmware does not start with less (D1; Linux keeps
 * as many), and some room for what the firmware itself writes at the next start. */
#define STORE_RESERVE_BYTES 5120u
#define STORE_MARGIN_BYTES  1024u

/* What edk2 puts before the data of a variable: its largest header, and our name in UTF-16 with its
 * NUL. Its smallest default limit, 0x400, holds all three (D5). */
#define STORE_HEADER_BYTES 60u
#define STORE_NAME_BYTES   28u

/* EFI_STATUS of the calls that a plan asks for, as UEFI 2.10 appendix D numbers them. */
#define STORE_EFI_ERROR              (1ull << 63)
#define STORE_EFI_SUCCESS            0ull
#define STORE_EFI_INVALID_PARAMETER  (STORE_EFI_ERROR | 2)
#define STORE_EFI_UNSUPPORTED        (STORE_EFI_ERROR | 3)
#define STORE_EFI_DEVICE_ERROR       (STORE_EFI_ERROR | 7)
#define STORE_EFI_WRITE_PROTECTED    (STORE_EFI_ERROR | 8)
#define STORE_EFI_OUT_OF_RESOURCES   (STORE_EFI_ERROR | 9)
#define STORE_EFI_NOT_FOUND          (STORE_EFI_ERROR | 14)
#define STORE_EFI_SECURITY_VIOLATION (STORE_EFI_ERROR | 26)

/* What lies under our name and GUID now. */
enum store_found {
    STORE_ABSENT = 0,
    STORE_VALID,     /* ours, and sound */
    STORE_CORRUPT,   /* our magic, but it does not check */
    STORE_NEWER,     /* a later version of this program wrote it */
    STORE_FOREIGN,   /* not ours: never overwritten or deleted unless forced */
    STORE_UNREADABLE /* GetVariable failed in another way than "not found": treated as foreign */
};

/* From what record_decode() said of the variable's content. Content shorter than a magic is
 * foreign: whatever it is, this program did not write it. */
enum store_found store_classify(enum record_error error);

/* True if a variable of that many bytes (header and name are added here) can be written and leaves
 * the reserve free. Never underflows (D2). */
bool store_space_ok(uint64_t remaining, uint64_t data_bytes);

/* True if the variable may be deleted on --delete. */
bool store_may_delete(enum store_found found, bool force);

struct store_situation {
    enum store_found found;
    uint32_t found_attributes; /* of what was found */
    bool unchanged;            /* record_unchanged() of what was found and the new record */
    bool no_store;             /* --no-store */
    bool is_volatile;          /* --store=volatile: STORE_VOLATILE, and no flash to spare */
    bool force;                /* --force: overwrites what is foreign or newer, nothing else */
    bool nvram_safe;           /* EFI 2.0 or later, and not a vendor whose calls hang (D3) */
    uint32_t full_bytes;       /* length of the new record */
    uint32_t compact_bytes;    /* length of its compact form; 0 or not shorter: there is none */
    bool queried;       /* QueryVariableInfo succeeded; otherwise SetVariable has the last word */
    uint64_t remaining; /* RemainingVariableStorageSize */
    uint64_t largest;   /* MaximumVariableSize */
};

enum store_outcome {
    STORE_PENDING = 0,     /* the plan has not ended */
    STORE_STORED,          /* written and read back */
    STORE_STORED_COMPACT,  /* the same, without the matrix: the full form was refused */
    STORE_UNCHANGED,       /* nothing new: not written, to spare the flash (D4) */
    STORE_NOT_ASKED,       /* --no-store */
    STORE_REFUSED_UNSAFE,  /* firmware whose variable calls are not to be trusted (D3) */
    STORE_REFUSED_FOREIGN, /* a variable that is not ours */
    STORE_REFUSED_NEWER,   /* a record of a later version */
    STORE_REFUSED_FULL,    /* too little room would be left (D1) */
    STORE_FAILED,          /* SetVariable failed: plan.status */
    STORE_READ_BACK_DIFFERS,
    STORE_OUTCOMES
};

/* One clause without newline, for any number. */
const char *store_outcome_text(unsigned outcome);

enum store_step {
    STORE_STEP_DONE = 0,
    STORE_STEP_DELETE,
    STORE_STEP_WRITE,
    STORE_STEP_WAIT,
    STORE_STEP_READ_BACK
};

struct store_plan {
    enum store_step step;
    enum store_outcome outcome; /* valid once step is STORE_STEP_DONE */
    bool compact;               /* which form STORE_STEP_WRITE means */
    uint32_t attributes;        /* for STORE_STEP_WRITE */
    uint32_t delete_attributes; /* for STORE_STEP_DELETE: those that the variable has */
    uint64_t status;            /* of the last failed call; STORE_EFI_SUCCESS if none failed */
    bool compact_possible;
    bool waited;
};

void store_plan_begin(struct store_plan *ret_plan, const struct store_situation *situation);
void store_plan_next(struct store_plan *plan, uint64_t efi_status);
void store_plan_read_back(struct store_plan *plan, bool same);

#endif
