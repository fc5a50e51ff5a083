/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decoder must refuse, and the encoder must never write (D17): damage of every byte, every
 * cut, and every field one step outside its range under a CRC that is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record_sample.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* One record of each form of cells. */
static const struct shape shapes[] = {
    {"summary", 1, 1, 1, 1, 0, 0, 0, 0},
    {"exact", 2, 1, 3, 1, 0, 0, 30, 0},
    {"tree", 2, 2, 8, 2, 0, 0, 30, 0},
    {"pairs", 1, 1, 40, 1, 0, 0, 30, 3},
};
enum { SUMMARY, EXACT, TREE, PAIRS };

/* Decodes from a buffer of exactly that length, and checks that a refusal writes nothing. */
static enum record_error decode(const uint8_t *bytes, size_t length)
{
    static struct record before, ret;
    uint8_t *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    memset(&before, 0x5A, sizeof before);
    memcpy(&ret, &before, sizeof ret);
    enum record_error error = record_decode(copy, length, &ret);
    if (error)
        assert_memory_equal(&ret, &before, sizeof ret);
    free(copy);
    return error;
}

static void every_damaged_byte_is_refused(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < COUNT(shapes); shape++) {
        struct sample sample;
        sample_make(&sample, &shapes[shape]);
        for (size_t i = 0; i < sample.length; i++)
            for (unsigned change = 1; change < 256; change = change * 2 + (change == 64)) {
                sample.bytes[i] ^= (uint8_t)change;
                assert_int_not_equal(decode(sample.bytes, sample.length), RECORD_OK);
                sample.bytes[i] ^= (uint8_t)change;
            }
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_OK);
    }
}

static void every_cut_and_every_tail_is_refused(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < COUNT(shapes); shape++) {
        struct sample sample;
        sample_make(&sample, &shapes[shape]);
        for (size_t length = 0; length < sample.length; length++)
            assert_int_equal(decode(sample.bytes, length),
                             length < 16 ? RECORD_TOO_SHORT : RECORD_LENGTH);
        for (size_t more = 1; more <= 64; more++)
            assert_int_equal(decode(sample.bytes, sample.length + more), RECORD_LENGTH);
    }
}

static void every_cut_is_refused_even_if_length_and_crc_are_made_right(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < COUNT(shapes); shape++) {
        struct sample whole;
        sample_make(&whole, &shapes[shape]);
        for (size_t length = 16; length < whole.length; length++) {
            struct sample cut = whole;
            cut.length = length;
            sample_seal(&cut);
            assert_int_equal(decode(cut.bytes, length), RECORD_BAD_FIELD);
        }
        for (size_t more = 1; more <= 64; more++) {
            struct sample longer = whole;
            longer.length += more;
            sample_seal(&longer);
            assert_int_equal(decode(longer.bytes, longer.length), RECORD_BAD_FIELD);
        }
    }
}

static void a_foreign_variable_is_told_from_a_damaged_record(void **state)
{
    (void)state;
    struct sample sample;
    sample_make(&sample, &shapes[EXACT]);
    static const uint8_t text[] = "some vendor's variable of the same name";
    assert_int_equal(decode(text, sizeof text), RECORD_FOREIGN);
    assert_int_equal(decode(text, 0), RECORD_TOO_SHORT);

    sample.bytes[100] ^= 1;
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_CORRUPT);
    sample.bytes[100] ^= 1;

    put16(sample.bytes + HEAD_VERSION, RECORD_VERSION + 1);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_CORRUPT);
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_NEWER);
    put16(sample.bytes + HEAD_VERSION, 0);
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
}

static void a_record_over_900_bytes_is_none(void **state)
{
    (void)state;
    struct sample sample;
    sample_make(&sample, &shapes[SUMMARY]);
    sample.length = RECORD_MAX_BYTES + 1;
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
}

