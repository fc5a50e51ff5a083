/* SPDX-License-Identifier: BSD-2-Clause */
/* A result of the engine held against the truth of the machine. */
#ifndef TESTS_MACHINE_SIM_COMPARE_H
#define TESTS_MACHINE_SIM_COMPARE_H

#include "../../lib/recommend.h"
#include "../../lib/result.h"
#include "sim_truth.h"

#define ERROR_MAX 1000000000 /* an error that has no number: true is 0 and measured is not */

/* What controls do to the truth, so that a check that cannot fail is found out. */
struct sim_control {
    uint32_t truth_permille; /* 1000: as it is */
    unsigned swap_a, swap_b; /* classes whose truths are exchanged; equal: none */
    unsigned decay_steps;    /* factors of two by which true evict_bytes are larger */
};

/* What became of a class's evict_bytes. */
enum sim_decay {
    DECAY_NONE = 0, /* truly no cost: nothing to evict */
    DECAY_MISSING,  /* not measured */
    DECAY_RIGHT,    /* within a step of the engine's ladder, a factor of two */
    DECAY_OFF,      /* or further from the truth */
    DECAYS
};

/* One class of the result. */
struct sim_class {
    unsigned truth_class; /* that most of its pairs belong to; TRUTH_NONE: the class has no pair */
    unsigned strangers;   /* pairs of another truth class, if that costs something else */
    int64_t at_set_ns;    /* true cost at the working set of the result, mean over the pairs */
    int64_t largest_ns;   /* true largest cost, likewise */
    uint64_t largest_bytes;
    int64_t error_ppm;     /* of the cost against the largest */
    int64_t set_error_ppm; /* of the cost against the truth at its working set */
    bool covered;          /* the stated spread reaches the truth at its working set */
    bool zero;             /* truly nothing to pay, within what the flag CLASS_ZERO promises */
    int64_t placement_ns;  /* true: how much more staying costs the class's second CPU */
    uint64_t evict_bytes;  /* true; 0 not known, or not measured */
    enum sim_decay decay;
};

struct sim_comparison {
    struct sim_class classes[MAX_CLASSES];
    bool classes_agree;     /* the same pairs together as in the truth */
    char disagreement[160]; /* the first pair that is not */
    int64_t worst_ppm;      /* largest |error_ppm| */
    int64_t worst_set_ppm;
    int64_t worst_cell_ppm; /* of the cost matrix, against the truth at the cell's working set */
    unsigned worst_cell[2];
    int64_t worst_raw_ppm;   /* of the raw matrix */
    unsigned cells;          /* compared */
    unsigned decays[DECAYS]; /* classes by what became of theirs */
    int32_t *true_ns;        /* [s*n+d]: as cost_ns of the result; the caller's, may be NULL */
    struct recommendation measured, ideal;
};

/* Fills *ret but for true_ns, which the caller sets. False: out of memory. */
bool sim_compare(struct truth *truth, const struct result *result,
                 const struct sim_control *control, struct sim_comparison *ret);

/* (measured - true) / true; ERROR_MAX where true is 0 and measured is not. */
int64_t sim_error_ppm(int64_t measured, int64_t true_value);

#endif
