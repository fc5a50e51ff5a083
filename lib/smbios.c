/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS: entry points, structure walk, the firmware's version. */
#include "smbios.h"
#include "little_endian.h"
#include "mem.h"

/* 5.2.1: length at 5, table length at 22, its address at 24; a second anchor and sum from 16 on. */
#define ENTRY_32        31u
#define ENTRY_32_WRONG  30u /* what the specification 2.1 said, and firmware followed */
#define INTERMEDIATE_AT 16u
#define INTERMEDIATE    15u
/* 5.2.2: length at 6, largest table length at 12, its address at 16. */
#define ENTRY_64        24u

#define STRUCTURE_HEADER    4u /* type, length, handle; 6.1.2 */
#define TYPE_FIRMWARE       0u
#define TYPE_END            127u
#define FIRMWARE_VERSION_AT 5u /* number of its string; 7.1 */

static bool sums_to_zero(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return sum == 0;
}

bool smbios_table(const uint8_t *entry, size_t available, uint64_t *ret_address, size_t *ret_length)
{
    uint64_t address = 0;
    size_t length = 0;
    if (available >= ENTRY_64 && memcmp(entry, "_SM3_", 5) == 0) {
        if (entry[6] < ENTRY_64 || entry[6] > available || !sums_to_zero(entry, entry[6]))
            return false;
        length = get32(entry + 12);
        address = get64(entry + 16);
    } else if (available >= ENTRY_32 && memcmp(entry, "_SM_", 4) == 0) {
        const size_t own = entry[5];
        if (own < ENTRY_32_WRONG || own > available || !sums_to_zero(entry, own) ||
            memcmp(entry + INTERMEDIATE_AT, "_DMI_", 5) != 0 ||
            !sums_to_zero(entry + INTERMEDIATE_AT, INTERMEDIATE))
            return false;
        length = get16(entry + 22);
        address = get32(entry + 24);
    }
    if (address == 0 || length == 0)
        return false;
    *ret_address = address;
    *ret_length = length < SMBIOS_TABLE_MAX ? length : SMBIOS_TABLE_MAX;
    return true;
}

bool smbios_text(const uint8_t *string, size_t length, char *text, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return false;
    for (size_t i = 0; i < length && used + 1 < size; i++) {
        if (string[i] == '\0' || string[i] == '\n' || string[i] == '\r')
            break;
        text[used++] = string[i] >= 0x20 && string[i] < 0x7F ? (char)string[i] : '?';
    }
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
    return used > 0;
}

/* The string with that number, 1 the first, of a structure whose strings lie from `at` to `end`,
 * where a NUL is. False if it has no such string. */
static bool find_string(const uint8_t *table, size_t at, size_t end, unsigned number,
                        size_t *ret_start, size_t *ret_length)
{
    if (number == 0)
        return false;
    for (unsigned i = 1; at < end; i++) {
        size_t length = 0;
        while (table[at + length] != 0)
            length++;
        if (i == number) {
            *ret_start = at;
            *ret_length = length;
            return true;
        }
        at += length + 1;
    }
    return false;
}

bool smbios_firmware_version(const uint8_t *table, size_t length, char *text, size_t size)
{
    if (size > 0)
        text[0] = '\0';
    for (size_t at = 0; length - at >= STRUCTURE_HEADER;) {
        const uint8_t type = table[at], formatted = table[at + 1];
        if (formatted < STRUCTURE_HEADER || formatted > length - at || type == TYPE_END)
            return false;
        const size_t strings = at + formatted;
        size_t end = strings; /* of the last string: the first of two NULs */
        while (length - end >= 2 && (table[end] != 0 || table[end + 1] != 0))
            end++;
        if (length - end < 2)
            return false;
        if (type == TYPE_FIRMWARE) {
            size_t start, string_length;
            return formatted > FIRMWARE_VERSION_AT &&
                   find_string(table, strings, end, table[at + FIRMWARE_VERSION_AT], &start,
                               &string_length) &&
                   smbios_text(table + start, string_length, text, size);
        }
        at = end + 2;
    }
    return false;
}
