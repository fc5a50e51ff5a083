/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a machine for tests of the CPUID decoder: the dumps of all its CPUs and what they must be
 * decoded to. The form is described in tests/data/cpuid/README. Bad files end the program. */
#ifndef TESTS_UNIT_CPUID_MACHINE_H
#define TESTS_UNIT_CPUID_MACHINE_H

#include "../../arch/x86/cpuid.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE_CPUS  256u
#define MACHINE_TEXTS 16u /* `expect` lines that are no groups */
#define GROUP_NONE    (-1)

struct machine_cpu {
    uint32_t apic_id;
    struct cpuid_dump dump;
    int group[LEVELS]; /* expected: equal numbers share; GROUP_NONE: must be unknown */
    uint64_t bytes[CACHE_LEVELS];
    unsigned ways[CACHE_LEVELS];
    bool has_caches;
    unsigned kind, line;
};
struct machine_file {
    const char *path;
    unsigned line_number, count, first_of_block; /* CPUs of the block being read: first to count */
    bool level_given[LEVELS];
    int groups; /* numbers given out so far */
    unsigned common_count;
    char common[CPUID_LEAVES][128]; /* leaves before the first block: of every CPU */
    unsigned text_count;
    char text[MACHINE_TEXTS][2][64]; /* name and value of other `expect` lines */
    struct machine_cpu cpu[MACHINE_CPUS];
};

static inline void machine_fail(const struct machine_file *file, const char *what)
{
    fprintf(stderr, "%s:%u: %s\n", file->path, file->line_number, what);
    exit(2);
}

static inline void machine_copy(const struct machine_file *file, char *to, size_t size,
                                const char *from)
{
    if (strlen(from) >= size)
        machine_fail(file, "too long");
    memcpy(to, from, strlen(from) + 1);
}

/* A number, or '@' (the APIC id) followed by operations from left to right: <<n >>n &n |n -n +n,
 * all hexadecimal. */
static inline uint32_t machine_register(const struct machine_file *file, const char *text,
                                        uint32_t apic_id)
{
    char *at = (char *)text;
    uint32_t value = apic_id;

    if (*at != '@')
        value = (uint32_t)strtoul(at, &at, 16);
    else
        at++;
    while (*at) {
        char op = *at;
        uint32_t operand;

        at += op == '<' || op == '>' ? 2 : 1;
        operand = (uint32_t)strtoul(at, &at, 16);
        if (op == '<')
            value <<= operand & 31;
        else if (op == '>')
            value >>= operand & 31;
        else if (op == '&')
            value &= operand;
        else if (op == '|')
            value |= operand;
        else if (op == '-')
            value -= operand;
        else if (op == '+')
            value += operand;
        else
            machine_fail(file, "a register that is no number");
    }
    return value;
}

static inline void machine_add_leaf(const struct machine_file *file, struct machine_cpu *cpu,
                                    const char *line)
{
    char word[6][32];
    uint32_t value[6];

    if (sscanf(line, "%31s %31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4],
               word[5]) != 6)
        machine_fail(file, "not six words");
    if (cpu->dump.count == CPUID_LEAVES)
        machine_fail(file, "too many leaves");
    for (unsigned i = 0; i < 6; i++)
        value[i] = machine_register(file, word[i], cpu->apic_id);
    cpu->dump.leaf[cpu->dump.count++] =
        (struct cpuid_leaf){value[0], value[1], value[2], value[3], value[4], value[5]};
}

/* The next range of a list: "0-7", "0-3,8,10-11", "0-55/2" (step 2). Returns what is left of it. */
struct machine_range {
    uint32_t first, last, step;
};
static inline const char *machine_range(const struct machine_file *file, const char *text,
                                        struct machine_range *ret)
{
    char *at;

    ret->first = ret->last = (uint32_t)strtoul(text, &at, 0);
    if (at == text)
        machine_fail(file, "a list of APIC ids was expected");
    if (*at == '-')
        ret->last = (uint32_t)strtoul(at + 1, &at, 0);
    ret->step = *at == '/' ? (uint32_t)strtoul(at + 1, &at, 0) : 0;
    if (*at && *at != ',')
        machine_fail(file, "a list of APIC ids that does not end");
    return *at ? at + 1 : NULL;
}

static inline void machine_add_block(struct machine_file *file, char *line)
{
    file->first_of_block = file->count;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        for (const char *at = word; at;) {
            struct machine_range range;

            at = machine_range(file, at, &range);
            for (uint32_t id = range.first; id <= range.last; id += range.step ? range.step : 1) {
                struct machine_cpu *cpu = &file->cpu[file->count++];

                if (file->count > MACHINE_CPUS)
                    machine_fail(file, "too many CPUs");
                *cpu = (struct machine_cpu){.apic_id = id, .line = 64};
                for (unsigned level = 0; level < LEVELS; level++)
                    cpu->group[level] = GROUP_NONE;
                for (unsigned i = 0; i < file->common_count; i++)
                    machine_add_leaf(file, cpu, file->common[i]);
            }
        }
    }
}

