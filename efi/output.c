/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run leaves behind: the table on the console, the record in its variable, the report file.
 */
#include "app.h"

#include "../lib/mem.h"
#include "files.h"
#include "firmware_version.h"

static void fill_report_machine(struct app *app)
{
    const struct cpu_info *own = &app->cpus[app->own_cpu];
    struct report_machine *machine = &app->report_machine;

    *machine = (struct report_machine){
        .vendor = app->facts.features.vendor,
        .model = app->facts.features.brand[0] ? app->facts.features.brand : NULL,
        .firmware = app->facts.firmware[0] ? app->facts.firmware : NULL,
        .cpu_signature = app->facts.signature,
        .madt_cpus = app->facts.acpi.madt_cpus,
        .mp_cpus = app->has_mp && !app->by_sipi ? app->mp.enabled : 0,
        .capacity_source = cpuid_cache_source(&app->facts.cpuid),
    };
    for (unsigned level = 0; level < CACHE_LEVELS; level++)
        machine->capacity[level] = own->cache_bytes[level];
    if (app->options.capacity_count > 0)
        machine->capacity_source = "--capacity";
}

static void print_2004(struct app *app)
{
    struct report_2004 data;
    size_t bytes = (size_t)app->cpu_count * app->cpu_count * sizeof(uint64_t);
    uint64_t *scratch = efi_allocate(&app->efi, bytes);

    if (!scratch) {
        app_tell(app, "no memory to print the matrix");
        return;
    }
    report_2004_from_result(&app->result, &app->recommendation, &app->report_machine, scratch,
                            &data);
    data.units_2004 = app->options.format == FORMAT_2004_UNITS;
    report_2004(&app->console.sink, &data);
    efi_free(&app->efi, scratch, bytes);
}

void output_result(struct app *app)
{
    fill_report_machine(app);
    if (app->options.format == FORMAT_TABLE)
        report_table(&app->console.sink, &app->result, &app->recommendation, &app->report_machine,
                     app->console.columns);
    else
        print_2004(app);
}

static enum outcome outcome_of_store(const struct store_plan *plan)
{
    switch (plan->outcome) {
    case STORE_STORED:
        return OUTCOME_STORED;
    case STORE_STORED_COMPACT:
        return OUTCOME_STORED_COMPACT;
    case STORE_UNCHANGED:
        return OUTCOME_UNCHANGED;
    case STORE_NOT_ASKED:
        return OUTCOME_NOT_ASKED;
    case STORE_REFUSED_FOREIGN:
        return OUTCOME_FOREIGN;
    case STORE_REFUSED_NEWER:
        return OUTCOME_NEWER;
    case STORE_REFUSED_UNSAFE:
        return OUTCOME_UNSAFE;
    case STORE_READ_BACK_DIFFERS:
        return OUTCOME_READ_BACK;
    case STORE_REFUSED_FULL:
        return OUTCOME_STORE_FULL;
    default:
        return OUTCOME_NOT_STORED;
    }
}

/* Both forms of the record; the compact one first, so that app->record tells of the full one. */
static enum record_error encode(struct app *app)
{
    struct record_identity identity;

    measure_identity(app, &identity);
    record_from_result(&app->result, &app->recommendation, &identity, &app->record);
    if (record_encode(&app->record, NULL, app->compact_bytes, sizeof(app->compact_bytes),
                      &app->compact_length) != RECORD_OK)
        app->compact_length = 0;
    return record_encode(&app->record, &app->result, app->record_bytes, sizeof(app->record_bytes),
                         &app->record_length);
}

enum outcome output_store(struct app *app)
{
    const struct text_sink *sink = &app->console.sink;
    const char *reason = NULL;

    enum record_error error = encode(app);
    if (error != RECORD_OK) {
        text_print(sink, "record: not stored: %s\n", record_error_text(error));
        return OUTCOME_NOT_STORED;
    }
    if (app->backend.stopped) {
        text_print(sink, "record: not stored: the run was stopped\n");
        return OUTCOME_STOPPED;
    }
    store_read(app);
    bool unchanged = app->stored.found == STORE_VALID &&
                     record_unchanged(&app->stored.record, &app->record, &reason);
    struct to_store what = {
        .full = app->record_bytes,
        .full_length = app->record_length,
        .compact = app->compact_bytes,
        .compact_length = app->compact_length,
        .unchanged = unchanged,
        .no_store = app->options.no_store,
        .force = app->options.force,
        .is_volatile = app->options.store == STORE_IN_MEMORY,
    };
    store_write(app, &what);

