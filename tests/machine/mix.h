/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer mixing: the one source of chance in the model, the same on every host. */
#ifndef TESTS_MACHINE_MIX_H
#define TESTS_MACHINE_MIX_H

#include <stdint.h>

/* A bijection of 64 bits in which every input bit changes about half of the output. */
static inline uint64_t mix64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ (x >> 32);
}

static inline uint64_t mix_two(uint64_t a, uint64_t b)
{
    return mix64(a * 0x9E3779B97F4A7C15u + mix64(b));
}

/* The next of a sequence. */
static inline uint64_t mix_next(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    return mix64(*state);
}

/* Uniform in 0..range-1 up to a bias of range / 2^32. */
static inline uint32_t mix_below(uint64_t *state, uint32_t range)
{
    return (uint32_t)(((mix_next(state) >> 32) * range) >> 32);
}

#endif
