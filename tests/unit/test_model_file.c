/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine files: what they say arrives, and wrong ones are refused with line and reason. */
#include "model_aid.h"
#include <dirent.h>
#include <stdlib.h>

#define TOP    "machine = test\nline = 64\ncpus = 4\n"
#define CACHE  "[cache L2]\nlevel = 2\nsize = 64K\nways = 8\nhit = 2 ns\ngroups = each\n"
#define FAR    "[distance far]\ntransfer = 100 ns\ngroups = all\n"
#define MEMORY "[memory]\nsize = 1M\nlatency = 80 ns\n"
#define CLOCK  "[clock]\nrate = 2.5 GHz\n"
#define GOOD   TOP CACHE FAR MEMORY CLOCK

static void values_arrive_in_their_units(void **state)
{
    (void)state;
    struct desc *desc = aid_parse(
        "# comment\nmachine = a machine # another\nline = 128\ncpus = 4\nboot = 2\nseed = 99\n"
        "apic = 0 2 4 6\nsmt-slowdown = 1.25\n"
        "[overlap]\nlinear = 6\nscatter = 2.5\n"
        "[kind P]\ncpus = 0 1\ncode = 0x40\n"
        "[kind E]\ncpus = 2-3\ncode = 0x20\nspeed = 62.5%\noverlap.scatter = 1.5\n"
        "[topology]\ncore = 0 1; 2; 3\npackage = all\n"
        "[cache L2]\nlevel = 2\nsize = 1.5M\nways = 12\nhit = 2.5ns\ngroups = 0 1; 2; 3\n"
        "replacement = rrip\nhashed = yes\nway-mask = 0xFF\nevict = 0.5 ns\n"
        "[cpu 3]\nspeed = 80%\nway-mask = 0x3\n"
        "[distance one]\ntransfer = 30 ns\nbetween = 0 > 2; 1 | 3\n"
        "[distance rest]\ntransfer = 0.1 us\ngroups = all\n"
        "[memory]\nsize = 8M\nlatency = 1 us\nwrite-back = 3 ns\npages = 16K\nbandwidth = 1.5 "
        "GB/s\n"
        "[prefetch]\nstream = 60%\nrevisit.linear = 20%\n"
        "[others]\nevict = 100 MB/s\n"
        "[claims]\ncore = none\nllc = all\nsize.2 = 2M\nhypervisor = yes\n"
        "[clock]\nrate = 467 MHz\nstep = 10 ns\nread = 20 ns\n"
        "[noise]\njitter = 2%\ndrift = -100 ppm\ndrift-cpu = 1\njump-ticks = -77\n");
    assert_string_equal(desc->name, "a machine");
    assert_int_equal(desc->line_bytes, 128);
    assert_int_equal(desc->boot_cpu, 2);
    assert_int_equal(desc->seed, 99);
    assert_int_equal(desc->cpu[3].apic_id, 6);
    assert_int_equal(desc->smt_permille, 1250);
    assert_int_equal(desc->kind_count, 3);
    assert_int_equal(desc->cpu[1].kind, 1);
    assert_int_equal(desc->cpu[2].kind, 2);
    assert_int_equal(desc->kind[2].speed_permille, 625);
    assert_int_equal(desc->kind[2].overlap[OVERLAP_SCATTER], 1500);
    assert_int_equal(desc->kind[2].overlap[OVERLAP_LINEAR], 6000);
    assert_int_equal(desc->kind[1].overlap[OVERLAP_SCATTER], 2500);
    assert_int_equal(desc->kind[1].overlap[OVERLAP_CHASE], 1000);
    assert_int_equal(desc->cpu[1].group[LEVEL_CORE], desc->cpu[0].group[LEVEL_CORE]);
    assert_int_equal(desc->cpu[0].group[LEVEL_DIE], DESC_NONE);
    assert_int_equal(desc->cache[0].bytes, 3 << 19);
    assert_int_equal(desc->cache[0].hit_ps, 2500);
    assert_int_equal(desc->cache[0].policy, POLICY_RRIP);
    assert_true(desc->cache[0].hashed);
    assert_int_equal(desc->cache[0].instances, 3);
    assert_int_equal(desc->cpu[3].speed_permille, 800);
    assert_int_equal(desc->cpu[3].way_mask, 3);
    /* rows read: CPU 2 fetches from 0 over "one", not the other way; 1 and 3 both ways */
    assert_int_equal(desc->distance_of[2 * 4 + 0], 0);
    assert_int_equal(desc->distance_of[0 * 4 + 2], 1);
    assert_int_equal(desc->distance_of[1 * 4 + 3], 0);
    assert_int_equal(desc->distance_of[3 * 4 + 1], 0);
    assert_int_equal(desc->distance[1].transfer_ps, 100000);
    assert_int_equal(desc->node[0].latency_ps[0], 1000000);
    assert_int_equal(desc->node[0].bytes_per_us, 1500);
    assert_int_equal(desc->page_bytes, 16384);
    assert_int_equal(desc->revisit_permille[OVERLAP_LINEAR], 200);
    assert_int_equal(desc->revisit_permille[OVERLAP_SCATTER], 1000);
    assert_int_equal(desc->evict_per_us, 100);
    assert_int_equal(desc->clock.khz, 467000);
    assert_int_equal(desc->noise.drift_ppm, -100);
    assert_int_equal(desc->noise.jump_ticks, -77);
    desc_free(desc);
}

