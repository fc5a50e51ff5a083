/* SPDX-License-Identifier: BSD-2-Clause */
/* migcost-sim: what its parts share. */
#ifndef TESTS_MACHINE_SIM_H
#define TESTS_MACHINE_SIM_H

#include "../../lib/engine.h"
#include "backend.h"
#include "sim_compare.h"

/* Exit statuses. */
enum { SIM_OK = 0, SIM_BEYOND = 1, SIM_USAGE = 2, SIM_MACHINE = 3, SIM_ENGINE = 4 };

struct sim_options {
    const char *path;
    const char *noise;
    const char *against; /* figures of truth.awk; "-": standard input */
    const char *swap;    /* "A,B": names of truth classes */
    uint64_t seed;
    uint32_t runs;
    bool json, curves, fresh, help;
    bool check; /* a tolerance was given */
    uint64_t tolerance_ppm;
    uint32_t touch_permille; /* control: scales every touch */
    struct sim_control control;
    struct engine_options engine;
    uint64_t capacity[CACHE_LEVELS]; /* --capacity, 0: as the file claims */
};

/* sim_options.c. False: a message was printed. */
bool sim_read_options(int argc, char **argv, struct sim_options *ret);
void sim_usage(void);

/* One run, done and compared. */
struct sim_run {
    const struct desc *desc;
    const struct truth *truth;
    const struct backend *backend;
    const struct result *result;
    const struct sim_comparison *comparison;
};

/* Whether that CPU did not take part, or no longer. */
static inline bool sim_left_out(const struct sim_run *run, unsigned cpu)
{
    return (run->result->cpus[cpu].flags & (CPU_DISABLED | CPU_LOST)) != 0;
}

/* Several runs, summed up per truth class. */
struct sim_sample {
    int32_t error_ppm, set_error_ppm;
    bool covered;
};

struct sim_series {
    uint32_t runs;
    struct sim_sample *sample[TRUTH_CLASSES]; /* [count] */
    uint32_t count[TRUTH_CLASSES];
    uint32_t agreed;       /* runs whose classes were right */
    uint32_t false_maxima; /* class figures more than twice, or less than half, of the truth */
    uint64_t decays[DECAYS];
    char disagreement[160]; /* the first */
    uint64_t disagreement_seed;
    uint64_t false_maximum_seed, decay_seed; /* of the first run that had one off; 0 none */
    int64_t worst_cell_ppm, worst_raw_ppm;
    int32_t *cell_ppm; /* [cell_count]: of every cell of every run */
    size_t cell_count, cell_room;
    uint64_t touches, touched_bytes, modelled_ns, flags_all, flags_any;
    uint64_t most_bytes;
    uint64_t touched_for[PURPOSES];
};

/* sim_series.c */
void sim_series_init(struct sim_series *series);
void sim_series_free(struct sim_series *series);
void sim_series_add(struct sim_series *series, const struct sim_run *run, uint64_t seed);
struct sim_spread {
    int64_t median_ppm, low_ppm, high_ppm, least_ppm, most_ppm; /* 5th and 95th percentile */
    uint32_t covered_permille;
};
struct sim_spread sim_series_spread(struct sim_series *series, unsigned truth_class);
struct sim_spread sim_series_cells(struct sim_series *series); /* covered_permille: of no meaning */

/* sim_print.c, sim_json.c */
void sim_print_run(const struct sim_run *run);
void sim_print_series(struct sim_series *series, const struct truth *truth);
void sim_json_run(const struct sim_run *run, const struct sim_options *options);
void sim_json_series(struct sim_series *series, const struct truth *truth,
                     const struct sim_options *options);
/* sim_against.c: the model against figures from elsewhere, S D BYTES PATTERN STAY_NS MOVE_NS in
 * each line. Returns the exit status. */
int sim_against(struct truth *truth, const struct sim_options *options);
/* The true curve of each class, noise-free, as text. */
bool sim_print_curves(struct truth *truth, const struct sim_options *options);

#endif
