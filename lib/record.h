/* SPDX-License-Identifier: BSD-2-Clause */
/* The record: the wire format of the EFI variable MigrationCost. docs/record.md specifies it byte
 * by byte. Everything read is foreign: checked whole, or rejected whole with the reason. */
#ifndef LIB_RECORD_H
#define LIB_RECORD_H

#include "recommend.h"
#include "result.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAX_BYTES                                                                           \
    900u /* edk2's smallest default, 0x400, counts header and name: 936 are left for our name (D5) \
          */
#define RECORD_COMPACT_BYTES \
    512u                       /* second try when the store refuses: summary without cells (D5) */
#define RECORD_VERSION_OLD 1u  /* still what is written where it says all */
#define RECORD_VERSION     2u  /* POLICY_DECAY, or a decay table at the end */
#define RECORD_METHOD      1u  /* raised when the same machine would give another figure */
#define RECORD_MAX_CLASSES 12u /* outermost kept when there are more */

/* How the matrix is stored. */
enum record_cells {
    CELLS_NONE = 0,  /* summary only */
    CELLS_EXACT = 1, /* every directed cell in ns */
    CELLS_CLASS = 2, /* a class index per unordered pair; bound_permille says how far a cell may be
                        off its class */
    CELLS_TREE = 3,  /* the same where the highest bit in which two APIC ids differ decides: a class
                        index per bit, so that it fits for any number of CPUs */
    RECORD_CELLS
};

#define RECORD_NO_BOUND    65535u        /* bound_permille: a cell may be anything */
#define RECORD_STARTED_MAX 253402300799u /* the last second of the year 9999 */

/* Who and what was measured. Firmware compares all but microcode; Linux compares what
 * docs/record.md says. */
struct record_identity {
    uint32_t cpu_signature; /* CPUID.1:EAX */
    uint32_t microcode;     /* a note only: an OS loads newer ones (D16) */
    uint32_t
        apic_ids_crc; /* CRC-32 of the ascending APIC ids of all CPUs, each 4 bytes little-endian */
    uint32_t caches_crc;   /* CRC-32 over level, bytes, ways, line of the boot CPU's caches: what
                              can be compared at every boot without starting another CPU */
    uint32_t numa_crc;     /* CRC-32 over SRAT ranges and SLIT distances; 0 without SRAT */
    uint32_t firmware_crc; /* CRC-32 of the SMBIOS type 0 version string, trailing blanks cut; 0
                              without */
    uint16_t method;       /* RECORD_METHOD of the writer */
};

struct record_class {
    uint8_t level, distance, kind_low, kind_high;
    uint16_t flags; /* CLASS_... */
    uint16_t first_visit_percent;
    uint32_t pairs;
    uint32_t working_set; /* bytes */
    int32_t cost_ns;
    uint32_t spread_ns;
    int32_t linear_ns, chase_ns;    /* 0: not done */
    uint32_t decay_ns;              /* recommended for its level; 0 or DECAY_MIN_NS..DECAY_MAX_NS */
    uint32_t evict_bytes, evict_ns; /* as in struct class_result; 0: not known, both together */
};

/* The decoded record. */
struct record {
    uint32_t flags; /* FLAG_... */
    uint32_t decay_ns;
    uint8_t policy, basis, pattern, access;
    uint32_t factor_percent;
    uint64_t started; /* seconds since 1970, 0 unknown */
    uint32_t duration_ms;
    uint32_t tsc_khz;
    struct record_identity identity;
    uint16_t cpu_count;
    uint8_t class_count;
    struct record_class classes[RECORD_MAX_CLASSES];
    uint8_t cells;           /* enum record_cells */
    uint16_t bound_permille; /* CELLS_CLASS, CELLS_TREE: no cell is further off its class's cost
                                than this part of it or the class's spread; 1000 = 100 percent,
                                RECORD_NO_BOUND */
    bool evictions_known;    /* false: no class has any, or there was no room for them */
    bool apic_ids_known;     /* false where the list did not fit: only identity.apic_ids_crc then */
    uint32_t apic_ids[MAX_CPUS]; /* ascending; of all CPUs, also of those that took no part */
};