static void nodes_and_links_arrive(void **state)
{
    (void)state;
    struct desc *desc = aid_parse(
        TOP CACHE FAR "[memory]\nsize = 1M\nbandwidth = 10 GB/s\n"
                      "[node 4]\ncpus = 0 1\ndistances = 10 17\nlatency = 80 ns, 0.15 us\n"
                      "[node 9]\ncpus = 2 3\ndistances = 21 10\nlatency = 150ns 80ns\n"
                      "bandwidth = 5 GB/s\n[link 9 4]\nbandwidth = 2 GB/s\n" CLOCK);
    assert_true(desc->has_nodes);
    assert_int_equal(desc->node_count, 2);
    assert_int_equal(desc->node[1].id, 9);
    assert_int_equal(desc->node[0].slit[1], 17);
    assert_int_equal(desc->node[1].slit[0], 21);
    assert_int_equal(desc->node[0].latency_ps[1], 150000);
    assert_int_equal(desc->node[0].bytes_per_us, 10000);
    assert_int_equal(desc->node[1].bytes_per_us, 5000);
    assert_int_equal(desc->cpu[3].node, 1);
    assert_int_equal(desc->link[0].node_a, 1);
    assert_int_equal(desc->link[0].bytes_per_us, 2000);

    struct cpu_info cpus[4];
    struct numa numa;
    claims_cpus(desc, cpus);
    assert_true(claims_numa(desc, &numa));
    assert_int_equal(cpus[2].node, 9);
    assert_int_equal(numa.distance[1][0], 21);
    desc_free(desc);
}

static void claims_are_the_truth_unless_the_file_lies(void **state)
{
    (void)state;
    struct cpu_info cpus[4];
    struct numa numa;
    struct desc *desc = aid_parse(
        "machine = t\nline = 64\ncpus = 4\napic = 0 1 8 9\n[topology]\ncore = 0 1; 2 3\n"
        "[cache L2]\nlevel = 2\nsize = 64K\nways = 8\nhit = 2 ns\ngroups = 0 1; 2 3\n"
        "[cache L3]\nlevel = 3\nsize = 1M\nways = 16\nhit = 9 ns\ngroups = all\n" FAR MEMORY CLOCK);
    claims_cpus(desc, cpus);
    assert_int_equal(topology_level(&cpus[0], &cpus[1]), LEVEL_CORE);
    assert_int_equal(topology_level(&cpus[0], &cpus[2]), LEVEL_LLC);
    assert_int_equal(cpus[2].cache_bytes[3], 1 << 20);
    assert_int_equal(cpus[2].apic_id, 8);
    assert_int_equal(cpus[0].flags, CPU_BOOT);
    assert_false(topology_contradicts(cpus, 4));
    assert_false(claims_numa(desc, &numa));
    desc_free(desc);

    desc = aid_parse(TOP CACHE FAR MEMORY CLOCK
                     "[claims]\ncore = each 2\nl2 = each\npackage = each\nsize.2 = 1M\n"
                     "node = 0 0 1 1\n");
    claims_cpus(desc, cpus);
    assert_int_equal(topology_level(&cpus[0], &cpus[1]), LEVEL_CORE);
    assert_int_equal(cpus[0].cache_bytes[2], 1 << 20);
    assert_int_equal(cpus[3].node, 1);
    assert_true(topology_contradicts(cpus, 4));
    desc_free(desc);
}

struct wrong {
    const char *text;
    unsigned long line; /* 0: the file as a whole */
    const char *says;   /* part of the reason */
};