static inline void machine_set_group(struct machine_file *file, unsigned level, uint32_t first,
                                     uint32_t last, int number)
{
    for (unsigned i = 0; i < file->count; i++) {
        struct machine_cpu *cpu = &file->cpu[i];

        if (cpu->apic_id < first || cpu->apic_id > last)
            continue;
        if (cpu->group[level] != GROUP_NONE)
            machine_fail(file, "a CPU in two groups");
        cpu->group[level] = number;
    }
}

/* "none", "each", or groups separated by blanks. */
static inline void machine_expect_groups(struct machine_file *file, unsigned level, char *line)
{
    file->level_given[level] = true;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        if (strcmp(word, "none") == 0)
            return;
        if (strcmp(word, "each") == 0) {
            for (unsigned i = 0; i < file->count; i++)
                file->cpu[i].group[level] = file->groups++;
            return;
        }
        for (const char *at = word; at;) {
            struct machine_range range;

            at = machine_range(file, at, &range);
            if (range.step == 0)
                machine_set_group(file, level, range.first, range.last, file->groups);
            for (uint32_t id = range.first; range.step && id <= range.last; id += range.step)
                machine_set_group(file, level, id, id + range.step - 1, file->groups++);
        }
        file->groups++;
    }
}

static inline void machine_expect(struct machine_file *file, char *line)
{
    char *value = strchr(line, ' ');

    if (!value)
        machine_fail(file, "an expectation without a value");
    *value++ = 0;
    for (unsigned level = 0; level < LEVEL_NODE; level++) {
        if (strcmp(line, level_name(level)) == 0) {
            machine_expect_groups(file, level, value);
            return;
        }
    }
    if (file->text_count == MACHINE_TEXTS)
        machine_fail(file, "too many expectations");
    machine_copy(file, file->text[file->text_count][0], 64, line);
    machine_copy(file, file->text[file->text_count++][1], 64, value);
}

/* "32K/8 1M/16 38912K/11": capacity and ways of levels 1, 2, 3; "-" for none; ways "full". */
static inline void machine_expect_caches(struct machine_file *file, char *line)
{
    unsigned level = 1;

    for (char *word = strtok(line, " "); word && level < CACHE_LEVELS; word = strtok(NULL, " ")) {
        char *at = word;
        uint64_t bytes = strtoull(at, &at, 10);
        unsigned ways;

        if (*at == 'K' || *at == 'M')
            bytes <<= *at++ == 'K' ? 10 : 20;
        ways = *at != '/'                 ? 0
               : strcmp(at, "/full") == 0 ? 0xFFFF
                                          : (unsigned)strtoul(at + 1, NULL, 10);
        for (unsigned i = file->first_of_block; i < file->count; i++) {
            file->cpu[i].has_caches = true;
            file->cpu[i].bytes[level] = bytes;
            file->cpu[i].ways[level] = ways;
        }
        level++;
    }
}

static inline void machine_line(struct machine_file *file, char *line)
{
    char *comment = strchr(line, '#');

    if (comment)
        *comment = 0;
    for (size_t end = strlen(line); end && isspace((unsigned char)line[end - 1]); end--)
        line[end - 1] = 0;
    if (!*line)
        return;
    if (strncmp(line, "cpus ", 5) == 0)
        machine_add_block(file, line + 5);
    else if (strncmp(line, "expect ", 7) == 0)
        machine_expect(file, line + 7);
    else if (strncmp(line, "caches ", 7) == 0)
        machine_expect_caches(file, line + 7);
    else if (strncmp(line, "kind ", 5) == 0 || strncmp(line, "line ", 5) == 0) {
        for (unsigned i = file->first_of_block; i < file->count; i++)
            *(*line == 'k' ? &file->cpu[i].kind : &file->cpu[i].line) =
                (unsigned)strtoul(line + 5, NULL, 0);
    } else if (file->count == 0) {
        if (file->common_count == CPUID_LEAVES)
            machine_fail(file, "too many leaves");
        machine_copy(file, file->common[file->common_count++], sizeof file->common[0], line);
    } else {
        for (unsigned i = file->first_of_block; i < file->count; i++)
            machine_add_leaf(file, &file->cpu[i], line);
    }
}

/* The caller frees it. */
static inline struct machine_file *machine_read(const char *path)
{
    struct machine_file *file = calloc(1, sizeof *file);
    FILE *in = fopen(path, "r");
    char line[512];

    if (!file || !in) {
        perror(path);
        exit(2);
    }
    file->path = path;
    while (fgets(line, sizeof line, in)) {
        file->line_number++;
        machine_line(file, line);
    }
    fclose(in);
    return file;
}

/* The value of an `expect` line that is no groups, NULL where it was not given. */
static inline const char *machine_text(const struct machine_file *file, const char *name)
{
    for (unsigned i = 0; i < file->text_count; i++) {
        if (strcmp(file->text[i][0], name) == 0)
            return file->text[i][1];
    }
    return NULL;
}

#endif
