/* SPDX-License-Identifier: BSD-2-Clause */
/* What every step of the run needs: memory that lasts as long as it, and a voice. */
#include "app.h"

void *app_allocate(struct app *app, size_t bytes)
{
    if (app->block_count == BLOCKS_MAX)
        return NULL;
    void *memory = efi_allocate(&app->efi, bytes);
    if (memory)
        app->blocks[app->block_count++] = (struct block){memory, bytes};
    return memory;
}

void app_release(struct app *app)
{
    while (app->block_count > 0) {
        struct block *block = &app->blocks[--app->block_count];
        efi_free(&app->efi, block->memory, block->bytes);
    }
    arena_close(&app->efi, &app->arena);
}

void app_tell(const struct app *app, const char *format, ...)
{
    const struct text_sink *sink = &app->console.sink;
    va_list args;

    text_print(sink, "migcost: ");
    va_start(args, format);
    text_vprint(sink, format, args);
    va_end(args);
    text_print(sink, "\n");
}