/* A field of the head or of the first class, the last value that is good, the first that is not. */
static void every_field_is_refused_one_step_outside_its_range(void **state)
{
    (void)state;
    static const struct {
        unsigned at, bytes;
        uint64_t good, bad;
    } fields[] = {
        {HEAD_FLAGS, 4, (1u << FLAG_COUNT) - 1, 1u << FLAG_COUNT},
        {HEAD_FLAGS, 4, 0, 1u << 31},
        {HEAD_DECAY, 4, DECAY_MIN_NS, DECAY_MIN_NS - 1},
        {HEAD_DECAY, 4, DECAY_MAX_NS, DECAY_MAX_NS + 1},
        {HEAD_DECAY, 4, KERNEL_DEFAULT_NS, 0},
        {HEAD_DECAY, 4, KERNEL_DEFAULT_NS, 0xFFFFFFFF},
        {HEAD_POLICY, 1, POLICY_EXPECTED, POLICY_DECAY},       /* of version 2 */
        {HEAD_VERSION, 2, RECORD_VERSION_OLD, RECORD_VERSION}, /* it says nothing new */
        {HEAD_BASIS, 1, BASES - 1, BASES},
        {HEAD_PATTERN, 1, TOUCH_PATTERNS - 1, TOUCH_PATTERNS},
        {HEAD_ACCESS, 1, TOUCH_ACCESSES - 1, TOUCH_ACCESSES},
        {HEAD_FACTOR, 4, 1, 0},
        {HEAD_FACTOR, 4, FACTOR_MAX_PERCENT, FACTOR_MAX_PERCENT + 1},
        {HEAD_STARTED, 8, RECORD_STARTED_MAX, RECORD_STARTED_MAX + 1},
        {HEAD_STARTED, 8, 0, UINT64_MAX},
        {HEAD_METHOD, 2, 65535, 0},
        {HEAD_CPU_COUNT, 2, 6, 0},
        {HEAD_CPU_COUNT, 2, 6, 5},
        {HEAD_CPU_COUNT, 2, 6, 7},
        {HEAD_CPU_COUNT, 2, 6, MAX_CPUS + 1},
        {HEAD_CLASS_COUNT, 1, 2, 1},
        {HEAD_CLASS_COUNT, 1, 2, 3},
        {HEAD_CLASS_COUNT, 1, 2, RECORD_MAX_CLASSES + 1},
        {HEAD_CLASS_COUNT, 1, 2, 255},
        {HEAD_CLASS_BYTES, 1, CLASS_BYTES, CLASS_BYTES + 1},
        {HEAD_BYTES_AT, 2, HEAD_BYTES, HEAD_BYTES + 4},
        {HEAD_RUN_COUNT, 1, 2, 0},
        {HEAD_RUN_COUNT, 1, 2, 1},
        {HEAD_RUN_COUNT, 1, 2, 3},
        {HEAD_RUN_COUNT, 1, 2, 255},
        {HEAD_CELLS, 1, CELLS_EXACT, CELLS_NONE},
        {HEAD_CELLS, 1, CELLS_EXACT, CELLS_CLASS},
        {HEAD_CELLS, 1, CELLS_EXACT, CELLS_TREE},
        {HEAD_CELLS, 1, CELLS_EXACT, RECORD_CELLS},
        {HEAD_BOUND, 2, 0, 1}, /* exact cells have none */
        {HEAD_BYTES + CLASS_LEVEL, 1, LEVELS - 1, LEVELS},
        {HEAD_BYTES + CLASS_DISTANCE, 1, DISTANCE_LOCAL, DISTANCE_LOCAL - 1},
        {HEAD_BYTES + CLASS_DISTANCE, 1, 255, 0},
        {HEAD_BYTES + CLASS_KIND_LOW, 1, 0, 1}, /* kind_high is 0 */
        {HEAD_BYTES + CLASS_FLAGS, 2, CLASS_FLAGS_KNOWN, CLASS_FLAGS_KNOWN + 1},
        {HEAD_BYTES + CLASS_PAIRS, 4, 0, 16}, /* six CPUs have 15 */
        {HEAD_BYTES + CLASS_PAIRS, 4, 0, 0xFFFFFFFF},
        {HEAD_BYTES + CLASS_COST, 4, 0x80000001, 0x80000000},
        {HEAD_BYTES + CLASS_LINEAR, 4, 0x80000001, 0x80000000},
        {HEAD_BYTES + CLASS_CHASE, 4, 0x80000001, 0x80000000},
        {HEAD_BYTES + CLASS_DECAY, 4, 0, 1},
        {HEAD_BYTES + CLASS_DECAY, 4, DECAY_MIN_NS, DECAY_MIN_NS - 1},
        {HEAD_BYTES + CLASS_DECAY, 4, DECAY_MAX_NS, DECAY_MAX_NS + 1},
    };
    struct sample whole;
    sample_make(&whole, &shapes[EXACT]);
    assert_int_equal(whole.bytes[HEAD_RUN_COUNT], 2); /* 0..2 and 4..6 */
    assert_int_equal(whole.record.class_count, 2);
    for (size_t i = 0; i < COUNT(fields); i++) {
        struct sample sample = whole;
        uint8_t value[8];
        put64(value, fields[i].good);
        memcpy(sample.bytes + fields[i].at, value, fields[i].bytes);
        sample_seal(&sample);
        if (decode(sample.bytes, sample.length) != RECORD_OK)
            fail_msg("row %zu: %llu is refused", i, (unsigned long long)fields[i].good);
        put64(value, fields[i].bad);
        memcpy(sample.bytes + fields[i].at, value, fields[i].bytes);
        sample_seal(&sample);
        if (decode(sample.bytes, sample.length) != RECORD_BAD_FIELD)
            fail_msg("row %zu: %llu is accepted", i, (unsigned long long)fields[i].bad);
    }
}

