/* SPDX-License-Identifier: BSD-2-Clause */
/* The 2004 lines: published matrices put in give the published text out
 * (tests/data/published-2004).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/report.h"

#define DATA      "tests/data/published-2004/"
#define CPUS_MAX  8u
#define CELLS_MAX (CPUS_MAX * CPUS_MAX)

static char text[8192];
static struct result result;
static struct cpu_info cpus[CPUS_MAX];
static uint32_t raw[CELLS_MAX];
static uint64_t scratch[CELLS_MAX];

static const char *print(const struct report_2004 *data)
{
    struct text_buffer buffer;
    struct text_sink sink = text_buffer_sink(&buffer, text, sizeof text);
    report_2004(&sink, data);
    assert_in_range(buffer.length, 1, sizeof text - 1);
    return text;
}

static char *read_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, DATA "%s", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s: run from the top of the tree", path);
    char *data = calloc(1, 8192);
    assert_non_null(data);
    assert_in_range(fread(data, 1, 8191, file), 1, 8190);
    fclose(file);
    return data;
}

/* A duration that the patch prints as whole.tenth, the largest such multiple of 1024 ns: the digit
 * repeats near the end of a unit, and there the cells shown as smaller than min_delta must lie. */
static uint32_t duration_shown_as(unsigned whole, unsigned tenth)
{
    for (uint32_t ns = ((whole + 1) << 20) - 1024; ns >> 20 == whole; ns -= 1024)
        if ((ns >> 10) / 102 % 10 == tenth)
            return ns;
    fail_msg("nothing prints as %u.%u", whole, tenth);
    return 0;
}

/* Reads cells into raw[], and puts min_delta into the off-diagonal cells that are shown like it. */
static unsigned load_matrix(const char *name, uint32_t min_delta)
{
    char *data = read_file(name);
    unsigned count = 0, columns = 0, row = 0, line_cells = 0;
    for (char *at = data; *at;) {
        unsigned whole = (unsigned)strtoul(at, &at, 10);
        assert_int_equal(*at, '.');
        unsigned tenth = (unsigned)strtoul(at + 1, &at, 10);
        assert_true(count < CELLS_MAX);
        raw[count] = duration_shown_as(whole, tenth);
        if (row != line_cells && whole == min_delta >> 20 && tenth == (min_delta >> 10) / 102 % 10)
            raw[count] = min_delta;
        count++;
        line_cells++;
        if (*at++ == ',')
            continue;
        columns = line_cells;
        line_cells = 0;
        row++;
    }
    free(data);
    assert_int_equal(columns * row, count);
    return columns;
}

static void published_matrices_give_the_published_text(void **state)
{
    (void)state;
    static const struct {
        const char *matrix, *text;
        uint32_t min_delta;
        uint64_t khz, cache;
        uint64_t arch; /* where not i386: its own constant */
    } cases[] = {
        {"matrix-celeron-2way.csv", "celeron-2way.txt", 12586890, 467000, 131072, 0},
        {"matrix-p4ht-4way.csv", "p4ht-4way.txt", 6053016, 2379000, 524288, 0},
        {"matrix-p3xeon-8way.csv", "p3xeon-8way.txt", 91815564, 700000, 2097152, 0},
        {"matrix-itanium2-4way.csv", "itanium2-4way.txt", 44785782, 1500000, 9437184, 10000000},
        {"matrix-itanium2-4way-v2.csv", "itanium2-4way-v2.txt", 8909202, 1500000, 9437184,
         10000000},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* The whole way: a result with this raw matrix, the V1 rule, the lines. */
        memset(&result, 0, sizeof result);
        memset(cpus, 0, sizeof cpus);
        result.cpu_count = load_matrix(cases[i].matrix, cases[i].min_delta);
        for (unsigned cpu = 0; cpu < result.cpu_count; cpu++)
            cpus[cpu].apic_id = cpu;
        result.cpus = cpus;
        result.raw_ns = raw;
        result.clock.khz = cases[i].khz;
        result.class_count = 1;
        result.classes[0].key.level = LEVEL_SYSTEM;
        result.classes[0].cost = (struct figure){.ns = 1000, .samples = 9};
        struct report_machine machine = {.capacity = {0, 16384, cases[i].cache}};
        struct recommendation recommendation;
        recommend(&result, POLICY_V1, 0, 0, &recommendation);

        struct report_2004 data;
        report_2004_from_result(&result, &recommendation, &machine, scratch, &data);
        data.units_2004 = true;
        if (cases[i].arch)
            data.arch_decay_ns = cases[i].arch;
        assert_int_equal(data.min_delta_ns, cases[i].min_delta);

        char *want = read_file(cases[i].text);
        assert_string_equal(print(&data), want);
        free(want);
    }
}