static void wrong_files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {"", 0, "'machine' is missing"},
        {"\n\n", 2, "'machine' is missing"},
        {"machine\n", 1, "neither"},
        {"machine = x\nline = 64\ncpus = 4\ncpus = 4\n", 4, "second time"},
        {"machine = \n", 1, "no value"},
        {"machine = x\nline = 48\ncpus = 4\n" CACHE FAR MEMORY CLOCK, 2, "line is no power"},
        {"machine = x\nline = 1000\n", 2, "out of range"},
        {"machine = x\nline = 64\ncpus = 0\n", 3, "out of range"},
        {"machine = x\nline = 64\ncpus = 1025\n", 3, "out of range"},
        {"machine = x\nline = 64\ncpus = 99999999999999999999\n", 3, "not a number"},
        {"machine = x\nline = 64\n[cache L2]\n", 3, "'cpus' is missing"},
        {"apic = 1 2\n", 1, "'cpus' comes first"},
        {TOP "apic = 1 2\n", 4, "2 APIC ids for 4 CPUs"},
        {GOOD "[what]\n", 18, "no such section: [what]"},
        {GOOD "[clock]\n", 18, "second time"},
        {GOOD "[clock\n", 18, "']' is missing"},
        {GOOD "[cache]\n", 18, "name"},
        {GOOD "[topology x]\n", 18, "takes no name"},
        {TOP "color = red\n", 4, "no such key here: 'color'"},
        {TOP CACHE "color = red\n", 10, "no such key"},
        {TOP "[cache L2]\nlevel = 4\n", 5, "out of range"},
        {TOP "[cache L2]\nsize = 64\n", 5, "unit"},
        {TOP "[cache L2]\nsize = 64 Q\n", 5, "unit"},
        {TOP "[cache L2]\nsize = 16000000000000G\n", 5, "too large"},
        {TOP "[cache L2]\nways = 33\n", 5, "out of range"},
        {TOP "[cache L2]\nhit = 2\n", 5, "unit"},
        {TOP "[cache L2]\nhit = 2 s\n", 5, "out of range"},
        {TOP "[cache L2]\nhit = -2 ns\n", 5, "not a number"},
        {TOP "[cache L2]\nhit = 0.0000001 ns\n", 5, "6 decimals"},
        {TOP "[cache L2]\nhit = 0.0001 ns\n", 5, "finer than"},
        {TOP "[cache L2]\nreplacement = fifo\n", 5, "none of: lru, tree-plru, rrip, random"},
        {TOP "[cache L2]\nhashed = maybe\n", 5, "none of: no, yes"},
        {TOP "[cache L2]\ngroups = 0 1; 1 2\n", 5, "CPU 1 in two groups"},
        {TOP "[cache L2]\ngroups = 0 0\n", 5, "CPU 0 twice"},
        {TOP "[cache L2]\ngroups = 3-1\n", 5, "ends before"},
        {TOP "[cache L2]\ngroups = 0-4\n", 5, "there are 0 to 3"},
        {TOP "[cache L2]\ngroups = a\n", 5, "not a CPU"},
        {TOP "[cache L2]\ngroups = 0;\n", 5, "empty"},
        {TOP "[cache L2]\ngroups = each 3\n", 5, "do not make groups of 3"},
        {TOP "[cache L2]\ngroups = 0x1\n", 5, "not a set"},
        {TOP "[cpu 7]\n", 4, "there are 0 to 3"},
        {TOP "[cpu]\n", 4, "empty"},
        {TOP "[kind P]\ncpus = 0\ncode = 64\n[kind E]\ncpus = 0 1\n", 8, "two kinds"},
        {TOP "[kind P]\ncode = 64\n[clock]\n", 6, "'cpus' is missing"},
        {TOP "[kind P]\ncpus = 0\ncode = 1\n[overlap]\n", 7, "before [kind]"},
        {TOP "[node 1]\n[node 1]\n", 5, "'cpus' is missing"},
        {TOP "[node x]\n", 4, "not a number"},
        {TOP "[link 0 1]\n", 4, "no node 0"},
        {TOP "[link 0]\n", 4, "joins two nodes"},
        {TOP "[distance d]\nbetween = 0 1\n", 5, "is missing between"},
        {TOP "[distance d]\nbetween = 0 | \n", 5, "empty"},
        {TOP CACHE FAR MEMORY, 0, "[clock] is missing"},
        {TOP FAR MEMORY CLOCK, 0, "[cache]"},
        {TOP CACHE MEMORY CLOCK, 3, "no [distance] says what CPU 0 pays for lines of CPU 1"},
        {TOP CACHE FAR "[memory]\nsize = 1M\n" CLOCK, 0, "latency is missing"},
        {TOP CACHE FAR "[memory]\nsize = 3M\nlatency = 1 ns\n" CLOCK, 14, "no power of two"},
        {TOP
         "[cache L2]\nlevel = 2\nsize = 65.25K\nways = 8\nhit = 2 ns\ngroups = each\n" FAR MEMORY
             CLOCK,
         4, "no multiple"},
        {TOP "[cache L2]\nlevel = 2\nsize = 48K\nways = 6\nhit = 2 ns\ngroups = each\n"
             "replacement = tree-plru\n" FAR MEMORY CLOCK,
         4, "tree-plru"},
        {TOP "[cache L2]\nlevel = 2\nsize = 64K\nways = 8\nhit = 2 ns\ngroups = each\n"
             "way-mask = 0x100\n" FAR MEMORY CLOCK,
         4, "not there"},
        {TOP "[cache L2]\nlevel = 2\nsize = 64K\nways = 8\nhit = 2 ns\ngroups = each\n"
             "filter-size = 8K\n" FAR MEMORY CLOCK,
         4, "go together"},
        {TOP
         "[cache L2]\nlevel = 2\nsize = 64K\nways = 8\nhit = 2 ns\ngroups = 0-2\n" FAR MEMORY CLOCK,
         3, "CPU 3 has no cache"},
        {TOP CACHE CACHE FAR MEMORY CLOCK, 10, "two caches of level 2"},
        {TOP "[cache L1]\nlevel = 1\nsize = 4K\nways = 8\nhit = 1 ns\ngroups = each 2\n" CACHE FAR
             MEMORY CLOCK,
         4, "share [cache L1] but not"},
        {GOOD "[cpu 1]\nway-mask = 0x100\n", 4, "ways that [cache L2] has not"},
        {GOOD "[noise]\ndead-cpu = 4\n", 0, "noise on CPU 4"},
        {TOP "apic = 1 2 1 3\n" CACHE FAR MEMORY CLOCK, 4, "APIC id 1 twice"},
        {TOP "boot = 4\n" CACHE FAR MEMORY CLOCK, 4, "boot CPU 4"},
        {TOP CACHE FAR "[memory]\nsize = 1M\n[node 0]\ncpus = 0-3\ndistances = 10 20\n"
                       "latency = 1ns\n" CLOCK,
         15, "one distance and one latency per node"},
        {TOP CACHE FAR "[memory]\nsize = 1M\n[node 0]\ncpus = 0-2\ndistances = 10\n"
                       "latency = 1ns\n" CLOCK,
         3, "CPU 3 is in no [node]"},
        {TOP CACHE FAR "[memory]\nsize = 1M\n[node 0]\ncpus = 0-2\n[node 1]\ncpus = 2\n", 17,
         "is missing"},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct desc_error error;
        struct desc *desc = desc_parse(wrong[i].text, strlen(wrong[i].text), &error);
        if (desc)
            fail_msg("case %u was taken:\n%s", i, wrong[i].text);
        if (error.line != wrong[i].line || !strstr(error.text, wrong[i].says))
            fail_msg("case %u: line %lu, '%s'; expected line %lu, '%s'", i, error.line, error.text,
                     wrong[i].line, wrong[i].says);
    }
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    struct desc_error error;
    static const char zero[] = "machine = x\0y\n";
    assert_null(desc_parse(zero, sizeof zero - 1, &error));
    assert_int_equal(error.line, 1);
    size_t length = 10000;
    char *text = malloc(length);
    memset(text, 'a', length);
    assert_null(desc_parse(text, length, &error));
    assert_int_equal(error.line, 1);
    free(text);
    assert_null(desc_load("tests/machine/machines/none.machine", &error));
    assert_true(strstr(error.text, "No such file") != NULL);
    assert_null(desc_load("tests/machine/machines", &error));
}

