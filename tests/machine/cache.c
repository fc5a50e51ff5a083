/* SPDX-License-Identifier: BSD-2-Clause */
/* One set-associative cache with LRU, tree-PLRU, RRIP or random replacement. */
#include "cache.h"
#include "mix.h"
#include <stdlib.h>
#include <string.h>

#define PLAIN_BITS 6u  /* lowest bits of a line that a hash leaves alone */
#define LANES      16u /* ways scanned at once */
#define HOST_LINE  16u /* words of a cache line of the host */
#define RRIP_NEAR  0u
#define RRIP_NEW   2u
#define RRIP_FAR   3u
#define AGE_PAD    0xFFu /* of ways that do not exist: never younger than another */

bool cache_init(struct cache *cache, uint64_t bytes, uint32_t ways, uint32_t line_bytes,
                uint32_t policy, bool hashed, uint32_t way_mask, uint64_t salt)
{
    memset(cache, 0, sizeof *cache);
    uint64_t sets = bytes / ((uint64_t)ways * line_bytes);
    cache->sets = sets ? (uint32_t)sets : 1;
    cache->ways = ways;
    cache->stride = (ways + LANES - 1) / LANES * LANES;
    cache->policy = policy;
    cache->all_ways = ways == 32 ? 0xFFFFFFFFu : (1u << ways) - 1;
    cache->every_way = cache->all_ways;
    if (way_mask)
        cache->all_ways &= way_mask;
    cache->salt = mix64(salt + 1);

    cache->odd_sets = cache->sets;
    cache->low_sets = 1;
    while (cache->odd_sets % 2 == 0) {
        cache->odd_sets /= 2;
        cache->low_sets *= 2;
        cache->low_shift++;
    }

    cache->plain_shift = cache->low_shift;
    if (hashed)
        cache->plain_shift = cache->low_shift > 2 * PLAIN_BITS ? PLAIN_BITS : cache->low_shift / 2;
    cache->hashed_bits = cache->low_shift - cache->plain_shift;

    uint32_t words = cache->stride + cache->stride / 4 + sizeof(struct cache_rest) / 4;
    cache->block = (words + HOST_LINE - 1) / HOST_LINE * HOST_LINE;
    cache->sets_of = aligned_alloc(HOST_LINE * 4, (size_t)cache->sets * cache->block * 4);
    cache->set_hash = malloc(cache->sets * sizeof *cache->set_hash);
    cache->changed = malloc(cache->sets * sizeof *cache->changed);
    if (!cache->sets_of || !cache->set_hash || !cache->changed) {
        cache_free(cache);
        return false;
    }
    cache_reset(cache);
    return true;
}

void cache_free(struct cache *cache)
{
    free(cache->sets_of);
    free(cache->set_hash);
    free(cache->changed);
    memset(cache, 0, sizeof *cache);
}

/* A set's parts. */
static inline uint32_t *tags_of(const struct cache *cache, uint32_t set)
{
    return cache->sets_of + (size_t)set * cache->block;
}

static inline uint8_t *ages_of(const struct cache *cache, uint32_t set)
{
    return (uint8_t *)(tags_of(cache, set) + cache->stride);
}

static inline struct cache_rest *rest_of(const struct cache *cache, uint32_t set)
{
    return (struct cache_rest *)(void *)(tags_of(cache, set) + cache->stride + cache->stride / 4);
}

void cache_reset(struct cache *cache)
{
    memset(cache->sets_of, 0, (size_t)cache->block * 4);
    uint8_t *age = ages_of(cache, 0);
    for (uint32_t way = 0; way < cache->stride; way++) {
        uint8_t first = cache->policy == POLICY_LRU ? (uint8_t)way : RRIP_FAR;
        age[way] = way < cache->ways ? first : AGE_PAD;
    }
    for (uint32_t set = 1; set < cache->sets; set++)
        memcpy(tags_of(cache, set), cache->sets_of, (size_t)cache->block * 4);
    memset(cache->set_hash, 0, cache->sets * sizeof *cache->set_hash);
    cache->changed_count = 0;
    cache->epoch = 1;
    cache->random = cache->salt;
}

