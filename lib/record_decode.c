/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes to a record: foreign until every one of them is accounted for (D17). */
#include "mem.h"
#include "record_bits.h"
#include "record_format.h"

const char *record_error_text(enum record_error error)
{
    switch (error) {
    case RECORD_OK:
        return "a valid record";
    case RECORD_TOO_SHORT:
        return "too short to be a record";
    case RECORD_FOREIGN:
        return "not a record of this program";
    case RECORD_NEWER:
        return "a record of a newer version";
    case RECORD_LENGTH:
        return "a record cut off or with something behind it";
    case RECORD_CORRUPT:
        return "a damaged record: its CRC-32 differs";
    case RECORD_BAD_FIELD:
        return "a record with a value out of range";
    case RECORD_NO_ROOM:
        return "a record too large for the room given";
    }
    return "an unknown error";
}

static bool decay_ok(uint32_t ns)
{
    return ns >= DECAY_MIN_NS && ns <= DECAY_MAX_NS;
}

static bool class_ok(const struct record_class *class)
{
    return class->level < LEVELS && class->distance >= DISTANCE_LOCAL &&
           class->kind_low <= class->kind_high && !(class->flags & ~CLASS_FLAGS_KNOWN) &&
           class->cost_ns != COST_UNKNOWN && class->linear_ns != COST_UNKNOWN &&
           class->chase_ns != COST_UNKNOWN && (!class->decay_ns || decay_ok(class->decay_ns)) &&
           !class->evict_bytes == !class->evict_ns;
}

enum record_error record_check(const struct record *record)
{
    if (record->flags >> FLAG_COUNT || !decay_ok(record->decay_ns))
        return RECORD_BAD_FIELD;
    if (record->policy >= POLICIES || record->basis >= BASES || record->pattern >= TOUCH_PATTERNS ||
        record->access >= TOUCH_ACCESSES)
        return RECORD_BAD_FIELD;
    if (record->factor_percent == 0 || record->factor_percent > FACTOR_MAX_PERCENT ||
        record->started > RECORD_STARTED_MAX || record->identity.method == 0)
        return RECORD_BAD_FIELD;
    if (record->cpu_count == 0 || record->cpu_count > MAX_CPUS ||
        record->class_count > RECORD_MAX_CLASSES || record->cells >= RECORD_CELLS)
        return RECORD_BAD_FIELD;

    uint64_t pairs = 0;
    for (unsigned i = 0; i < record->class_count; i++) {
        if (!class_ok(&record->classes[i]))
            return RECORD_BAD_FIELD;
        pairs += record->classes[i].pairs;
    }
    if (pairs > (uint64_t)record->cpu_count * (record->cpu_count - 1u) / 2)
        return RECORD_BAD_FIELD;

    bool class_coded = record->cells == CELLS_CLASS || record->cells == CELLS_TREE;
    return record->bound_permille && !class_coded ? RECORD_BAD_FIELD : RECORD_OK;
}

/* All that can be said before a field is believed. */
static enum record_error check_envelope(const uint8_t *buffer, size_t length)
{
    if (length < HEAD_FLAGS)
        return RECORD_TOO_SHORT;
    if (get32(buffer + HEAD_MAGIC) != RECORD_MAGIC)
        return RECORD_FOREIGN;
    if (get16(buffer + HEAD_TOTAL) != length)
        return RECORD_LENGTH;
    if (get32(buffer + HEAD_CRC) != record_buffer_crc(buffer, length))
        return RECORD_CORRUPT;
    if (get16(buffer + HEAD_VERSION) > RECORD_VERSION)
        return RECORD_NEWER;
    if (get16(buffer + HEAD_VERSION) == 0 || length < HEAD_BYTES || length > RECORD_MAX_BYTES ||
        get16(buffer + HEAD_BYTES_AT) != HEAD_BYTES || buffer[HEAD_CLASS_BYTES] != CLASS_BYTES)
        return RECORD_BAD_FIELD;
    return RECORD_OK;
}

/* Cells, and in version 2 the decay table behind them: how long cells are, they say themselves. */
static bool get_tail(const uint8_t *from, size_t length, unsigned version, struct record *ret)
{
    size_t table = (size_t)ret->class_count * EVICT_BYTES;
    if (version == RECORD_VERSION_OLD)
        return ret->policy < POLICY_DECAY && record_check_cells(ret, from, length);
    if (table == 0 || length < table || !record_check_cells(ret, from, length - table))
        return ret->policy == POLICY_DECAY && record_check_cells(ret, from, length);
    from += length - table;
    for (unsigned i = 0; i < ret->class_count; i++, from += EVICT_BYTES) {
        ret->classes[i].evict_bytes = get32(from + EVICT_AT_BYTES);
        ret->classes[i].evict_ns = get32(from + EVICT_AT_NS);
        ret->evictions_known |= ret->classes[i].evict_bytes != 0;
    }
    return ret->evictions_known && record_check(ret) == RECORD_OK;
}

enum record_error record_decode(const uint8_t *buffer, size_t length, struct record *ret)
{
    enum record_error error = check_envelope(buffer, length);
    if (error)
        return error;

    struct record record;
    memset(&record, 0, sizeof record);
    record_get_head(buffer, &record);
    size_t at = HEAD_BYTES;
    if (record.class_count > RECORD_MAX_CLASSES || length - at < record.class_count * CLASS_BYTES)
        return RECORD_BAD_FIELD;
    for (unsigned i = 0; i < record.class_count; i++, at += CLASS_BYTES)
        record_get_class(buffer + at, &record.classes[i]);
    error = record_check(&record);
    if (error)
        return error;

    unsigned runs = buffer[HEAD_RUN_COUNT];
    record.apic_ids_known = runs > 0;
    if (runs) {
        if (length - at < (size_t)runs * RUN_BYTES ||
            !record_get_ids(buffer + at, runs, record.cpu_count, record.apic_ids) ||
            record_ids_crc(record.apic_ids, record.cpu_count) != record.identity.apic_ids_crc)
            return RECORD_BAD_FIELD;
        at += (size_t)runs * RUN_BYTES;
    }
    if (record.cells != CELLS_NONE && !record.apic_ids_known)
        return RECORD_BAD_FIELD;
    if (!get_tail(buffer + at, length - at, get16(buffer + HEAD_VERSION), &record))
        return RECORD_BAD_FIELD;
    *ret = record;
    return RECORD_OK;
}