/* A record of six CPUs without cells, whose runs a test writes itself. */
static enum record_error decode_runs(unsigned count, const uint32_t (*runs)[3], const uint32_t *ids)
{
    struct sample sample;
    sample_make(&sample, &shapes[EXACT]);
    uint8_t *to = sample.bytes + HEAD_BYTES + sample.record.class_count * CLASS_BYTES;
    for (unsigned i = 0; i < count; i++, to += RUN_BYTES) {
        put32(to + RUN_FIRST, runs[i][0]);
        put16(to + RUN_COUNT, runs[i][1]);
        put16(to + RUN_STRIDE, runs[i][2]);
    }
    sample.length = (size_t)(to - sample.bytes);
    sample.bytes[HEAD_RUN_COUNT] = (uint8_t)count;
    sample.bytes[HEAD_CELLS] = CELLS_NONE;
    put32(sample.bytes + HEAD_APIC_IDS_CRC, record_ids_crc(ids, 6));
    sample_seal(&sample);
    return decode(sample.bytes, sample.length);
}

static void runs_that_overlap_wrap_or_miscount_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned count;
        uint32_t runs[4][3], ids[6];
        enum record_error error;
    } cases[] = {
        {1, {{0, 6, 1}}, {0, 1, 2, 3, 4, 5}, RECORD_OK},
        {1, {{0, 6, 65535}}, {0, 65535, 131070, 196605, 262140, 327675}, RECORD_OK},
        {2, {{0, 5, 1}, {9, 1, 0}}, {0, 1, 2, 3, 4, 9}, RECORD_OK},
        {1, {{0, 6, 1}}, {0, 1, 2, 3, 4, 6}, RECORD_BAD_FIELD}, /* not the ids of the sum */
        {1, {{0, 5, 1}}, {0, 1, 2, 3, 4, 5}, RECORD_BAD_FIELD}, /* one too few */
        {1, {{0, 7, 1}}, {0, 1, 2, 3, 4, 5}, RECORD_BAD_FIELD}, /* one too many */
        {1, {{0, 6, 0}}, {0, 0, 0, 0, 0, 0}, RECORD_BAD_FIELD}, /* all the same */
        {2, {{0, 6, 1}, {9, 0, 0}}, {0, 1, 2, 3, 4, 5}, RECORD_BAD_FIELD}, /* an empty run */
        {2, {{0, 3, 1}, {2, 3, 1}}, {0, 1, 2, 2, 3, 4}, RECORD_BAD_FIELD}, /* overlap */
        {2, {{4, 3, 1}, {0, 3, 1}}, {4, 5, 6, 0, 1, 2}, RECORD_BAD_FIELD}, /* not ascending */
        {2, {{0, 3, 4}, {1, 3, 4}}, {0, 4, 8, 1, 5, 9}, RECORD_BAD_FIELD}, /* interleaved */
        {2, {{0, 3, 1}, {3, 3, 1}}, {0, 1, 2, 3, 4, 5}, RECORD_BAD_FIELD}, /* could be one */
        {2, {{0, 5, 1}, {5, 1, 0}}, {0, 1, 2, 3, 4, 5}, RECORD_BAD_FIELD}, /* the same */
        {2, {{0, 5, 1}, {9, 1, 7}}, {0, 1, 2, 3, 4, 9}, RECORD_BAD_FIELD}, /* step of one id */
        {1,
         {{0xFFFFFFF9, 6, 1}},
         {0xFFFFFFF9, 0xFFFFFFFA, 0xFFFFFFFB, 0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFE},
         RECORD_OK},
        {1,
         {{0xFFFFFFFA, 6, 1}},
         {0xFFFFFFFA, 0xFFFFFFFB, 0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF},
         RECORD_BAD_FIELD}, /* the broadcast id */
        {1,
         {{0xFFFFFFFF, 6, 1}},
         {0xFFFFFFFF, 0, 1, 2, 3, 4},
         RECORD_BAD_FIELD}, /* beyond 32 bits */
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (decode_runs(cases[i].count, cases[i].runs, cases[i].ids) != cases[i].error)
            fail_msg("row %zu", i);
}

