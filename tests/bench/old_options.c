/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of migcost-old. */
#include "../machine/value.h"
#include "migcost_old.h"
#include <stdio.h>
#include <string.h>

static const char *const algorithm_words[] = {"v1", "v2", "v5"};
static const char *const pairs_words[] = {"classes", "distances"};
static const char *const bits_words[] = {"32", "64"};

void old_usage(void)
{
    fputs(
        "usage: migcost-old [OPTION]... --algorithm v1|v2|v5 FILE\n"
        "Runs what Linux did to measure migration costs on the machine that FILE describes: v1\n"
        "and v2 of October 2004 give a matrix, in its unit of 2^20 ns; v5 of 2.6.16 to 2.6.22\n"
        "gives one cost for each pair that it measures, in nanoseconds.\n"
        "\n"
        "  --algorithm A    v1, v2, v5\n"
        "  --bits N         32 or 64 (default): the kernel's long\n"
        "  --cache-size B   what the kernel takes for the size of the cache: v1 and v2 the last\n"
        "                   cache of the boot CPU unless given, v5 does not know it unless given\n"
        "                   and searches from 64K to 10M, else from half of B to twice B; 'known'\n"
        "                   stands for that last cache\n"
        "  --pairs P        v5: distances (default), one pair for each distance in scheduling\n"
        "                   domains, as it did; or classes, one for each class of the machine\n"
        "  --noise TEXT     as for migcost-sim: none, study, key=value,...\n"
        "  --seed N         of the noise (1)\n"
        "  --runs N         v5: N runs with seeds from N on, and the spread of what they find\n"
        "  --json           for machines\n"
        "  --help           this text\n"
        "\n"
        "Exit status: 0 good, 2 wrong command line, 3 wrong machine file, 4 out of memory.\n",
        stdout);
}

static bool set_cache(struct old_options *options, const char *value, struct value_error *error)
{
    options->cache_known = strcmp(value, "known") == 0;
    return options->cache_known ||
           value_number(value, UNIT_SIZE, 64u << 10, 512u << 20, &options->cache_bytes, error);
}

static bool set(struct old_options *options, const char *name, const char *value,
                struct value_error *error)
{
    unsigned word;
    uint64_t number;
    if (strcmp(name, "--algorithm") == 0)
        return value_word(value, algorithm_words, ALGORITHMS, &options->algorithm, error);
    if (strcmp(name, "--pairs") == 0)
        return value_word(value, pairs_words, 2, &options->pairs, error);
    if (strcmp(name, "--cache-size") == 0)
        return set_cache(options, value, error);
    if (strcmp(name, "--seed") == 0)
        return value_number(value, UNIT_NONE, 0, UINT64_MAX / 2, &options->seed, error);
    if (strcmp(name, "--noise") == 0) {
        options->noise = value;
        return true;
    }
    if (strcmp(name, "--bits") == 0) {
        if (!value_word(value, bits_words, 2, &word, error))
            return false;
        options->bits = word ? 64 : 32;
        return true;
    }
    if (strcmp(name, "--runs") == 0) {
        if (!value_number(value, UNIT_NONE, 1, 10000, &number, error))
            return false;
        options->runs = (uint32_t)number;
        return true;
    }
    return value_fail(error, "no such option");
}

static bool complain(const char *about, const char *what)
{
    fprintf(stderr, "migcost-old: %s: %s; see --help\n", about, what);
    return false;
}

bool old_read_options(int argc, char **argv, struct old_options *ret)
{
    struct value_error error;
    *ret = (struct old_options){
        .seed = 1, .runs = 1, .bits = 64, .algorithm = ALGORITHMS, .pairs = PAIRS_DISTANCES};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            ret->json = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            ret->help = true;
        } else if (argv[i][0] != '-') {
            if (ret->path)
                return complain(argv[i], "a second file");
            ret->path = argv[i];
        } else if (i + 1 == argc) {
            return complain(argv[i], "unknown, or without its value");
        } else {
            if (!set(ret, argv[i], argv[i + 1], &error))
                return complain(argv[i], error.text);
            i++;
        }
    }
    if (ret->help)
        return true;
    if (!ret->path)
        return complain("FILE", "not given");
    if (ret->algorithm == ALGORITHMS)
        return complain("--algorithm", "not given");
    if (ret->algorithm != ALGORITHM_V5 && (ret->runs > 1 || ret->pairs != PAIRS_DISTANCES))
        return complain("--runs and --pairs", "only v5 has them");
    return true;
}
