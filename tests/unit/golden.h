/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole texts compared with files of tests/data/golden/. GOLDEN_UPDATE=1 in the environment writes
 * the files instead: read them and `git diff` before they are committed. */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_FOLDER "tests/data/golden/"
#define GOLDEN_MAX    (1u << 20)

static size_t golden_line_length(const char *at)
{
    return strcspn(at, "\n");
}

static void golden_compare(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, GOLDEN_FOLDER "%s", name);
    const char *update = getenv("GOLDEN_UPDATE");
    if (update && *update == '1') {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fputs(text, file) < 0, 0);
        assert_int_equal(fclose(file), 0);
        return;
    }

    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s: run from the top of the tree; GOLDEN_UPDATE=1 makes it", path);
    static char want[GOLDEN_MAX];
    memset(want, 0, sizeof want);
    size_t length = fread(want, 1, GOLDEN_MAX - 1, file);
    fclose(file);
    assert_in_range(length, 1, GOLDEN_MAX - 2);
    const char *expected = want;
    for (unsigned line = 1; *expected || *text; line++) {
        size_t a = golden_line_length(expected), b = golden_line_length(text);
        if (a != b || memcmp(expected, text, a) != 0)
            fail_msg("%s line %u:\n  want %.*s\n  got  %.*s", name, line, (int)a, expected, (int)b,
                     text);
        if (expected[a] != text[b])
            fail_msg("%s ends at line %u", expected[a] ? "text" : name, line);
        expected += a + (expected[a] == '\n');
        text += b + (text[b] == '\n');
    }
}

#endif
