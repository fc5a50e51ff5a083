/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the PE file that firmware will load, then breaks a copy of it in one place after the other
 * and sees that the check meant for that place notices. Usage: pe_lint FILE */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIZE_LIMIT (128u * 1024u) /* of the file: an aim of this project */
#define PAGE       4096u
#define BLOCK      512u
#define SECTIONS   16u

#define SECTION_EXECUTE 0x20000000u
#define SECTION_WRITE   0x80000000u

struct section {
    char name[9];
    uint32_t virtual_size, virtual_address, raw_size, raw, rights;
    size_t header; /* offset of the header in the file */
};

struct image {
    const uint8_t *file;
    size_t size;
    size_t pe, optional; /* offsets of the PE signature and of the optional header */
    unsigned count;
    struct section section[SECTIONS];
};

static uint32_t get16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static uint32_t round_up(uint32_t value, uint32_t to)
{
    return (value + to - 1) / to * to;
}

/* Fills *ret from a file; false if it is no PE32+ image whose headers can be read. */
static bool parse(struct image *ret, const uint8_t *file, size_t size)
{
    memset(ret, 0, sizeof(*ret));
    ret->file = file;
    ret->size = size;
    if (size < 512 || get16(file) != 0x5A4D)
        return false;
    ret->pe = get32(file + 0x3C);
    if (ret->pe > size - 512 || memcmp(file + ret->pe, "PE\0\0", 4) != 0)
        return false;
    ret->optional = ret->pe + 24;
    ret->count = get16(file + ret->pe + 6);

    size_t table = ret->optional + get16(file + ret->pe + 20);
    if (get16(file + ret->optional) != 0x20B || ret->count > SECTIONS ||
        table + ret->count * 40u > size)
        return false;
    for (unsigned i = 0; i < ret->count; i++) {
        struct section *s = &ret->section[i];
        s->header = table + i * 40u;
        const uint8_t *p = file + s->header;
        memcpy(s->name, p, 8);
        s->virtual_size = get32(p + 8);
        s->virtual_address = get32(p + 12);
        s->raw_size = get32(p + 16);
        s->raw = get32(p + 20);
        s->rights = get32(p + 36);
        if (s->raw > size || s->raw_size > size - s->raw)
            return false;
    }
    return true;
}

static const struct section *find(const struct image *image, const char *name)
{
    for (unsigned i = 0; i < image->count; i++)
        if (strcmp(image->section[i].name, name) == 0)
            return &image->section[i];
    return NULL;
}

static const struct section *find_address(const struct image *image, uint64_t address)
{
    for (unsigned i = 0; i < image->count; i++) {
        const struct section *s = &image->section[i];
        if (address >= s->virtual_address && address - s->virtual_address < s->virtual_size)
            return s;
    }
    return NULL;
}

static bool is_efi_application(const struct image *image)
{
    return get16(image->file + image->pe + 4) == 0x8664 &&
           get16(image->file + image->optional + 68) == 10;
}

static bool has_alignments(const struct image *image)
{
    return get32(image->file + image->optional + 32) == PAGE &&
           get32(image->file + image->optional + 36) == BLOCK;
}

static bool has_sections_without_gaps(const struct image *image)
{
    uint32_t headers = get32(image->file + image->optional + 60);
    uint32_t address = round_up(headers, PAGE), raw = headers;

    for (unsigned i = 0; i < image->count; i++) {
        const struct section *s = &image->section[i];
        if (!s->virtual_size || !s->raw_size || s->raw_size % BLOCK)
            return false;
        if (s->virtual_address != address || s->raw != raw)
            return false;
        address = round_up(address + s->virtual_size, PAGE);
        raw += s->raw_size;
    }
    return image->count && raw == image->size &&
           get32(image->file + image->optional + 56) == address;
}

static bool has_no_section_writable_and_executable(const struct image *image)
{
    for (unsigned i = 0; i < image->count; i++)
        if (image->section[i].rights & SECTION_WRITE && image->section[i].rights & SECTION_EXECUTE)
            return false;
    return true;
}

static bool has_rights_that_fit_each_section(const struct image *image)
{
    static const struct {
        const char *name;
        uint32_t rights;
    } expected[] = {
        {".text", SECTION_EXECUTE}, {".rodata", 0}, {".sbat", 0},
        {".data", SECTION_WRITE},   {".reloc", 0},
    };

    if (image->count != sizeof(expected) / sizeof(expected[0]))
        return false;
    for (unsigned i = 0; i < image->count; i++) {
        const struct section *s = find(image, expected[i].name);
        if (!s || (s->rights & (SECTION_WRITE | SECTION_EXECUTE)) != expected[i].rights)
            return false;
    }
    return true;
}

