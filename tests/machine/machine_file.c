/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a machine file: headings, `key = value`, comments. README.md is its manual. */
#include "machine_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_  4096u /* room for the lists of large machines */
#define FILE_LIMIT (1u << 20)

static const char *const section_names[SECTIONS] = {
    "",     "overlap", "kind",     "cpu",    "topology", "cache", "distance", "memory",
    "node", "link",    "prefetch", "others", "claims",   "clock", "noise"};

/* Those with a name or number in the heading; they may come more than once. */
static bool takes_name(enum section section)
{
    return section == SECTION_KIND || section == SECTION_CPU || section == SECTION_CACHE ||
           section == SECTION_DISTANCE || section == SECTION_NODE || section == SECTION_LINK;
}

static bool set_name(struct reader *reader, char *to, const char *name)
{
    if (!*name || strlen(name) >= DESC_NAME)
        return value_fail(&reader->error, "a name of 1 to %u characters is missing", DESC_NAME - 1);
    memcpy(to, name, strlen(name) + 1);
    return true;
}

static bool begin_kind(struct reader *reader, const char *name)
{
    struct desc *desc = reader->desc;
    if (desc->kind_count == DESC_KINDS)
        return value_fail(&reader->error, "more than %u kinds of core", DESC_KINDS - 1);
    struct desc_kind *kind = &desc->kind[desc->kind_count++];
    *kind = desc->kind[0];
    reader->target = kind;
    return set_name(reader, kind->name, name);
}

static bool begin_cache(struct reader *reader, const char *name)
{
    struct desc *desc = reader->desc;
    if (desc->cache_count == DESC_CACHES)
        return value_fail(&reader->error, "more than %u [cache] sections", DESC_CACHES);
    struct desc_cache *cache = &desc->cache[desc->cache_count++];
    cache->file_line = reader->line;
    reader->target = cache;
    return set_name(reader, cache->name, name);
}

static bool begin_distance(struct reader *reader, const char *name)
{
    struct desc *desc = reader->desc;
    if (desc->distance_count == DESC_DISTANCES)
        return value_fail(&reader->error, "more than %u [distance] sections", DESC_DISTANCES);
    struct desc_distance *distance = &desc->distance[desc->distance_count++];
    reader->target = distance;
    return set_name(reader, distance->name, name);
}

static bool begin_node(struct reader *reader, const char *name)
{
    struct desc *desc = reader->desc;
    uint64_t id;
    if (!value_number(name, UNIT_NONE, 0, 0xFFFFFFFE, &id, &reader->error))
        return false;
    if (!reader->had[SECTION_NODE])
        desc->node_count = 0;
    for (unsigned i = 0; i < desc->node_count; i++)
        if (desc->node[i].id == id)
            return value_fail(&reader->error, "node %llu a second time", (unsigned long long)id);
    if (desc->node_count == MAX_NODES)
        return value_fail(&reader->error, "more than %u nodes", MAX_NODES);
    desc->has_nodes = true;
    struct desc_node *node = &desc->node[desc->node_count++];
    node->id = (uint32_t)id;
    node->file_line = reader->line;
    reader->target = node;
    return true;
}

static bool begin_link(struct reader *reader, const char *name)
{
    struct desc *desc = reader->desc;
    uint64_t id[2];
    unsigned count, position[2];
    if (desc->link_count == DESC_LINKS)
        return value_fail(&reader->error, "more than %u links", DESC_LINKS);
    if (!value_list(name, UNIT_NONE, 0, 0xFFFFFFFE, 2, id, &count, &reader->error))
        return false;
    if (count != 2 || id[0] == id[1])
        return value_fail(&reader->error, "a link joins two nodes");
    for (unsigned end = 0; end < 2; end++) {
        unsigned i = 0;
        while (i < desc->node_count && desc->node[i].id != id[end])
            i++;
        if (i == desc->node_count || !desc->has_nodes)
            return value_fail(&reader->error, "no node %llu above", (unsigned long long)id[end]);
        position[end] = i;
    }
    struct desc_link *link = &desc->link[desc->link_count++];
    link->node_a = position[0];
    link->node_b = position[1];
    reader->target = link;
    return true;
}

