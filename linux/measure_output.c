/* SPDX-License-Identifier: BSD-2-Clause */
/* What `migcost measure` leaves behind: table or JSON on standard output, and the record in a file
 * where that is asked for. */
#include "../lib/report.h"
#include "measure.h"
#include "terminal.h"
#include <errno.h>
#include <string.h>

static void fill_machine(const struct measure *measure, const struct cpuid_features *features,
                         struct report_machine *ret)
{
    *ret = (struct report_machine){
        .vendor = features->vendor,
        .model = features->brand[0] ? features->brand : NULL,
        .firmware = measure->facts.firmware_known ? measure->facts.firmware : NULL,
        .cpu_signature = features->signature,
        .capacity_source = cpuid_cache_source(&measure->threads.own_cpuid),
    };
    for (unsigned level = 0; level < CACHE_LEVELS; level++)
        ret->capacity[level] = measure->cpus[0].cache_bytes[level];
    if (measure->options.options.capacity_count > 0)
        ret->capacity_source = "--capacity";
}

/* Numbers of nodes are Linux's, not ACPI's, so that there is no sum to compare with firmware's. */
static void fill_identity(const struct measure *measure, uint32_t signature,
                          struct record_identity *ret)
{
    *ret = (struct record_identity){
        .cpu_signature = signature,
        .apic_ids_crc = record_apic_ids_crc(measure->cpus, measure->cpu_count),
        .caches_crc = measure->caches_crc,
        .firmware_crc =
            measure->facts.firmware_known ? record_firmware_crc(measure->facts.firmware) : 0,
        .method = RECORD_METHOD,
    };
}

static enum status save(const char *path, const uint8_t *bytes, size_t length)
{
    struct message message = {""};
    FILE *file = fopen(path, "wbe");
    bool ok = file && fwrite(bytes, 1, length, file) == length;
    int error = errno;
    if (file && fclose(file) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (ok)
        return STATUS_OK;
    message_set(&message, "--save=%.200s: %s", path, strerror(error));
    say_error(&message);
    return STATUS_FAILED;
}

static void print_notes(const struct text_sink *sink, const struct measure *measure)
{
    text_print(sink, "pages       %s\n", pages_name(measure->back_end.memory.pages));
    text_print(sink, "disturbed   %u of %llu touches lost their CPU to others and do not count\n",
               measure->back_end.disturbed, (unsigned long long)measure->result.touches);
}

void measure_record(const struct measure *measure, struct record *ret)
{
    struct cpuid_features features;
    struct record_identity identity;

    cpuid_features(&measure->threads.own_cpuid, &features);
    fill_identity(measure, features.signature, &identity);
    record_from_result(&measure->result, &measure->recommendation, &identity, ret);
}

enum status measure_output(const struct measure *measure)
{
    const struct text_sink sink = stdout_sink();
    struct cpuid_features features;
    struct report_machine machine;
    struct record record;
    uint8_t bytes[RECORD_MAX_BYTES];
    size_t length = 0;

    cpuid_features(&measure->threads.own_cpuid, &features);
    fill_machine(measure, &features, &machine);
    measure_record(measure, &record);
    enum record_error error =
        record_encode(&record, &measure->result, bytes, sizeof bytes, &length);
    if (error != RECORD_OK)
        say_note("there is no record of this: %s", record_error_text(error));

    if (measure->options.json) {
        report_json(&sink, &measure->result, &measure->recommendation,
                    error == RECORD_OK ? &record : NULL, &machine);
    } else if (!measure->options.options.quiet) {
        report_table(&sink, &measure->result, &measure->recommendation, &machine,
                     terminal_columns());
        print_notes(&sink, measure);
    }
    if (!measure->options.save)
        return STATUS_OK;
    return error == RECORD_OK ? save(measure->options.save, bytes, length) : STATUS_FAILED;
}
