/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the SMBIOS reader: an entry point (first byte 1; 2: with its sums made right), a string
 * (3), else a structure table. What comes out is printable and fits. */
#include "../../lib/smbios.h"
#include "../unit/exact.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_sum(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;
    bytes[at] = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[at] = (uint8_t)-sum;
}

static void mend_entry(uint8_t *entry, size_t size)
{
    if (size >= 31 && entry[3] == '_') {
        make_sum(entry + 16, 15, 5);
        make_sum(entry, entry[5] <= size && entry[5] > 4 ? entry[5] : 31, 4);
    } else if (size >= 24) {
        make_sum(entry, entry[6] <= size && entry[6] > 5 ? entry[6] : 24, 5);
    }
}

static void check_text(const char *text, size_t size, bool there)
{
    const size_t length = strlen(text);
    REQUIRE(length < size && there == (length > 0));
    REQUIRE(!there || text[length - 1] != ' ');
    for (size_t i = 0; i < length; i++)
        REQUIRE(text[i] >= 0x20 && text[i] < 0x7F);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[65];
    uint64_t address = 0;
    size_t length = 0;
    if (size == 0)
        return 0;
    uint8_t *copy = exact_copy(data + 1, --size);
    switch (data[0]) {
    case 2:
        mend_entry(copy, size);
        /* fall through */
    case 1:
        if (smbios_table(copy, size, &address, &length))
            REQUIRE(address != 0 && length > 0 && length <= SMBIOS_TABLE_MAX);
        break;
    case 3:
        check_text(text, sizeof text, smbios_text(copy, size, text, sizeof text));
        break;
    default:
        check_text(text, sizeof text, smbios_firmware_version(copy, size, text, sizeof text));
        break;
    }
    free(copy);
    return 0;
}