    bool no_file = app->options.store == STORE_IN_ESP && app->store_file_status != FILE_OK;
    if (no_file)
        app_tell(app, "MigrationCost.bin: %s", file_status_text(app->store_file_status));
    text_print(sink, "record: %s", store_outcome_text(app->plan.outcome));
    if (app->plan.outcome == STORE_STORED)
        text_print(sink, ", %u bytes", (unsigned)app->record_length);
    if (app->plan.outcome == STORE_STORED_COMPACT)
        text_print(sink, ", %u bytes", (unsigned)app->compact_length);
    if (app->plan.outcome == STORE_STORED && reason)
        text_print(sink, "; new: %s", reason);
    if (app->plan.status != STORE_EFI_SUCCESS)
        text_print(sink, " (%s)", efi_status_text(app->plan.status));
    text_print(sink, "\n");
    if (no_file)
        return OUTCOME_NO_FILE;
    return outcome_of_store(&app->plan);
}

/* A sink that fills memory, and counts what does not fit. */
struct memory_text {
    char *text;
    size_t room, length;
};

static void memory_write(void *ctx, const char *text, size_t length)
{
    struct memory_text *memory = ctx;
    if (memory->length + length <= memory->room)
        memcpy(memory->text + memory->length, text, length);
    memory->length += length;
}

static void write_json(struct app *app, struct memory_text *memory)
{
    struct text_sink sink = {memory_write, memory};
    memory->length = 0;
    report_json(&sink, &app->result, &app->recommendation, &app->record, &app->report_machine);
}

enum outcome output_report(struct app *app)
{
    struct memory_text memory = {NULL, 0, 0};
    uint64_t room = 0;
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;
    enum file_status written = FILE_FAILED;

    write_json(app, &memory); /* first to learn its length */
    memory.room = memory.length;
    memory.text = efi_allocate(&app->efi, memory.room);
    if (memory.text) {
        write_json(app, &memory);
        written = files_write(&app->efi, L"\\report.json", memory.text, memory.room,
                              app->options.usb, &room, &status);
    }
    text_print(&app->console.sink, "report: report.json: %s", file_status_text(written));
    if (written == FILE_OK || written == FILE_TOO_SMALL)
        text_print(&app->console.sink, ", %zu bytes", memory.room);
    if (written == FILE_TOO_SMALL)
        text_print(&app->console.sink, " do not fit into %llu", (unsigned long long)room);
    if (written == FILE_FAILED)
        text_print(&app->console.sink, " (%s)", efi_status_text(status));
    text_print(&app->console.sink, "\n");
    efi_free(&app->efi, memory.text, memory.room);
    return written == FILE_OK ? OUTCOME_STORED : OUTCOME_REPORT_FAILED;
}

enum outcome output_show(struct app *app)
{
    const struct text_sink *sink = &app->console.sink;
    struct stored *stored = &app->stored;

    store_read(app);
    switch (stored->found) {
    case STORE_VALID:
        report_record(sink, &stored->record, stored->bytes, app->console.columns);
        return OUTCOME_SHOWN;
    case STORE_ABSENT:
        app_tell(app, "there is no record");
        return OUTCOME_NO_RECORD;
    case STORE_CORRUPT:
    case STORE_NEWER:
        app_tell(app, "the record cannot be shown: %s", record_error_text(stored->error));
        return OUTCOME_BAD_RECORD;
    case STORE_FOREIGN:
        app_tell(app, "the variable MigrationCost is not ours: %s",
                 record_error_text(stored->error));
        return OUTCOME_FOREIGN;
    case STORE_UNREADABLE:
        break;
    }
    app_tell(app, "the record cannot be read: %s", efi_status_text(stored->status));
    return OUTCOME_BAD_RECORD;
}

enum outcome output_delete(struct app *app)
{
    const struct text_sink *sink = &app->console.sink;
    struct stored *stored = &app->stored;

    store_read(app);
    if (stored->found == STORE_ABSENT) {
        app_tell(app, "there is no record");
        return OUTCOME_NO_RECORD;
    }
    if (!store_may_delete(stored->found, app->options.force)) {
        app_tell(app, "the variable MigrationCost is not ours: --force deletes it");
        return OUTCOME_FOREIGN;
    }
    if (app->options.store != STORE_IN_ESP && firmware_nvram_unsafe(&app->efi)) {
        return OUTCOME_UNSAFE;
    }
    EFI_STATUS status = store_delete(app);
    if (EFI_ERROR(status)) {
        app_tell(app, "the record was not deleted: %s", efi_status_text(status));
        return OUTCOME_NOT_STORED;
    }
    text_print(sink, "the record is deleted\n");
    return OUTCOME_DELETED;
}
