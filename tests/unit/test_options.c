/* SPDX-License-Identifier: BSD-2-Clause */
/* Options: what is taken, and what it sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/options.h"
#include "../../lib/touch.h"
#include "options_parse.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void assert_takes(const char *const words[MAX_WORDS], const struct options *want)
{
    struct parsed p = parse_words(words);
    assert_string_equal(p.message, "");
    assert_int_equal(p.status, OPTIONS_OK);
    assert_memory_equal(&p.options, want, sizeof *want);
}

/* The defaults with one member changed, against a row of words. */
#define TAKES(change, ...)                                                \
    do {                                                                  \
        struct options want;                                              \
        options_default(&want);                                           \
        want.change;                                                      \
        assert_takes((const char *const[MAX_WORDS]){__VA_ARGS__}, &want); \
    } while (0)

static void no_options_mean_measure_scatter_update_for_60_seconds(void **state)
{
    (void)state;
    struct parsed p = parse(NULL, 0);
    assert_int_equal(p.status, OPTIONS_OK);
    assert_int_equal(p.options.action, ACTION_MEASURE);
    assert_int_equal(p.options.engine.pattern, TOUCH_SCATTER);
    assert_int_equal(p.options.engine.access, TOUCH_UPDATE);
    assert_int_equal(p.options.engine.budget_ns, 60000000000);
    assert_int_equal(p.options.engine.size, 0);
    assert_int_equal(p.options.policy, POLICY_LEVELS);
    assert_int_equal(p.options.format, FORMAT_TABLE);
    assert_int_equal(p.options.handoff, HANDOFF_NONE);
    assert_int_equal(p.options.start, START_AUTO);
    assert_false(p.options.chain);
    assert_true(options_cpu_chosen(&p.options, 0));
    assert_true(options_cpu_chosen(&p.options, UINT32_MAX - 1));
}

static void every_option_sets_its_own_member_and_nothing_else(void **state)
{
    (void)state;
    TAKES(engine.size = 1024, "--size", "1K");
    TAKES(engine.size = 768 * 1024, "--size=768K");
    TAKES(engine.size = 768 * 1024, "--size=786432");
    TAKES(engine.size = 768 * 1024, "--size=0xC0000");
    TAKES(engine.size = 2 << 20, "--size=2m");
    TAKES(engine.size = 2 << 20, "--size=2MiB");
    TAKES(engine.size = 1 << 30, "--size", "1G");
    TAKES(engine.pattern = TOUCH_LINEAR, "--pattern", "linear");
    TAKES(engine.pattern = TOUCH_CHASE, "--pattern=chase");
    TAKES(engine.access = TOUCH_READ, "--access=read");
    TAKES(engine.access = TOUCH_WRITE, "--access", "write");
    TAKES(engine.budget_ns = 1000000000, "--budget=1");
    TAKES(engine.budget_ns = 3600000000000, "--budget", "3600");
    TAKES(start = START_MP, "--start=mp");
    TAKES(start = START_SIPI, "--start", "sipi");
    TAKES(start = START_AUTO, "--start=auto");
    TAKES(policy = POLICY_V1, "--policy=v1");
    TAKES(policy = POLICY_V5, "--policy=v5");
    TAKES(policy = POLICY_EXPECTED, "--policy=expected");
    TAKES(policy = POLICY_DECAY, "--policy=decay");
    TAKES(policy = POLICY_LEVELS, "--policy=levels");
    TAKES(factor_percent = 1, "--factor", "1");
    TAKES(factor_percent = FACTOR_MAX_PERCENT, "--factor=100000");
    TAKES(decay_ns = DECAY_MIN_NS, "--decay=1000");
    TAKES(decay_ns = 250000, "--decay=250us");
    TAKES(decay_ns = DECAY_MAX_NS, "--decay", "100ms");
    TAKES(format = FORMAT_2004, "--format=2004");
    TAKES(format = FORMAT_2004_UNITS, "--format", "2004-units");
    TAKES(format = FORMAT_TABLE, "--format=table");
    TAKES(report = true, "--report");
    TAKES(quiet = true, "--quiet");
    TAKES(quiet = true, "-q");
    TAKES(force = true, "--force");
    TAKES(no_store = true, "--no-store");
    TAKES(usb = true, "--usb");
    TAKES(action = ACTION_SHOW, "--show");
    TAKES(action = ACTION_DELETE, "--delete");
    TAKES(action = ACTION_HELP, "--help");
    TAKES(action = ACTION_HELP, "-h");
    TAKES(action = ACTION_VERSION, "--version");
}

