/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix in a record: checked, and read cell by cell. */
#include "record_bits.h"
#include "record_format.h"

/* The bits of the last byte that no cell uses. */
static bool padding_is_zero(const uint8_t *bits, size_t count, unsigned width)
{
    size_t used = count * width % 8;
    return used == 0 || bits[count * width / 8] >> used == 0;
}

static bool check_exact(const uint8_t *from, size_t length, unsigned cpus)
{
    if (length < EXACT_BITS)
        return false;
    unsigned width = from[EXACT_WIDTH];
    size_t count = (size_t)cpus * (cpus - 1);
    const uint8_t *bits = from + EXACT_BITS;
    if (width == 0 || width > 32 || from[EXACT_WIDTH + 1] || from[EXACT_WIDTH + 2] ||
        from[EXACT_WIDTH + 3] || length - EXACT_BITS != bits_bytes(count, width) ||
        !padding_is_zero(bits, count, width))
        return false;

    uint32_t most = 0;
    bool base_used = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t code = bits_get(bits, i, width);
        most = code > most ? code : most;
        base_used = base_used || code == 1;
    }
    /* One way to write a matrix: base is its smallest cost, and no bit is wasted. */
    int64_t base = (int32_t)get32(from + EXACT_BASE);
    return base_used && bits_needed(most) == width && base != COST_UNKNOWN &&
           base + most - 1 <= INT32_MAX;
}

static bool check_pairs(const uint8_t *from, size_t length, unsigned cpus, unsigned classes)
{
    unsigned width = bits_needed(classes);
    size_t count = (size_t)cpus * (cpus - 1) / 2;
    if (length != bits_bytes(count, width) || !padding_is_zero(from, count, width))
        return false;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t code = bits_get(from, i, width);
        if (code > classes)
            return false;
        any = any || code;
    }
    return any;
}

/* Ids ascend, so every highest differing bit that any two ids have is that of two neighbours. */
static uint32_t differing_bits(const struct record *record)
{
    uint32_t bits = 0;
    for (unsigned i = 1; i < record->cpu_count; i++)
        bits |= 1u << (bits_needed(record->apic_ids[i] ^ record->apic_ids[i - 1]) - 1);
    return bits;
}

static bool check_tree(const struct record *record, const uint8_t *from, size_t length)
{
    if (length < TREE_CODES)
        return false;
    unsigned count = from[TREE_COUNT];
    if (count == 0 || count > TREE_MAX || length != TREE_CODES + count ||
        from[TREE_CODES + count - 1] == 0)
        return false;
    uint32_t bits = differing_bits(record);
    for (unsigned i = 0; i < count; i++) {
        uint8_t code = from[TREE_CODES + i];
        if (code > record->class_count || (code && !(bits >> i & 1)))
            return false;
    }
    return true;
}

bool record_check_cells(const struct record *record, const uint8_t *from, size_t length)
{
    switch (record->cells) {
    case CELLS_NONE:
        return length == 0;
    case CELLS_EXACT:
        return check_exact(from, length, record->cpu_count);
    case CELLS_CLASS:
        return record->class_count &&
               check_pairs(from, length, record->cpu_count, record->class_count);
    case CELLS_TREE:
        return check_tree(record, from, length);
    default:
        return false;
    }
}

/* Where the pair a < b stands in the upper triangle, row by row. */
static size_t pair_index(unsigned cpus, unsigned a, unsigned b)
{
    return (size_t)a * (2 * cpus - a - 1) / 2 + (b - a - 1);
}

static uint32_t class_code(const struct record *record, const uint8_t *cells, unsigned source,
                           unsigned target)
{
    if (record->cells == CELLS_TREE) {
        unsigned bit = bits_needed(record->apic_ids[source] ^ record->apic_ids[target]) - 1;
        return bit < cells[TREE_COUNT] ? cells[TREE_CODES + bit] : 0;
    }
    unsigned a = source < target ? source : target, b = source < target ? target : source;
    return bits_get(cells, pair_index(record->cpu_count, a, b), bits_needed(record->class_count));
}

bool record_cell(const struct record *record, const uint8_t *buffer, unsigned source,
                 unsigned target, int32_t *ret_ns, bool *ret_exact)
{
    if (source >= record->cpu_count || target >= record->cpu_count || source == target ||
        record->cells == CELLS_NONE)
        return false;
    const uint8_t *cells = buffer + HEAD_BYTES + (size_t)record->class_count * CLASS_BYTES +
                           (size_t)buffer[HEAD_RUN_COUNT] * RUN_BYTES;
    if (record->cells == CELLS_EXACT) {
        size_t index =
            (size_t)source * (record->cpu_count - 1u) + target - (target > source ? 1 : 0);
        uint32_t code = bits_get(cells + EXACT_BITS, index, cells[EXACT_WIDTH]);
        if (!code)
            return false;
        *ret_ns = (int32_t)((int64_t)(int32_t)get32(cells + EXACT_BASE) + code - 1);
        *ret_exact = true;
        return true;
    }
    uint32_t code = class_code(record, cells, source, target);
    if (!code)
        return false;
    *ret_ns = record->classes[code - 1].cost_ns;
    *ret_exact = false;
    return true;
}
