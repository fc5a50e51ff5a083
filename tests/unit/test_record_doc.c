/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/record.md against the code: its tables, its arithmetic, and its example, which this program
 * prints for the page with --print. Runs in the root of the tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/record_format.h"
#include "../../lib/store_policy.h"
#include "../../lib/text.h"

#define PAGE         "docs/record.md"
#define BEGINS       "<!-- example begins -->\n"
#define ENDS         "<!-- example ends -->\n"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const int32_t example_cost[16] = {
    COST_UNKNOWN, 1210,  61830,        61795, 1195,  COST_UNKNOWN, 61842, 61801,
    61210,        61188, COST_UNKNOWN, 1204,  61197, 61240,        1188,  COST_UNKNOWN,
};

/* Encodes the example. Returns its length. */
static size_t example(struct record *record, uint8_t buffer[RECORD_MAX_BYTES])
{
    static const struct cpu_info cpus[4] = {
        {.apic_id = 0}, {.apic_id = 1}, {.apic_id = 2}, {.apic_id = 3}};
    static uint8_t class_of[16];
    struct result result = {
        .cpu_count = 4, .cpus = cpus, .cost_ns = (int32_t *)example_cost, .class_of = class_of};
    *record = (struct record){
        .flags = FLAG_CORE_CLOCK_UNKNOWN,
        .decay_ns = 123020,
        .policy = POLICY_LEVELS,
        .basis = BASIS_OUTERMOST,
        .pattern = TOUCH_SCATTER,
        .access = TOUCH_UPDATE,
        .factor_percent = 200,
        .started = 1700000000,
        .duration_ms = 4210,
        .tsc_khz = 2100000,
        .identity = {.cpu_signature = 0x806F8,
                     .microcode = 0x2B000461,
                     .apic_ids_crc = record_apic_ids_crc(cpus, 4),
                     .caches_crc = 0x1A2B3C4D,
                     .numa_crc = 0,
                     .firmware_crc = record_firmware_crc("1.2.3"),
                     .method = RECORD_METHOD},
        .cpu_count = 4,
        .class_count = 2,
        .classes = {{.level = LEVEL_CORE,
                     .distance = DISTANCE_LOCAL,
                     .first_visit_percent = 104,
                     .pairs = 2,
                     .working_set = 43008,
                     .cost_ns = 1200,
                     .spread_ns = 45,
                     .linear_ns = 700,
                     .chase_ns = 3100},
                    {.level = LEVEL_SYSTEM,
                     .distance = DISTANCE_LOCAL,
                     .flags = CLASS_NO_CAPACITY,
                     .first_visit_percent = 118,
                     .pairs = 4,
                     .working_set = 786432,
                     .cost_ns = 61510,
                     .spread_ns = 1400,
                     .linear_ns = 15200,
                     .chase_ns = 884000,
                     .decay_ns = 123020,
                     .evict_bytes = 1048576,
                     .evict_ns = 655000}},
        .apic_ids_known = true,
        .apic_ids = {0, 1, 2, 3},
    };
    size_t length = 0;
    return record_encode(record, &result, buffer, RECORD_MAX_BYTES, &length) ? 0 : length;
}