/* What --capacity makes of four CPUs with the APIC ids 0, 1, 8 and 9. */
static void capacities_are(const char *const words[MAX_WORDS], unsigned level,
                           const uint64_t want[4])
{
    static const uint32_t ids[4] = {0, 1, 8, 9};
    struct cpu_info cpus[4];
    struct parsed p = parse_words(words);
    assert_string_equal(p.message, "");
    for (unsigned i = 0; i < 4; i++) {
        topology_cpu_init(&cpus[i], ids[i]);
        cpus[i].cache_bytes[1] = cpus[i].cache_bytes[2] = cpus[i].cache_bytes[3] = 7;
    }
    assert_true(options_capacities(&p.options, cpus, 4));
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(cpus[i].cache_bytes[level], want[i]);
        assert_int_equal(cpus[i].cache_bytes[level % 3 + 1], 7);
    }
}

#define CAPACITIES(level, a, b, c, d, ...)                                       \
    capacities_are((const char *const[MAX_WORDS]){__VA_ARGS__}, level,           \
                   (const uint64_t[4]){(uint64_t)(a) << 10, (uint64_t)(b) << 10, \
                                       (uint64_t)(c) << 10, (uint64_t)(d) << 10})

static void capacities_are_of_all_cpus_or_of_some(void **state)
{
    (void)state;
    CAPACITIES(1, 48, 48, 48, 48, "--capacity", "L1=48K");
    CAPACITIES(2, 1280, 1280, 1280, 1280, "--capacity=l2=1280K");
    CAPACITIES(3, 1 << 20, 1 << 20, 1 << 20, 1 << 20, "--capacity=3=1G");
    CAPACITIES(3, 32768, 32768, 98304, 98304, "--capacity=L3=32M", "--capacity=L3@8-9=96M");
    CAPACITIES(3, 98304, 32768, 32768, 98304, "--capacity=3=32M", "--capacity", "l3@9,0,5-7=96M");
    CAPACITIES(3, 32768, 32768, 32768, 32768, "--capacity=L3@8=96M", "--capacity=L3=32M");

    struct options none;
    options_default(&none);
    assert_false(options_capacities(&none, NULL, 0));
}

static void several_options_add_up_and_the_last_of_a_kind_counts(void **state)
{
    (void)state;
    static const char *const words[] = {"-q",      "--size=4M",       "--capacity",
                                        "L2=1M",   "--size=8M",       "--capacity=3=32M",
                                        "--force", "--capacity=1=32K"};
    struct parsed p = parse(words, COUNT(words));
    assert_int_equal(p.status, OPTIONS_OK);
    assert_true(p.options.quiet);
    assert_true(p.options.force);
    assert_int_equal(p.options.engine.size, 8 << 20);
    assert_int_equal(p.options.capacity_count, 3);
}

