/* SPDX-License-Identifier: BSD-2-Clause */
/* Two records: of the same machine, and saying the same within their spread (D4, D16). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../lib/cmdline.h"
#include "record_machine.h"

static void make(struct record *ret)
{
    static const struct shape shape = {"eight", 1, 2, 4, 1, 0, 0, 30, 0};
    struct fixture f;
    fixture_make(&f, &shape);
    record_from_result(&f.result, &f.recommendation, &f.identity, ret);
    fixture_free(&f);
}

static void a_record_says_nothing_new_to_itself(void **state)
{
    (void)state;
    struct record a, b;
    make(&a);
    b = a;
    assert_true(record_same_machine(&a.identity, &b.identity, NULL));
    assert_true(record_unchanged(&a, &b, NULL));
    b.started += 1000; /* when, how long and by which microcode says nothing of the machine */
    b.duration_ms *= 2;
    b.tsc_khz += 3;
    b.identity.microcode++;
    b.cells = CELLS_EXACT;
    assert_true(record_unchanged(&a, &b, NULL));
}

static void every_field_of_identity_but_microcode_counts(void **state)
{
    (void)state;
    struct record_identity a = {1, 2, 3, 4, 5, 6, 7};
    const char *names[6] = {0};
    for (unsigned i = 0; i < 7; i++) {
        struct record_identity b = a;
        uint32_t *fields[] = {&b.cpu_signature, &b.apic_ids_crc, &b.caches_crc,
                              &b.numa_crc,      &b.firmware_crc, &b.microcode};
        if (i < 6)
            ++*fields[i];
        else
            b.method++;
        const char *field = NULL;
        bool same = record_same_machine(&a, &b, &field);
        assert_int_equal(same, i == 5);
        if (same)
            continue;
        assert_non_null(field);
        for (unsigned k = 0; k < 6 && names[k]; k++)
            assert_string_not_equal(names[k], field);
        names[i == 6 ? 5 : i] = field;
    }
}

static void a_cost_is_unchanged_up_to_its_stored_spread_and_not_beyond(void **state)
{
    (void)state;
    struct record a, b;
    const char *reason = NULL;
    make(&a);
    for (int sign = -1; sign <= 1; sign += 2)
        for (unsigned i = 0; i < a.class_count; i++) {
            b = a;
            b.classes[i].cost_ns += sign * (int32_t)a.classes[i].spread_ns;
            b.classes[i].spread_ns = 0; /* the stored one counts */
            assert_true(record_unchanged(&a, &b, NULL));
            b.classes[i].cost_ns += sign;
            assert_false(record_unchanged(&a, &b, &reason));
            assert_string_equal(reason, "cost");
        }
    b = a;
    a.classes[0].cost_ns = INT32_MIN + 1;
    b.classes[0].cost_ns = INT32_MAX;
    a.classes[0].spread_ns = UINT32_MAX;
    assert_true(record_unchanged(&a, &b, NULL)); /* 64 bits: no wrap at the ends */
    a.classes[0].spread_ns = UINT32_MAX - 2;
    assert_false(record_unchanged(&a, &b, NULL));
}

static void a_decay_follows_the_cost_it_comes_from(void **state)
{
    (void)state;
    struct record a, b;
    const char *reason = NULL;
    make(&a); /* spread is a fiftieth of the cost */
    b = a;
    b.decay_ns += a.decay_ns / 50;
    for (unsigned i = 0; i < a.class_count; i++)
        b.classes[i].decay_ns += a.classes[i].decay_ns / 50;
    assert_true(record_unchanged(&a, &b, NULL));
    b.decay_ns += a.decay_ns / 50;
    assert_false(record_unchanged(&a, &b, &reason));
    assert_string_equal(reason, "decay");
    b = a;
    b.classes[1].decay_ns -= a.classes[1].decay_ns / 20;
    assert_false(record_unchanged(&a, &b, &reason));
    assert_string_equal(reason, "decay of a level");

    for (unsigned basis = 0; basis < 2; basis++) { /* these come from no cost */
        make(&a);
        a.basis = basis ? BASIS_BY_HAND : BASIS_KERNEL_DEFAULT;
        b = a;
        b.decay_ns++;
        assert_false(record_unchanged(&a, &b, NULL));
    }
}

