/* SPDX-License-Identifier: BSD-2-Clause */
/* The step after objcopy: sets in the PE headers what objcopy leaves out (DllCharacteristics, C2),
 * cuts the zeros off the end of .data, and makes the file depend on nothing but its contents (H12).
 * Usage: pe_finish FILE */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_ALIGN 512u /* some firmware refuses signed images with any other (H4) */

/* Microsoft PE format, "Optional Header": DLL characteristics that this image keeps to. */
#define DLL_HIGH_ENTROPY_VA 0x0020u /* runs above 4 GiB: all addresses are 64 bits wide */
#define DLL_DYNAMIC_BASE    0x0040u /* runs at any address: efi/entry.c relocates */
#define DLL_NX_COMPAT       0x0100u /* runs no code from data, stack or pool (C2) */

/* Offsets from the PE signature. */
enum {
    PE_SECTION_COUNT = 6,
    PE_TIMESTAMP = 8,
    PE_SYMBOL_TABLE = 12,
    PE_SYMBOL_COUNT = 16,
    PE_OPTIONAL_SIZE = 20,
    PE_OPTIONAL = 24,
    PE_LINKER_VERSION = PE_OPTIONAL + 2,
    PE_INITIALIZED_SIZE = PE_OPTIONAL + 8,
    PE_CHECKSUM = PE_OPTIONAL + 64,
    PE_DLL_CHARACTERISTICS = PE_OPTIONAL + 70,
};

/* Offsets in a section header of 40 bytes. */
enum { SECTION_VIRTUAL_SIZE = 8, SECTION_RAW_SIZE = 16, SECTION_RAW = 20, SECTION_HEADER = 40 };

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "pe_finish: %s: %s\n", path, why);
    exit(1);
}

static uint32_t get16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static void put16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *p, uint32_t value)
{
    put16(p, value & 0xFFFF);
    put16(p + 2, value >> 16);
}

/* The last section's trailing zeros need not be in the file: the loader clears what VirtualSize has
 * beyond SizeOfRawData. Returns the new length of the file. */
static uint32_t trim_last_section(const char *path, const uint8_t *file, uint32_t size, uint8_t *pe)
{
    uint8_t *last = pe + PE_OPTIONAL + get16(pe + PE_OPTIONAL_SIZE);

    last += (size_t)SECTION_HEADER * (get16(pe + PE_SECTION_COUNT) - 1);
    if (last + SECTION_HEADER > file + size)
        fail(path, "section table outside the file");

    uint32_t start = get32(last + SECTION_RAW), raw = get32(last + SECTION_RAW_SIZE);
    if (start > size || raw > size - start || start + raw != size || start % FILE_ALIGN)
        fail(path, "last section does not end the file");
    while (raw && file[start + raw - 1] == 0)
        raw--;
    raw = (raw + FILE_ALIGN - 1) / FILE_ALIGN * FILE_ALIGN;
    if (!raw)
        raw = FILE_ALIGN; /* a section without contents has no place in the file */

    uint32_t saved = get32(last + SECTION_RAW_SIZE) - raw;
    put32(last + SECTION_RAW_SIZE, raw);
    put32(pe + PE_INITIALIZED_SIZE, get32(pe + PE_INITIALIZED_SIZE) - saved);
    return start + raw;
}

/* The PE checksum: 16-bit words added with carry, plus the length; its own field counts as zero. */
static uint32_t checksum(const uint8_t *file, uint32_t size)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < size; i += 2) {
        sum += get16(file + i);
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum + size;
}

int main(int argc, char **argv)
{
    static uint8_t file[1u << 20];

    if (argc != 2) {
        fprintf(stderr, "usage: pe_finish FILE\n");
        return 2;
    }
    FILE *f = fopen(argv[1], "r+b");
    if (!f)
        fail(argv[1], "cannot open");
    uint32_t size = (uint32_t)fread(file, 1, sizeof(file), f);
    if (size == sizeof(file) || size < 512 || size % FILE_ALIGN)
        fail(argv[1], "not a whole number of file blocks below 1 MiB");

    uint32_t at = get32(file + 0x3C);
    if (get16(file) != 0x5A4D || at > size - 256 || memcmp(file + at, "PE\0\0", 4) != 0)
        fail(argv[1], "no PE image");
    uint8_t *pe = file + at;
    if (get16(pe + PE_OPTIONAL) != 0x20B || !get16(pe + PE_SECTION_COUNT))
        fail(argv[1], "no PE32+ image with sections");

    size = trim_last_section(argv[1], file, size, pe);
    put32(pe + PE_TIMESTAMP, 0);
    put32(pe + PE_SYMBOL_TABLE, 0);
    put32(pe + PE_SYMBOL_COUNT, 0);
    put16(pe + PE_LINKER_VERSION, 0); /* binutils' version: no reason for two images to differ */
    put16(pe + PE_DLL_CHARACTERISTICS, DLL_HIGH_ENTROPY_VA | DLL_DYNAMIC_BASE | DLL_NX_COMPAT);
    put32(pe + PE_CHECKSUM, 0);
    put32(pe + PE_CHECKSUM, checksum(file, size));

    rewind(f);
    if (fwrite(file, 1, size, f) != size || fclose(f) != 0)
        fail(argv[1], "cannot write");
    printf("%u\n", size);
    return 0;
}
