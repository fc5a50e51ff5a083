/* SPDX-License-Identifier: BSD-2-Clause */
/* Where record and breadcrumb are kept: in variables, or, with --store=esp, in a file on the volume
 * of our image that was made beforehand. */
#include "app.h"

#include "../lib/mem.h"
#include "files.h"

static const CHAR16 file_path[] = L"\\MigrationCost.bin";

static bool in_file(const struct app *app)
{
    return app->options.store == STORE_IN_ESP;
}

static void read_file(struct app *app)
{
    struct stored *stored = &app->stored;
    uint8_t *bytes = app->store_file;
    size_t length = 0;

    memset(stored, 0, sizeof(*stored));
    memset(bytes, 0, RECORD_FILE_BYTES);
    app->store_file_status =
        files_read(&app->efi, file_path, bytes, RECORD_FILE_BYTES, &length, &stored->status);
    if (app->store_file_status != FILE_OK) {
        stored->found = STORE_UNREADABLE;
        return;
    }
    switch (record_file_check(bytes, length)) {
    case RECORD_FILE_FOREIGN:
        if (length < RECORD_FILE_BYTES)
            app->store_file_status = FILE_TOO_SMALL;
        stored->error = RECORD_FOREIGN;
        stored->found = STORE_FOREIGN;
        return;
    case RECORD_FILE_BLANK:
        stored->found = STORE_ABSENT;
        return;
    case RECORD_FILE_OK:
        break;
    }
    const uint8_t *record = record_file_record(bytes, &stored->length);
    if (stored->length == 0) {
        stored->found = STORE_ABSENT;
        return;
    }
    memcpy(stored->bytes, record, stored->length);
    stored->error = record_decode(stored->bytes, stored->length, &stored->record);
    stored->found = store_classify(stored->error);
    stored->attributes = STORE_ATTRIBUTES;
}

/* Writes that part of the file in place; all of it where it was blank, or is to be overwritten. */
static EFI_STATUS write_part(struct app *app, size_t offset, size_t length)
{
    EFI_STATUS status = EFI_SUCCESS;
    uint8_t *bytes = app->store_file;

    if (record_file_check(bytes, RECORD_FILE_BYTES) != RECORD_FILE_OK) {
        uint8_t part[RECORD_FILE_RECORD_ROOM];
        memcpy(part, bytes + offset, length);
        record_file_format(bytes);
        memcpy(bytes + offset, part, length);
        offset = 0;
        length = RECORD_FILE_BYTES;
    }
    enum file_status written = files_patch(&app->efi, file_path, RECORD_FILE_BYTES, offset,
                                           bytes + offset, length, &status);
    if (written == FILE_OK)
        return EFI_SUCCESS;
    return EFI_ERROR(status) ? status : EFI_VOLUME_FULL;
}

static bool reads_back(struct app *app, const struct to_store *what)
{
    struct stored *stored = &app->stored;

    read_file(app);
    return stored->length == what->full_length &&
           memcmp(stored->bytes, what->full, what->full_length) == 0;
}

static enum store_outcome write_file(struct app *app, const struct to_store *what)
{
    enum store_found found = app->stored.found;

    if (what->no_store)
        return STORE_NOT_ASKED;
    if (app->store_file_status != FILE_OK) {
        app->plan.status = app->stored.status;
        return STORE_FAILED;
    }
    if (found == STORE_FOREIGN && !what->force)
        return STORE_REFUSED_FOREIGN;
    if (found == STORE_NEWER && !what->force)
        return STORE_REFUSED_NEWER;
    if (found == STORE_VALID && what->unchanged)
        return STORE_UNCHANGED;
    record_file_put(app->store_file, what->full, what->full_length);
    app->plan.status = write_part(app, RECORD_FILE_RECORD, RECORD_FILE_RECORD_ROOM);
    if (app->plan.status != STORE_EFI_SUCCESS)
        return STORE_FAILED;
    return reads_back(app, what) ? STORE_STORED : STORE_READ_BACK_DIFFERS;
}

void store_read(struct app *app)
{
    if (in_file(app))
        read_file(app);
    else
        variables_read(&app->efi, &app->stored);
}

void store_write(struct app *app, const struct to_store *what)
{
    if (in_file(app)) {
        app->plan = (struct store_plan){0};
        app->plan.outcome = write_file(app, what);
    } else {
        variables_store(&app->efi, &app->stored, what, &app->plan);
    }
}

EFI_STATUS store_delete(struct app *app)
{
    if (!in_file(app))
        return variables_delete(&app->efi, &app->stored);
    record_file_put(app->store_file, NULL, 0);
    return write_part(app, RECORD_FILE_RECORD, RECORD_FILE_RECORD_ROOM);
}

void store_crumb_read(struct app *app)
{
    struct crumb *crumb = &app->crumb;

    if (!in_file(app)) {
        crumb_read(&app->efi, crumb);
        return;
    }
    *crumb =
        (struct crumb){.status = app->store_file_status == FILE_OK ? EFI_SUCCESS : EFI_NOT_FOUND};
    crumb->valid =
        breadcrumb_decode(app->store_file + RECORD_FILE_CRUMB, BREADCRUMB_BYTES, &crumb->found);
}

bool store_crumb_leave(struct app *app, const struct breadcrumb *next)
{
    struct crumb *crumb = &app->crumb;

    if (!in_file(app))
        return crumb_leave(&app->efi, crumb, next);
    if (EFI_ERROR(crumb->status))
        return false;
    breadcrumb_encode(next, app->store_file + RECORD_FILE_CRUMB);
    crumb->status = write_part(app, RECORD_FILE_CRUMB, RECORD_FILE_CRUMB_ROOM);
    return !EFI_ERROR(crumb->status);
}

bool store_crumb_take(struct app *app)
{
    struct crumb *crumb = &app->crumb;

    if (!in_file(app))
        return crumb_take(&app->efi, crumb);
    memset(app->store_file + RECORD_FILE_CRUMB, 0, RECORD_FILE_CRUMB_ROOM);
    crumb->status = write_part(app, RECORD_FILE_CRUMB, RECORD_FILE_CRUMB_ROOM);
    return !EFI_ERROR(crumb->status);
}