static bool begin_section(struct reader *reader, enum section section, const char *name)
{
    struct desc *desc = reader->desc;
    if (!takes_name(section) && *name)
        return value_fail(&reader->error, "[%s] takes no name", section_names[section]);
    if (!takes_name(section) && reader->had[section])
        return value_fail(&reader->error, "[%s] a second time", section_names[section]);
    reader->section = section;
    reader->target = desc;
    const char *rest;
    bool good = true;
    switch (section) {
    case SECTION_OVERLAP:
        reader->target = &desc->kind[0];
        if (desc->kind_count > 1)
            return value_fail(&reader->error,
                              "[overlap] comes before [kind], which starts from it");
        break;
    case SECTION_KIND:
        good = begin_kind(reader, name);
        break;
    case SECTION_CPU:
        good = value_cpus(name, "", desc->cpu_count, reader->chosen, &rest, &reader->error);
        break;
    case SECTION_CACHE:
        good = begin_cache(reader, name);
        break;
    case SECTION_DISTANCE:
        good = begin_distance(reader, name);
        break;
    case SECTION_NODE:
        good = begin_node(reader, name);
        break;
    case SECTION_LINK:
        good = begin_link(reader, name);
        break;
    case SECTION_CLAIMS:
        reader->target = desc->claims;
        break;
    case SECTION_CLOCK:
        reader->target = &desc->clock;
        break;
    case SECTION_NOISE:
        reader->target = &desc->noise;
        break;
    default:
        break;
    }
    reader->seen = 0;
    reader->had[section] = true;
    return good;
}

/* The number of CPUs is known once the first key that needs it or the first heading comes. */
static bool make_cpus(struct reader *reader)
{
    struct desc *desc = reader->desc;
    if (desc->cpu)
        return true;
    if (!desc->cpu_count)
        return value_fail(&reader->error, "'cpus' comes first");
    size_t pairs = (size_t)desc->cpu_count * desc->cpu_count;
    desc->cpu = calloc(desc->cpu_count, sizeof *desc->cpu);
    desc->distance_of = malloc(pairs);
    if (!desc->cpu || !desc->distance_of)
        return value_fail(&reader->error, "out of memory");
    memset(desc->distance_of, DESC_DISTANCES, pairs);
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
        desc->cpu[cpu].apic_id = cpu;
        desc->cpu[cpu].node = NODE_UNKNOWN;
        desc->cpu[cpu].speed_permille = 1000;
        for (unsigned level = 0; level < LEVELS; level++)
            desc->cpu[cpu].group[level] = DESC_NONE;
    }
    return true;
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static bool read_heading(struct reader *reader, char *text)
{
    size_t length = strlen(text);
    if (text[length - 1] != ']')
        return value_fail(&reader->error, "']' is missing");
    text[length - 1] = '\0';
    if (!machine_file_complete(reader) || !make_cpus(reader))
        return false;
    char *word = trim(text + 1);
    size_t end = strcspn(word, " \t");
    char *name = trim(word + end);
    word[end] = '\0';
    for (unsigned section = 1; section < SECTIONS; section++)
        if (strcmp(word, section_names[section]) == 0)
            return begin_section(reader, (enum section)section, name);
    return value_fail(&reader->error, "no such section: [%.40s]", word);
}

/* Keys that may be wrong although their line is not. */
static void note_line(struct reader *reader, const char *key)
{
    struct desc_lines *at = &reader->desc->at;
    const struct {
        enum section section;
        const char *key;
        unsigned long *to;
    } noted[] = {
        {SECTION_TOP, "line", &at->line},    {SECTION_TOP, "cpus", &at->cpus},
        {SECTION_TOP, "boot", &at->boot},    {SECTION_TOP, "apic", &at->apic},
        {SECTION_MEMORY, "size", &at->size},
    };
    for (unsigned i = 0; i < sizeof noted / sizeof noted[0]; i++)
        if (reader->section == noted[i].section && strcmp(key, noted[i].key) == 0)
            *noted[i].to = reader->line;
}

static bool read_line(struct reader *reader, char *text)
{
    char *comment = strchr(text, '#');
    if (comment)
        *comment = '\0';
    text = trim(text);
    if (!*text)
        return true;
    if (*text == '[')
        return read_heading(reader, text);
    char *equals = strchr(text, '=');
    if (!equals)
        return value_fail(&reader->error, "neither [section] nor key = value");
    *equals = '\0';
    char *key = trim(text);
    if (strcmp(key, "apic") == 0 && !make_cpus(reader))
        return false;
    note_line(reader, key);
    return machine_file_set(reader, key, trim(equals + 1));
}

