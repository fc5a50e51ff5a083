/* SPDX-License-Identifier: BSD-2-Clause */
/* report.json: valid for every machine and every string, and one whole text as the schema's proof.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "json_check.h"
#include "report_fixture.h"

static char text[4 << 20];
static struct text_buffer buffer;
static struct text_sink sink;
static struct record record;

static const char *json(bool with_record)
{
    struct record_identity identity = {.cpu_signature = 0x50654, .method = RECORD_METHOD};
    if (with_record)
        record_from_result(&fixture.result, &fixture.recommendation, &identity, &record);
    sink = text_buffer_sink(&buffer, text, sizeof text);
    report_json(&sink, &fixture.result, &fixture.recommendation, with_record ? &record : NULL,
                &fixture.machine);
    assert_in_range(buffer.length, 1, sizeof text - 1);
    return text;
}

static void two_sockets_give_the_documented_keys(void **state)
{
    (void)state;
    fixture_two_sockets();
    assert_true(json_is_valid(json(true)));
    golden_compare("report-two-sockets.json", text);
}

static void every_machine_gives_valid_json(void **state)
{
    (void)state;
    static void (*const fixtures[])(void) = {fixture_two_sockets, fixture_one_cpu, fixture_big,
                                             fixture_zero,        fixture_hybrid,  fixture_wide};
    for (unsigned i = 0; i < sizeof fixtures / sizeof *fixtures; i++)
        for (unsigned with_record = 0; with_record < 2; with_record++) {
            fixtures[i]();
            assert_true(json_is_valid(json(with_record)));
        }
}

static void unknown_is_null_not_zero(void **state)
{
    (void)state;
    fixture_hybrid();
    fixture.machine = (struct report_machine){0};
    fixture.result.region_home = NODE_UNKNOWN;
    fixture.result.started = 0;
    fixture.result.clock.core_permille = 0;
    json(false);
    static const char *const nulls[] = {
        "\"vendor\": null",      "\"model\": null",     "\"firmware\": null",
        "\"madt_cpus\": null",   "\"started_s\": null", "\"core_permille\": null",
        "\"region_node\": null", "\"numa\": null",      "\"record\": null",
        "[null, null, null]", /* capacities */
        "\"cost\": null",     /* the class that was not measured */
    };
    for (unsigned i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (!strstr(text, nulls[i]))
            fail_msg("missing: %s", nulls[i]);
}

static void foreign_strings_are_escaped(void **state)
{
    (void)state;
    fixture_two_sockets();
    fixture.machine.vendor = "a\"b\\c";
    fixture.machine.model = "\xff\x01\n";
    fixture.machine.firmware = "\"}, \"decay_ns\": 1, {\"";
    assert_true(json_is_valid(json(true)));
    assert_non_null(strstr(text, "\"vendor\": \"a\\\"b\\\\c\""));
    assert_non_null(strstr(text, "\"model\": \"\\ufffd\\u0001\\u000a\""));
    assert_non_null(strstr(text, "\"firmware\": \"\\\"}, \\\"decay_ns\\\": 1, {\\\"\""));
}

static void missing_arrays_are_null(void **state)
{
    (void)state;
    fixture_two_sockets();
    fixture.result.raw_ns = NULL;
    fixture.result.cost_ns = NULL;
    fixture.result.class_of = NULL;
    fixture.result.source = NULL;
    fixture.result.stay = NULL;
    assert_true(json_is_valid(json(false)));
    assert_non_null(strstr(text, "\"raw_ns\": null"));
    assert_null(strstr(text, "\"odd\""));
}

/* The schema is a promise: no key without its line in docs/report.md. */
static void every_key_is_documented(void **state)
{
    (void)state;
    static char manual[1 << 16];
    FILE *file = fopen("docs/report.md", "r");
    assert_non_null(file);
    assert_in_range(fread(manual, 1, sizeof manual - 1, file), 1, sizeof manual - 2);
    fclose(file);
    fixture_big();
    fixture.result.classes[0].point_count = 1;
    fixture.result.classes[0].point[0].cost.samples = 1;
    json(true);
    unsigned keys = 0;
    for (const char *at = text; (at = strchr(at, '"')) != NULL;) {
        const char *end = strchr(at + 1, '"');
        char name[64];
        assert_non_null(end);
        snprintf(name, sizeof name, "`%.*s`", (int)(end - at - 1), at + 1);
        if (end[1] == ':' && !strstr(manual, name))
            fail_msg("docs/report.md has no %s", name);
        keys += end[1] == ':';
        at = end + 1;
    }
    assert_in_range(keys, 100, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sockets_give_the_documented_keys),
        cmocka_unit_test(every_machine_gives_valid_json),
        cmocka_unit_test(unknown_is_null_not_zero),
        cmocka_unit_test(foreign_strings_are_escaped),
        cmocka_unit_test(missing_arrays_are_null),
        cmocka_unit_test(every_key_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