bool cache_clone(struct cache *to, const struct cache *from)
{
    *to = *from;
    to->changed = NULL;
    to->sets_of = aligned_alloc(HOST_LINE * 4, (size_t)from->sets * from->block * 4);
    to->set_hash = malloc(from->sets * sizeof *to->set_hash);
    if (to->sets_of && to->set_hash)
        return true;
    cache_free(to);
    return false;
}

void cache_copy(struct cache *to, const struct cache *from)
{
    memcpy(to->sets_of, from->sets_of, (size_t)from->sets * from->block * 4);
    memcpy(to->set_hash, from->set_hash, from->sets * sizeof *to->set_hash);
    to->changed_count = 0;
    to->epoch = from->epoch;
    to->random = from->random;
}

bool cache_way_dirty(const struct cache *cache, uint32_t set, uint32_t way)
{
    return rest_of(cache, set)->dirty >> way & 1;
}

/* Hashed or not, an aligned run of low_sets lines falls on low_sets different sets, so that
 * contiguous memory fills the cache evenly. */
static inline uint32_t set_of(const struct cache *cache, uint32_t line)
{
    uint32_t low = line & (cache->low_sets - 1);
    uint32_t high = line >> cache->low_shift;
    if (cache->hashed_bits)
        low ^= high * 0x9E3779B1u >> (32 - cache->hashed_bits) << cache->plain_shift;
    return cache->odd_sets == 1 ? low : (high % cache->odd_sets << cache->low_shift) | low;
}

/* Bit per way whose tag is key. The loop has a fixed length so that compilers make vectors of it.
 */
static inline uint32_t ways_with(const uint32_t *tag, uint32_t stride, uint32_t key)
{
    uint32_t found = 0;
    for (uint32_t base = 0; base < stride; base += LANES) {
        uint32_t part = 0;
#ifdef __SSE2__
        typedef int lanes4 __attribute__((vector_size(16), aligned(4)));
        const lanes4 *four = (const lanes4 *)(const void *)(tag + base);
        lanes4 want = {(int)key, (int)key, (int)key, (int)key};
        typedef float floats4 __attribute__((vector_size(16)));
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            part |= (uint32_t)__builtin_ia32_movmskps((floats4)(four[i] == want)) << (4 * i);
#else
        for (uint32_t way = 0; way < LANES; way++)
            part |= (uint32_t)(tag[base + way] == key) << way;
#endif
        found |= part << base;
    }
    return found;
}

static inline void note_change(struct cache *cache, uint32_t set)
{
    struct cache_rest *rest = rest_of(cache, set);
    if (rest->stamp == cache->epoch)
        return;
    rest->stamp = cache->epoch;
    cache->changed[cache->changed_count++] = set;
}

/* Makes a way the most recent of its set. */
static inline void use(struct cache *cache, uint32_t set, uint32_t way, bool hit)
{
    uint8_t *age = ages_of(cache, set);
    switch (cache->policy) {
    case POLICY_LRU: {
        uint8_t old = age[way];
        if (old == 0)
            return;
        for (uint32_t base = 0; base < cache->stride; base += LANES)
            for (uint32_t i = 0; i < LANES; i++)
                age[base + i] = (uint8_t)(age[base + i] + (age[base + i] < old));
        age[way] = 0;
        return;
    }
    case POLICY_TREE_PLRU: {
        /* Node n has the children 2n and 2n+1; a bit points to the half to be thrown out next. */
        uint32_t tree = rest_of(cache, set)->tree;
        for (uint32_t node = cache->ways + way; node > 1; node /= 2) {
            uint32_t bit = 1u << (node / 2);
            tree = node % 2 ? tree & ~bit : tree | bit;
        }
        rest_of(cache, set)->tree = tree;
        return;
    }
    case POLICY_RRIP:
        age[way] = hit ? RRIP_NEAR : RRIP_NEW;
        return;
    default:
        return;
    }
}