static const struct field {
    unsigned at, bytes;
    const char *name;
} head[] =
    {
        {HEAD_MAGIC, 4, "magic"},
        {HEAD_VERSION, 2, "version"},
        {HEAD_BYTES_AT, 2, "head length"},
        {HEAD_TOTAL, 2, "total length"},
        {HEAD_CPU_COUNT, 2, "CPUs"},
        {HEAD_CRC, 4, "CRC"},
        {HEAD_FLAGS, 4, "flags"},
        {HEAD_DECAY, 4, "decay"},
        {HEAD_POLICY, 1, "policy"},
        {HEAD_BASIS, 1, "basis"},
        {HEAD_PATTERN, 1, "pattern"},
        {HEAD_ACCESS, 1, "access"},
        {HEAD_FACTOR, 4, "factor"},
        {HEAD_STARTED, 8, "time"},
        {HEAD_DURATION, 4, "duration"},
        {HEAD_TSC_KHZ, 4, "TSC"},
        {HEAD_SIGNATURE, 4, "CPU signature"},
        {HEAD_MICROCODE, 4, "microcode"},
        {HEAD_APIC_IDS_CRC, 4, "APIC ids sum"},
        {HEAD_CACHES_CRC, 4, "caches sum"},
        {HEAD_NUMA_CRC, 4, "NUMA sum"},
        {HEAD_FIRMWARE_CRC, 4, "firmware sum"},
        {HEAD_METHOD, 2, "method"},
        {HEAD_CLASS_COUNT, 1, "classes"},
        {HEAD_CLASS_BYTES, 1, "class length"},
        {HEAD_RUN_COUNT, 1, "runs"},
        {HEAD_CELLS, 1, "cells"},
        {HEAD_BOUND, 2, "bound"},
},
  entry[] =
      {
          {CLASS_LEVEL, 1, "level"},       {CLASS_DISTANCE, 1, "distance"},
          {CLASS_KIND_LOW, 1, "kind low"}, {CLASS_KIND_HIGH, 1, "kind high"},
          {CLASS_FLAGS, 2, "class flags"}, {CLASS_FIRST_VISIT_AT, 2, "first visit"},
          {CLASS_PAIRS, 4, "pairs"},       {CLASS_WORKING_SET, 4, "working set"},
          {CLASS_COST, 4, "cost"},         {CLASS_SPREAD, 4, "spread"},
          {CLASS_LINEAR, 4, "linear"},     {CLASS_CHASE, 4, "chase"},
          {CLASS_DECAY, 4, "class decay"},
},
  run[] =
      {
          {RUN_FIRST, 4, "first"},
          {RUN_COUNT, 2, "count"},
          {RUN_STRIDE, 2, "step"},
},
  exact[] =
      {
          {EXACT_BASE, 4, "base"},
          {EXACT_WIDTH, 1, "width"},
},
  evict[] = {
      {EVICT_AT_BYTES, 4, "evict bytes"},
      {EVICT_AT_NS, 4, "evict time"},
};

struct text {
    char bytes[16384];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length =
        vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, args);
    va_end(args);
    if (length < 0 || text->length + (size_t)length >= sizeof text->bytes)
        abort();
    text->length += (size_t)length;
}

static void add_line(struct text *text, const uint8_t *buffer, size_t at, size_t bytes,
                     const char *what)
{
    add(text, "    %03X ", (unsigned)at);
    for (size_t i = 0; i < bytes; i++)
        add(text, " %02X", buffer[at + i]);
    add(text, "%*s  %s\n", (int)(bytes < 8 ? 3 * (8 - bytes) : 0), "", what);
}

static void add_fields(struct text *text, const uint8_t *buffer, size_t base,
                       const struct field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = buffer + base + fields[i].at;
        unsigned long long value = at[0];
        char what[64];
        if (fields[i].bytes == 2)
            value = get16(at);
        if (fields[i].bytes == 4)
            value = get32(at);
        if (fields[i].bytes == 8)
            value = get64(at);
        snprintf(what, sizeof what, "%s %llu", fields[i].name, value);
        add_line(text, buffer, base + fields[i].at, fields[i].bytes, what);
    }
}

static void make_block(struct text *text)
{
    struct record record;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length = example(&record, buffer), at = HEAD_BYTES;
    text->length = 0;
    add_fields(text, buffer, 0, head, COUNT(head));
    for (unsigned i = 0; i < record.class_count; i++, at += CLASS_BYTES)
        add_fields(text, buffer, at, entry, COUNT(entry));
    for (unsigned i = 0; i < buffer[HEAD_RUN_COUNT]; i++, at += RUN_BYTES)
        add_fields(text, buffer, at, run, COUNT(run));
    add_fields(text, buffer, at, exact, COUNT(exact));
    add_line(text, buffer, at + EXACT_WIDTH + 1, 3, "0");
    at += EXACT_BITS;
    size_t table = length - (size_t)record.class_count * EVICT_BYTES;
    for (; at < table; at += 8)
        add_line(text, buffer, at, table - at < 8 ? table - at : 8, "codes");
    for (at = table; at < length; at += EVICT_BYTES)
        add_fields(text, buffer, at, evict, COUNT(evict));
    add(text, "\n    %zu bytes. From position to position, ns:\n", length);
    for (unsigned s = 0; s < record.cpu_count; s++) {
        add(text, "    ");
        for (unsigned d = 0; d < record.cpu_count; d++) {
            int32_t ns;
            bool is_exact;
            if (record_cell(&record, buffer, s, d, &ns, &is_exact))
                add(text, " %6d", (int)ns);
            else
                add(text, " %6s", "-");
        }
        add(text, "\n");
    }
}

