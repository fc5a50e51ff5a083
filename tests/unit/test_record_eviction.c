/* SPDX-License-Identifier: BSD-2-Clause */
/* What evicts a footprint in the record: version 2 besides version 1, a table behind the cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record_sample.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Every form of cells, and one that leaves no room for more. */
static const struct shape shapes[] = {
    {"one CPU", 1, 1, 1, 1, 0, 0, 0, 0},
    {"six", 2, 1, 3, 1, 0, 0, 30, 0},
    {"sixteen", 1, 2, 4, 2, 0, 0, 30, 0},
    {"64", 2, 2, 8, 2, 0, 0, 30, 0},
    {"64, classes without order", 2, 1, 32, 1, 0, 0, 30, 2},
    {"75, three classes without order", 1, 1, 75, 1, 0, 0, 30, 3},
    {"960", 8, 1, 60, 2, 0, 0, 30, 0},
    {"255, random ids", 2, 4, 16, 2, 255, 1, 30, 0},
    {"1024, twelve classes without order", 4, 16, 8, 2, 0, 0, 30, 12},
};

/* What evicts a footprint of all classes but threads of one core. */
static void add_evictions(struct fixture *f)
{
    for (unsigned i = 0; i < f->result.class_count; i++) {
        struct class_result *class = &f->result.classes[i];
        if (class->key.level == LEVEL_CORE)
            continue;
        class->evict_bytes = 1ull << 20 << i;
        class->evict_ns = 650000u << i;
    }
}

static void what_evicts_a_footprint_goes_along_where_it_fits_besides(void **state)
{
    (void)state;
    unsigned without_room = 0;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct fixture f;
        struct record plain, record, back;
        uint8_t old[RECORD_MAX_BYTES], buffer[RECORD_MAX_BYTES];
        size_t without = 0, length = 0;
        fixture_make(&f, &shapes[i]);
        record_from_result(&f.result, &f.recommendation, &f.identity, &plain);
        assert_int_equal(record_encode(&plain, &f.result, old, sizeof old, &without), RECORD_OK);
        assert_int_equal(get16(old + HEAD_VERSION), 1); /* what old readers read is written so */
        assert_false(plain.evictions_known);

        add_evictions(&f);
        record_from_result(&f.result, &f.recommendation, &f.identity, &record);
        assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length),
                         RECORD_OK);
        size_t table = record.class_count * (size_t)EVICT_BYTES;
        bool any = record.class_count > (record.classes[0].level == LEVEL_CORE);
        assert_int_equal(record.evictions_known, any && without + table <= RECORD_MAX_BYTES);
        without_room += any && !record.evictions_known;
        assert_int_equal(length, without + (record.evictions_known ? table : 0));
        assert_int_equal(record.cells, plain.cells); /* it takes no room from them */
        assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
        assert_int_equal(back.evictions_known, record.evictions_known);
        assert_int_equal(get16(buffer + HEAD_VERSION), record.evictions_known ? 2 : 1);
        for (unsigned k = 0; record.evictions_known && k < back.class_count; k++)
            assert_memory_equal(&back.classes[k], &record.classes[k], sizeof back.classes[k]);
        /* All but version, length, CRC stand where version 1 has them. */
        assert_memory_equal(buffer + HEAD_FLAGS, old + HEAD_FLAGS, without - HEAD_FLAGS);
        fixture_free(&f);
    }
    assert_int_equal(without_room, 1);
}