static struct desc *new_desc(void)
{
    struct desc *desc = calloc(1, sizeof *desc);
    if (!desc)
        return NULL;
    desc->cache = calloc(DESC_CACHES, sizeof *desc->cache);
    desc->node = calloc(MAX_NODES, sizeof *desc->node);
    desc->claims = calloc(1, sizeof *desc->claims);
    if (!desc->cache || !desc->node || !desc->claims) {
        desc_free(desc);
        return NULL;
    }
    desc->smt_permille = 1000;
    desc->kind_count = 1;
    desc->kind[0].speed_permille = 1000;
    desc->stream_permille = desc->adjacent_permille = 1000;
    desc->stream_after = 3;
    for (unsigned i = 0; i < OVERLAPS; i++) {
        desc->kind[0].overlap[i] = 1000;
        desc->revisit_permille[i] = 1000;
    }
    desc->node_count = 1;
    desc->noise.drift_cpu = desc->noise.jump_cpu = DESC_NONE;
    desc->noise.late_cpu = desc->noise.dead_cpu = desc->noise.busy_cpu = DESC_NONE;
    desc->noise.ramp_permille = 1000;
    return desc;
}

void desc_free(struct desc *desc)
{
    if (!desc)
        return;
    free(desc->cpu);
    free(desc->cache);
    free(desc->node);
    free(desc->claims);
    free(desc->distance_of);
    free(desc);
}

static bool read_all(struct reader *reader, const char *text, size_t length, unsigned long *line)
{
    char buffer[LINE_MAX_];
    reader->target = reader->desc;
    for (size_t at = 0; at < length;) {
        reader->line = ++*line;
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - (text + at)) : length - at;
        if (size >= sizeof buffer)
            return value_fail(&reader->error, "longer than %u characters", LINE_MAX_ - 1);
        if (memchr(text + at, '\0', size))
            return value_fail(&reader->error, "a zero byte: not a text");
        memcpy(buffer, text + at, size);
        buffer[size] = '\0';
        at += size + 1;
        if (!read_line(reader, buffer))
            return false;
    }
    if (!machine_file_complete(reader) || !make_cpus(reader))
        return false;
    *line = 0; /* of the file as a whole, unless the check knows one */
    if (!reader->had[SECTION_MEMORY] || !reader->had[SECTION_CLOCK] || !reader->had[SECTION_CACHE])
        return value_fail(&reader->error, "one of [cache], [memory], [clock] is missing");
    if (machine_check(reader->desc, &reader->error))
        return true;
    *line = reader->error.line;
    return false;
}

struct desc *desc_parse(const char *text, size_t length, struct desc_error *ret_error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    struct desc *desc = new_desc();
    ret_error->line = 0;
    if (!reader || !desc) {
        snprintf(ret_error->text, sizeof ret_error->text, "out of memory");
        free(reader);
        desc_free(desc);
        return NULL;
    }
    reader->desc = desc;
    if (!read_all(reader, text, length, &ret_error->line)) {
        snprintf(ret_error->text, sizeof ret_error->text, "%s", reader->error.text);
        desc_free(desc);
        desc = NULL;
    }
    free(reader);
    return desc;
}

struct desc *desc_load(const char *path, struct desc_error *ret_error)
{
    ret_error->line = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        snprintf(ret_error->text, sizeof ret_error->text, "%s", strerror(errno));
        return NULL;
    }
    char *text = malloc(FILE_LIMIT + 1);
    size_t length = text ? fread(text, 1, FILE_LIMIT + 1, file) : 0;
    bool failed = ferror(file) != 0;
    fclose(file);
    struct desc *desc = NULL;
    if (!text || failed)
        snprintf(ret_error->text, sizeof ret_error->text, "cannot be read");
    else if (length > FILE_LIMIT)
        snprintf(ret_error->text, sizeof ret_error->text, "larger than 1 MiB");
    else
        desc = desc_parse(text, length, ret_error);
    free(text);
    return desc;
}
