/* SPDX-License-Identifier: BSD-2-Clause */
/* What `migcost measure` makes of lists, words and CPUs before it measures, and how it ends. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../linux/cpu_list.c"
#include "../../linux/files.c"
#include "../../linux/measure_cpus.c"
#include "../../linux/measure_nodes.c"
#include "../../linux/measure_options.c"
#include "../../linux/say.c"

/* ---- Lists ---- */

static void lists_are_read_as_the_kernel_writes_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned count, first, last;
    } cases[] = {
        {"0", 1, 0, 0},        {"0-3", 4, 0, 3},        {"0-3\n", 4, 0, 3},
        {"1,3,5-6", 4, 1, 6},  {"8191", 1, 8191, 8191}, {"0-8191", 8192, 0, 8191},
        {"63-64,0", 3, 0, 64},
    };
    struct cpu_set set;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(cpu_list_parse(cases[i].text, &set));
        assert_int_equal(cpu_set_count(&set), cases[i].count);
        assert_true(cpu_set_has(&set, cases[i].first));
        assert_true(cpu_set_has(&set, cases[i].last));
        assert_false(cpu_set_has(&set, cases[i].last + 1));
    }
    assert_true(cpu_list_parse("", &set));
    assert_int_equal(cpu_set_count(&set), 0);
    assert_true(cpu_list_parse("\n", &set));
    assert_int_equal(cpu_set_count(&set), 0);
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "x",   "-1",         "1-",  "1,",    "1,,2", ",1",   "3-1",          "8192",   "0-8192",
        "1 2", "4294967296", "0x1", "1-2-3", " 1",   "1\n2", "0-4294967295", "1-2:1/2"};
    struct cpu_set set;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cpu_list_parse(bad[i], &set));
}

/* ---- Words ---- */

static bool take(struct measure_options *options, struct message *message, const char *line)
{
    static char text[2048];
    const char *words[256];
    unsigned count = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    return measure_options_take(words, count, options, message);
}

static void firmware_options_mean_the_same_here(void **state)
{
    (void)state;
    struct measure_options options;
    struct message message = {""};
    assert_true(take(&options, &message,
                     "--size 64K --json --cpus=0,2-3 --pattern chase --save /tmp/x --budget=7 "
                     "--capacity L2=1M --policy v5 --factor 150 --decay 2ms -q"));
    assert_true(options.json);
    assert_true(options.options.quiet);
    assert_string_equal(options.save, "/tmp/x");
    assert_int_equal(options.options.engine.size, 65536);
    assert_int_equal(options.options.capacity_bytes[0], 1 << 20);
    assert_int_equal(options.options.engine.pattern, TOUCH_CHASE);
    assert_int_equal(options.options.engine.budget_ns, 7000000000u);
    assert_int_equal(options.options.policy, POLICY_V5);
    assert_int_equal(options.options.factor_percent, 150);
    assert_int_equal(options.options.decay_ns, 2000000);
    assert_int_equal(options.options.cpu_range_count, 2);

    assert_true(take(&options, &message, ""));
    assert_false(options.json);
    assert_null(options.save);
    assert_int_equal(options.options.engine.pattern, TOUCH_SCATTER);
}

static void wrong_words_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"--chain x", "measure does not take --chain"},
        {"--chain=x", "measure does not take --chain"},
        {"--show", "measure does not take --show"},
        {"--size 4K --no-store", "measure does not take --no-store"},
        {"--sise=4K", "did you mean --size?"},
        {"--size", "--size needs a value"},
        {"--size --json", "--size needs a value"},
        {"--size --chain", "measure does not take --chain"},
        {"--size=0", "out of range"},
        {"--size=1025M", "out of range"},
        {"--budget 0", "out of range"},
        {"--cpus 3-1", "runs backwards"},
        {"--json=1", "--json=1: takes no value"},
        {"--save", "--save: takes a value"},
        {"--save=", "--save: takes a value"},
        {"show", "unexpected argument"},
        {"--quiet=1", "takes no value"},
        {"--", "unknown option"},
    };
    struct measure_options options;
    struct message message = {""};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&message, 0, sizeof message);
        assert_false(take(&options, &message, cases[i].line));
        if (!strstr(message.text, cases[i].said))
            fail_msg("%s: %s", cases[i].line, message.text);
    }
}

