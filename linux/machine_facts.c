/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/cpuinfo, which lists the CPUs that are online, and DMI. */
#define _GNU_SOURCE
#include "machine_facts.h"
#include "files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "key<tabs>: value" with exactly this key. NULL: another one. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    line += length;
    line += strspn(line, "\t ");
    return *line == ':' ? line + 1 + strspn(line + 1, " ") : NULL;
}

static bool take_number(const char *line, const char *key, uint32_t *ret)
{
    const char *value = value_of(line, key);
    return value && text_to_u32(value, ret);
}

/* "0x2b000461", as the microcode's revision is written. */
static bool take_hex(const char *line, const char *key, uint32_t *ret)
{
    const char *value = value_of(line, key);
    char *end = NULL;
    if (!value || strncmp(value, "0x", 2) != 0)
        return false;
    unsigned long number = strtoul(value, &end, 16);
    *ret = (uint32_t)number;
    return *end == '\0' && number <= UINT32_MAX;
}

struct seen {
    bool family, model, stepping, too_many;
};

static void take_line(char *line, struct machine_facts *facts, struct seen *seen)
{
    uint32_t number;
    line[strcspn(line, "\n")] = '\0';
    /* All CPUs have the same family; model and stepping are the first's, the boot CPU's. */
    if (!seen->family && take_number(line, "cpu family", &number)) {
        seen->family = true;
        facts->family = number;
    } else if (!seen->model && take_number(line, "model", &number)) {
        seen->model = true;
        facts->model = number;
    } else if (!seen->stepping && take_number(line, "stepping", &number)) {
        seen->stepping = true;
        facts->stepping = number;
    } else if (!facts->microcode && take_hex(line, "microcode", &number)) {
        facts->microcode = number;
    } else if (take_number(line, "apicid", &number)) {
        if (facts->id_count < MAX_CPUS)
            facts->ids[facts->id_count++] = number;
        else
            seen->too_many = true;
    }
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void read_cpuinfo(const char *root, struct machine_facts *facts)
{
    char path[PATH_SIZE];
    if (!path_under(root, "/proc/cpuinfo", path))
        return;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    struct seen seen = {false, false, false, false};
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) >= 0)
        take_line(line, facts, &seen);
    free(line);
    fclose(file);
    facts->signature_known = seen.family && seen.model && seen.stepping;
    facts->ids_known = facts->id_count > 0 && !seen.too_many;
    qsort(facts->ids, facts->id_count, sizeof facts->ids[0], by_value);
}

void machine_facts_read(const char *root, struct machine_facts *ret)
{
    memset(ret, 0, sizeof *ret);
    read_cpuinfo(root, ret);
    ret->firmware_known = file_read_text(root, "/sys/class/dmi/id/bios_version", ret->firmware,
                                         sizeof ret->firmware) == 0;
}