enum record_error {
    RECORD_OK = 0,
    RECORD_TOO_SHORT,
    RECORD_FOREIGN,   /* magic is not ours */
    RECORD_NEWER,     /* a version that this reader does not know */
    RECORD_LENGTH,    /* total length does not match what came */
    RECORD_CORRUPT,   /* CRC-32 differs */
    RECORD_BAD_FIELD, /* a value outside its range, or parts that overlap or overrun */
    RECORD_NO_ROOM    /* encoding: does not fit `size` even as a summary */
};
const char *record_error_text(enum record_error error); /* one clause, no newline */

/* Fills head, identity excepted, classes and APIC ids from a result. identity is the caller's. A
 * class that was not measured is left out; of more than RECORD_MAX_CLASSES the innermost are. */
void record_from_result(const struct result *result, const struct recommendation *recommendation,
                        const struct record_identity *identity, struct record *ret);

/* Encodes in the richest form that fits size (at most RECORD_MAX_BYTES are used): exact cells,
 * class-coded cells, summary. result gives the cells, NULL: summary; it must be the one that
 * record_from_result() filled *record from. APIC ids go along where they are a list that
 * identity.apic_ids_crc agrees with; what evicts a footprint goes along where it fits besides. On
 * success *ret_length is set, and record->cells, bound_permille, evictions_known and
 * apic_ids_known say what was kept; nothing else of *record changes, so that it can be encoded
 * again into another size. RECORD_COMPACT_BYTES always suffice for a summary. RECORD_BAD_FIELD: a
 * value that the decoder would refuse. Nothing past size is written, and nothing in buffer is valid
 * on failure. */
enum record_error record_encode(struct record *record, const struct result *result, uint8_t *buffer,
                                size_t size, size_t *ret_length);

/* Checks all, then fills *ret. Nothing is written to *ret unless RECORD_OK is returned. */
enum record_error record_decode(const uint8_t *buffer, size_t length, struct record *ret);

/* Cost of one cell of a buffer that record_decode() accepted as *record. source and target are
 * positions in apic_ids. False: the record has no such cell. *ret_exact tells a pair's own figure
 * from its class's. */
bool record_cell(const struct record *record, const uint8_t *buffer, unsigned source,
                 unsigned target, int32_t *ret_ns, bool *ret_exact);

/* True if identities agree as firmware compares them; *ret_field (may be NULL) names the first that
 * differs. */
bool record_same_machine(const struct record_identity *a, const struct record_identity *b,
                         const char **ret_field);

/* True if `fresh` says nothing new: same machine, flags, policy and classes, every figure within
 * the stored spread (D4). Figures without a spread of their own: a decay may move by the same part
 * of itself as its class's cost, linear and chase by a quarter, what evicts a footprint by a step
 * of its ladder, a factor of two. Two costs that cannot be told from zero are the same. Times and
 * cells are not compared. *ret_reason (may be NULL) names what is new otherwise. */
bool record_unchanged(const struct record *stored, const struct record *fresh,
                      const char **ret_reason);

/* The recommendation that a record holds: policy, basis, the one number and the levels, as far as a
 * hand-off needs them. */
void record_recommendation(const struct record *record, struct recommendation *ret);

/* Identity pieces that need the result's CPUs and nodes. */
uint32_t record_apic_ids_crc(const struct cpu_info *cpus, unsigned count);
uint32_t record_ids_crc(const uint32_t *ascending, unsigned count); /* the same from bare ids */
uint32_t record_caches_crc(const struct cpu_info *cpu);             /* the boot CPU */
uint32_t record_numa_crc(const struct numa *numa);
uint32_t record_firmware_crc(const char *version);

#endif