static char *read_page(void)
{
    FILE *file = fopen(PAGE, "r");
    assert_non_null(file);
    static char page[65536];
    size_t length = fread(page, 1, sizeof page - 1, file);
    assert_int_equal(ferror(file), 0);
    fclose(file);
    page[length] = '\0';
    return page;
}

static void the_example_is_what_the_encoder_writes(void **state)
{
    (void)state;
    static struct text block;
    char *page = read_page(), *begin = strstr(page, BEGINS);
    assert_non_null(begin);
    begin += strlen(BEGINS);
    char *end = strstr(begin, ENDS);
    assert_non_null(end);
    *end = '\0';
    make_block(&block);
    assert_string_equal(begin, block.bytes);
}

static void the_example_decodes_to_what_it_was_made_of(void **state)
{
    (void)state;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length = example(&record, buffer);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.cells, CELLS_EXACT);
    for (unsigned i = 0; i < 16; i++) {
        int32_t ns;
        bool is_exact;
        if (record_cell(&back, buffer, i / 4, i % 4, &ns, &is_exact))
            assert_int_equal(ns, example_cost[i]);
        else
            assert_int_equal(i / 4, i % 4);
    }
}

static void require(const char *page, const char *text)
{
    if (!strstr(page, text))
        fail_msg(PAGE " lacks \"%s\"", text);
}

static void require_fields(const char *page, const struct field *fields, size_t count, bool whole,
                           unsigned size)
{
    unsigned next = 0;
    for (size_t i = 0; i < count; i++) {
        char row[80];
        snprintf(row, sizeof row, "\n| %u | %u | %s |", fields[i].at, fields[i].bytes,
                 fields[i].name);
        require(page, row);
        if (whole)
            assert_int_equal(fields[i].at, next); /* no byte without a meaning */
        next = fields[i].at + fields[i].bytes;
    }
    if (whole)
        assert_int_equal(next, size);
}

static void every_field_stands_on_the_page_where_it_is(void **state)
{
    (void)state;
    char *page = read_page();
    require_fields(page, head, COUNT(head), true, HEAD_BYTES);
    require_fields(page, entry, COUNT(entry), true, CLASS_BYTES);
    require_fields(page, run, COUNT(run), true, RUN_BYTES);
    require_fields(page, exact, COUNT(exact), false, 0);
    require_fields(page, evict, COUNT(evict), true, EVICT_BYTES);
}

static void every_flag_stands_on_the_page_under_its_number(void **state)
{
    (void)state;
    char *page = read_page();
    char *section = strstr(page, "\n## Flags\n"), *end = strstr(page, "\n## Basis\n");
    assert_non_null(section);
    assert_non_null(end);
    *end = '\0';
    unsigned rows = 0;
    for (char *row = section; (row = strstr(row, "\n| ")) != NULL; row++)
        rows += row[3] >= '0' && row[3] <= '9';
    assert_int_equal(rows, FLAG_COUNT);
    for (unsigned bit = 0; bit < FLAG_COUNT; bit++) {
        char row[80];
        snprintf(row, sizeof row, "\n| %u | %s | ", bit, flag_name(bit));
        require(section, row);
    }
}

static void numbers_of_policies_levels_patterns_and_bases_are_those_of_the_code(void **state)
{
    (void)state;
    char *page = read_page(), text[128];
    for (unsigned i = 0; i < POLICIES; i++) {
        snprintf(text, sizeof text, "%u `%s`", i, policy_name(i));
        require(page, text);
    }
    for (unsigned i = 0; i < LEVELS; i++) {
        snprintf(text, sizeof text, "%u %s", i, level_name(i));
        require(page, text);
    }
    require(page, "| 0 linear, 1 scatter, 2 chase |");
    assert_true(TOUCH_LINEAR == 0 && TOUCH_SCATTER == 1 && TOUCH_CHASE == 2 && TOUCH_PATTERNS == 3);
    require(page, "| 0 read, 1 write, 2 update |");
    assert_true(TOUCH_READ == 0 && TOUCH_WRITE == 1 && TOUCH_UPDATE == 2 && TOUCH_ACCESSES == 3);
    require(page, "0 none, 1 exact, 2 a class per pair, 3 a class per bit");
    assert_true(CELLS_NONE == 0 && CELLS_EXACT == 1 && CELLS_CLASS == 2 && CELLS_TREE == 3);
    char *basis = strstr(page, "\n## Basis\n");
    assert_non_null(basis);
    for (unsigned i = 0; i < BASES; i++) {
        snprintf(text, sizeof text, "\n| %u | ", i);
        require(basis, text);
    }
    snprintf(text, sizeof text, "why it is what it is, see [Basis](#basis): 0 to %d", BASES - 1);
    require(page, text);
}