static void a_flood_of_words_is_refused(void **state)
{
    (void)state;
    const char *words[2 * OPTIONS_MAX_TOKENS];
    struct measure_options options;
    struct message message = {""};
    for (unsigned i = 0; i < 2 * OPTIONS_MAX_TOKENS; i++)
        words[i] = i % 2 ? "4K" : "--size";
    assert_false(measure_options_take(words, 2 * OPTIONS_MAX_TOKENS, &options, &message));
    assert_true(measure_options_take(words, OPTIONS_MAX_TOKENS, &options, &message));
    assert_false(measure_options_take(words, OPTIONS_MAX_TOKENS + 1, &options, &message));
}

/* ---- CPUs ---- */

static struct cpu_set set_of(const char *list)
{
    struct cpu_set set;
    assert_true(cpu_list_parse(list, &set));
    return set;
}

static void cpus_are_those_online_and_allowed(void **state)
{
    (void)state;
    static const struct {
        const char *present, *online, *allowed;
        unsigned usable, outside, offline, too_many;
    } cases[] = {
        {"0-3", "0-3", "0-3", 4, 0, 0, 0}, {"0-7", "0-3", "0-3", 4, 0, 4, 0},
        {"0-3", "0-3", "1,3", 2, 2, 0, 0}, {"0-7", "0,2,4,6", "2,4-5", 2, 2, 4, 0},
        {"", "", "0-1", 2, 0, 0, 0},       {"junk", "junk", "5", 1, 0, 0, 0},
        {"0-3", "", "0-1", 2, 0, 2, 0},    {"0-2047", "0-2047", "0-2047", 1024, 0, 0, 1024},
        {"0-3", "0-3", "8", 0, 4, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cpu_set allowed = set_of(cases[i].allowed);
        struct measure_cpus found;
        bool any = measure_cpus_find(cases[i].present, cases[i].online, &allowed, &found);
        assert_int_equal(any, cases[i].usable > 0);
        assert_int_equal(found.allowed_count, cases[i].usable);
        assert_int_equal(found.outside, cases[i].outside);
        assert_int_equal(found.offline, cases[i].offline);
        assert_int_equal(found.too_many, cases[i].too_many);
    }
    struct cpu_set allowed = set_of("2,4-5");
    struct measure_cpus found;
    assert_true(measure_cpus_find("0-7", "0,2,4,6", &allowed, &found));
    assert_int_equal(found.number[0], 2);
    assert_int_equal(found.number[1], 4);
}

static void cpus_outside_are_in_the_machine_and_take_no_part(void **state)
{
    (void)state;
    static struct cpu_info cpus[MAX_CPUS];
    topology_cpu_init(&cpus[0], 4);
    topology_cpu_init(&cpus[1], 2);
    assert_int_equal(measure_cpus_append((const uint32_t[]){0, 2, 4, 6}, 4, cpus, 2), 4);
    assert_int_equal(cpus[2].apic_id, 0);
    assert_int_equal(cpus[3].apic_id, 6);
    assert_int_equal(cpus[3].flags, CPU_DISABLED);
    assert_int_equal(cpus[0].flags | cpus[1].flags, 0);
    assert_int_equal(measure_cpus_append(NULL, 0, cpus, 4), 4);

    static uint32_t many[MAX_CPUS];
    for (unsigned i = 0; i < MAX_CPUS; i++)
        many[i] = 100 + i;
    assert_int_equal(measure_cpus_append(many, MAX_CPUS, cpus, 4), MAX_CPUS);
}

static void a_cpu_that_cannot_be_had_is_named(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, last;
        const char *said; /* NULL: there is one */
    } cases[] = {
        {0, 0, NULL},
        {2, 2, NULL},
        {1, 9, NULL},
        {4, 4, "APIC id 4 is outside of this process's cpuset"},
        {7, 7, "no CPU has APIC id 7; 2 may be used, the first has 0; some are offline"},
        {7, 9, "no CPU has APIC id 7 to 9"},
        {3, 4, "no CPU has APIC id 3 to 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cpu_info cpus[3];
        struct measure_cpus found = {.allowed_count = 2, .outside = 1, .offline = 1};
        struct options options = {.cpu_range_count = 1};
        struct message message = {""};
        for (unsigned c = 0; c < 3; c++)
            topology_cpu_init(&cpus[c], 2 * c);
        cpus[2].flags = CPU_DISABLED;
        options.cpu_range[0].first = cases[i].first;
        options.cpu_range[0].last = cases[i].last;
        assert_int_equal(measure_cpus_choose(&options, &found, cpus, 3, &message), !cases[i].said);
        if (cases[i].said)
            assert_non_null(strstr(message.text, cases[i].said));
        else
            for (unsigned c = 0; c < 3; c++)
                assert_int_equal((cpus[c].flags & CPU_NOT_CHOSEN) != 0,
                                 2 * c < cases[i].first || 2 * c > cases[i].last);
    }
}

static void each_ending_has_its_status(void **state)
{
    (void)state;
    static const struct {
        uint32_t flags[3];
        unsigned outside, offline, too_many;
        bool stopped, chosen;
        enum status status;
    } cases[] = {
        {{0, 0, 0}, 0, 0, 0, false, false, STATUS_OK},
        {{0, 0, 0}, 0, 2, 0, false, false, STATUS_OFFLINE},
        {{0, 0, CPU_DISABLED}, 1, 2, 0, false, false, STATUS_CPUSET},
        {{0, 0, 0}, 0, 0, 9, false, false, STATUS_CPUSET},
        {{0, 0, CPU_DISABLED}, 1, 2, 0, false, true, STATUS_OK},
        {{0, CPU_DISABLED, CPU_DISABLED}, 2, 0, 0, false, false, STATUS_ONE_CPU},
        {{0, CPU_NOT_CHOSEN, CPU_NOT_CHOSEN}, 0, 0, 0, false, true, STATUS_ONE_CPU},
        {{0, 0, CPU_LOST}, 0, 0, 0, false, false, STATUS_LOST},
        {{0, CPU_LOST, CPU_LOST}, 0, 1, 0, false, true, STATUS_LOST},
        {{0, 0, CPU_LOST}, 1, 1, 1, true, true, STATUS_STOPPED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cpu_info cpus[3];
        struct result result = {.cpus = cpus, .cpu_count = 3};
        const struct measure_cpus found = {.outside = cases[i].outside,
                                           .offline = cases[i].offline,
                                           .too_many = cases[i].too_many};
        for (unsigned c = 0; c < 3; c++) {
            topology_cpu_init(&cpus[c], c);
            cpus[c].flags = cases[i].flags[c];
        }
        assert_int_equal(measure_status(&found, &result, cases[i].stopped, cases[i].chosen),
                         cases[i].status);
    }
}

/* ---- Nodes ---- */

static void distances_are_taken_whole_or_not_at_all(void **state)
{
    (void)state;
    uint8_t distance[4];
    assert_true(measure_distances("10 21", 2, distance));
    assert_int_equal(distance[1], 21);
    assert_true(measure_distances("10\n", 1, distance));
    assert_true(measure_distances("255 10 ", 2, distance));
    static const char *const bad[] = {"", "10", "10 21 30", "10 9", "10 256", "10 x", "10 -21"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(measure_distances(bad[i], 2, distance));
}

static void put(const char *root, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void nodes_are_linux_s_and_all_or_nothing(void **state)
{
    (void)state;
    char root[] = "/tmp/migcost-nodes-XXXXXX", command[64];
    static struct numa numa;
    struct cpu_info cpus[3];
    const struct measure_cpus found = {.allowed_count = 3, .number = {0, 1, 5}};
    assert_non_null(mkdtemp(root));
    for (unsigned i = 0; i < 3; i++)
        topology_cpu_init(&cpus[i], i);

    assert_false(measure_nodes(root, &found, cpus, &numa));
    put(root, "sys/devices/system/node/online", "0,2\n");
    put(root, "sys/devices/system/node/node0/cpulist", "0-1\n");
    put(root, "sys/devices/system/node/node0/distance", "10 21\n");
    put(root, "sys/devices/system/node/node2/cpulist", "4-7\n");
    assert_false(measure_nodes(root, &found, cpus, &numa));
    assert_int_equal(cpus[0].node, NODE_UNKNOWN);
    put(root, "sys/devices/system/node/node2/distance", "21 10\n");
    assert_true(measure_nodes(root, &found, cpus, &numa));
    assert_int_equal(numa.node_count, 2);
    assert_int_equal(cpus[1].node, 0);
    assert_int_equal(cpus[2].node, 2);
    assert_int_equal(topology_distance(&numa, 0, 2), 21);
    put(root, "sys/devices/system/node/online", "0-200\n");
    assert_false(measure_nodes(root, &found, cpus, &numa));

    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_as_the_kernel_writes_them),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(firmware_options_mean_the_same_here),
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(a_flood_of_words_is_refused),
        cmocka_unit_test(cpus_are_those_online_and_allowed),
        cmocka_unit_test(cpus_outside_are_in_the_machine_and_take_no_part),
        cmocka_unit_test(a_cpu_that_cannot_be_had_is_named),
        cmocka_unit_test(each_ending_has_its_status),
        cmocka_unit_test(distances_are_taken_whole_or_not_at_all),
        cmocka_unit_test(nodes_are_linux_s_and_all_or_nothing),
    };
    return cmocka_run_group_tests_name("linux_measure", tests, NULL, NULL);
}