static void files_with_dos_line_ends_and_no_last_newline_are_read(void **state)
{
    (void)state;
    char text[sizeof GOOD * 2];
    size_t length = 0;
    for (const char *at = GOOD; *at; at++) {
        if (*at == '\n')
            text[length++] = '\r';
        text[length++] = *at;
    }
    struct desc_error error;
    struct desc *desc = desc_parse(text, length - 1, &error);
    if (!desc)
        fail_msg("line %lu: %s", error.line, error.text);
    desc_free(desc);
}

static void every_shipped_machine_is_good(void **state)
{
    (void)state;
    DIR *folder = opendir("tests/machine/machines");
    struct dirent *entry;
    unsigned count = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        char path[400];
        struct desc_error error;
        if (!strstr(entry->d_name, ".machine"))
            continue;
        snprintf(path, sizeof path, "tests/machine/machines/%s", entry->d_name);
        struct desc *desc = desc_load(path, &error);
        if (!desc)
            fail_msg("%s:%lu: %s", path, error.line, error.text);
        struct model *model = model_new(desc);
        assert_non_null(model);
        model_free(model);
        desc_free(desc);
        count++;
    }
    closedir(folder);
    assert_true(count >= 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive_in_their_units),
        cmocka_unit_test(nodes_and_links_arrive),
        cmocka_unit_test(claims_are_the_truth_unless_the_file_lies),
        cmocka_unit_test(wrong_files_are_refused_with_line_and_reason),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(files_with_dos_line_ends_and_no_last_newline_are_read),
        cmocka_unit_test(every_shipped_machine_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
