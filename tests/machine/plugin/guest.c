/* SPDX-License-Identifier: BSD-2-Clause */
/* From a machine file to a guest: guest.h has the contract. */
#include "guest.h"
#include "../machine_file.h"
#include <stdio.h>
#include <string.h>

/* OVMF, the application and its arena fit into 256 MiB; q35 has a hole above 2 GiB. */
#define NODE_BYTES_MAX (512ull << 20)
#define NODE_BYTES_MIN (64ull << 20)
#define MEMORY_BYTES   (2ull << 30)

static uint64_t node_bytes(unsigned nodes)
{
    uint64_t bytes = NODE_BYTES_MAX;
    while (bytes * nodes > MEMORY_BYTES && bytes > NODE_BYTES_MIN)
        bytes /= 2;
    return bytes;
}

bool guest_load(struct guest *ret, const char *path, char *reason, size_t reason_size)
{
    struct desc_error error;
    struct value_error unfit;
    memset(ret, 0, sizeof *ret);
    ret->desc = desc_load(path, &error);
    if (!ret->desc) {
        if (error.line)
            snprintf(reason, reason_size, "%s:%lu: %s", path, error.line, error.text);
        else
            snprintf(reason, reason_size, "%s: %s", path, error.text);
        return false;
    }
    ret->file_line = ret->desc->line_bytes;
    ret->desc->line_bytes = GUEST_LINE;
    ret->desc->memory_bytes = node_bytes(ret->desc->node_count);
    if (ret->desc->memory_bytes * ret->desc->node_count > MEMORY_BYTES) {
        snprintf(reason, reason_size, "%s: a guest has no memory for %u nodes", path,
                 ret->desc->node_count);
    } else if (!machine_check(ret->desc, &unfit)) {
        snprintf(reason, reason_size, "%s: with lines of %u bytes: %s", path, GUEST_LINE,
                 unfit.text);
    } else if (!layout_find(ret->desc, &ret->layout, unfit.text, sizeof unfit.text)) {
        snprintf(reason, reason_size, "%s: %s", path, unfit.text);
    } else {
        return true;
    }
    guest_free(ret);
    return false;
}

void guest_free(struct guest *guest)
{
    desc_free(guest->desc);
    guest->desc = NULL;
}
