/* SPDX-License-Identifier: BSD-2-Clause */
/* V5, Linux 2.6.16 to 2.6.22: one pair, working sets of growing size, the largest difference of
 * moving and staying. Types are those of the original where they decide. */
#include "v5.h"

#define ITERATIONS    1u
#define SCOPE         2u
#define LEAST_SIZE    (64u << 10)
#define DEFAULT_CACHE (5u << 20)
#define THRESHOLD     130u /* percent, of the size and of the cost */

struct v5_range v5_range(uint32_t max_cache)
{
    struct v5_range range = {max_cache / SCOPE, (max_cache ? max_cache : DEFAULT_CACHE) * SCOPE};
    range.least = range.least > LEAST_SIZE ? range.least : LEAST_SIZE;
    range.most = range.most > LEAST_SIZE ? range.most : LEAST_SIZE;
    return range;
}

/* A run that is thrown away, then those that count, each a little smaller. */
static uint64_t measure_way(const struct v5_machine *machine, uint32_t size, unsigned source,
                            unsigned target)
{
    uint64_t sum = 0;
    machine->measure_one(machine->ctx, size, source, target);
    for (unsigned i = 0; i < ITERATIONS; i++)
        sum += machine->measure_one(machine->ctx, size - i * 1024, source, target);
    return sum;
}

int64_t v5_cost(const struct v5_machine *machine, unsigned a, unsigned b, uint32_t size)
{
    uint64_t moving = measure_way(machine, size, a, b);
    moving += measure_way(machine, size, b, a);
    uint64_t staying = measure_way(machine, size, a, a);
    staying += measure_way(machine, size, b, b);
    return (int64_t)(moving / (2 * ITERATIONS) - staying / (2 * ITERATIONS));
}

void v5_search(const struct v5_machine *machine, struct v5_range range, unsigned a, unsigned b,
               struct v5_found *ret)
{
    uint64_t max_cost = 0, fluctuation = 0;
    int64_t cost = 0;
    *ret = (struct v5_found){0};
    for (uint32_t size = range.least; size <= range.most; size = size * 10 / 9) {
        int64_t before = cost;
        cost = v5_cost(machine, a, b, size);
        ret->last = size;
        if (cost > 0 && max_cost < (uint64_t)cost) {
            max_cost = (uint64_t)cost;
            ret->size = size;
        }
        int64_t change = (int32_t)(cost - before); /* abs() was one of int */
        fluctuation = (fluctuation + (uint64_t)(change < 0 ? -change : change)) / 2;
        /* Unsigned, all of it: a cost that is negative by more than the fluctuation is a very large
         * one, and the search goes on. So do 32-bit products, from 41 MiB on. */
        uint64_t now = (uint64_t)cost + fluctuation;
        if (ret->size && size * 100 > ret->size * THRESHOLD &&
            (now == 0 || max_cost * 100 > now * THRESHOLD)) {
            ret->early = true;
            break;
        }
    }
    ret->max_ns = max_cost;
    ret->cost_ns = 2 * max_cost;
}
