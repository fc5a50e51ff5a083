/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine of a file as a guest of QEMU can be it: its lines have 64 bytes, its memory is the
 * guest's, its CPUs are QEMU's. The plugin and what checks its run see the same one. */
#ifndef TESTS_MACHINE_PLUGIN_GUEST_H
#define TESTS_MACHINE_PLUGIN_GUEST_H

#include "../model.h"
#include "layout.h"

#define GUEST_LINE 64u

struct guest {
    struct desc *desc;    /* with 64-byte lines, and desc->memory_bytes a node of guest memory */
    struct layout layout; /* its CPUs in QEMU */
    uint32_t file_line;   /* what the file says */
};

/* False: reason says why. The guest's memory is that of all nodes, one behind the other from
 * address 0, without a hole: an address divided by 64 is a line of the model. */
bool guest_load(struct guest *ret, const char *path, char *reason, size_t reason_size);
void guest_free(struct guest *guest);

#endif
