/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a record as the arguments say, for tests of what reads records:
 *     craft FILE [decay=NS] [flags=BITS] [signature=N] [firmware=TEXT] [microcode=N] [ids=A,B,...]
 * [hash] [class=LEVEL:DISTANCE:DECAY [range=LINEAR:CHASE] [evict=BYTES:NS] [marks=BITS]]...
 *                [attributes=N]
 * range, evict and marks (CLASS_...) are of the class before them. attributes: with those four
 * bytes before it, as efivarfs shows a variable. hash: the ids' sum alone. */
#include "../../lib/record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const char *argument, const char *key)
{
    size_t length = strlen(key);
    return strncmp(argument, key, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                          : NULL;
}

static void take_ids(struct record *record, const char *list)
{
    char *end;
    record->cpu_count = 0;
    do {
        record->apic_ids[record->cpu_count++] = (uint32_t)strtoul(list, &end, 0);
        list = end + 1;
    } while (*end == ',' && record->cpu_count < MAX_CPUS);
}

static void take_class(struct record *record, const char *text)
{
    unsigned level, distance, decay;
    if (sscanf(text, "%u:%u:%u", &level, &distance, &decay) != 3)
        exit(2);
    record->classes[record->class_count++] = (struct record_class){.level = (uint8_t)level,
                                                                   .distance = (uint8_t)distance,
                                                                   .pairs = 1,
                                                                   .working_set = 262144,
                                                                   .cost_ns = (int32_t)decay / 2,
                                                                   .spread_ns = decay / 100,
                                                                   .decay_ns = decay};
}

static struct record_class *last_class(struct record *record)
{
    if (record->class_count == 0)
        exit(2);
    return &record->classes[record->class_count - 1];
}

static void take_range(struct record *record, const char *text)
{
    struct record_class *class = last_class(record);
    if (sscanf(text, "%d:%d", &class->linear_ns, &class->chase_ns) != 2)
        exit(2);
}

static void take_eviction(struct record *record, const char *text)
{
    struct record_class *class = last_class(record);
    if (sscanf(text, "%u:%u", &class->evict_bytes, &class->evict_ns) != 2)
        exit(2);
}

int main(int argc, char **argv)
{
    struct record record = {.decay_ns = 123456,
                            .basis = BASIS_OUTERMOST,
                            .pattern = TOUCH_SCATTER,
                            .access = TOUCH_UPDATE,
                            .factor_percent = 200,
                            .started = 1700000000,
                            .duration_ms = 4321,
                            .tsc_khz = 2000000,
                            .identity = {.method = RECORD_METHOD}};
    bool hash = false;
    long attributes = -1;
    take_ids(&record, "0,1,2,3");
    for (int i = 2; i < argc; i++) {
        const char *value;
        if ((value = value_of(argv[i], "decay")))
            record.decay_ns = (uint32_t)strtoul(value, NULL, 0);
        else if ((value = value_of(argv[i], "flags")))
            record.flags = (uint32_t)strtoul(value, NULL, 0);
        else if ((value = value_of(argv[i], "signature")))
            record.identity.cpu_signature = (uint32_t)strtoul(value, NULL, 0);
        else if ((value = value_of(argv[i], "microcode")))
            record.identity.microcode = (uint32_t)strtoul(value, NULL, 0);
        else if ((value = value_of(argv[i], "firmware")))
            record.identity.firmware_crc = record_firmware_crc(value);
        else if ((value = value_of(argv[i], "ids")))
            take_ids(&record, value);
        else if ((value = value_of(argv[i], "class")))
            take_class(&record, value);
        else if ((value = value_of(argv[i], "range")))
            take_range(&record, value);
        else if ((value = value_of(argv[i], "evict")))
            take_eviction(&record, value);
        else if ((value = value_of(argv[i], "marks")))
            last_class(&record)->flags = (uint16_t)strtoul(value, NULL, 0);
        else if ((value = value_of(argv[i], "attributes")))
            attributes = strtol(value, NULL, 0);
        else if (strcmp(argv[i], "hash") == 0)
            hash = true;
        else
            return 2;
    }
    record.identity.apic_ids_crc = record_ids_crc(record.apic_ids, record.cpu_count);
    if (hash)
        memset(record.apic_ids, 0, sizeof record.apic_ids);

    uint8_t buffer[RECORD_MAX_BYTES], prefix[4] = {(uint8_t)attributes};
    size_t length = 0;
    enum record_error error = record_encode(&record, NULL, buffer, sizeof buffer, &length);
    if (argc < 2 || error) {
        fprintf(stderr, "craft: %s\n", record_error_text(error));
        return 2;
    }
    FILE *file = fopen(argv[1], "wb");
    if (!file)
        return 1;
    if (attributes >= 0)
        fwrite(prefix, 1, sizeof prefix, file);
    fwrite(buffer, 1, length, file);
    return fclose(file) ? 1 : 0;
}
