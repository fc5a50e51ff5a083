/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of the record: bytes and time for machines of 2 to 1,024 CPUs. */
#define _GNU_SOURCE
#include "../unit/record_machine.h"
#include <stdio.h>
#include <time.h>

#define REPEATS 200u

static double microseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void measure(const struct shape *shape)
{
    static const char *const cells[RECORD_CELLS] = {"no cells", "exact", "class-coded", "by bits"};
    static struct record record, decoded;
    static struct fixture fixture;
    uint8_t buffer[RECORD_MAX_BYTES];
    size_t length = 0;
    fixture_make(&fixture, shape);
    double begin = microseconds();

    for (unsigned i = 0; i < REPEATS; i++) {
        record_from_result(&fixture.result, &fixture.recommendation, &fixture.identity, &record);
        if (record_encode(&record, &fixture.result, buffer, sizeof(buffer), &length) != RECORD_OK)
            abort();
    }
    double encoded = microseconds();
    for (unsigned i = 0; i < REPEATS; i++)
        if (record_decode(buffer, length, &decoded) != RECORD_OK)
            abort();
    double end = microseconds();

    unsigned cpus = fixture.result.cpu_count;
    printf("record of %4u CPUs, %-23s %12zu bytes (limit %u)\n", cpus, cells[record.cells], length,
           RECORD_MAX_BYTES);
    printf("record of %4u CPUs, %-23s %12.1f us\n", cpus, "encoded in",
           (encoded - begin) / REPEATS);
    printf("record of %4u CPUs, %-23s %12.1f us\n", cpus, "decoded in", (end - encoded) / REPEATS);
    fixture_free(&fixture);
}

int main(void)
{
    static const struct shape shapes[] = {
        {.name = "2", .sockets = 1, .clusters = 1, .cores = 2, .threads = 1, .jitter = 20},
        {.name = "8", .sockets = 2, .clusters = 1, .cores = 2, .threads = 2, .jitter = 20},
        {.name = "64", .sockets = 2, .clusters = 4, .cores = 4, .threads = 2, .jitter = 20},
        {.name = "1024", .sockets = 4, .clusters = 16, .cores = 8, .threads = 2, .jitter = 20},
    };

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        measure(&shapes[i]);
    return 0;
}
