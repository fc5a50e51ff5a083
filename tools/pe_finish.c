/* SPDX-License-Identifier: BSD-2-Clause */
/* The step after objcopy: turns the linker's relocations into those of PE, sets in the headers what
 * objcopy leaves out (DllCharacteristics, C2) and drops what they need not hold, cuts the zeros off
 * the end of .data, and makes the file depend on nothing but its contents (H12).
 * Usage: pe_finish FILE */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_ALIGN    512u  /* some firmware refuses signed images with any other (H4) */
#define SECTION_ALIGN 4096u /* linker.ld */

/* Microsoft PE format, "Optional Header": DLL characteristics that this image keeps to. */
#define DLL_HIGH_ENTROPY_VA 0x0020u /* runs above 4 GiB: all addresses are 64 bits wide */
#define DLL_DYNAMIC_BASE    0x0040u /* runs at any address: it has relocations */
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
    PE_IMAGE_BASE = PE_OPTIONAL + 24,
    PE_IMAGE_SIZE = PE_OPTIONAL + 56,
    PE_HEADERS_SIZE = PE_OPTIONAL + 60,
    PE_CHECKSUM = PE_OPTIONAL + 64,
    PE_DLL_CHARACTERISTICS = PE_OPTIONAL + 70,
    PE_DIRECTORY_COUNT = PE_OPTIONAL + 108,
    PE_DIRECTORIES = PE_OPTIONAL + 112, /* 8 bytes each */
    PE_RELOCATIONS_SIZE = PE_DIRECTORIES + 5 * 8 + 4,
};

/* Up to that of the relocations; the others are empty. Linux' own image has as many. */
#define DIRECTORIES 6u

/* Offsets in a section header of 40 bytes. */
enum {
    SECTION_VIRTUAL_SIZE = 8,
    SECTION_ADDRESS = 12,
    SECTION_RAW_SIZE = 16,
    SECTION_RAW = 20,
    SECTION_HEADER = 40,
};

/* Offsets in an Elf64_Rela, and its type that needs no symbol: image base + addend. */
enum { RELA_OFFSET = 0, RELA_TYPE = 8, RELA_ADDEND = 16, RELA_BYTES = 24 };
#define R_X86_64_RELATIVE 8u

/* Microsoft PE format, "The .reloc Section": a block for each page that has pointers, 8 bytes of
 * page and length, then 2 bytes for each pointer: type and offset in the page. */
#define RELOC_PAGE  4096u
#define RELOC_DIR64 (10u << 12)

static const char *path;
static uint8_t file[1u << 20];
static uint32_t file_size;
static uint8_t *pe;

static void fail(const char *why)
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