/* The ladder's steps are factors of two: one of them either way is noise (D4). */
static void what_evicts_a_footprint_may_move_by_a_step(void **state)
{
    (void)state;
    static const struct {
        uint32_t stored, fresh;
        bool same;
    } cases[] = {
        {1 << 20, 1 << 20, true},  {1 << 20, 1 << 19, true},
        {1 << 20, 1 << 21, true},  {1 << 20, 1 << 18, false},
        {1 << 20, 3 << 20, false}, {1 << 20, 0, false},
        {0, 1 << 20, false},       {0, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record a, b;
        const char *reason = NULL;
        make(&a);
        b = a;
        a.evictions_known = b.evictions_known = true; /* by another class */
        a.classes[1].evict_bytes = cases[i].stored;
        b.classes[1].evict_bytes = cases[i].fresh;
        assert_int_equal(record_unchanged(&a, &b, &reason), cases[i].same);
        if (!cases[i].same)
            assert_string_equal(reason, "what evicts a footprint");
    }
    struct record a, b;
    make(&a);
    b = a;
    b.evictions_known = true; /* not so far */
    assert_false(record_unchanged(&a, &b, NULL));
    a = b;
    b.classes[0].evict_bytes = 5; /* did not fit, or is not the first to be unknown */
    a.evictions_known = b.evictions_known = false;
    assert_true(record_unchanged(&a, &b, NULL));
}

static void a_cost_that_is_zero_gives_the_decay_no_room(void **state)
{
    (void)state;
    struct record a, b;
    make(&a);
    for (unsigned i = 0; i < a.class_count; i++) {
        a.classes[i].flags |= CLASS_ZERO;
        a.classes[i].cost_ns = 1;
        a.classes[i].spread_ns = 500;
    }
    b = a;
    b.decay_ns++;
    assert_false(record_unchanged(&a, &b, NULL));
}

static void costs_that_are_zero_are_the_same_however_wide_the_noise_was(void **state)
{
    (void)state;
    struct record a, b;
    make(&a);
    a.classes[1].flags |= CLASS_ZERO;
    a.classes[1].cost_ns = 2;
    a.classes[1].spread_ns = 4;
    b = a;
    b.classes[1].cost_ns = -150;
    b.classes[1].spread_ns = 200;
    b.classes[1].chase_ns = 900;
    assert_true(record_unchanged(&a, &b, NULL));
    b.classes[1].flags &= (uint8_t)~CLASS_ZERO;
    assert_false(record_unchanged(&a, &b, NULL));
}

static void figures_without_a_spread_may_move_by_a_quarter(void **state)
{
    (void)state;
    struct record a, b;
    make(&a);
    a.classes[0].chase_ns = 1000000;
    b = a;
    b.classes[0].chase_ns = 1250000;
    assert_true(record_unchanged(&a, &b, NULL));
    b.classes[0].chase_ns = 1250001;
    assert_false(record_unchanged(&a, &b, NULL));
    b.classes[0].chase_ns = 0; /* not done this time */
    assert_false(record_unchanged(&a, &b, NULL));
}

static void everything_else_must_be_equal(void **state)
{
    (void)state;
    struct record a;
    make(&a);
    for (unsigned i = 0; i < 14; i++) {
        struct record b = a;
        struct record_class *class = &b.classes[b.class_count - 1];
        const char *reason = NULL;
        switch (i) {
        case 0:
            b.flags ^= FLAG_SMI_SEEN;
            break;
        case 1:
            b.policy = POLICY_V5;
            break;
        case 2:
            b.factor_percent++;
            break;
        case 3:
            b.basis = BASIS_NO_ONE_NUMBER;
            break;
        case 4:
            b.pattern = TOUCH_CHASE;
            break;
        case 5:
            b.access = TOUCH_READ;
            break;
        case 6:
            b.cpu_count--;
            break;
        case 7:
            b.class_count--;
            break;
        case 8:
            class->level--;
            break;
        case 9:
            class->distance++;
            break;
        case 10:
            class->kind_high = 0x40;
            break;
        case 11:
            class->flags ^= CLASS_EDGE;
            break;
        case 12:
            class->pairs--;
            break;
        case 13:
            b.identity.caches_crc++;
            break;
        default:
            fail();
        }
        assert_false(record_unchanged(&a, &b, &reason));
        assert_non_null(reason);
    }
}

static void a_working_set_counts_only_where_it_was_asked_for(void **state)
{
    (void)state;
    struct record a, b;
    make(&a);
    b = a;
    b.classes[0].working_set *= 2;
    assert_true(record_unchanged(&a, &b, NULL));
    a.flags |= FLAG_CAPACITY_BY_HAND;
    b.flags |= FLAG_CAPACITY_BY_HAND;
    assert_false(record_unchanged(&a, &b, NULL));
}

static void identity_sums_follow_what_they_stand_for(void **state)
{
    (void)state;
    struct cpu_info cpus[3] = {{.apic_id = 4}, {.apic_id = 0}, {.apic_id = 2}};
    static const uint32_t ids[3] = {0, 2, 4};
    assert_int_equal(record_apic_ids_crc(cpus, 3), record_ids_crc(ids, 3));
    struct cpu_info swapped[3] = {cpus[1], cpus[0], cpus[2]};
    assert_int_equal(record_apic_ids_crc(swapped, 3), record_ids_crc(ids, 3));
    uint32_t caches = record_caches_crc(&cpus[0]);
    assert_int_equal(record_caches_crc(&cpus[1]), caches); /* whichever CPU booted */
    cpus[0].cache_bytes[2] = 1;
    assert_int_not_equal(record_caches_crc(&cpus[0]), caches);
    cpus[0].cache_bytes[2] = 0;
    cpus[0].cache_ways[3] = 1;
    assert_int_not_equal(record_caches_crc(&cpus[0]), caches);
    cpus[0].cache_ways[3] = 0;
    cpus[0].line_bytes = 128;
    assert_int_not_equal(record_caches_crc(&cpus[0]), caches);
    assert_int_not_equal(record_apic_ids_crc(cpus, 2), record_apic_ids_crc(cpus, 3));
}

/* A boot with a valid record hands on what the boot that measured did. */
static void a_record_hands_on_what_was_measured(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{"eight", 1, 2, 4, 1, 0, 0, 30, 0},
                                          {"smt", 2, 2, 2, 2, 0, 0, 0, 0}};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned zero = 0; zero < 2; zero++) {
            struct fixture f;
            struct record record;
            struct recommendation read;
            char fresh[512], stored[512];
            fixture_make(&f, &shapes[i]);
            if (zero)
                f.result.classes[0].flags |= CLASS_ZERO;
            recommend(&f.result, POLICY_LEVELS, 0, 0, &f.recommendation);
            record_from_result(&f.result, &f.recommendation, &f.identity, &record);
            record_recommendation(&record, &read);
            for (enum handoff handoff = HANDOFF_NONE; handoff <= HANDOFF_SYSCTL; handoff++) {
                assert_true(cmdline_handoff(&f.recommendation, handoff, fresh, sizeof(fresh)));
                assert_true(cmdline_handoff(&read, handoff, stored, sizeof(stored)));
                assert_string_equal(stored, fresh);
            }
            fixture_free(&f);
        }
}

