/* SPDX-License-Identifier: BSD-2-Clause */
/* --verify: a record is measured on a machine, then looked at again there, and where the machine
 * has changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/engine.h"
#include "../../lib/verify.h"
#include "toy_machine.h"

struct bench {
    struct toy toy;
    struct record record;
    uint8_t bytes[RECORD_MAX_BYTES];
    struct verify verify;
};

/* Two packages of two last-level caches, two CPUs each: three levels. */
static void prepare(struct toy *toy)
{
    toy_init(toy, 2, 2, 2);
}

static struct bench *measured(void)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    struct engine_options options = {
        .pattern = TOUCH_SCATTER, .access = TOUCH_UPDATE, .budget_ns = 60000000000ull};
    struct recommendation recommendation;
    struct record_identity identity = {0};
    struct result result;
    size_t length;

    prepare(&bench->toy);
    size_t room = engine_workspace_bytes(bench->toy.machine.cpu_count);
    void *workspace = calloc(1, room);
    assert_int_equal(engine_run(&bench->toy.machine, &options, workspace, room, &result),
                     ENGINE_OK);
    recommend(&result, POLICY_LEVELS, 0, 0, &recommendation);
    identity.method = RECORD_METHOD;
    identity.apic_ids_crc = record_apic_ids_crc(result.cpus, result.cpu_count);
    record_from_result(&result, &recommendation, &identity, &bench->record);
    assert_int_equal(
        record_encode(&bench->record, &result, bench->bytes, sizeof(bench->bytes), &length),
        RECORD_OK);
    assert_int_equal(record_decode(bench->bytes, length, &bench->record), RECORD_OK);
    assert_true(bench->record.class_count >= 3);
    free(workspace);
    prepare(&bench->toy); /* the next boot */
    return bench;
}

static void look_again(struct bench *bench)
{
    void *workspace = calloc(1, verify_workspace_bytes());
    verify_run(&bench->toy.machine, &bench->record, bench->bytes, workspace, &bench->verify);
    free(workspace);
}

static void on_the_same_machine_nothing_has_drifted(void **state)
{
    (void)state;
    struct bench *bench = measured();
    bench->toy.noise_permille = 4;
    look_again(bench);
    assert_int_equal(bench->verify.measured, bench->record.class_count);
    assert_int_equal(bench->verify.drifted, 0);
    assert_true(bench->toy.now_ns < 200000000); /* 200 ms */
    free(bench);
}

static void what_has_become_dearer_or_cheaper_is_found_by_class(void **state)
{
    (void)state;
    for (unsigned dearer = 0; dearer < 2; dearer++) {
        struct bench *bench = measured();
        uint64_t *ps = &bench->toy.transfer_ps[LEVEL_SYSTEM];
        *ps = dearer ? *ps * 13 / 10 : *ps * 7 / 10;
        look_again(bench);
        assert_int_equal(bench->verify.drifted, 1);
        for (unsigned i = 0; i < bench->record.class_count; i++)
            assert_int_equal(bench->verify.class[i].drifted,
                             bench->record.classes[i].level == LEVEL_SYSTEM);
        free(bench);
    }
}

static void a_class_whose_cpus_are_gone_is_not_measured(void **state)
{
    (void)state;
    struct bench *bench = measured();
    bench->toy.lost_cpu = 0;
    bench->toy.lost_after = 0;
    for (unsigned i = 2; i < bench->toy.machine.cpu_count; i++)
        bench->toy.cpu[i].flags |= CPU_NOT_CHOSEN;
    look_again(bench);
    assert_int_equal(bench->verify.measured, 0);
    assert_int_equal(bench->verify.drifted, 0);
    free(bench);
}

static void a_key_ends_it(void **state)
{
    (void)state;
    struct bench *bench = measured();
    bench->toy.stop_after_ns = 1;
    look_again(bench);
    assert_true(bench->verify.measured < bench->record.class_count);
    free(bench);
}

static void costs_apart_by_less_than_both_spreads_have_not_drifted(void **state)
{
    (void)state;
    struct record_class stored = {.cost_ns = 1000, .spread_ns = 30};
    for (int sign = -1; sign <= 1; sign += 2) {
        struct figure now = {1000 + sign * 50, 20, 12};
        assert_false(verify_drifted(&stored, &now, 5000));
        now.ns += sign;
        assert_true(verify_drifted(&stored, &now, 5000));
    }
    stored.cost_ns = INT32_MIN + 1;
    struct figure far = {INT32_MAX, 0, 12};
    assert_true(verify_drifted(&stored, &far, 5000)); /* 64 bits: no wrap */
}

static void what_was_zero_stays_so_below_a_tenth_of_staying(void **state)
{
    (void)state;
    const struct record_class stored = {.cost_ns = 3, .spread_ns = 90, .flags = CLASS_ZERO};
    struct figure now = {600, 100, 12};
    assert_false(verify_drifted(&stored, &now, 5000));
    now.ns++;
    assert_true(verify_drifted(&stored, &now, 5000));
    now.ns = -5000;
    assert_false(verify_drifted(&stored, &now, 5000));
}

static void every_class_has_a_line(void **state)
{
    (void)state;
    struct bench *bench = measured();
    char text[2048];
    struct text_buffer buffer;
    const struct text_sink sink = text_buffer_sink(&buffer, text, sizeof(text));
    bench->toy.transfer_ps[LEVEL_SYSTEM] *= 2;
    look_again(bench);
    bench->verify.class[0].cost.samples = 0;
    verify_report(&sink, &bench->record, &bench->verify);
    assert_non_null(strstr(text, "not measured\n"));
    assert_non_null(strstr(text, "drifted\n"));
    unsigned lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, bench->record.class_count + 2);
    free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_same_machine_nothing_has_drifted),
        cmocka_unit_test(what_has_become_dearer_or_cheaper_is_found_by_class),
        cmocka_unit_test(a_class_whose_cpus_are_gone_is_not_measured),
        cmocka_unit_test(a_key_ends_it),
        cmocka_unit_test(costs_apart_by_less_than_both_spreads_have_not_drifted),
        cmocka_unit_test(what_was_zero_stays_so_below_a_tenth_of_staying),
        cmocka_unit_test(every_class_has_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
