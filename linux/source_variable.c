/* SPDX-License-Identifier: BSD-2-Clause */
/* The record out of efivarfs, and why there is none (D11, D12, D13, I11). */
#include "cmdline_words.h"
#include "source.h"
#include "variable_cache.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EFI_FOLDER      "/sys/firmware/efi"
#define EFIVARFS_FOLDER "/sys/firmware/efi/efivars"
#define READ_BYTES      (4096u + ATTRIBUTE_BYTES) /* in one read, whatever the variable holds */

struct runtime_words {
    bool off, on;
};

static bool runtime_word(void *ctx, const char *key, const char *value)
{
    struct runtime_words *words = ctx;
    if (strcmp(key, "noefi") == 0)
        words->off = true;
    if (strcmp(key, "efi") != 0 || !value)
        return true;
    words->off = words->off || strstr(value, "noruntime") != NULL;
    words->on = strcmp(value, "runtime") == 0 || strstr(value, ",runtime") != NULL ||
                strncmp(value, "runtime,", 8) == 0;
    return true;
}

/* Nobody says aloud that runtime services are off: PREEMPT_RT kernels switch them off unless told
 * otherwise, others on request. */
static bool runtime_off(const char *root)
{
    struct runtime_words words = {false, false};
    uint32_t realtime = 0;
    cmdline_words(root, runtime_word, &words);
    if (file_read_u32(root, "/sys/kernel/realtime", &realtime))
        realtime = 0;
    return words.off || (realtime == 1 && !words.on);
}

static enum status why_absent(const char *root, struct message *message)
{
    if (!file_exists(root, EFI_FOLDER)) {
        message_set(message, "this system was not started by EFI (or by kexec without it), so "
                             "there are no EFI variables");
        return STATUS_NOT_EFI;
    }
    if (file_mounted(root, "efivarfs", EFIVARFS_FOLDER)) {
        message_set(message, "no EFI variable MigrationCost: nothing was measured yet, or a "
                             "firmware update took it away");
        return STATUS_NO_RECORD;
    }
    if (runtime_off(root)) {
        message_set(message, "this kernel has EFI runtime services switched off, as PREEMPT_RT "
                             "kernels do: start it with efi=runtime, or let migcost.efi "
                             "hand the result over by --handoff=cmdline");
        return STATUS_RUNTIME_OFF;
    }
    message_set(message, "efivarfs is not mounted: mount -t efivarfs efivarfs " EFIVARFS_FOLDER
                         "; where that fails, start the kernel with efi=runtime");
    return STATUS_NOT_MOUNTED;
}

enum status source_variable(const char *root, struct source *ret, struct message *message)
{
    uint8_t bytes[READ_BYTES];
    size_t length = 0;
    int error = variable_read(root, VARIABLE_PATH, bytes, sizeof bytes, &length);
    if (error == ENOENT || error == ENOTDIR)
        return why_absent(root, message);
    if (error) {
        message_set(message, "%s: %s", VARIABLE_PATH, strerror(error));
        return STATUS_UNREADABLE;
    }
    if (length == 0) {
        message_set(message, "%s: empty: created and never written", VARIABLE_PATH);
        return STATUS_NO_RECORD;
    }

    memset(ret, 0, sizeof *ret);
    enum record_error bad = RECORD_TOO_SHORT;
    if (length > ATTRIBUTE_BYTES)
        bad = record_decode(bytes + ATTRIBUTE_BYTES, length - ATTRIBUTE_BYTES, &ret->record);
    if (bad) {
        message_set(message, "the EFI variable MigrationCost holds %s", record_error_text(bad));
        return STATUS_BAD_RECORD;
    }
    memcpy(ret->buffer, bytes + ATTRIBUTE_BYTES, length - ATTRIBUTE_BYTES);
    ret->kind = SOURCE_VARIABLE;
    snprintf(ret->name, sizeof ret->name, "EFI variable MigrationCost");
    ret->has_record = true;
    ret->decay_ns = ret->record.decay_ns;
    return STATUS_OK;
}
