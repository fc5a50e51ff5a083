/* SPDX-License-Identifier: BSD-2-Clause */
/* A record of a machine of that shape, as bytes, to be altered and made whole again. */
#ifndef TESTS_UNIT_RECORD_SAMPLE_H
#define TESTS_UNIT_RECORD_SAMPLE_H

#include "../../lib/record_format.h"
#include "record_machine.h"

struct sample {
    uint8_t bytes[RECORD_MAX_BYTES + 64]; /* room for a longer one, which has to be refused */
    size_t length;
    struct record record;
};

static inline void sample_make(struct sample *sample, const struct shape *shape)
{
    struct fixture f;
    memset(sample, 0, sizeof *sample);
    fixture_make(&f, shape);
    record_from_result(&f.result, &f.recommendation, &f.identity, &sample->record);
    assert_int_equal(
        record_encode(&sample->record, &f.result, sample->bytes, RECORD_MAX_BYTES, &sample->length),
        RECORD_OK);
    fixture_free(&f);
}

/* Makes length and CRC right again, so that only what was changed can be the reason. */
static inline void sample_seal(struct sample *sample)
{
    put16(sample->bytes + HEAD_TOTAL, (uint32_t)sample->length);
    put32(sample->bytes + HEAD_CRC, record_buffer_crc(sample->bytes, sample->length));
}

#endif
