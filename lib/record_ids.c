/* SPDX-License-Identifier: BSD-2-Clause */
/* APIC ids as runs of equal steps: eight bytes for a socket, whatever its size. */
#include "record_format.h"

bool record_ids_ok(const uint32_t *ids, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (ids[i] == APIC_ID_INVALID || (i > 0 && ids[i] <= ids[i - 1]))
            return false;
    return true;
}

/* How many ids from ids[0] on make one run. Taking the longest each time gives the fewest runs,
 * since every part of a run is a run. */
static unsigned run_length(const uint32_t *ids, unsigned count)
{
    if (count < 2 || ids[1] - ids[0] > UINT16_MAX)
        return 1;
    unsigned length = 2;
    while (length < count && length < UINT16_MAX &&
           ids[length] - ids[length - 1] == ids[1] - ids[0])
        length++;
    return length;
}

size_t record_put_ids(const uint32_t *ids, unsigned count, uint8_t *to, size_t size)
{
    size_t used = 0;
    while (count) {
        if (size - used < RUN_BYTES || used / RUN_BYTES >= RUNS_MAX)
            return 0;
        unsigned length = run_length(ids, count);
        put32(to + used + RUN_FIRST, ids[0]);
        put16(to + used + RUN_COUNT, length);
        put16(to + used + RUN_STRIDE, length > 1 ? ids[1] - ids[0] : 0);
        used += RUN_BYTES;
        ids += length;
        count -= length;
    }
    return used;
}

/* One run into ret_ids[at...]. Returns how many ids came, 0 for a bad run. */
static unsigned get_run(const uint8_t *from, unsigned at, unsigned count, uint32_t *ret_ids)
{
    uint32_t first = get32(from + RUN_FIRST);
    unsigned length = get16(from + RUN_COUNT), stride = get16(from + RUN_STRIDE);
    if (length == 0 || length > count - at || (length > 1) != (stride > 0))
        return 0;
    uint64_t last = first + (uint64_t)(length - 1) * stride;
    if (last >= APIC_ID_INVALID || (at > 0 && first <= ret_ids[at - 1]))
        return 0;
    for (unsigned i = 0; i < length; i++)
        ret_ids[at + i] = first + i * stride;
    return length;
}

bool record_get_ids(const uint8_t *from, unsigned run_count, unsigned count, uint32_t *ret_ids)
{
    unsigned at = 0;
    for (unsigned run = 0; run < run_count; run++) {
        unsigned length = get_run(from + run * RUN_BYTES, at, count, ret_ids);
        if (!length)
            return false;
        at += length;
    }
    if (at != count)
        return false;

    /* One way to write a list: no run may end where it could have gone on. */
    unsigned runs = 0;
    for (at = 0; at < count; runs++)
        at += run_length(ret_ids + at, count - at);
    return runs == run_count;
}