static void the_rule_that_needs_version_2_is_written_as_such(void **state)
{
    (void)state;
    static const struct shape shape = {"twelve", 1, 1, 12, 1, 0, 0, 0, 12};
    struct fixture f;
    struct record record, back;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    fixture_make(&f, &shape);
    add_evictions(&f);
    recommend(&f.result, POLICY_DECAY, 0, 0, &f.recommendation);
    record_from_result(&f.result, &f.recommendation, &f.identity, &record);
    /* The compact form has no room for the table of twelve classes. */
    assert_int_equal(record_encode(&record, NULL, buffer, RECORD_COMPACT_BYTES, &length),
                     RECORD_OK);
    assert_int_equal(length, RECORD_COMPACT_BYTES);
    assert_false(record.evictions_known);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.policy, POLICY_DECAY);
    assert_int_equal(back.classes[11].evict_bytes, 0);
    assert_int_equal(record_encode(&record, &f.result, buffer, sizeof buffer, &length), RECORD_OK);
    assert_true(record.evictions_known);
    assert_int_equal(record_decode(buffer, length, &back), RECORD_OK);
    assert_int_equal(back.classes[11].evict_bytes, f.result.classes[11].evict_bytes);
    fixture_free(&f);
}

static enum record_error decode(const uint8_t *bytes, size_t length)
{
    static struct record ret;
    uint8_t *copy = malloc(length); /* ASan guards what lies behind */
    memcpy(copy, bytes, length);
    enum record_error error = record_decode(copy, length, &ret);
    free(copy);
    return error;
}

/* Behind the cells: whole, of every class or of none, and never empty. */
static void a_decay_table_has_one_way_to_be_written(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (unsigned shape = 0; shape < COUNT(shapes); shape++) {
        struct sample plain, whole, sample;
        sample_make(&plain, &shapes[shape]);
        if (plain.record.class_count == 0 ||
            plain.length + plain.record.class_count * EVICT_BYTES > RECORD_MAX_BYTES)
            continue;
        whole = plain;
        unsigned count = whole.record.class_count;
        tried++;
        uint8_t *table = whole.bytes + whole.length;
        memset(table, 0, count * EVICT_BYTES);
        put32(table + (count - 1) * EVICT_BYTES + EVICT_AT_BYTES, 1);
        put32(table + (count - 1) * EVICT_BYTES + EVICT_AT_NS, UINT32_MAX);
        whole.length += count * EVICT_BYTES;
        put16(whole.bytes + HEAD_VERSION, RECORD_VERSION);
        sample_seal(&whole);
        assert_int_equal(decode(whole.bytes, whole.length), RECORD_OK);

        sample = whole; /* version 1 has none */
        put16(sample.bytes + HEAD_VERSION, RECORD_VERSION_OLD);
        sample_seal(&sample);
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
        for (unsigned at = EVICT_AT_BYTES; at <= EVICT_AT_NS; at += 4) { /* one without the other */
            sample = whole;
            put32(sample.bytes + plain.length + (count - 1) * EVICT_BYTES + at, 0);
            sample_seal(&sample);
            assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
        }
        sample = whole; /* of nothing */
        memset(sample.bytes + plain.length, 0, count * EVICT_BYTES);
        sample_seal(&sample);
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
        sample.bytes[HEAD_POLICY] = POLICY_DECAY;
        sample_seal(&sample);
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
        for (size_t length = plain.length; length < whole.length; length++) {
            sample = whole;
            sample.length = length;
            sample_seal(&sample);
            assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
        }
        sample = plain; /* what needs version 2 without a table */
        put16(sample.bytes + HEAD_VERSION, RECORD_VERSION);
        sample.bytes[HEAD_POLICY] = POLICY_DECAY;
        sample_seal(&sample);
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_OK);
    }
    assert_int_equal(tried, COUNT(shapes) - 2); /* no class, and no room */
}

static void the_encoder_refuses_a_time_without_bytes(void **state)
{
    (void)state;
    struct sample good;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length;
    sample_make(&good, &shapes[1]);
    good.record.classes[0].evict_ns = 5;
    assert_int_equal(record_encode(&good.record, NULL, buffer, sizeof buffer, &length),
                     RECORD_BAD_FIELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_evicts_a_footprint_goes_along_where_it_fits_besides),
        cmocka_unit_test(the_rule_that_needs_version_2_is_written_as_such),
        cmocka_unit_test(a_decay_table_has_one_way_to_be_written),
        cmocka_unit_test(the_encoder_refuses_a_time_without_bytes),
    };
    return cmocka_run_group_tests_name("record_eviction", tests, NULL, NULL);
}
