/* SPDX-License-Identifier: BSD-2-Clause */
/* NUMA nodes as Linux numbers them, which is not how ACPI does: memory is asked for by the same
 * numbers. */
#include "files.h"
#include "measure.h"
#include <stdio.h>
#include <string.h>

#define NODE_PATH "/sys/devices/system/node/"

/* A file of one node as text. */
static bool read_node(const char *root, unsigned node, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, NODE_PATH "node%u/%s", node, name);
    return file_read_text(root, path, text, size) == 0;
}

bool measure_distances(const char *text, unsigned count, uint8_t *ret)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t distance;
        while (*text == ' ')
            text++;
        if (!text_take_u32(&text, &distance) || distance < DISTANCE_LOCAL || distance > UINT8_MAX)
            return false;
        ret[i] = (uint8_t)distance;
    }
    while (*text == ' ' || *text == '\n')
        text++;
    return *text == '\0';
}

static bool place_cpus(const char *root, unsigned node, const struct measure_cpus *found,
                       struct cpu_info *cpus)
{
    char text[4096];
    struct cpu_set set;
    if (!read_node(root, node, "cpulist", text, sizeof text) || !cpu_list_parse(text, &set))
        return false;
    for (unsigned i = 0; i < found->allowed_count; i++)
        if (cpu_set_has(&set, found->number[i]))
            cpus[i].node = node;
    return true;
}

bool measure_nodes(const char *root, const struct measure_cpus *found, struct cpu_info *cpus,
                   struct numa *ret)
{
    char text[4096];
    struct cpu_set online;

    memset(ret, 0, sizeof *ret);
    if (file_read_text(root, NODE_PATH "online", text, sizeof text) != 0 ||
        !cpu_list_parse(text, &online) || cpu_set_count(&online) > MAX_NODES)
        return false;
    for (unsigned node = 0; node < CPU_NUMBERS; node++)
        if (cpu_set_has(&online, node))
            ret->node_id[ret->node_count++] = node;

    bool sound = ret->node_count > 0;
    for (unsigned i = 0; sound && i < ret->node_count; i++)
        sound = place_cpus(root, ret->node_id[i], found, cpus) &&
                read_node(root, ret->node_id[i], "distance", text, sizeof text) &&
                measure_distances(text, ret->node_count, ret->distance[i]);
    for (unsigned i = 0; !sound && i < found->allowed_count; i++)
        cpus[i].node = NODE_UNKNOWN;
    return sound;
}