static void class_flags_are_the_bits_of_the_code(void **state)
{
    (void)state;
    assert_int_equal(CLASS_FLAGS_KNOWN, 63); /* bits 0 to 5 */
    assert_true(CLASS_ZERO == 1 && CLASS_SPLIT == 2 && CLASS_TWO_PEAKS == 4 &&
                CLASS_FIRST_VISIT == 8 && CLASS_NO_CAPACITY == 16 && CLASS_EDGE == 32);
    char *page = read_page();
    char *section = strstr(page, "| bit | class flag |");
    assert_non_null(section);
    *strstr(section, "\n## ") = '\0';
    require(section, "\n| 0 | the cost cannot be told from zero");
    require(section, "\n| 5 | the working set is the largest");
    assert_null(strstr(section, "\n| 6 "));
}

static void limits_and_arithmetic_are_those_of_the_code(void **state)
{
    (void)state;
    char *page = read_page();
    assert_int_equal(1024 - STORE_HEADER_BYTES - STORE_NAME_BYTES, 936);
    require(page, "1,024 - 60 (header) - 28 (name, UTF-16 with its NUL) = 936 bytes");
    assert_int_equal(RECORD_MAX_BYTES, 900);
    assert_int_equal(HEAD_BYTES + RECORD_MAX_CLASSES * CLASS_BYTES, 512);
    assert_int_equal(HEAD_BYTES + 3 * CLASS_BYTES + RUN_BYTES + EXACT_BITS + 8 * 7 * 17 / 8, 323);
    require(page, "80 + 108 + 8 + 8 + 119 = 323");
    assert_int_equal(HEAD_BYTES + 3 * CLASS_BYTES + RUN_BYTES + EXACT_BITS + 16 * 15 * 20 / 8, 804);
    require(page, "80 + 108 + 8 + 8 + 600 = 804");
    assert_int_equal(HEAD_BYTES + 3 * CLASS_BYTES + RUN_BYTES + 64 * 63 / 2 * 2 / 8, 700);
    require(page, "80 + 108 + 8 + 504 = 700");
    assert_int_equal(HEAD_BYTES + 4 * CLASS_BYTES + RUN_BYTES + 1 + 10, 243);
    require(page, "80 + 144 + 8 + 11 = 243");
    assert_true(DECAY_MIN_NS == 1000 && DECAY_MAX_NS == 100000000);
    require(page, "ns: 1,000 to 100,000,000");
    assert_int_equal(RECORD_VERSION_OLD, 1);
    require(page, "| 4 | 2 | version | 1 or 2,");
    assert_int_equal(RECORD_VERSION, 2);
    require(page, "\n| 2 | policy 4, a decay table;");
    assert_int_equal(POLICY_DECAY, 4);
    require(page, "4294967295: not known"); /* what a figure of one sample saturates to */
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--print") == 0) {
        static struct text block;
        make_block(&block);
        fputs(block.bytes, stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_what_the_encoder_writes),
        cmocka_unit_test(the_example_decodes_to_what_it_was_made_of),
        cmocka_unit_test(every_field_stands_on_the_page_where_it_is),
        cmocka_unit_test(every_flag_stands_on_the_page_under_its_number),
        cmocka_unit_test(numbers_of_policies_levels_patterns_and_bases_are_those_of_the_code),
        cmocka_unit_test(class_flags_are_the_bits_of_the_code),
        cmocka_unit_test(limits_and_arithmetic_are_those_of_the_code),
    };
    return cmocka_run_group_tests_name("record_doc", tests, NULL, NULL);
}
