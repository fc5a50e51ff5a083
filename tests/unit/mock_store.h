/* SPDX-License-Identifier: BSD-2-Clause */
/* A variable store with edk2's rules, for tests: what counts against its limits, which status each
 * refusal has, and statuses put in by hand. One variable per mock: ours. */
#ifndef TESTS_MOCK_STORE_H
#define TESTS_MOCK_STORE_H

#include "../../lib/store_policy.h"
#include <assert.h>
#include <string.h>

#define MOCK_HEADER_BYTES 60u          /* edk2's AUTHENTICATED_VARIABLE_HEADER, the larger of two */
#define MOCK_NAME_BYTES   (14u * 2u)   /* u"MigrationCost" with its NUL */
#define MOCK_LIMIT_EDK2   0x400u       /* edk2's smallest default, header and name counted (D5) */
#define MOCK_STORE_BYTES  (64u * 1024) /* room in all */
#define MOCK_INJECT       8u

struct mock_store {
    uint32_t limit;       /* largest header + name + data */
    uint64_t total, used; /* of the whole store; used is by others and by old copies of ours */
    bool present;
    uint32_t attributes;
    size_t length;
    uint8_t data[4096];
    uint64_t inject[MOCK_INJECT]; /* answers of the next write calls; 0: as the rules say */
    unsigned writes, deletes;     /* calls, failed ones counted */
    bool tamper;                  /* flips a bit of what is written */
};

static inline struct mock_store mock_store_empty(void)
{
    return (struct mock_store){.limit = MOCK_LIMIT_EDK2, .total = MOCK_STORE_BYTES};
}

static inline uint64_t mock_store_remaining(const struct mock_store *store)
{
    return store->total - store->used;
}

static inline uint64_t mock_store_largest(const struct mock_store *store)
{
    return store->limit - MOCK_HEADER_BYTES;
}

/* SetVariable. Deleting leaves the space used, as edk2 does until it reclaims. */
static inline uint64_t mock_store_set(struct mock_store *store, uint32_t attributes,
                                      const void *data, size_t length)
{
    unsigned call = store->writes + store->deletes;
    if (length == 0 || attributes == 0)
        store->deletes++;
    else
        store->writes++;
    if (call < MOCK_INJECT && store->inject[call] != 0)
        return store->inject[call];

    if (length == 0 || attributes == 0) {
        if (!store->present)
            return STORE_EFI_NOT_FOUND;
        store->present = false;
        return STORE_EFI_SUCCESS;
    }
    size_t cost = MOCK_HEADER_BYTES + MOCK_NAME_BYTES + length;
    if (cost > store->limit)
        return STORE_EFI_INVALID_PARAMETER;
    if (store->present && store->attributes != attributes)
        return STORE_EFI_INVALID_PARAMETER;
    if (cost > mock_store_remaining(store))
        return STORE_EFI_OUT_OF_RESOURCES;
    assert(length <= sizeof store->data);

    store->used += cost;
    store->present = true;
    store->attributes = attributes;
    store->length = length;
    memcpy(store->data, data, length);
    if (store->tamper)
        store->data[length / 2] ^= 1;
    return STORE_EFI_SUCCESS;
}

/* Carries out a plan. Returns how many waits there were. */
static inline unsigned mock_store_follow(struct mock_store *store, struct store_plan *plan,
                                         const void *full, size_t full_bytes, const void *compact,
                                         size_t compact_bytes)
{
    unsigned waits = 0;
    for (unsigned step = 0; plan->step != STORE_STEP_DONE; step++) {
        const void *data = plan->compact ? compact : full;
        size_t length = plan->compact ? compact_bytes : full_bytes;
        assert(step < 16); /* every plan ends */
        switch (plan->step) {
        case STORE_STEP_DELETE:
            store_plan_next(plan, mock_store_set(store, plan->delete_attributes, NULL, 0));
            break;
        case STORE_STEP_WRITE:
            store_plan_next(plan, mock_store_set(store, STORE_ATTRIBUTES, data, length));
            break;
        case STORE_STEP_WAIT:
            waits++;
            store_plan_next(plan, STORE_EFI_SUCCESS);
            break;
        case STORE_STEP_READ_BACK:
            store_plan_read_back(plan, store->present && store->length == length &&
                                           memcmp(store->data, data, length) == 0);
            break;
        case STORE_STEP_DONE:
            break;
        }
    }
    return waits;
}

#endif