static bool has_entry_in_text(const struct image *image)
{
    const struct section *s = find_address(image, get32(image->file + image->optional + 16));

    return s && strcmp(s->name, ".text") == 0;
}

static bool has_valid_reloc(const struct image *image)
{
    const struct section *s = find(image, ".reloc");
    const uint8_t *directory = image->file + image->optional + 112 + 5 * 8;

    if (!s || get16(image->file + image->pe + 22) & 1) /* "relocations stripped" */
        return false;
    uint32_t size = get32(directory + 4), at = 0;
    if (get32(directory) != s->virtual_address || !size || size != s->virtual_size)
        return false;
    while (at < size) {
        if (size - at < 8)
            return false;
        uint32_t block = get32(image->file + s->raw + at + 4);
        if (block < 10 || block % 4 || block > size - at)
            return false;
        at += block;
    }
    return true;
}

/* True if .reloc is valid and each of its entries is good. */
static bool each_relocation(const struct image *image,
                            bool (*is_good)(const struct image *, uint32_t type, uint32_t address))
{
    if (!has_valid_reloc(image))
        return false;
    const struct section *s = find(image, ".reloc");
    const uint8_t *block = image->file + s->raw, *end = block + s->virtual_size;
    for (; block < end; block += get32(block + 4))
        for (uint32_t at = 8; at < get32(block + 4); at += 2) {
            uint32_t entry = get16(block + at);
            if (!is_good(image, entry >> 12, get32(block) + entry % PAGE))
                return false;
        }
    return true;
}

static bool is_64_bits_or_padding(const struct image *image, uint32_t type, uint32_t address)
{
    (void)image;
    return type == 10 || (type == 0 && address % PAGE == 0);
}

static bool has_relocations_of_64_bits(const struct image *image)
{
    return each_relocation(image, is_64_bits_or_padding);
}

/* The pointer that is relocated, if the file has it. */
static const uint8_t *pointer_at(const struct image *image, uint32_t address)
{
    const struct section *s = find_address(image, address);
    uint32_t at = s ? address - s->virtual_address : 0;

    return s && s->raw_size >= 8 && at <= s->raw_size - 8 ? image->file + s->raw + at : NULL;
}

static bool is_writable(const struct image *image, uint32_t type, uint32_t address)
{
    const struct section *s = find_address(image, address);

    return type == 0 || (s && s->rights & SECTION_WRITE && pointer_at(image, address));
}

static bool has_relocations_in_data_only(const struct image *image)
{
    return each_relocation(image, is_writable);
}

static bool points_into_image(const struct image *image, uint32_t type, uint32_t address)
{
    const uint8_t *pointer = pointer_at(image, address);

    return type == 0 || (pointer && !get32(pointer + 4) && find_address(image, get32(pointer)));
}

static bool has_pointers_into_image(const struct image *image)
{
    return each_relocation(image, points_into_image);
}

static bool has_dll_characteristics(const struct image *image)
{
    return get16(image->file + image->optional + 70) == 0x0160;
}

static bool has_sbat(const struct image *image)
{
    const struct section *s = find(image, ".sbat");

    if (!s || s->virtual_size != s->raw_size)
        return false;
    const char *text = (const char *)image->file + s->raw;
    const char *own = NULL;
    if (!memchr(text, 0, s->raw_size) || strncmp(text, "sbat,1,", 7) != 0)
        return false;
    own = strstr(text, "\nmigcost,");
    return own && own[9] >= '1' && own[9] <= '9' && text[strlen(text) - 1] == '\n';
}

static bool depends_on_contents_only(const struct image *image)
{
    const uint8_t *pe = image->file + image->pe;

    return !get32(pe + 8) && !get32(pe + 12) && !get32(pe + 16) &&
           !get16(image->file + image->optional + 2);
}