static uint32_t oldest_way(const struct cache *cache, uint32_t set, uint32_t allowed)
{
    const uint8_t *age = ages_of(cache, set);
    uint32_t oldest = 0;
    int best = -1;
    if (allowed == cache->every_way) {
        /* Ranks are a permutation: the last one is there once. */
        for (uint32_t way = 0; way < cache->ways; way++)
            oldest |= age[way] == cache->ways - 1 ? way : 0;
        return oldest;
    }
    for (uint32_t way = 0; way < cache->ways; way++) {
        if ((allowed >> way & 1) && age[way] > best) {
            best = age[way];
            oldest = way;
        }
    }
    return oldest;
}

static uint32_t tree_way(const struct cache *cache, uint32_t set, uint32_t allowed)
{
    uint32_t node = 1, width = cache->ways, first = 0, tree = rest_of(cache, set)->tree;
    while (width > 1) {
        width /= 2;
        uint32_t half = (width == 32 ? 0xFFFFFFFFu : (1u << width) - 1);
        bool right = tree >> node & 1;
        /* A half without an allowed way is passed by. */
        if (!(allowed & (half << (first + (right ? width : 0)))))
            right = !right;
        node = node * 2 + right;
        first += right ? width : 0;
    }
    return first;
}

/* The way to throw out among `allowed`, all of which are in use. */
static uint32_t victim(struct cache *cache, uint32_t set, uint32_t allowed)
{
    uint8_t *age = ages_of(cache, set);
    switch (cache->policy) {
    case POLICY_LRU:
        return oldest_way(cache, set, allowed);
    case POLICY_TREE_PLRU:
        return tree_way(cache, set, allowed);
    case POLICY_RRIP:
        for (;;) {
            for (uint32_t way = 0; way < cache->ways; way++)
                if ((allowed >> way & 1) && age[way] >= RRIP_FAR)
                    return way;
            for (uint32_t way = 0; way < cache->ways; way++)
                if (allowed >> way & 1)
                    age[way]++;
        }
    default: {
        /* Each set draws for itself, so that what happens elsewhere does not matter to it. */
        struct cache_rest *rest = rest_of(cache, set);
        uint64_t draw = mix_two(cache->salt + set, rest->tree++);
        uint32_t skip = (uint32_t)(draw % (uint32_t)__builtin_popcount(allowed));
        while (skip--)
            allowed &= allowed - 1;
        return (uint32_t)__builtin_ctz(allowed);
    }
    }
}

void cache_prefetch(const struct cache *cache, uint32_t line)
{
    const uint32_t *at = tags_of(cache, set_of(cache, line));
    __builtin_prefetch(at, 1);
    __builtin_prefetch(at + HOST_LINE, 1);
}

bool cache_has(const struct cache *cache, uint32_t line)
{
    uint32_t set = set_of(cache, line);
    return ways_with(tags_of(cache, set), cache->stride, line + 1) != 0;
}

static inline bool find(const struct cache *cache, uint32_t line, uint32_t *ret_set,
                        uint32_t *ret_way)
{
    uint32_t set = set_of(cache, line);
    uint32_t found = ways_with(tags_of(cache, set), cache->stride, line + 1);
    *ret_set = set;
    *ret_way = found ? (uint32_t)__builtin_ctz(found) : 0;
    return found != 0;
}

void cache_hit(struct cache *cache, uint32_t line, bool dirty)
{
    uint32_t set, way;
    if (!find(cache, line, &set, &way))
        return;
    note_change(cache, set);
    use(cache, set, way, true);
    if (dirty)
        rest_of(cache, set)->dirty |= 1u << way;
}

void cache_mark(struct cache *cache, uint32_t line, bool dirty)
{
    uint32_t set, way;
    if (!find(cache, line, &set, &way))
        return;
    note_change(cache, set);
    if (dirty)
        rest_of(cache, set)->dirty |= 1u << way;
    else
        rest_of(cache, set)->dirty &= ~(1u << way);
}