static uint8_t *cells_of(struct sample *sample)
{
    return sample->bytes + HEAD_BYTES + sample->record.class_count * CLASS_BYTES +
           sample->bytes[HEAD_RUN_COUNT] * RUN_BYTES;
}

static void set_cell_byte(struct sample *sample, size_t at, uint8_t value)
{
    cells_of(sample)[at] = value;
}

static void exact_cells_have_one_way_to_be_written(void **state)
{
    (void)state;
    struct sample whole, sample;
    sample_make(&whole, &shapes[EXACT]);
    unsigned width = cells_of(&whole)[EXACT_WIDTH];
    assert_int_not_equal(30 * width % 8, 0); /* there is padding to be wrong */
    static const unsigned zero_bytes[] = {EXACT_WIDTH + 1, EXACT_WIDTH + 2, EXACT_WIDTH + 3};
    for (size_t i = 0; i < COUNT(zero_bytes); i++) {
        sample = whole;
        set_cell_byte(&sample, zero_bytes[i], 1);
        sample_seal(&sample);
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    }
    static const uint8_t widths[] = {0, 1, 33, 255};
    for (size_t i = 0; i < COUNT(widths); i++) {
        sample = whole;
        set_cell_byte(&sample, EXACT_WIDTH, widths[i]);
        sample_seal(&sample);
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    }
    sample = whole; /* a set bit behind the last cell */
    sample.bytes[sample.length - 1] |= 0x80;
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);

    sample = whole; /* base + code leaves 32 bits */
    put32(cells_of(&sample) + EXACT_BASE, INT32_MAX);
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    sample = whole; /* base is "not known" */
    put32(cells_of(&sample) + EXACT_BASE, 0x80000000);
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);

    sample = whole; /* no cell has the base: all codes 0 */
    memset(cells_of(&sample) + EXACT_BITS, 0, (30 * width + 7) / 8);
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    set_cell_byte(&sample, EXACT_BITS, 1); /* one cell has, but a bit would do for it */
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
}

static void class_codes_beyond_the_table_and_empty_matrices_are_refused(void **state)
{
    (void)state;
    struct sample whole, sample;
    sample_make(
        &whole,
        &shapes[PAIRS]); /* three classes, two bits: every code is good, so take one class away */
    assert_int_equal(whole.record.cells, CELLS_CLASS);
    size_t bytes = 40 * 39 / 2 * 2 / 8;
    sample = whole;
    memset(cells_of(&sample), 0, bytes);
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);

    sample = whole;
    memmove(sample.bytes + HEAD_BYTES, sample.bytes + HEAD_BYTES + CLASS_BYTES,
            sample.length - HEAD_BYTES - CLASS_BYTES);
    sample.length -= CLASS_BYTES;
    sample.bytes[HEAD_CLASS_COUNT]--;
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);

    sample_make(&whole, &shapes[TREE]);
    assert_int_equal(whole.record.cells, CELLS_TREE);
    unsigned count = cells_of(&whole)[TREE_COUNT], classes = whole.record.class_count;
    static const uint8_t counts[] = {0, 1, 33, 255};
    for (size_t i = 0; i < COUNT(counts); i++) {
        sample = whole;
        set_cell_byte(&sample, TREE_COUNT, counts[i]);
        sample_seal(&sample);
        assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    }
    sample = whole;
    set_cell_byte(&sample, TREE_CODES, (uint8_t)(classes + 1));
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    sample = whole; /* the last code must say something */
    set_cell_byte(&sample, TREE_CODES + count - 1, 0);
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    sample = whole; /* a class for a bit in which no two ids differ first */
    set_cell_byte(&sample, TREE_COUNT, (uint8_t)(count + 1));
    sample.bytes[sample.length++] = 1;
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
}