static bool has_right_checksum(const struct image *image)
{
    uint32_t sum = 0;
    size_t field = image->optional + 64;

    for (size_t i = 0; i + 1 < image->size; i += 2) {
        if (i != field && i != field + 2)
            sum += get16(image->file + i);
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return get32(image->file + field) == sum + (uint32_t)image->size;
}

static bool is_small(const struct image *image)
{
    return image->size <= SIZE_LIMIT;
}

/* Where a copy is broken: a field at an offset from one of these. */
enum from { FROM_PE, FROM_OPTIONAL, FROM_SECTION_HEADER, FROM_SECTION_DATA, APPEND };

static const struct check {
    const char *name;
    bool (*holds)(const struct image *image);
    /* The mutant of this check: count bytes of this value put there. */
    enum from from;
    const char *section;
    uint32_t offset, count;
    uint8_t value;
} checks[] = {
    {"application-for-x86-64 (F7)", is_efi_application, FROM_OPTIONAL, NULL, 68, 1, 11},
    {"file-alignment-512-section-alignment-4096 (H4)", has_alignments, FROM_OPTIONAL, NULL, 37, 1,
     16},
    {"sections-without-gaps (H4)", has_sections_without_gaps, FROM_SECTION_HEADER, ".sbat", 9, 1,
     17},
    {"no-section-writable-and-executable (C1)", has_no_section_writable_and_executable,
     FROM_SECTION_HEADER, ".text", 39, 1, 0xE0},
    {"rights-fit-each-section (C1)", has_rights_that_fit_each_section, FROM_SECTION_HEADER,
     ".rodata", 39, 1, 0xC0},
    {"entry-in-text", has_entry_in_text, FROM_OPTIONAL, NULL, 16, 4, 0},
    {"reloc-not-empty-and-valid (H3)", has_valid_reloc, FROM_SECTION_DATA, ".reloc", 4, 1, 0},
    {"relocations-of-64-bits (H2)", has_relocations_of_64_bits, FROM_SECTION_DATA, ".reloc", 9, 1,
     0x30},
    {"relocations-in-data-only (C2)", has_relocations_in_data_only, FROM_SECTION_DATA, ".reloc", 0,
     4, 0},
    {"relocated-pointers-into-image (H2)", has_pointers_into_image, FROM_SECTION_DATA, ".data", 0,
     64, 0xFF},
    {"nx-compat-dynamic-base (C2)", has_dll_characteristics, FROM_OPTIONAL, NULL, 71, 1, 0},
    {"sbat (H5)", has_sbat, FROM_SECTION_DATA, ".sbat", 0, 1, 'x'},
    {"no-time-no-symbols (H12)", depends_on_contents_only, FROM_PE, NULL, 8, 4, 1},
    {"checksum", has_right_checksum, FROM_SECTION_DATA, ".text", 0, 1, 0xF4},
    {"at-most-128-KiB", is_small, APPEND, NULL, 0, SIZE_LIMIT, 0},
};

/* Breaks a copy for this check. Returns its new size, 0 if there is no such place. */
static size_t break_copy(uint8_t *copy, const struct image *image, const struct check *check)
{
    size_t at = check->offset, size = image->size;
    const struct section *s = check->section ? find(image, check->section) : NULL;

    if (check->section && !s)
        return 0;
    if (check->from == FROM_PE)
        at += image->pe;
    else if (check->from == FROM_OPTIONAL)
        at += image->optional;
    else if (check->from == APPEND)
        at = size;
    else if (s)
        at += check->from == FROM_SECTION_HEADER ? s->header : s->raw;
    memset(copy + at, check->value, check->count);
    return check->from == APPEND ? size + check->count : size;
}

static bool mutant_is_noticed(const struct image *image, const struct check *check)
{
    static uint8_t copy[1u << 20];
    struct image broken;

    memcpy(copy, image->file, image->size);
    size_t size = break_copy(copy, image, check);
    return size && parse(&broken, copy, size) && !check->holds(&broken);
}

int main(int argc, char **argv)
{
    static uint8_t file[(1u << 20) - SIZE_LIMIT];
    struct image image;
    int status = 0;

    if (argc == 2 && strcmp(argv[1], "--limit") == 0) { /* for those who print it */
        printf("%u\n", SIZE_LIMIT);
        return 0;
    }
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!f) {
        printf("not ok pe: cannot open the file\n");
        return 2;
    }
    size_t size = fread(file, 1, sizeof(file), f);
    fclose(f);
    if (size == sizeof(file) || !parse(&image, file, size)) {
        printf("not ok pe: no PE32+ image whose headers can be read\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        bool holds = checks[i].holds(&image);
        bool noticed = mutant_is_noticed(&image, &checks[i]);
        printf("%s pe %s\n", holds ? "ok" : "not ok", checks[i].name);
        printf("%s pe mutant %s\n", noticed ? "ok" : "not ok", checks[i].name);
        if (!holds || !noticed)
            status = 1;
    }
    return status;
}
