/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON writer: layout, escapes, foreign bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/json.h"
#include "json_check.h"

static char text[8192];
static struct text_buffer buffer;
static struct text_sink sink;
static struct json json;

static void begin(void)
{
    sink = text_buffer_sink(&buffer, text, sizeof text);
    json_begin(&json, &sink);
}

static void members_stand_on_lines_and_rows_on_one(void **state)
{
    (void)state;
    begin();
    json_object(&json, NULL);
    json_uint(&json, "a", UINT64_MAX);
    json_int(&json, "b", INT64_MIN);
    json_object(&json, "none");
    json_close(&json);
    json_array(&json, "rows");
    json_array_row(&json, NULL);
    json_uint(&json, NULL, 1);
    json_object(&json, NULL); /* inside a row all is on its line */
    json_bool(&json, "yes", true);
    json_null(&json, "no");
    json_close(&json);
    json_close(&json);
    json_object_row(&json, NULL);
    json_close(&json);
    json_close(&json);
    json_string(&json, "c", NULL);
    json_close(&json);
    assert_string_equal(text, "{\n"
                              "  \"a\": 18446744073709551615,\n"
                              "  \"b\": -9223372036854775808,\n"
                              "  \"none\": {},\n"
                              "  \"rows\": [\n"
                              "    [1, {\"yes\": true, \"no\": null}],\n"
                              "    {}\n"
                              "  ],\n"
                              "  \"c\": null\n"
                              "}\n");
    assert_true(json_is_valid(text));
}

static void foreign_bytes_are_escaped_or_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\x01\t\n\x1b[2J\x7f", "\"\\u0001\\u0009\\u000a\\u001b[2J\\u007f\""},
        {"Gr\xc3\xbc\xc3\x9f\x65 \xe2\x82\xac \xf0\x9f\x98\x80", /* 2, 3, 4 bytes pass */
         "\"Gr\xc3\xbc\xc3\x9f\x65 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xff\xfe", "\"\\ufffd\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},                                  /* cut */
        {"\xe2\x82", "\"\\ufffd\\ufffd\""},                       /* cut */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* overlong '/' */
        {"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},            /* overlong '/' */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* surrogate */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* past U+10FFFF */
        {"\x80z", "\"\\ufffdz\""},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        json_string(&json, NULL, cases[i].in);
        assert_string_equal(text, cases[i].out);
        assert_true(json_is_valid(text));
    }
}

static void keys_are_escaped_too(void **state)
{
    (void)state;
    begin();
    json_object_row(&json, NULL);
    json_uint(&json, "a\"b", 1);
    json_close(&json);
    assert_string_equal(text, "{\"a\\\"b\": 1}\n");
}

static void closing_too_often_does_nothing(void **state)
{
    (void)state;
    begin();
    json_array(&json, NULL);
    json_close(&json);
    json_close(&json);
    assert_string_equal(text, "[]\n");
}

/* The checker that other tests lean on must itself refuse. */
static void checker_refuses_what_is_no_json(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    "{",         "{\"a\": }",   "{\"a\": 1,}", "[1 2]", "[1, ]",  "\"a",
        "01",  "1.5",       "{a: 1}",      "[] []",       "nul",   "\"\n\"", "\"\\x\"",
        "[-]", "{\"a\" 1}", "\"\\u12g4\"", "+1",          "[",     "]",
    };
    static const char *const good[] = {
        "0", "-5", "[]", "{}", " [ 1 , {\"a\" : [true,false,null]} ]\n", "\"\\u00e4\\n\\\"\""};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        if (json_is_valid(bad[i]))
            fail_msg("accepted: %s", bad[i]);
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        if (!json_is_valid(good[i]))
            fail_msg("refused: %s", good[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_stand_on_lines_and_rows_on_one),
        cmocka_unit_test(foreign_bytes_are_escaped_or_replaced),
        cmocka_unit_test(keys_are_escaped_too),
        cmocka_unit_test(closing_too_often_does_nothing),
        cmocka_unit_test(checker_refuses_what_is_no_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
