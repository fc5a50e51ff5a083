/* SPDX-License-Identifier: BSD-2-Clause */
/* The byte layout of the record, for lib/record_*.c alone. docs/record.md says what it means. */
#ifndef LIB_RECORD_FORMAT_H
#define LIB_RECORD_FORMAT_H

#include "little_endian.h"
#include "record.h"

#define RECORD_MAGIC 0x4347494Du /* the bytes "MIGC" */

/* Offsets in the head. */
enum {
    HEAD_MAGIC = 0,
    HEAD_VERSION = 4,
    HEAD_BYTES_AT = 6, /* where the head's own length stands */
    HEAD_TOTAL = 8,
    HEAD_CPU_COUNT = 10,
    HEAD_CRC = 12,
    HEAD_FLAGS = 16,
    HEAD_DECAY = 20,
    HEAD_POLICY = 24,
    HEAD_BASIS = 25,
    HEAD_PATTERN = 26,
    HEAD_ACCESS = 27,
    HEAD_FACTOR = 28,
    HEAD_STARTED = 32,
    HEAD_DURATION = 40,
    HEAD_TSC_KHZ = 44,
    HEAD_SIGNATURE = 48,
    HEAD_MICROCODE = 52,
    HEAD_APIC_IDS_CRC = 56,
    HEAD_CACHES_CRC = 60,
    HEAD_NUMA_CRC = 64,
    HEAD_FIRMWARE_CRC = 68,
    HEAD_METHOD = 72,
    HEAD_CLASS_COUNT = 74,
    HEAD_CLASS_BYTES = 75,
    HEAD_RUN_COUNT = 76,
    HEAD_CELLS = 77,
    HEAD_BOUND = 78,
    HEAD_BYTES = 80
};

/* Offsets in an entry of the class table. */
enum {
    CLASS_LEVEL = 0,
    CLASS_DISTANCE = 1,
    CLASS_KIND_LOW = 2,
    CLASS_KIND_HIGH = 3,
    CLASS_FLAGS = 4,
    CLASS_FIRST_VISIT_AT = 6,
    CLASS_PAIRS = 8,
    CLASS_WORKING_SET = 12,
    CLASS_COST = 16,
    CLASS_SPREAD = 20,
    CLASS_LINEAR = 24,
    CLASS_CHASE = 28,
    CLASS_DECAY = 32,
    CLASS_BYTES = 36
};
#define CLASS_FLAGS_KNOWN                                                                 \
    (CLASS_ZERO | CLASS_SPLIT | CLASS_TWO_PEAKS | CLASS_FIRST_VISIT | CLASS_NO_CAPACITY | \
     CLASS_EDGE)

/* Offsets in an entry of the decay table, one for each class, at the end of the record. */
enum { EVICT_AT_BYTES = 0, EVICT_AT_NS = 4, EVICT_BYTES = 8 };

/* Offsets in a run of APIC ids. */
enum { RUN_FIRST = 0, RUN_COUNT = 4, RUN_STRIDE = 6, RUN_BYTES = 8 };
#define RUNS_MAX        ((RECORD_MAX_BYTES - HEAD_BYTES) / RUN_BYTES)
#define APIC_ID_INVALID 0xFFFFFFFFu /* x2APIC broadcast: no CPU has it */

/* Offsets in a section of exact cells: the smallest cost, bits per cell, then the cells. */
enum { EXACT_BASE = 0, EXACT_WIDTH = 4, EXACT_BITS = 8 };
/* Offsets in a section of tree cells: how many bits are told apart, then a class code for each. */
enum { TREE_COUNT = 0, TREE_CODES = 1, TREE_MAX = 32 };

_Static_assert(HEAD_BYTES + RECORD_MAX_CLASSES * CLASS_BYTES <= RECORD_COMPACT_BYTES,
               "a summary must fit the compact form whatever the machine");
_Static_assert(RUNS_MAX <= UINT8_MAX, "the number of runs is one byte");

/* All of the head but what describes the encoding itself, and an entry of the class table. */
void record_put_head(const struct record *record, uint8_t *to);
void record_get_head(const uint8_t *from, struct record *ret);
void record_put_class(const struct record_class *class, uint8_t *to);
void record_get_class(const uint8_t *from, struct record_class *ret);

/* CRC-32 of an encoded record with its CRC field taken as zero. length is at least HEAD_CRC + 4. */
uint32_t record_buffer_crc(const uint8_t *buffer, size_t length);

/* Every value of the head and the class table within its range. */
enum record_error record_check(const struct record *record);

/* Positions of cpus[] by ascending APIC id. False: two ids are equal, or one is impossible. */
bool record_order(const struct cpu_info *cpus, unsigned count, uint16_t *ret_order);

/* Where each class of a result went in the record; CLASS_NONE: it was left out. Returns how many
 * went. */
unsigned record_class_map(const struct result *result, uint8_t ret_map[MAX_CLASSES]);

/* Ids that a record may list: ascending, none twice, none impossible. */
bool record_ids_ok(const uint32_t *ids, unsigned count);

/* APIC ids as runs. put returns the bytes used, 0 where they do not fit size. get fills ids from
 * run_count runs and checks that they are what put would have written; false: they are not. */
size_t record_put_ids(const uint32_t *ids, unsigned count, uint8_t *to, size_t size);
bool record_get_ids(const uint8_t *from, unsigned run_count, unsigned count, uint32_t *ret_ids);

/* Cells in the richest form that fits size, by positions order[] in the result. Sets record->cells
 * and bound_permille; returns the bytes used, 0 for CELLS_NONE. */
size_t record_put_cells(struct record *record, const struct result *result, const uint16_t *order,
                        uint8_t *to, size_t size);

/* True if `length` bytes are a whole section of the form that record->cells says. */
bool record_check_cells(const struct record *record, const uint8_t *from, size_t length);

#endif