static void the_numa_sum_covers_nodes_distances_and_ranges(void **state)
{
    (void)state;
    struct numa numa = {.node_count = 2, .node_id = {0, 1}, .range_count = 1};
    numa.distance[0][1] = numa.distance[1][0] = 20;
    numa.range[0] = (struct memory_range){0, 1 << 30, 0};
    uint32_t crc = record_numa_crc(&numa);
    assert_int_equal(record_numa_crc(NULL), 0);
    assert_int_equal(record_numa_crc(&(struct numa){0}), 0);
    assert_int_not_equal(crc, 0);
    numa.distance[1][0] = 21;
    assert_int_not_equal(record_numa_crc(&numa), crc);
    numa.distance[1][0] = 20;
    numa.range[0].node = 1;
    assert_int_not_equal(record_numa_crc(&numa), crc);
    numa.range[0].node = 0;
    numa.distance[5][5] = 99; /* beyond the nodes: nothing */
    assert_int_equal(record_numa_crc(&numa), crc);
}

static void the_firmware_sum_does_not_see_trailing_blanks(void **state)
{
    (void)state;
    uint32_t crc = record_firmware_crc("F.12 beta");
    assert_int_equal(record_firmware_crc("F.12 beta  \t"), crc);
    assert_int_equal(record_firmware_crc("F.12 beta\n"), crc);
    assert_int_not_equal(record_firmware_crc("F.12  beta"), crc);
    assert_int_not_equal(record_firmware_crc(" F.12 beta"), crc);
    assert_int_equal(record_firmware_crc(NULL), 0);
    assert_int_equal(record_firmware_crc(""), 0);
    assert_int_equal(record_firmware_crc("    "), 0);
}

static void every_error_has_its_own_text(void **state)
{
    (void)state;
    for (unsigned a = 0; a <= RECORD_NO_ROOM + 1; a++)
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(record_error_text((enum record_error)a),
                                    record_error_text((enum record_error)b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_says_nothing_new_to_itself),
        cmocka_unit_test(every_field_of_identity_but_microcode_counts),
        cmocka_unit_test(a_cost_is_unchanged_up_to_its_stored_spread_and_not_beyond),
        cmocka_unit_test(a_decay_follows_the_cost_it_comes_from),
        cmocka_unit_test(what_evicts_a_footprint_may_move_by_a_step),
        cmocka_unit_test(a_cost_that_is_zero_gives_the_decay_no_room),
        cmocka_unit_test(costs_that_are_zero_are_the_same_however_wide_the_noise_was),
        cmocka_unit_test(figures_without_a_spread_may_move_by_a_quarter),
        cmocka_unit_test(everything_else_must_be_equal),
        cmocka_unit_test(a_working_set_counts_only_where_it_was_asked_for),
        cmocka_unit_test(identity_sums_follow_what_they_stand_for),
        cmocka_unit_test(a_record_hands_on_what_was_measured),
        cmocka_unit_test(the_numa_sum_covers_nodes_distances_and_ranges),
        cmocka_unit_test(the_firmware_sum_does_not_see_trailing_blanks),
        cmocka_unit_test(every_error_has_its_own_text),
    };
    return cmocka_run_group_tests_name("record_compare", tests, NULL, NULL);
}
