/* SPDX-License-Identifier: BSD-2-Clause */
/* A record to bytes. */
#include "crc32.h"
#include "mem.h"
#include "record_format.h"

uint32_t record_buffer_crc(const uint8_t *buffer, size_t length)
{
    static const uint8_t zero[4];
    uint32_t crc = crc32_update(0, buffer, HEAD_CRC);
    crc = crc32_update(crc, zero, sizeof zero);
    return crc32_update(crc, buffer + HEAD_CRC + 4, length - HEAD_CRC - 4);
}

static void put_head(const struct record *record, unsigned run_count, size_t length, uint8_t *to)
{
    bool old = record->policy < POLICY_DECAY && !record->evictions_known;
    memset(to, 0, HEAD_BYTES);
    put32(to + HEAD_MAGIC, RECORD_MAGIC);
    put16(to + HEAD_VERSION, old ? RECORD_VERSION_OLD : RECORD_VERSION);
    put16(to + HEAD_BYTES_AT, HEAD_BYTES);
    put16(to + HEAD_TOTAL, (uint32_t)length);
    to[HEAD_CLASS_BYTES] = CLASS_BYTES;
    to[HEAD_RUN_COUNT] = (uint8_t)run_count;
    record_put_head(record, to);
}

/* The decay table, where there is one and it fits. Returns the bytes used. */
static size_t put_evictions(const struct record *record, uint8_t *to, size_t size)
{
    size_t used = (size_t)record->class_count * EVICT_BYTES;
    bool any = false;
    if (used > size)
        return 0;
    for (unsigned i = 0; i < record->class_count; i++, to += EVICT_BYTES) {
        put32(to + EVICT_AT_BYTES, record->classes[i].evict_bytes);
        put32(to + EVICT_AT_NS, record->classes[i].evict_ns);
        any |= record->classes[i].evict_bytes != 0;
    }
    return any ? used : 0;
}

enum record_error record_encode(struct record *record, const struct result *result, uint8_t *buffer,
                                size_t size, size_t *ret_length)
{
    record->cells = CELLS_NONE;
    record->bound_permille = 0;
    enum record_error error = record_check(record);
    if (error)
        return error;

    size = size > RECORD_MAX_BYTES ? RECORD_MAX_BYTES : size;
    size_t length = HEAD_BYTES + (size_t)record->class_count * CLASS_BYTES;
    if (length > size)
        return RECORD_NO_ROOM;
    for (unsigned i = 0; i < record->class_count; i++)
        record_put_class(&record->classes[i], buffer + HEAD_BYTES + (size_t)i * CLASS_BYTES);

    /* A list that its own sum contradicts would be refused by every reader. */
    size_t id_bytes = 0;
    if (record_ids_ok(record->apic_ids, record->cpu_count) &&
        record_ids_crc(record->apic_ids, record->cpu_count) == record->identity.apic_ids_crc)
        id_bytes =
            record_put_ids(record->apic_ids, record->cpu_count, buffer + length, size - length);
    length += id_bytes;
    record->apic_ids_known = id_bytes != 0;

    /* Cells are named by positions in the list of ids: without it they would say nothing. */
    uint16_t order[MAX_CPUS];
    if (result && record->apic_ids_known && result->cpu_count == record->cpu_count &&
        record_order(result->cpus, record->cpu_count, order))
        length += record_put_cells(record, result, order, buffer + length, size - length);

    size_t evictions = put_evictions(record, buffer + length, size - length);
    record->evictions_known = evictions != 0;
    length += evictions;

    put_head(record, (unsigned)(id_bytes / RUN_BYTES), length, buffer);
    put32(buffer + HEAD_CRC, record_buffer_crc(buffer, length));
    *ret_length = length;
    return RECORD_OK;
}
