/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the decoder of the record. Bytes are decoded as they come, and once more with magic,
 * version, length and CRC made right, since no fuzzer guesses a CRC. Whatever is accepted must be
 * within every range, must give sane cells, and must encode to a record that says the same. */
#include "../../lib/record_file.h"
#include "../../lib/record_format.h"
#include "../../lib/store_policy.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cells(const struct record *record, const uint8_t *buffer)
{
    unsigned n = record->cpu_count, known = 0;
    /* Of a large machine a band will do: the form is the same everywhere. */
    unsigned rows = n > 64 ? 64 : n;
    for (unsigned s = 0; s < rows; s++)
        for (unsigned d = 0; d < n; d++) {
            int32_t ns = COST_UNKNOWN;
            bool exact = false;
            if (!record_cell(record, buffer, s, d, &ns, &exact))
                continue;
            known++;
            REQUIRE(s != d && ns != COST_UNKNOWN);
            REQUIRE(exact == (record->cells == CELLS_EXACT));
        }
    REQUIRE(record->cells != CELLS_NONE || known == 0);
    int32_t ns;
    bool exact;
    REQUIRE(!record_cell(record, buffer, 0, n, &ns, &exact));
    REQUIRE(!record_cell(record, buffer, n, 0, &ns, &exact));
}

static void check_ranges(const struct record *record)
{
    REQUIRE(record->decay_ns >= DECAY_MIN_NS && record->decay_ns <= DECAY_MAX_NS);
    REQUIRE(record->flags >> FLAG_COUNT == 0);
    REQUIRE(record->cpu_count >= 1 && record->cpu_count <= MAX_CPUS);
    REQUIRE(record->class_count <= RECORD_MAX_CLASSES);
    for (unsigned i = 0; i < record->class_count; i++) {
        REQUIRE(record->classes[i].level < LEVELS);
        REQUIRE(record->classes[i].decay_ns <= DECAY_MAX_NS);
        REQUIRE(record->evictions_known || !record->classes[i].evict_bytes);
        REQUIRE(!record->classes[i].evict_bytes == !record->classes[i].evict_ns);
    }
    for (unsigned i = 1; record->apic_ids_known && i < record->cpu_count; i++)
        REQUIRE(record->apic_ids[i] > record->apic_ids[i - 1]);
}

static void decode(const uint8_t *bytes, size_t size)
{
    static struct record record, again, back; /* too large for every caller's stack */
    enum record_error error = record_decode(bytes, size, &record);
    REQUIRE(record_error_text(error) != NULL);
    REQUIRE((store_classify(error) == STORE_VALID) == (error == RECORD_OK));
    if (error)
        return;
    REQUIRE(size <= RECORD_MAX_BYTES);
    check_ranges(&record);
    check_cells(&record, bytes);
    REQUIRE(record_unchanged(&record, &record, NULL));

    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    again = record;
    REQUIRE(record_encode(&again, NULL, buffer, sizeof buffer, &length) == RECORD_OK);
    REQUIRE(record_decode(buffer, length, &back) == RECORD_OK);
    REQUIRE(record_unchanged(&record, &back, NULL));
    /* No list, but its sum is that of the id 0 alone: then it is known after all. */
    if (!record.apic_ids_known && back.apic_ids_known) {
        REQUIRE(record.cpu_count == 1 && back.apic_ids[0] == 0);
        return;
    }
    REQUIRE(length <= size);
    REQUIRE(back.apic_ids_known == record.apic_ids_known);
    REQUIRE(memcmp(back.apic_ids, record.apic_ids, sizeof back.apic_ids) == 0);
    /* One way to write each thing: without cells the bytes are the same. */
    if (record.cells == CELLS_NONE)
        REQUIRE(length == size && memcmp(buffer, bytes, size) == 0);
}

/* What else lies in a store: the breadcrumb, and the file that holds both. */
static void decode_others(const uint8_t *data, size_t size)
{
    static uint8_t file[RECORD_FILE_BYTES];
    struct breadcrumb crumb;
    size_t length;

    if (breadcrumb_decode(data, size, &crumb))
        REQUIRE(crumb.count > 0 && crumb.stage < BREADCRUMB_STAGES);
    REQUIRE(record_file_check(data, size) == RECORD_FILE_FOREIGN || size == RECORD_FILE_BYTES);
    record_file_format(file);
    memcpy(file + RECORD_FILE_RECORD, data, size < RECORD_MAX_BYTES ? size : RECORD_MAX_BYTES);
    const uint8_t *record = record_file_record(file, &length);
    REQUIRE(length <= RECORD_MAX_BYTES);
    decode(record, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size);
    decode_others(data, size);
    if (size < HEAD_BYTES || size > RECORD_MAX_BYTES)
        return 0;

    uint8_t bytes[RECORD_MAX_BYTES];
    static struct record ids;
    memcpy(bytes, data, size);
    put32(bytes + HEAD_MAGIC, RECORD_MAGIC);
    put16(bytes + HEAD_VERSION,
          get16(bytes + HEAD_VERSION) == RECORD_VERSION ? RECORD_VERSION : RECORD_VERSION_OLD);
    put16(bytes + HEAD_TOTAL, (uint32_t)size);
    size_t runs_at = HEAD_BYTES + (size_t)bytes[HEAD_CLASS_COUNT] * CLASS_BYTES;
    unsigned runs = bytes[HEAD_RUN_COUNT], cpus = get16(bytes + HEAD_CPU_COUNT);
    if (runs && cpus <= MAX_CPUS && runs_at + (size_t)runs * RUN_BYTES <= size &&
        record_get_ids(bytes + runs_at, runs, cpus, ids.apic_ids))
        put32(bytes + HEAD_APIC_IDS_CRC, record_ids_crc(ids.apic_ids, cpus));
    put32(bytes + HEAD_CRC, record_buffer_crc(bytes, size));
    decode(bytes, size);
    return 0;
}
