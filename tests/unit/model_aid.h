/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of the machine model: machines out of text, opened and closed. */
#ifndef TESTS_UNIT_MODEL_AID_H
#define TESTS_UNIT_MODEL_AID_H

#include "../machine/backend.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Four CPUs in two pairs that share a small last-level cache; %s: more sections. */
#define SMALL_MACHINE(relation, replacement, more)                                          \
    "machine = small\nline = 64\ncpus = 4\n"                                                \
    "[overlap]\nlinear = 4\nscatter = 2\n"                                                  \
    "[cache L1]\nlevel = 1\nsize = 4K\nways = 4\nhit = 1 ns\ngroups = each\nreplacement "   \
    "= " replacement "\n"                                                                   \
    "[cache L2]\nlevel = 2\nsize = 16K\nways = 8\nhit = 3 ns\ngroups = each\nreplacement "  \
    "= " replacement "\n"                                                                   \
    "[cache L3]\nlevel = 3\nsize = 64K\nways = 16\nhit = 10 ns\ngroups = each 2\nrelation " \
    "= " relation "\nreplacement = " replacement "\n"                                       \
    "[distance near]\ntransfer = 30 ns\ngroups = each 2\n"                                  \
    "[distance far]\ntransfer = 100 ns\ngroups = all\n"                                     \
    "[memory]\nsize = 1M\nlatency = 80 ns\nwrite-back = 5 ns\n"                             \
    "[clock]\nrate = 1 GHz\n" more

struct model_aid {
    struct desc *desc;
    struct model *model;
    struct memo memo;
    struct backend backend;
};

static inline struct desc *aid_parse(const char *text)
{
    struct desc_error error;
    struct desc *desc = desc_parse(text, strlen(text), &error);
    if (!desc)
        fail_msg("line %lu: %s", error.line, error.text);
    return desc;
}

static inline void aid_open_desc(struct model_aid *aid, struct desc *desc, uint64_t seed)
{
    aid->desc = desc;
    aid->model = model_new(desc);
    assert_non_null(aid->model);
    assert_true(memo_init(&aid->memo, aid->model));
    assert_true(backend_init(&aid->backend, &aid->memo, &desc->noise, seed));
}

static inline void aid_open(struct model_aid *aid, const char *text)
{
    aid_open_desc(aid, aid_parse(text), 1);
}

static inline void aid_open_file(struct model_aid *aid, const char *name, const char *noise,
                                 uint64_t seed)
{
    char path[100];
    struct desc_error error;
    struct value_error value_error;
    snprintf(path, sizeof path, "tests/machine/machines/%s.machine", name);
    struct desc *desc = desc_load(path, &error);
    if (!desc)
        fail_msg("%s:%lu: %s", path, error.line, error.text);
    if (noise && !noise_parse(desc, noise, &value_error))
        fail_msg("%s", value_error.text);
    aid_open_desc(aid, desc, seed);
}

static inline void aid_close(struct model_aid *aid)
{
    backend_free(&aid->backend);
    memo_free(&aid->memo);
    model_free(aid->model);
    desc_free(aid->desc);
}

static inline void aid_near(int64_t value, int64_t want, int64_t within)
{
    if (value < want - within || value > want + within)
        fail_msg("%lld is not within %lld of %lld", (long long)value, (long long)within,
                 (long long)want);
}

#endif
