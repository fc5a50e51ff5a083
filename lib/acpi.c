/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI: from the root pointer to a checked table. */
#include "acpi.h"
#include "acpi_private.h"
#include "mem.h"

#define RSDP_BYTES   20u /* of revision 0, and covered by the first checksum; 5.2.5.3 */
#define RSDP_2_BYTES 36u
#define RSDP_MAX     4096u

const char *acpi_status_text(enum acpi_status status)
{
    switch (status) {
    case ACPI_OK:
        return "good";
    case ACPI_ABSENT:
        return "absent";
    case ACPI_BAD_LENGTH:
        return "has an impossible length";
    case ACPI_BAD_SIGNATURE:
        return "has a wrong signature";
    case ACPI_BAD_CHECKSUM:
        return "has a wrong checksum";
    case ACPI_TRUNCATED:
        return "has a bad entry: read up to it";
    case ACPI_TOO_MANY:
        return "has more entries than can be kept";
    case ACPI_BAD_VALUE:
        return "has an impossible value";
    }
    return "?";
}

static bool sums_to_zero(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return sum == 0;
}

enum acpi_status acpi_check(const uint8_t *table, size_t available, const char *signature,
                            size_t least, size_t *ret_length)
{
    if (available < ACPI_HEADER)
        return ACPI_BAD_LENGTH;
    if (memcmp(table, signature, 4) != 0)
        return ACPI_BAD_SIGNATURE;
    const size_t length = get32(table + 4);
    if (length < ACPI_HEADER || length < least || length > available || length > ACPI_TABLE_MAX)
        return ACPI_BAD_LENGTH;
    if (!sums_to_zero(table, length))
        return ACPI_BAD_CHECKSUM;
    *ret_length = length;
    return ACPI_OK;
}

const uint8_t *acpi_entry_next(struct acpi_entries *entries)
{
    if (entries->left == 0)
        return NULL;
    const uint8_t *entry = entries->at;
    if (entries->left < 2 || entry[1] < 2 || entry[1] > entries->left) {
        entries->status = ACPI_TRUNCATED;
        return NULL;
    }
    entries->at += entry[1];
    entries->left -= entry[1];
    return entry;
}

bool acpi_entry_holds(struct acpi_entries *entries, const uint8_t *entry, size_t bytes)
{
    if (entry[1] >= bytes)
        return true;
    entries->status = ACPI_TRUNCATED;
    entries->left = 0;
    return false;
}

/* A table at an address: its header first, then as much as that says. */
static enum acpi_status read_table(const struct acpi_memory *memory, uint64_t address,
                                   const char *signature, const uint8_t **ret_table,
                                   size_t *ret_length)
{
    const uint8_t *table = address != 0 ? memory->read(memory->ctx, address, ACPI_HEADER) : NULL;
    if (table == NULL)
        return ACPI_ABSENT;
    if (memcmp(table, signature, 4) != 0)
        return ACPI_BAD_SIGNATURE;
    const size_t length = get32(table + 4);
    if (length < ACPI_HEADER || length > ACPI_TABLE_MAX)
        return ACPI_BAD_LENGTH;
    table = memory->read(memory->ctx, address, length);
    if (table == NULL)
        return ACPI_BAD_LENGTH;
    *ret_table = table;
    return acpi_check(table, length, signature, ACPI_HEADER, ret_length);
}

/* Looks through the addresses that a root table holds, `width` bytes each, at any alignment. */
static enum acpi_status search(const struct acpi_memory *memory, const uint8_t *root,
                               size_t root_length, size_t width, const char *signature,
                               const uint8_t **ret_table, size_t *ret_length)
{
    enum acpi_status found = ACPI_ABSENT;
    for (size_t at = ACPI_HEADER; at + width <= root_length; at += width) {
        const uint64_t address = width == 8 ? get64(root + at) : get32(root + at);
        enum acpi_status status = read_table(memory, address, signature, ret_table, ret_length);
        if (status == ACPI_OK)
            return ACPI_OK;
        if (found == ACPI_ABSENT && status != ACPI_BAD_SIGNATURE) /* another table */
            found = status;
    }
    return found;
}

enum acpi_status acpi_find(const struct acpi_memory *memory, uint64_t rsdp, const char *signature,
                           const uint8_t **ret_table, size_t *ret_length)
{
    const uint8_t *table = NULL;
    size_t length = 0;
    const uint8_t *root = rsdp != 0 ? memory->read(memory->ctx, rsdp, RSDP_BYTES) : NULL;
    if (root == NULL)
        return ACPI_ABSENT;
    if (memcmp(root, "RSD PTR ", 8) != 0)
        return ACPI_BAD_SIGNATURE;
    if (!sums_to_zero(root, RSDP_BYTES))
        return ACPI_BAD_CHECKSUM;

    const uint32_t rsdt = get32(root + 16);
    const uint8_t revision = root[15];
    enum acpi_status status = ACPI_ABSENT;
    if (revision >= 2) {
        root = memory->read(memory->ctx, rsdp, RSDP_2_BYTES);
        length = root != NULL ? get32(root + 20) : 0;
        if (length < RSDP_2_BYTES || length > RSDP_MAX)
            return ACPI_BAD_LENGTH;
        root = memory->read(memory->ctx, rsdp, length);
        if (root == NULL)
            return ACPI_BAD_LENGTH;
        if (!sums_to_zero(root, length))
            return ACPI_BAD_CHECKSUM;
        status = read_table(memory, get64(root + 24), "XSDT", &table, &length);
    }
    size_t width = 8;
    if (status != ACPI_OK && rsdt != 0) {
        status = read_table(memory, rsdt, "RSDT", &table, &length);
        width = 4;
    }
    if (status != ACPI_OK)
        return status;
    const uint8_t *found = NULL;
    size_t found_length = 0;
    status = search(memory, table, length, width, signature, &found, &found_length);
    if (status == ACPI_OK) {
        *ret_table = found;
        *ret_length = found_length;
    }
    return status;
}
