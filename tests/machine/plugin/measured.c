/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a report: measured.h has the contract. */
#define _GNU_SOURCE
#include "measured.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS     16u
#define WORD_NONE INT64_MIN

struct reading {
    struct measured *to;
    const struct guest *guest;
    struct pass_scale scale;
    unsigned cpu_of[MAX_CPUS]; /* [order of the report]: of the machine file, or cpu_count */
};

static unsigned cpu_of_apic(const struct guest *guest, int64_t apic_id)
{
    unsigned cpu = 0;
    while (cpu < guest->layout.cpu_count && guest->layout.cpu[cpu].apic_id != apic_id)
        cpu++;
    return cpu;
}

/* To the machine's own time, to the nearest. */
static int64_t own_time(const struct reading *reading, int64_t ns)
{
    int64_t half = reading->scale.slowdown / 2;
    return (ns + (ns < 0 ? -half : half)) / reading->scale.slowdown;
}

static bool take_run(struct reading *reading, const int64_t *word)
{
    struct result *result = &reading->to->result;
    const struct desc *desc = reading->guest->desc;
    if (word[0] < 0 || word[0] >= TOUCH_PATTERNS || word[1] < 0 || word[1] >= TOUCH_ACCESSES)
        return false;
    result->pattern = (uint8_t)word[0];
    result->access = (uint8_t)word[1];
    result->raw_working_set = word[2] == WORD_NONE ? 0 : (uint64_t)word[2];
    result->region_home = NODE_UNKNOWN;
    if (word[3] >= 0 && word[3] < desc->node_count)
        result->region_home = desc->node[word[3]].id;
    reading->to->clock_doubted = word[4] != 0;
    return true;
}

static bool take_cpu(struct reading *reading, const int64_t *word)
{
    struct measured *to = reading->to;
    if (to->cpus == MAX_CPUS)
        return false;
    unsigned cpu = cpu_of_apic(reading->guest, word[0]);
    to->strangers += cpu == reading->guest->layout.cpu_count;
    reading->cpu_of[to->cpus++] = cpu;
    return true;
}

/* A whole pass, without the time that each of its lines gets besides. */
static int64_t own_pass(const struct reading *reading, int64_t ns, unsigned cpu, uint64_t bytes)
{
    int64_t pad_ps =
        (int64_t)pass_due_ps(reading->guest->desc, reading->scale, cpu, bytes / GUEST_LINE, 0);
    ns = own_time(reading, ns - pad_ps / 1000);
    return ns < 0 ? 0 : ns;
}

static bool take_class(struct reading *reading, const int64_t *word)
{
    struct result *result = &reading->to->result;
    if (result->class_count == MAX_CLASSES)
        return false;
    struct class_result *class = &result->classes[result->class_count++];
    memset(class, 0, sizeof *class);
    class->flags = word[7] ? CLASS_ZERO : 0;
    class->pairs = word[4] == WORD_NONE ? 0 : (uint32_t)word[4];
    if (word[0] == WORD_NONE || word[5] == WORD_NONE || word[6] == WORD_NONE)
        return true;
    class->cost.ns = (int32_t)own_time(reading, word[0]);
    class->cost.spread_ns = (uint32_t)own_time(reading, word[1]);
    class->cost.samples = (uint16_t)word[2];
    class->working_set = (uint64_t)word[3];
    class->cpu_a = (uint16_t)cpu_of_apic(reading->guest, word[5]);
    class->cpu_b = (uint16_t)cpu_of_apic(reading->guest, word[6]);
    unsigned count = reading->guest->layout.cpu_count;
    if (class->cpu_a >= count || class->cpu_b >= count)
        return false;
    if (word[8] == WORD_NONE || word[9] == WORD_NONE || word[10] == WORD_NONE)
        return true;
    class->evict_bytes = (uint64_t)word[8];
    class->footprint = (uint64_t)word[9];
    class->evict_ns = (uint32_t)own_pass(reading, word[10], class->cpu_a, class->evict_bytes);
    return true;
}

static bool take_cell(struct reading *reading, const int64_t *word)
{
    struct measured *to = reading->to;
    struct result *result = &to->result;
    if (word[0] < 0 || word[0] >= to->cpus || word[1] < 0 || word[1] >= to->cpus)
        return false;
    unsigned s = reading->cpu_of[word[0]], d = reading->cpu_of[word[1]];
    if (s == result->cpu_count || d == result->cpu_count)
        return true;
    unsigned cell = result_cell(result, s, d);
    if (word[2] != WORD_NONE)
        result->cost_ns[cell] = (int32_t)own_time(reading, word[2]);
    if (word[3] != WORD_NONE)
        result->raw_ns[cell] = (uint32_t)own_pass(reading, word[3], d, result->raw_working_set);
    if (word[4] >= 0 && word[4] < MAX_CLASSES)
        result->class_of[cell] = (uint8_t)word[4];
    return true;
}

static bool read_line(struct reading *reading, char *line)
{
    static const struct {
        const char *name;
        unsigned words;
        bool (*take)(struct reading *reading, const int64_t *word);
    } kinds[] = {{"run", 5, take_run},
                 {"cpu", 1, take_cpu},
                 {"class", 11, take_class},
                 {"cell", 5, take_cell}};
    int64_t word[WORDS];
    unsigned words = 0;
    char *rest = line, *name = strtok_r(line, " \n", &rest), *text;
    while (words < WORDS && (text = strtok_r(NULL, " \n", &rest))) {
        char *end = text;
        word[words] = strcmp(text, "-") == 0 ? WORD_NONE : strtoll(text, &end, 10);
        if (*end && word[words] != WORD_NONE)
            return false;
        words++;
    }
    for (unsigned i = 0; name && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return words == kinds[i].words && kinds[i].take(reading, word);
    return false;
}

static bool allocate(struct result *result, unsigned cpu_count)
{
    size_t cells = (size_t)cpu_count * cpu_count;
    result->cpu_count = cpu_count;
    result->raw_ns = calloc(cells, sizeof *result->raw_ns);
    result->cost_ns = malloc(cells * sizeof *result->cost_ns);
    result->class_of = malloc(cells);
    if (!result->raw_ns || !result->cost_ns || !result->class_of)
        return false;
    for (size_t i = 0; i < cells; i++)
        result->cost_ns[i] = COST_UNKNOWN;
    memset(result->class_of, CLASS_NONE, cells);
    return true;
}

bool measured_read(struct measured *ret, const char *path, const struct guest *guest,
                   struct pass_scale scale, char *reason, size_t reason_size)
{
    char line[300];
    memset(ret, 0, sizeof *ret);
    struct reading reading = {.to = ret, .guest = guest, .scale = scale};
    FILE *file = fopen(path, "r");
    bool good = file && allocate(&ret->result, guest->desc->cpu_count);
    if (!good)
        snprintf(reason, reason_size, "%s: %s", path, file ? "out of memory" : "cannot be read");
    while (good && fgets(line, sizeof line, file)) {
        good = read_line(&reading, line);
        if (!good)
            snprintf(reason, reason_size, "%s: not what flatten.jq writes", path);
    }
    if (good && !ret->cpus) {
        snprintf(reason, reason_size, "%s: no CPUs", path);
        good = false;
    }
    if (file)
        fclose(file);
    if (!good)
        measured_free(ret);
    return good;
}

void measured_free(struct measured *measured)
{
    free(measured->result.raw_ns);
    free(measured->result.cost_ns);
    free(measured->result.class_of);
    memset(measured, 0, sizeof *measured);
}