uint32_t cache_insert(struct cache *cache, uint32_t line, bool dirty, uint32_t ways,
                      bool *ret_dirty)
{
    uint32_t set =
        line == CACHE_FOREIGN ? mix_below(&cache->random, cache->sets) : set_of(cache, line);
    uint32_t *tag = tags_of(cache, set);
    uint32_t allowed = ways ? ways & cache->all_ways : cache->all_ways;
    uint32_t empty = ways_with(tag, cache->stride, 0) & allowed;
    uint32_t way = empty ? (uint32_t)__builtin_ctz(empty) : victim(cache, set, allowed);
    uint32_t out = empty ? CACHE_NO_LINE : tag[way] - 1; /* CACHE_FOREIGN turns into NO_LINE */

    note_change(cache, set);
    *ret_dirty = !empty && (rest_of(cache, set)->dirty >> way & 1);
    tag[way] = line == CACHE_FOREIGN ? CACHE_FOREIGN : line + 1;
    if (dirty)
        rest_of(cache, set)->dirty |= 1u << way;
    else
        rest_of(cache, set)->dirty &= ~(1u << way);
    use(cache, set, way, false);
    return out;
}

bool cache_remove(struct cache *cache, uint32_t line, bool *ret_dirty)
{
    uint32_t set, way;
    *ret_dirty = false;
    if (!find(cache, line, &set, &way))
        return false;
    note_change(cache, set);
    *ret_dirty = rest_of(cache, set)->dirty >> way & 1;
    uint32_t *tag = tags_of(cache, set);
    tag[way] = 0;
    rest_of(cache, set)->dirty &= ~(1u << way);
    if (cache->policy == POLICY_RRIP)
        ages_of(cache, set)[way] = RRIP_FAR;
    /* An empty set has no past: so different pasts can end in one state. */
    if ((ways_with(tag, cache->stride, 0) & cache->every_way) == cache->every_way) {
        rest_of(cache, set)->tree = 0;
        if (cache->masked && cache->policy == POLICY_LRU)
            for (uint32_t i = 0; i < cache->ways; i++)
                ages_of(cache, set)[i] = (uint8_t)i;
    }
    return true;
}

#define HASH_STEP 0x9FB21C651E98DF25u

/* With LRU among all ways, the lines in their order say all: where they lie does not matter. */
static uint64_t hash_order(const struct cache *cache, uint32_t set, uint64_t sum)
{
    const uint32_t *tag = tags_of(cache, set);
    const uint8_t *age = ages_of(cache, set);
    uint32_t dirty = rest_of(cache, set)->dirty;
    uint64_t order[DESC_WAYS];
    for (uint32_t way = 0; way < cache->ways; way++)
        order[age[way]] = tag[way] ? tag[way] | (uint64_t)(dirty >> way & 1) << 32 : 0;
    for (uint32_t i = 0; i < cache->ways; i++)
        if (order[i])
            sum = (sum ^ (sum >> 29) ^ order[i]) * HASH_STEP;
    return mix64(sum);
}

static uint64_t hash_set(const struct cache *cache, uint32_t set)
{
    const uint32_t *tag = tags_of(cache, set);
    const uint8_t *age = ages_of(cache, set);
    uint64_t sum = cache->salt + set;
    if ((ways_with(tag, cache->stride, 0) & cache->every_way) == cache->every_way)
        return 0; /* as at first */
    if (cache->policy == POLICY_LRU && !cache->masked)
        return hash_order(cache, set, sum);
    for (uint32_t way = 0; way < cache->ways; way += 2)
        sum = (sum ^ (tag[way] | (uint64_t)tag[way + 1] << 32)) * HASH_STEP;
    for (uint32_t way = 0; way < cache->ways && cache->policy != POLICY_RANDOM; way += 8) {
        uint64_t eight;
        memcpy(&eight, age + way, sizeof eight);
        sum = (sum ^ (sum >> 29) ^ eight) * HASH_STEP;
    }
    return mix64(sum ^
                 mix64(rest_of(cache, set)->dirty | (uint64_t)rest_of(cache, set)->tree << 32));
}

uint64_t cache_settle(struct cache *cache, uint64_t sum)
{
    for (uint32_t i = 0; i < cache->changed_count; i++) {
        uint32_t set = cache->changed[i];
        uint64_t now = hash_set(cache, set);
        sum += now - cache->set_hash[set];
        cache->set_hash[set] = now;
    }
    cache->changed_count = 0;
    cache->epoch++;
    return sum;
}
