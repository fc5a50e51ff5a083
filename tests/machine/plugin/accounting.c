/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the plugin's trace: accounting.h has the contract. */
#include "accounting.h"
#include <stdlib.h>
#include <string.h>

#define DISTURBED_PERMILLE 10u

/* The passes that matter for who touched a range last: a few ranges at a time. */
#define RANGES 4096u

struct range {
    uint32_t first, lines, cpu;
};

struct reading {
    struct range range[RANGES]; /* newest last */
    unsigned ranges;
    struct range *newest_of; /* [cpu]: what it touched last */
};

static struct range *find(struct reading *reading, uint32_t first, uint32_t lines)
{
    for (unsigned i = reading->ranges; i-- > 0;)
        if (reading->range[i].first == first && reading->range[i].lines == lines)
            return &reading->range[i];
    return NULL;
}

/* Who had the lines before, if these are all that it has touched since. */
static uint16_t source_of(struct reading *reading, uint32_t first, uint32_t lines)
{
    const struct range *range = find(reading, first, lines);
    if (!range)
        return ACCOUNT_FRESH;
    const struct range *newest = &reading->newest_of[range->cpu];
    bool same = newest->first == first && newest->lines == lines;
    return same ? (uint16_t)range->cpu : ACCOUNT_FRESH;
}

static void remember(struct reading *reading, struct range now)
{
    struct range *range = find(reading, now.first, now.lines);
    if (!range && reading->ranges == RANGES) {
        memmove(reading->range, reading->range + 1, (RANGES - 1) * sizeof *reading->range);
        reading->ranges--;
    }
    if (!range)
        range = &reading->range[reading->ranges++];
    *range = now;
    reading->newest_of[now.cpu] = now;
}

static bool add(struct accounting *to, const struct account_pass *pass)
{
    if (to->count == to->room) {
        size_t room = to->room ? to->room * 2 : 1024;
        struct account_pass *more = realloc(to->pass, room * sizeof *more);
        if (!more)
            return false;
        to->pass = more;
        to->room = room;
    }
    to->pass[to->count++] = *pass;
    return true;
}

static int compare_kinds(const struct account_pass *a, const struct account_pass *b)
{
    const uint32_t left[] = {a->source, a->target, a->pattern, a->access, a->lines};
    const uint32_t right[] = {b->source, b->target, b->pattern, b->access, b->lines};
    for (unsigned i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct account_pass *left = a, *right = b;
    int kinds = compare_kinds(left, right);
    if (kinds)
        return kinds;
    return (left->machine_ps > right->machine_ps) - (left->machine_ps < right->machine_ps);
}

static void count_time(struct accounting *to, uint64_t due, uint64_t work, uint64_t took)
{
    uint64_t beyond = took > due ? took - due : 0;
    to->due_ps += due;
    to->overshoot_ps += beyond;
    to->late += work > due;
    to->disturbed += beyond * 1000 > due * DISTURBED_PERMILLE;
}

/* False: not a line of a trace, or out of memory. */
static bool read_line(struct accounting *to, struct reading *reading, const char *line,
                      unsigned cpu_count)
{
    unsigned cpu, first, lines, pattern, access, hurried;
    unsigned long long machine, due, work, took, khz, strays, outside, slowdown, near, far;
    if (sscanf(line, "pass %u %u %u %u %u %llu %llu %llu %llu", &cpu, &first, &lines, &pattern,
               &access, &machine, &due, &work, &took) == 9) {
        if (cpu >= cpu_count || pattern > 0xFF || access > 0xFF)
            return false;
        count_time(to, due, work, took);
        if (!lines) {
            to->broken++;
            return true;
        }
        const struct account_pass pass = {source_of(reading, first, lines),
                                          (uint16_t)cpu,
                                          (uint8_t)pattern,
                                          (uint8_t)access,
                                          lines,
                                          machine};
        remember(reading, (struct range){first, lines, cpu});
        return add(to, &pass);
    }
    if (sscanf(line, "scale %llu %llu %llu", &slowdown, &near, &far) == 3) {
        to->scale = (struct pass_scale){(uint32_t)slowdown, near, far};
        return true;
    }
    if (sscanf(line, "end %llu %u %llu %llu", &khz, &hurried, &strays, &outside) == 4) {
        to->complete = true;
        to->hurried = hurried != 0;
        to->strays = strays;
        to->outside = outside;
        return true;
    }
    return sscanf(line, "loops %llu", &khz) == 1;
}

bool accounting_read(struct accounting *ret, const char *path, unsigned cpu_count, char *reason,
                     size_t reason_size)
{
    memset(ret, 0, sizeof *ret);
    FILE *file = fopen(path, "r");
    struct reading *reading = calloc(1, sizeof *reading);
    struct range *newest_of = calloc(cpu_count, sizeof *newest_of);
    bool good = file && reading && newest_of;
    if (!good)
        snprintf(reason, reason_size, "%s: %s", path, file ? "out of memory" : "cannot be read");
    else
        reading->newest_of = newest_of;
    char line[200];
    while (good && fgets(line, sizeof line, file)) {
        good = read_line(ret, reading, line, cpu_count);
        if (!good)
            snprintf(reason, reason_size, "%s: cannot be read from: %.60s", path, line);
    }
    if (file)
        fclose(file);
    free(reading);
    free(newest_of);
    if (good && ret->count)
        qsort(ret->pass, ret->count, sizeof *ret->pass, compare);
    if (!good)
        accounting_free(ret);
    return good;
}

void accounting_free(struct accounting *accounting)
{
    free(accounting->pass);
    memset(accounting, 0, sizeof *accounting);
}

bool accounting_median(const struct accounting *accounting, const struct account_pass *key,
                       uint64_t *ret_ps)
{
    size_t low = 0, high = accounting->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_kinds(&accounting->pass[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < accounting->count && compare_kinds(&accounting->pass[end], key) == 0)
        end++;
    if (end == low)
        return false;
    *ret_ps = accounting->pass[low + (end - low) / 2].machine_ps;
    return true;
}

bool accounting_cost(const struct accounting *accounting, unsigned a, unsigned b, uint32_t lines,
                     unsigned pattern, unsigned access, int64_t *ret_ps)
{
    const unsigned ends[2] = {a, b};
    int64_t sum = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct account_pass key = {
            (uint16_t)ends[i], (uint16_t)ends[1 - i], (uint8_t)pattern, (uint8_t)access, lines, 0};
        uint64_t move, stay;
        if (!accounting_median(accounting, &key, &move))
            return false;
        key.source = key.target;
        if (!accounting_median(accounting, &key, &stay))
            return false;
        sum += (int64_t)move - (int64_t)stay;
    }
    *ret_ps = sum / 2;
    return true;
}