static uint64_t get64(const uint8_t *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
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

static void put64(uint8_t *p, uint64_t value)
{
    put32(p, (uint32_t)value);
    put32(p + 4, (uint32_t)(value >> 32));
}

static uint32_t round_up(uint32_t value, uint32_t to)
{
    return (value + to - 1) / to * to;
}

static uint8_t *section_table(void)
{
    return pe + PE_OPTIONAL + get16(pe + PE_OPTIONAL_SIZE);
}

/* The header of the section that is this many before the last, which must have that name. */
static uint8_t *section_from_end(uint32_t before, const char *name)
{
    uint32_t count = get16(pe + PE_SECTION_COUNT);

    if (before >= count)
        fail("too few sections");
    uint8_t *header = section_table() + (size_t)SECTION_HEADER * (count - 1 - before);
    if (header + SECTION_HEADER > file + file_size)
        fail("section table outside the file");
    if (strncmp((const char *)header, name, 8) != 0)
        fail("the last sections are not .data and .reloc");
    uint32_t raw = get32(header + SECTION_RAW);
    if (raw % FILE_ALIGN || raw > file_size || get32(header + SECTION_RAW_SIZE) > file_size - raw)
        fail("section outside the file");
    return header;
}

/* Where in the file the 8 bytes at that address of .data are. */
static uint8_t *pointer_in_data(const uint8_t *data, uint64_t address)
{
    uint64_t at = address - get32(data + SECTION_ADDRESS);

    if (address < get32(data + SECTION_ADDRESS) || at + 8 > get32(data + SECTION_RAW_SIZE))
        fail("a relocation outside .data: firmware may have made that page read-only (C2)");
    return file + get32(data + SECTION_RAW) + at;
}

static int by_address(const void *a, const void *b)
{
    uint64_t left = get64((const uint8_t *)a + RELA_OFFSET);
    uint64_t right = get64((const uint8_t *)b + RELA_OFFSET);

    return (left > right) - (left < right);
}

/* Writes the blocks for the ELF relocations at rela, and into .data what each pointer holds where
 * the image lies at its preferred base. Returns the length of the blocks. */
static uint32_t convert_relocations(uint8_t *blocks, uint8_t *rela, uint32_t rela_bytes,
                                    const uint8_t *data)
{
    uint64_t image_base = get64(pe + PE_IMAGE_BASE);
    uint8_t *block = NULL;
    uint32_t length = 0;

    if (!rela_bytes || rela_bytes % RELA_BYTES)
        fail(".reloc does not hold what the linker puts there");
    qsort(rela, rela_bytes / RELA_BYTES, RELA_BYTES, by_address);
    for (const uint8_t *end = rela + rela_bytes; rela < end; rela += RELA_BYTES) {
        uint64_t address = get64(rela + RELA_OFFSET);
        if (get32(rela + RELA_TYPE) != R_X86_64_RELATIVE)
            fail("a relocation that is not R_X86_64_RELATIVE (H2)");
        put64(pointer_in_data(data, address), image_base + get64(rela + RELA_ADDEND));

        if (!block || get32(block) != address / RELOC_PAGE * RELOC_PAGE) {
            length = round_up(length, 4); /* type 0 of the padding does nothing */
            block = blocks + length;
            put32(block, (uint32_t)(address / RELOC_PAGE * RELOC_PAGE));
            length += 8;
        }
        put16(blocks + length, RELOC_DIR64 | (uint32_t)(address % RELOC_PAGE));
        length += 2;
        put32(block + 4, round_up((uint32_t)(blocks + length - block), 4));
    }
    return round_up(length, 4);
}

/* Gives a section its new place and length in the file; returns where the next one begins. */
static uint32_t place_section(uint8_t *header, uint32_t raw, uint32_t raw_size)
{
    uint32_t initialized = get32(pe + PE_INITIALIZED_SIZE) - get32(header + SECTION_RAW_SIZE);

    memmove(file + raw, file + get32(header + SECTION_RAW), raw_size);
    put32(header + SECTION_RAW, raw);
    put32(header + SECTION_RAW_SIZE, raw_size);
    put32(pe + PE_INITIALIZED_SIZE, initialized + raw_size);
    return raw + raw_size;
}

/* .data and .reloc, the last two: the trailing zeros of .data need not be in the file, since the
 * loader clears what VirtualSize has beyond SizeOfRawData; .reloc gets PE's form. */
static void finish_last_sections(void)
{
    static uint8_t blocks[sizeof(file)];
    uint8_t *data = section_from_end(1, ".data"), *reloc = section_from_end(0, ".reloc");
    uint8_t *reloc_bytes = file + get32(reloc + SECTION_RAW);

    uint32_t rela_bytes = get32(reloc + SECTION_VIRTUAL_SIZE);
    if (rela_bytes > get32(reloc + SECTION_RAW_SIZE))
        fail(".reloc is not wholly in the file");
    uint32_t length = convert_relocations(blocks, reloc_bytes, rela_bytes, data);
    if (length > rela_bytes)
        fail("no room for the relocation blocks");
    memset(reloc_bytes, 0, get32(reloc + SECTION_RAW_SIZE));
    memcpy(reloc_bytes, blocks, length);

    const uint8_t *data_bytes = file + get32(data + SECTION_RAW);
    uint32_t used = get32(data + SECTION_RAW_SIZE);
    while (used && data_bytes[used - 1] == 0)
        used--; /* pointers are in it, so something is left */
    uint32_t next = place_section(data, get32(data + SECTION_RAW), round_up(used, FILE_ALIGN));
    file_size = place_section(reloc, next, round_up(length, FILE_ALIGN));

    put32(reloc + SECTION_VIRTUAL_SIZE, length); /* shim compares it with the directory (H3) */
    put32(pe + PE_RELOCATIONS_SIZE, length);
    put32(pe + PE_IMAGE_SIZE, round_up(get32(reloc + SECTION_ADDRESS) + length, SECTION_ALIGN));
}

/* Drops the empty directories at the end of the optional header: what is left of the headers fits
 * one file block less, by which all sections move up. */
static void shorten_headers(void)
{
    uint32_t count = get16(pe + PE_SECTION_COUNT), size = get32(pe + PE_HEADERS_SIZE);
    uint8_t *old_table = section_table(), *table = pe + PE_DIRECTORIES + 8 * DIRECTORIES;
    uint32_t table_size = SECTION_HEADER * count;
    uint32_t used = (uint32_t)(table - file) + table_size, shorter = round_up(used, FILE_ALIGN);

    if (table > old_table || shorter > size || size > file_size)
        fail("headers are not laid out as objcopy does");
    memmove(table, old_table, table_size);
    memset(table + table_size, 0, (size_t)(file + size - table - table_size));
    put16(pe + PE_OPTIONAL_SIZE, PE_DIRECTORIES - PE_OPTIONAL + 8 * DIRECTORIES);
    put32(pe + PE_DIRECTORY_COUNT, DIRECTORIES);
    put32(pe + PE_HEADERS_SIZE, shorter);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *raw = table + SECTION_HEADER * i + SECTION_RAW;
        put32(raw, get32(raw) - (size - shorter));
    }
    memmove(file + shorter, file + size, file_size - size);
    file_size -= size - shorter;
}

