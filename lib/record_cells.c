/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix in a record: written in the richest of three forms that fits. Codes are 0 for "no
 * cell"; what 1 and more mean depends on the form. */
#include "mem.h"
#include "record_bits.h"
#include "record_format.h"

/* A result seen by positions of ascending APIC ids. */
struct view {
    const struct result *result;
    const uint16_t *order;
    unsigned count;
    uint8_t map[MAX_CLASSES];
};

static int32_t view_cost(const struct view *view, unsigned source, unsigned target)
{
    return view->result
        ->cost_ns[result_cell(view->result, view->order[source], view->order[target])];
}

/* Code of an unordered pair: 1 + its class in the record; 0 where it has none, or where the two
 * directions disagree, or where neither was measured. */
static uint8_t view_code(const struct view *view, unsigned a, unsigned b)
{
    const struct result *result = view->result;
    uint8_t class = result->class_of[result_cell(result, view->order[a], view->order[b])];
    uint8_t back = result->class_of[result_cell(result, view->order[b], view->order[a])];
    if (class != back || class >= MAX_CLASSES || view->map[class] == CLASS_NONE)
        return 0;
    if (view_cost(view, a, b) == COST_UNKNOWN && view_cost(view, b, a) == COST_UNKNOWN)
        return 0;
    return (uint8_t)(view->map[class] + 1);
}

static size_t put_exact(const struct view *view, uint8_t *to, size_t size)
{
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (unsigned s = 0; s < view->count; s++)
        for (unsigned d = 0; d < view->count; d++) {
            int32_t cost = s == d ? COST_UNKNOWN : view_cost(view, s, d);
            if (cost == COST_UNKNOWN)
                continue;
            least = cost < least ? cost : least;
            most = cost > most ? cost : most;
        }
    if (most == INT32_MIN)
        return 0;

    /* At most 32 bits: COST_UNKNOWN, which is no cost, frees the code that 0 takes. */
    unsigned width = bits_needed((uint64_t)((int64_t)most - least) + 1);
    size_t used = EXACT_BITS + bits_bytes((size_t)view->count * (view->count - 1), width);
    if (used > size)
        return 0;
    memset(to, 0, used);
    put32(to + EXACT_BASE, (uint32_t)least);
    to[EXACT_WIDTH] = (uint8_t)width;
    size_t index = 0;
    for (unsigned s = 0; s < view->count; s++)
        for (unsigned d = 0; d < view->count; d++) {
            if (s == d)
                continue;
            int32_t cost = view_cost(view, s, d);
            uint32_t code = cost == COST_UNKNOWN ? 0 : (uint32_t)((int64_t)cost - least + 1);
            bits_put(to + EXACT_BITS, index++, width, code);
        }
    return used;
}

/* Class codes by the highest bit in which two APIC ids differ, where that alone decides. */
static size_t put_tree(const struct view *view, const uint32_t *ids, uint8_t *to, size_t size)
{
    uint8_t codes[TREE_MAX];
    bool seen[TREE_MAX] = {false};
    unsigned top = 0;
    memset(codes, 0, sizeof codes);
    for (unsigned a = 0; a < view->count; a++)
        for (unsigned b = a + 1; b < view->count; b++) {
            unsigned bit = bits_needed(ids[a] ^ ids[b]) - 1;
            uint8_t code = view_code(view, a, b);
            if (seen[bit] && codes[bit] != code)
                return 0;
            seen[bit] = true;
            codes[bit] = code;
            if (code && bit + 1 > top)
                top = bit + 1;
        }
    if (!top || TREE_CODES + top > size)
        return 0;
    to[TREE_COUNT] = (uint8_t)top;
    memcpy(to + TREE_CODES, codes, top);
    return TREE_CODES + top;
}

static size_t put_pairs(const struct view *view, unsigned class_count, uint8_t *to, size_t size)
{
    unsigned width = bits_needed(class_count);
    size_t used = bits_bytes((size_t)view->count * (view->count - 1) / 2, width);
    if (!used || used > size)
        return 0;
    memset(to, 0, used);
    size_t index = 0;
    bool any = false;
    for (unsigned a = 0; a < view->count; a++)
        for (unsigned b = a + 1; b < view->count; b++) {
            uint8_t code = view_code(view, a, b);
            any = any || code;
            bits_put(to, index++, width, code);
        }
    return any ? used : 0;
}

/* How far one cell is off its class, in permille of the class's cost, rounded up; 0 within the
 * class's spread. */
static uint32_t cell_off(const struct record_class *class, int32_t cost)
{
    int64_t off = (int64_t)cost - class->cost_ns;
    uint64_t size = (uint64_t)(off < 0 ? -off : off);
    if (size <= class->spread_ns)
        return 0;
    int64_t whole = class->cost_ns;
    whole = whole < 0 ? -whole : whole;
    if (!whole)
        return RECORD_NO_BOUND;
    uint64_t permille = (size * 1000 + (uint64_t)whole - 1) / (uint64_t)whole;
    return permille > RECORD_NO_BOUND ? RECORD_NO_BOUND : (uint32_t)permille;
}

static uint16_t class_bound(const struct record *record, const struct view *view)
{
    uint32_t bound = 0;
    for (unsigned s = 0; s < view->count; s++)
        for (unsigned d = 0; d < view->count; d++) {
            uint8_t code = s == d ? 0 : view_code(view, s, d);
            int32_t cost = code ? view_cost(view, s, d) : COST_UNKNOWN;
            if (cost == COST_UNKNOWN)
                continue;
            uint32_t off = cell_off(&record->classes[code - 1], cost);
            bound = off > bound ? off : bound;
        }
    return (uint16_t)bound;
}

size_t record_put_cells(struct record *record, const struct result *result, const uint16_t *order,
                        uint8_t *to, size_t size)
{
    struct view view = {.result = result, .order = order, .count = record->cpu_count};
    record_class_map(result, view.map);

    record->cells = CELLS_EXACT;
    size_t used = put_exact(&view, to, size);
    if (used)
        return used;

    record->cells = CELLS_TREE;
    used = put_tree(&view, record->apic_ids, to, size);
    if (!used) {
        record->cells = CELLS_CLASS;
        used = put_pairs(&view, record->class_count, to, size);
    }
    if (used)
        record->bound_permille = class_bound(record, &view);
    else
        record->cells = CELLS_NONE;
    return used;
}