static void cpus_are_apic_ids_and_ranges(void **state)
{
    (void)state;
    struct parsed p =
        parse_words((const char *const[MAX_WORDS]){"--cpus=0,2,0x10-0x1F,4294967294,40-40"});
    assert_int_equal(p.status, OPTIONS_OK);
    assert_int_equal(p.options.cpu_range_count, 5);
    static const struct {
        uint32_t id;
        bool chosen;
    } cases[] = {{0, true},  {1, false},  {2, true},   {3, false},         {15, false},
                 {16, true}, {31, true},  {32, false}, {0xFFFFFFFE, true}, {0xFFFFFFFD, false},
                 {40, true}, {41, false}, {39, false}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(options_cpu_chosen(&p.options, cases[i].id), cases[i].chosen);

    /* the last list counts as a whole */
    p = parse_words((const char *const[MAX_WORDS]){"--cpus", "1,2,3", "--cpus", "9"});
    assert_int_equal(p.options.cpu_range_count, 1);
    assert_false(options_cpu_chosen(&p.options, 2));
    assert_true(options_cpu_chosen(&p.options, 9));
}

static void a_list_may_be_as_long_as_it_says_and_no_longer(void **state)
{
    (void)state;
    struct options options;
    const unsigned most = COUNT(options.cpu_range);
    char list[1024] = "0";
    for (unsigned i = 1; i < most; i++)
        sprintf(list + strlen(list), ",%u", 2 * i);
    struct parsed p = parse_words((const char *const[MAX_WORDS]){"--cpus", list});
    assert_int_equal(p.status, OPTIONS_OK);
    assert_int_equal(p.options.cpu_range_count, most);
    assert_true(options_cpu_chosen(&p.options, 2 * (most - 1)));
    strcat(list, ",9999");
    FAILS(OPTIONS_TOO_MANY, "--cpus: more than 64 ids and ranges", "--cpus", list);
}

static void a_cpu_that_does_not_exist_is_found_out(void **state)
{
    (void)state;
    static const struct cpu_info cpus[] = {{.apic_id = 0}, {.apic_id = 2}, {.apic_id = 300}};
    static const struct {
        const char *list;
        int missing; /* -1: none */
    } cases[] = {{"0,2,300", -1}, {"0-1000", -1}, {"1", 0},
                 {"0,1", 1},      {"3-299", 0},   {"2,300-301,4-9", 2}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct parsed p = parse_words((const char *const[MAX_WORDS]){"--cpus", cases[i].list});
        unsigned range = 99;
        bool exist = options_cpus_exist(&p.options, cpus, COUNT(cpus), &range);
        assert_int_equal(exist, cases[i].missing < 0);
        if (!exist)
            assert_int_equal(range, cases[i].missing);
    }
    struct options none;
    unsigned range;
    options_default(&none);
    assert_true(options_cpus_exist(&none, cpus, COUNT(cpus), &range));
}

static void a_chained_image_owns_all_that_follows_its_path(void **state)
{
    (void)state;
    static const char *const words[] = {"-q",         "--chain",    "\\EFI\\x\\vmlinuz",
                                        "--quiet",    "--nonsense", "root=/dev/sda",
                                        "--handoff=x"};
    struct parsed p = parse(words, COUNT(words));
    assert_int_equal(p.status, OPTIONS_OK);
    assert_true(p.options.chain);
    assert_string_equal(p.options.chain_path, "\\EFI\\x\\vmlinuz");
    assert_int_equal(p.options.chain_first_token, 3);
    assert_int_equal(p.options.handoff, HANDOFF_NONE);

    p = parse_words((const char *const[MAX_WORDS]){"--handoff", "cmdline", "--chain=a b.efi"});
    assert_int_equal(p.status, OPTIONS_OK);
    assert_string_equal(p.options.chain_path, "a b.efi");
    assert_int_equal(p.options.chain_first_token, 3);
    assert_int_equal(p.options.handoff, HANDOFF_CMDLINE);

    p = parse_words((const char *const[MAX_WORDS]){"--handoff=sysctl", "--chain", "x", "--help"});
    assert_int_equal(p.status, OPTIONS_OK);
    assert_int_equal(p.options.action, ACTION_MEASURE);
    assert_int_equal(p.options.handoff, HANDOFF_SYSCTL);
}

static void a_kernel_may_have_more_parameters_than_we_have_options(void **state)
{
    (void)state;
    const char *words[OPTIONS_MAX_TOKENS + 1];
    for (size_t i = 0; i < COUNT(words); i++)
        words[i] = "-q";
    assert_int_equal(parse(words, OPTIONS_MAX_TOKENS).status, OPTIONS_OK);
    struct parsed p = parse(words, OPTIONS_MAX_TOKENS + 1);
    assert_int_equal(p.status, OPTIONS_TOO_MANY);
    assert_string_equal(p.message, "more than 64 arguments");
    words[10] = "--chain=k";
    assert_int_equal(parse(words, OPTIONS_MAX_TOKENS + 1).status, OPTIONS_OK);
}

static void a_path_as_long_as_fits_is_taken_and_one_more_is_refused(void **state)
{
    (void)state;
    struct options options;
    char path[sizeof options.chain_path + 1];
    memset(path, 'p', sizeof path);
    path[sizeof options.chain_path - 1] = '\0';
    struct parsed p = parse_words((const char *const[MAX_WORDS]){"--chain", path});
    assert_int_equal(p.status, OPTIONS_OK);
    assert_string_equal(p.options.chain_path, path);
    path[sizeof options.chain_path - 1] = 'p';
    path[sizeof options.chain_path] = '\0';
    FAILS(OPTIONS_VALUE, "--chain: the path is longer than 255 bytes", "--chain", path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_options_mean_measure_scatter_update_for_60_seconds),
        cmocka_unit_test(every_option_sets_its_own_member_and_nothing_else),
        cmocka_unit_test(capacities_are_of_all_cpus_or_of_some),
        cmocka_unit_test(several_options_add_up_and_the_last_of_a_kind_counts),
        cmocka_unit_test(cpus_are_apic_ids_and_ranges),
        cmocka_unit_test(a_list_may_be_as_long_as_it_says_and_no_longer),
        cmocka_unit_test(a_cpu_that_does_not_exist_is_found_out),
        cmocka_unit_test(a_chained_image_owns_all_that_follows_its_path),
        cmocka_unit_test(a_kernel_may_have_more_parameters_than_we_have_options),
        cmocka_unit_test(a_path_as_long_as_fits_is_taken_and_one_more_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