/* The PE checksum: 16-bit words added with carry, plus the length; its own field counts as zero. */
static uint32_t checksum(void)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < file_size; i += 2) {
        sum += get16(file + i);
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum + file_size;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: pe_finish FILE\n");
        return 2;
    }
    path = argv[1];
    FILE *f = fopen(path, "rb");
    if (!f)
        fail("cannot open");
    file_size = (uint32_t)fread(file, 1, sizeof(file), f);
    fclose(f);
    if (file_size == sizeof(file) || file_size < 512 || file_size % FILE_ALIGN)
        fail("not a whole number of file blocks below 1 MiB");

    uint32_t at = get32(file + 0x3C);
    if (get16(file) != 0x5A4D || at > file_size - 512 || memcmp(file + at, "PE\0\0", 4) != 0)
        fail("no PE image");
    pe = file + at;
    if (get16(pe + PE_OPTIONAL) != 0x20B)
        fail("no PE32+ image");

    finish_last_sections();
    shorten_headers();
    put32(pe + PE_TIMESTAMP, 0);
    put32(pe + PE_SYMBOL_TABLE, 0);
    put32(pe + PE_SYMBOL_COUNT, 0);
    put16(pe + PE_LINKER_VERSION, 0); /* binutils' version: no reason for two images to differ */
    put16(pe + PE_DLL_CHARACTERISTICS, DLL_HIGH_ENTROPY_VA | DLL_DYNAMIC_BASE | DLL_NX_COMPAT);
    put32(pe + PE_CHECKSUM, 0);
    put32(pe + PE_CHECKSUM, checksum());

    f = fopen(path, "wb");
    if (!f || fwrite(file, 1, file_size, f) != file_size || fclose(f) != 0)
        fail("cannot write");
    printf("%u\n", file_size);
    return 0;
}
