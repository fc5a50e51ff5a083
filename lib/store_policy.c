/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the variable store: whether to write, in which form, and what to do after a
 * refusal. */
#include "store_policy.h"
#include "mem.h"
#include "text.h"

enum store_found store_classify(enum record_error error)
{
    switch (error) {
    case RECORD_OK:
        return STORE_VALID;
    case RECORD_NEWER:
        return STORE_NEWER;
    case RECORD_LENGTH:
    case RECORD_CORRUPT:
    case RECORD_BAD_FIELD:
        return STORE_CORRUPT;
    case RECORD_TOO_SHORT:
    case RECORD_FOREIGN:
    case RECORD_NO_ROOM:
        break;
    }
    return STORE_FOREIGN;
}

bool store_space_ok(uint64_t remaining, uint64_t data_bytes)
{
    uint64_t overhead =
        STORE_HEADER_BYTES + STORE_NAME_BYTES + STORE_RESERVE_BYTES + STORE_MARGIN_BYTES;
    if (data_bytes > UINT64_MAX - overhead)
        return false;
    /* A sum compared, not a difference: size may be larger than remaining (D2). */
    return data_bytes + overhead <= remaining;
}

bool store_may_delete(enum store_found found, bool force)
{
    switch (found) {
    case STORE_ABSENT:
        return false;
    case STORE_VALID:
    case STORE_CORRUPT:
    case STORE_NEWER:
        return true;
    case STORE_FOREIGN:
    case STORE_UNREADABLE:
        break;
    }
    return force;
}

const char *store_outcome_text(unsigned outcome)
{
    static const char texts[] = /* in the order of enum store_outcome */
        "not finished\0"
        "stored\0"
        "stored without the matrix: the store refused the full record\0"
        "not rewritten: the stored record says the same\0"
        "not stored, as asked\0"
        "not stored: this firmware's variable services are not safe\0"
        "not stored: a foreign variable has this name (--force overwrites it)\0"
        "not stored: the stored record is of a newer version (--force overwrites it)\0"
        "not stored: the variable store is nearly full\0"
        "not stored: the firmware refused the write\0"
        "not stored: what was read back is not what was written\0";
    const char *text = text_nth(texts, outcome);
    return text ? text : "unknown outcome";
}

static void finish(struct store_plan *plan, enum store_outcome outcome)
{
    plan->step = STORE_STEP_DONE;
    plan->outcome = outcome;
}

static uint32_t attributes_of(const struct store_situation *situation)
{
    return situation->is_volatile ? STORE_VOLATILE : STORE_ATTRIBUTES;
}

/* Refusals that need no call. STORE_PENDING: none. */
static enum store_outcome refusal(const struct store_situation *situation)
{
    if (situation->no_store)
        return STORE_NOT_ASKED;
    if (!situation->nvram_safe)
        return STORE_REFUSED_UNSAFE;
    if (!situation->force) {
        if (situation->found == STORE_FOREIGN || situation->found == STORE_UNREADABLE)
            return STORE_REFUSED_FOREIGN;
        if (situation->found == STORE_NEWER)
            return STORE_REFUSED_NEWER;
    }
    if (situation->found == STORE_VALID && situation->unchanged &&
        situation->found_attributes == attributes_of(situation))
        return STORE_UNCHANGED;
    return STORE_PENDING;
}

/* largest counts the name, not the header (UEFI 2.10, 8.2.4). */
static bool form_fits(const struct store_situation *situation, uint32_t data_bytes)
{
    if (!situation->queried)
        return true;
    /* The reserve is for what the firmware itself writes to flash. */
    return (situation->is_volatile || store_space_ok(situation->remaining, data_bytes)) &&
           (uint64_t)data_bytes + STORE_NAME_BYTES <= situation->largest;
}

void store_plan_begin(struct store_plan *ret_plan, const struct store_situation *situation)
{
    memset(ret_plan, 0, sizeof *ret_plan);
    ret_plan->compact_possible =
        situation->compact_bytes != 0 && situation->compact_bytes < situation->full_bytes;

    enum store_outcome outcome = refusal(situation);
    if (outcome != STORE_PENDING) {
        finish(ret_plan, outcome);
        return;
    }

    if (!form_fits(situation, situation->full_bytes)) {
        if (!ret_plan->compact_possible || !form_fits(situation, situation->compact_bytes)) {
            finish(ret_plan, STORE_REFUSED_FULL);
            return;
        }
        ret_plan->compact = true;
    }

    /* SetVariable answers INVALID_PARAMETER where the attributes differ (D8). */
    bool other_attributes = situation->found != STORE_ABSENT &&
                            situation->found != STORE_UNREADABLE &&
                            situation->found_attributes != attributes_of(situation);
    ret_plan->attributes = attributes_of(situation);
    ret_plan->delete_attributes = situation->found_attributes;
    ret_plan->step = other_attributes ? STORE_STEP_DELETE : STORE_STEP_WRITE;
}

static void after_delete(struct store_plan *plan, uint64_t status)
{
    if (status == STORE_EFI_SUCCESS || status == STORE_EFI_NOT_FOUND) {
        plan->step = STORE_STEP_WRITE;
        return;
    }
    plan->status = status;
    finish(plan, STORE_FAILED);
}

static void after_write(struct store_plan *plan, uint64_t status)
{
    if (status == STORE_EFI_SUCCESS) {
        plan->step = STORE_STEP_READ_BACK;
        return;
    }
    plan->status = status;

    /* The same write can work the second time (D7): waited for once in a plan, never more. */
    if (status == STORE_EFI_INVALID_PARAMETER && !plan->waited) {
        plan->step = STORE_STEP_WAIT;
        return;
    }
    /* Both mean "too large" somewhere (D5). */
    bool too_large = status == STORE_EFI_INVALID_PARAMETER || status == STORE_EFI_OUT_OF_RESOURCES;
    if (too_large && plan->compact_possible && !plan->compact) {
        plan->compact = true;
        return;
    }
    finish(plan, STORE_FAILED);
}

void store_plan_next(struct store_plan *plan, uint64_t efi_status)
{
    switch (plan->step) {
    case STORE_STEP_DELETE:
        after_delete(plan, efi_status);
        return;
    case STORE_STEP_WRITE:
        after_write(plan, efi_status);
        return;
    case STORE_STEP_WAIT:
        plan->waited = true;
        plan->step = STORE_STEP_WRITE;
        return;
    case STORE_STEP_READ_BACK:
    case STORE_STEP_DONE:
        return;
    }
}

void store_plan_read_back(struct store_plan *plan, bool same)
{
    if (plan->step != STORE_STEP_READ_BACK)
        return;
    plan->status = STORE_EFI_SUCCESS;
    if (!same)
        finish(plan, STORE_READ_BACK_DIFFERS);
    else
        finish(plan, plan->compact ? STORE_STORED_COMPACT : STORE_STORED);
}
