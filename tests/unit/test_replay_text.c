/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is no recording: refused, and by the number of its first bad line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../lib/replay.h"

#define HEAD                                     \
    "migcost recording 1\n"                      \
    "machine 1 1000000 1 30 100 0 1 2 65536 0\n" \
    "cpu 0 1 0 0 0 0 0 0 0 0 - 0 32768 1048576 0 0 8 16 0 64 0\n"
#define HEAD_LINES 3

static struct replayer replayer;
static struct cpu_info cpus[MAX_CPUS];

static unsigned long bad_line(const char *text)
{
    unsigned long line = 0;
    return replayer_init(&replayer, text, cpus, &line) ? 0 : line;
}

static void spaces_line_ends_and_notes_do_not_matter(void **state)
{
    (void)state;
    assert_int_equal(bad_line(HEAD), 0);
    assert_int_equal(
        bad_line("# recorded on a Tuesday\n\n" HEAD "now = 5\r\n\t put \t 3  \r\n#end\n"), 0);
    assert_int_equal(bad_line("\r\n" HEAD "\n  now = 0x10\n\n\n"), 0);
    assert_int_equal(replayer.machine.ops->now(&replayer), 16);
    assert_true(replayer_finished(&replayer));
}

static void a_bad_line_is_refused_by_its_number(void **state)
{
    (void)state;
    static const char *const calls[] = {
        "now = 5", /* no line end */
        "now = 5\n\n# no line end",
        "now 5\n",
        "now =\n",
        "now = \n",
        "now = 5 6\n",
        "now = -5\n",
        "now = 5x\n",
        "now = 18446744073709551616\n",
        "nowhere = 5\n",
        "NOW = 5\n",
        "put\n",
        "put 65536\n",
        "put 99999999999999999999\n",
        "put -\n",
        "get 0 4096 = 2 1 0\n",
        "get 0 4096 = 1 1\n",
        "get 0 = 1 1 0\n",
        "get 4294967296 4096 = 1 1 0\n",
        "between 1 2 = 1\n",
        "between 1 2 step\n",
        "between 1 step = 1\n",
        "between 1 2 two words = 1\n",
        "between 1 2 \xFF = 1\n",
        "run 0 1\n",
        "run = 1\n",
        "run 1 = 1\n",
        "run 4294967295 = 1\n",
        "run 0 = 1\njob 0 0 3 1 2 0 4096 = 5 0 0\n",
        "flags 1 0\n",
        "flags 4294967295 0\n",
        "flags 0\n",
        "job 0 0 3 1 2 0 4096 = 5 0 0\n",
        "cpu 0 1 0 0 0 0 0 0 0 0 - 0 0 0 0 0 0 0 0 64 0\n",
        "migcost recording 1\n",
        "numa 1 0\nnode 0 10\nnuma 1 0\n",
        "\x01\n",
        "\xEF\xBB\xBF\n",
        "now = 5\n\vnow = 5\n",
    };
    char text[1024];
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        snprintf(text, sizeof(text), "%s%s", HEAD, calls[i]);
        assert_int_not_equal(bad_line(text), 0);
    }

    static const struct {
        const char *text;
        unsigned long line;
    } rows[] = {
        {"", 1},
        {"\n\n", 3},
        {"hello\n", 1},
        {"migcost recording 2\n", 1},
        {"migcost recording 1", 1},
        {"migcost recording 1\n", 2},
        {"\n# x\nmigcost recording 1\nmachine 0 1000 1 1 1 0 1 2 0 0\n", 4},
        {"migcost recording 1\nmachine 1025 1000 1 1 1 0 1 2 0 0\n", 2},
        {"migcost recording 1\nmachine 1 0 1 1 1 0 1 2 0 0\n", 2},
        {"migcost recording 1\nmachine 1 1000 0 1 1 0 1 2 0 0\n", 2},
        {"migcost recording 1\nmachine 1 1000 1 1 1 0 5 2 0 0\n", 2},
        {"migcost recording 1\nmachine 1 1000 1 1 1 0 1 2 0\n", 2},
        {"migcost recording 1\nmachine 1 1000 1 1 1 0 1 2 0 0\n", 3},
        {HEAD "now = 5\nnow = 6\nnow = x\nnow = 7\n", HEAD_LINES + 3},
        {HEAD "run 2 = 1\njob 0 0 3 1 2 0 4096 = 5 0 0\n\nnow = 5\n", HEAD_LINES + 4},
        {HEAD "run 1 = 1\njob 0 0 3 1 2 0 4096 = 5 0 3\n", HEAD_LINES + 2},
        {HEAD "run 1 = 1\njob 65536 0 3 1 2 0 4096 = 5 0 0\n", HEAD_LINES + 2},
        {HEAD "run 1 = 1\njob 0 0 3 256 2 0 4096 = 5 0 0\n", HEAD_LINES + 2},
        {HEAD "numa 0 0\n", HEAD_LINES + 1},
        {HEAD "numa 65 0\n", HEAD_LINES + 1},
        {HEAD "numa 1 129\n", HEAD_LINES + 1},
        {HEAD "numa 2 0\nnode 0 10 20\nnode 1 20\n", HEAD_LINES + 3},
        {HEAD "numa 1 0\nnode 0 256\n", HEAD_LINES + 2},
        {HEAD "numa 1 1\nnode 0 10\nrange 0 4096\n", HEAD_LINES + 3},
        {HEAD "numa 1 1\nnode 0 10\nnow = 5\n", HEAD_LINES + 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(bad_line(rows[i].text), rows[i].line);
}

static void a_line_size_that_no_touch_can_use_is_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool good;
    } rows[] = {{0, false},    {1, false},     {8, false},         {16, true},  {32, true},
                {64, true},    {65, false},    {96, false},        {128, true}, {4096, true},
                {32768, true}, {65536, false}, {UINT32_MAX, false}};
    char text[512];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(text, sizeof(text),
                 "migcost recording 1\nmachine 1 1000 1 1 1 0 1 2 0 0\n"
                 "cpu 0 1 0 0 0 0 0 0 0 0 - 0 0 0 0 0 0 0 0 %u 0\n",
                 rows[i].line);
        assert_int_equal(bad_line(text), rows[i].good ? 0 : 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spaces_line_ends_and_notes_do_not_matter),
        cmocka_unit_test(a_bad_line_is_refused_by_its_number),
        cmocka_unit_test(a_line_size_that_no_touch_can_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
