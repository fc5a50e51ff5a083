/* SPDX-License-Identifier: BSD-2-Clause */
/* One set-associative cache: which lines it holds, which of them are dirty, and what it throws
 * out. It knows no costs and no other cache. */
#ifndef TESTS_MACHINE_CACHE_H
#define TESTS_MACHINE_CACHE_H

#include "desc.h"

#define CACHE_FOREIGN 0xFFFFFFFFu /* a line of other work: held, but nobody's */
#define CACHE_NO_LINE 0xFFFFFFFEu /* larger than any line number */

struct cache {
    uint32_t sets, ways, stride; /* stride: ways rounded up to 16, so that a set is scanned whole */
    uint32_t policy;             /* enum desc_policy */
    uint32_t low_sets, odd_sets; /* sets = low_sets * odd_sets, low_sets a power of two */
    unsigned low_shift,
        plain_shift;      /* plain: lowest bits of a line that stand in its set's number */
    unsigned hashed_bits; /* of a set's number, above the plain ones; 0: not hashed */
    bool masked;          /* some who fill it may not fill every way: set by who knows them */
    uint32_t every_way;   /* mask of the ways that exist */
    uint32_t all_ways;    /* mask of the ways that may be filled */
    uint32_t block;    /* 32-bit words that a set takes, all together to spare the host's caches: */
    uint32_t *sets_of; /* [set * block]: a tag per way, line + 1, 0 free; then a byte per way, its
                          LRU rank or RRIP's prediction; then the words below */
    uint64_t *set_hash; /* [set]: as added to the sum of cache_settle() */
    uint32_t *changed;  /* sets changed since the last cache_settle() */
    uint32_t changed_count, epoch;
    uint64_t salt;
    uint64_t random; /* state of the generator for CACHE_FOREIGN's sets */
};

/* Words of a set behind its tags and ages. */
struct cache_rest {
    uint32_t dirty; /* bit per way */
    uint32_t tree;  /* tree-PLRU bits */
    uint32_t stamp; /* epoch of the last change */
};

/* False: not enough memory. bytes / (ways * line) sets, at least one; ways outside of way_mask (0:
 * none) are never filled. */
bool cache_init(struct cache *cache, uint64_t bytes, uint32_t ways, uint32_t line_bytes,
                uint32_t policy, bool hashed, uint32_t way_mask, uint64_t salt);
void cache_free(struct cache *cache);
/* Empties it. */
void cache_reset(struct cache *cache);

/* A second cache like `from`, to keep its content; false: not enough memory. Then the content goes
 * from one to the other, both of one shape and settled. */
bool cache_clone(struct cache *to, const struct cache *from);
void cache_copy(struct cache *to, const struct cache *from);

/* Asks the host for what a visit of this line will need. */
void cache_prefetch(const struct cache *cache, uint32_t line);

bool cache_has(const struct cache *cache, uint32_t line);

/* A hit: the line, which must be there, becomes the most recent. dirty: it is dirty from now on. */
void cache_hit(struct cache *cache, uint32_t line, bool dirty);
/* Changes the dirty mark alone; the line must be there. */
void cache_mark(struct cache *cache, uint32_t line, bool dirty);

/* Puts in a line that is not there (or one more CACHE_FOREIGN). Only ways of the mask `ways` are
 * filled; 0 means all. Returns the line that was thrown out, CACHE_NO_LINE if none was, and whether
 * that was dirty. */
uint32_t cache_insert(struct cache *cache, uint32_t line, bool dirty, uint32_t ways,
                      bool *ret_dirty);

/* Takes a line out. Returns false if it was not there; *ret_dirty says if it was dirty. */
bool cache_remove(struct cache *cache, uint32_t line, bool *ret_dirty);

/* Sum over all sets of a hash of what they hold, brought up to date: two caches that will behave
 * alike from now on have the same. */
uint64_t cache_settle(struct cache *cache, uint64_t sum);

/* Whether a way's line is dirty. */
bool cache_way_dirty(const struct cache *cache, uint32_t set, uint32_t way);

/* A power of two: lines whose numbers differ modulo this never share a set. */
static inline uint32_t cache_plain_sets(const struct cache *cache)
{
    return 1u << cache->plain_shift;
}

/* Tag of a way, for those who go through all. */
static inline uint32_t cache_line_of(const struct cache *cache, uint32_t set, uint32_t way)
{
    uint32_t tag = cache->sets_of[(size_t)set * cache->block + way];
    return tag == 0 || tag == CACHE_FOREIGN ? CACHE_NO_LINE : tag - 1;
}

#endif