static void cells_without_the_list_that_names_them_are_refused(void **state)
{
    (void)state;
    struct sample sample;
    sample_make(&sample, &shapes[EXACT]);
    uint8_t *runs = sample.bytes + HEAD_BYTES + sample.record.class_count * CLASS_BYTES;
    size_t behind = sample.length - (size_t)(runs + 2 * RUN_BYTES - sample.bytes);
    memmove(runs, runs + 2 * RUN_BYTES, behind);
    sample.length -= 2 * RUN_BYTES;
    sample.bytes[HEAD_RUN_COUNT] = 0;
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_BAD_FIELD);
    sample.length -= behind;
    sample.bytes[HEAD_CELLS] = CELLS_NONE;
    sample_seal(&sample);
    assert_int_equal(decode(sample.bytes, sample.length), RECORD_OK);
}

static void the_encoder_refuses_what_the_decoder_would(void **state)
{
    (void)state;
    struct sample good;
    sample_make(&good, &shapes[EXACT]);
    for (unsigned i = 0; i < 10; i++) {
        struct record record = good.record;
        uint8_t buffer[RECORD_MAX_BYTES];
        size_t length;
        switch (i) {
        case 0: /* the row that is good */
            break;
        case 1:
            record.decay_ns = 0;
            break;
        case 2:
            record.flags |= 1u << FLAG_COUNT;
            break;
        case 3:
            record.policy = POLICIES;
            break;
        case 4:
            record.identity.method = 0;
            break;
        case 5:
            record.cpu_count = 0;
            break;
        case 6:
            record.class_count = RECORD_MAX_CLASSES + 1;
            break;
        case 7:
            record.classes[1].level = LEVELS;
            break;
        case 8:
            record.factor_percent = 0;
            break;
        case 9:
            record.classes[0].pairs = 16;
            break;
        default:
            fail();
        }
        enum record_error error = record_encode(&record, NULL, buffer, sizeof buffer, &length);
        assert_int_equal(error, i ? RECORD_BAD_FIELD : RECORD_OK);
    }
}

static void a_list_of_ids_that_no_reader_would_take_is_left_out(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct sample sample;
        sample_make(&sample, &shapes[EXACT]);
        struct record *record = &sample.record, back;
        switch (i) {
        case 0: /* the row that is good */
            break;
        case 1:
            record->identity.apic_ids_crc ^= 1;
            break;
        case 2:
            record->apic_ids[1] = record->apic_ids[0];
            record->identity.apic_ids_crc = record_ids_crc(record->apic_ids, 6);
            break;
        case 3:
            record->apic_ids[5] = 0xFFFFFFFF;
            record->identity.apic_ids_crc = record_ids_crc(record->apic_ids, 6);
            break;
        default:
            fail();
        }
        assert_int_equal(
            record_encode(record, NULL, sample.bytes, RECORD_MAX_BYTES, &sample.length), RECORD_OK);
        assert_int_equal(record->apic_ids_known, i == 0);
        assert_int_equal(record_decode(sample.bytes, sample.length, &back), RECORD_OK);
        assert_int_equal(back.apic_ids_known, i == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_damaged_byte_is_refused),
        cmocka_unit_test(every_cut_and_every_tail_is_refused),
        cmocka_unit_test(every_cut_is_refused_even_if_length_and_crc_are_made_right),
        cmocka_unit_test(a_foreign_variable_is_told_from_a_damaged_record),
        cmocka_unit_test(a_record_over_900_bytes_is_none),
        cmocka_unit_test(every_field_is_refused_one_step_outside_its_range),
        cmocka_unit_test(runs_that_overlap_wrap_or_miscount_are_refused),
        cmocka_unit_test(exact_cells_have_one_way_to_be_written),
        cmocka_unit_test(class_codes_beyond_the_table_and_empty_matrices_are_refused),
        cmocka_unit_test(cells_without_the_list_that_names_them_are_refused),
        cmocka_unit_test(the_encoder_refuses_what_the_decoder_would),
        cmocka_unit_test(a_list_of_ids_that_no_reader_would_take_is_left_out),
    };
    return cmocka_run_group_tests_name("record_bad", tests, NULL, NULL);
}
