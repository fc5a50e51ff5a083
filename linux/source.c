/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which places are looked at. */
#include "source.h"
#include <string.h>

/* Where a copy of the variable's content may have been put by hand, for kernels that cannot read
 * variables: the usual mount points of the EFI system partition. */
static const char *const copies[] = {"/boot/efi/MigrationCost.bin", "/efi/MigrationCost.bin",
                                     "/boot/MigrationCost.bin"};

/* What the variable adds to a number from the command line. */
static void add_record(const char *root, struct source *source)
{
    struct source variable;
    struct message ignored = {""};
    if (source_variable(root, &variable, &ignored) != STATUS_OK)
        return;
    if (variable.decay_ns != source->decay_ns) {
        say_note("the EFI variable holds another result (%u ns)", (unsigned)variable.decay_ns);
        return;
    }
    source->has_record = true;
    source->record = variable.record;
    memcpy(source->buffer, variable.buffer, sizeof source->buffer);
}

/* A copy is the last resort where there is no variable to be had, not where there is a bad one. */
static bool look_further(enum status status)
{
    return status == STATUS_NOT_EFI || status == STATUS_RUNTIME_OFF ||
           status == STATUS_NOT_MOUNTED || status == STATUS_NO_RECORD;
}

enum status source_find(const char *root, const char *file, struct source *ret,
                        struct message *message)
{
    if (file)
        return source_file("", file, ret, message);

    enum status status = source_cmdline(root, ret, message);
    if (status == STATUS_OK)
        add_record(root, ret);
    if (status != STATUS_NO_RECORD)
        return status;

    status = source_variable(root, ret, message);
    if (!look_further(status))
        return status;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (file_exists(root, copies[i]))
            return source_file(root, copies[i], ret, message);
    return status;
}