static void true_milliseconds_are_the_default(void **state)
{
    (void)state;
    static const uint64_t cells[] = {999999, 91815564, 1000000, 12345678};
    struct report_2004 data = {.cpu_count = 2,
                               .raw_ns = cells,
                               .cache_bytes = 1,
                               .cpu_mhz = 2,
                               .arch_decay_ns = 3,
                               .min_delta_ns = 1000000,
                               .decay_ns = 1999999};
    assert_string_equal(print(&data), "arch cache_decay_nsec: 3\n"
                                      "migration cost matrix (cache_size: 1, cpu: 2 MHz):\n"
                                      "        [00]  [01]\n"
                                      "[00]:    0.9  91.8\n"
                                      "[01]:    1.0  12.3\n"
                                      "min_delta: 1000000\n"
                                      "using cache_decay nsec: 1999999 (1 msec)\n");
}

/* A17, A19: names are APIC ids, with holes; a CPU that took no part has neither row nor column. */
static void cpus_are_named_by_apic_id(void **state)
{
    (void)state;
    static const uint64_t cells[] = {1000000, 2000000, 3000000, 4000000,   5000000,
                                     6000000, 7000000, 8000000, 2147483647};
    memset(cpus, 0, sizeof cpus);
    cpus[0].apic_id = 4;
    cpus[1].apic_id = 5;
    cpus[1].flags = CPU_LOST;
    cpus[2].apic_id = 260;
    struct report_2004 data = {
        .cpu_count = 3, .raw_ns = cells, .cpus = cpus, .min_delta_ns = 3000000};
    assert_string_equal(print(&data), "arch cache_decay_nsec: 0\n"
                                      "migration cost matrix (cache_size: 0, cpu: 0 MHz):\n"
                                      "        [04]  [260]\n"
                                      "[04]:    1.0   3.0\n"
                                      "[260]:    7.0 2147.4\n"
                                      "min_delta: 3000000\n"
                                      "using cache_decay nsec: 0 (0 msec)\n");
}

/* A2: one CPU is a valid result. The patch started from -1 and printed it. */
static void one_cpu_has_no_delta(void **state)
{
    (void)state;
    memset(&result, 0, sizeof result);
    memset(cpus, 0, sizeof cpus);
    raw[0] = 5500000;
    result.cpu_count = 1;
    result.cpus = cpus;
    result.raw_ns = raw;
    struct report_machine machine = {0};
    struct recommendation recommendation;
    recommend(&result, POLICY_LEVELS, 0, 0, &recommendation);
    struct report_2004 data;
    report_2004_from_result(&result, &recommendation, &machine, scratch, &data);
    assert_string_equal(print(&data), "arch cache_decay_nsec: 0\n"
                                      "migration cost matrix (cache_size: 0, cpu: 0 MHz):\n"
                                      "        [00]\n"
                                      "[00]:    5.5\n"
                                      "min_delta: -1\n"
                                      "using cache_decay nsec: 500000 (0 msec)\n");
}

static void unknown_cells_are_no_minimum(void **state)
{
    (void)state;
    memset(&result, 0, sizeof result);
    result.cpu_count = 2;
    result.cpus = cpus;
    result.raw_ns = raw;
    raw[0] = raw[3] = 10;
    raw[1] = 0;
    raw[2] = 3000;
    struct recommendation recommendation = {0};
    struct report_machine machine = {.capacity = {0, 32768, 0, 9437184}};
    struct report_2004 data;
    report_2004_from_result(&result, &recommendation, &machine, scratch, &data);
    assert_int_equal(data.min_delta_ns, 3000);
    assert_int_equal(data.cache_bytes, 9437184); /* the outermost */
    result.raw_ns = NULL;
    report_2004_from_result(&result, &recommendation, &machine, scratch, &data);
    assert_int_equal(data.min_delta_ns, REPORT_2004_NO_DELTA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_matrices_give_the_published_text),
        cmocka_unit_test(true_milliseconds_are_the_default),
        cmocka_unit_test(cpus_are_named_by_apic_id),
        cmocka_unit_test(one_cpu_has_no_delta),
        cmocka_unit_test(unknown_cells_are_no_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
