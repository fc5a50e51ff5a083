/* SPDX-License-Identifier: BSD-2-Clause */
/* The model against figures from elsewhere: those of truth.awk, which knows nothing of it. Costs
 * are S D BYTES PATTERN STAY_NS MOVE_NS; decays S D FOOTPRINT evict LEAST MOST, bytes of other
 * data. */
#include "sim.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 10u /* disagreements printed; all are counted */

#define EVICT TOUCH_PATTERNS /* as pattern of a claim: it is one of a decay */

struct claim {
    unsigned s, d;
    uint64_t bytes;
    unsigned pattern;
    double stay_ns, move_ns; /* of a decay: least and most bytes */
};

static bool read_claim(const char *text, const struct desc *desc, struct claim *ret)
{
    static const char *const patterns[] = {"linear", "scatter", "chase", "evict"};
    char pattern[16];
    unsigned long long bytes;
    if (sscanf(text, "%u %u %llu %15s %lf %lf", &ret->s, &ret->d, &bytes, pattern, &ret->stay_ns,
               &ret->move_ns) != 6)
        return false;
    ret->bytes = bytes;
    ret->pattern = 0;
    while (ret->pattern <= EVICT && strcmp(patterns[ret->pattern], pattern) != 0)
        ret->pattern++;
    return ret->pattern <= EVICT && ret->s < desc->cpu_count && ret->d < desc->cpu_count &&
           ret->s != ret->d && bytes <= desc->memory_bytes &&
           touch_round(bytes, desc->line_bytes) == bytes;
}

/* Picoseconds rounded to ticks, and the order's few neighbours, are no disagreement. */
static bool agrees(double model_ps, double claimed_ns, uint64_t tolerance_ppm)
{
    double off = model_ps / 1000 - claimed_ns;
    if (off < 0)
        off = -off;
    return off <= claimed_ns * (double)tolerance_ppm / 1e6 + 1;
}

/* A decay, where there is memory for it; the model gives the next working set above. */
static bool compare_decay(struct truth *truth, const struct claim *claim, unsigned home,
                          const struct sim_options *options, bool show, bool *ret_agrees)
{
    const struct truth_work work = {claim->bytes, options->engine.pattern, options->engine.access,
                                    home};
    uint64_t bytes;
    if (!truth_eviction(truth, claim->d, claim->s, work, &bytes))
        return false;
    double model = (double)(bytes << options->control.decay_steps);
    *ret_agrees = !bytes || (model >= claim->stay_ns && model <= claim->move_ns * 17 / 16);
    if (!*ret_agrees && show)
        printf("CPU %u, %llu bytes: in the model gone after %.0f, claimed after %.0f to %.0f\n",
               claim->d, (unsigned long long)claim->bytes, model, claim->stay_ns, claim->move_ns);
    return true;
}

int sim_against(struct truth *truth, const struct sim_options *options)
{
    bool standard = strcmp(options->against, "-") == 0;
    FILE *file = standard ? stdin : fopen(options->against, "r");
    if (!file) {
        fprintf(stderr, "migcost-sim: %s: %s\n", options->against, strerror(errno));
        return SIM_USAGE;
    }
    const struct desc *desc = truth->desc;
    unsigned home = desc->cpu[desc->boot_cpu].node;
    uint64_t tolerance = options->check ? options->tolerance_ppm : 1000;
    unsigned long count = 0, wrong = 0;
    int status = SIM_OK;
    char text[200];
    while (status == SIM_OK && fgets(text, sizeof text, file)) {
        struct claim claim;
        struct truth_legs legs;
        count++;
        if (!read_claim(text, desc, &claim)) {
            fprintf(stderr, "migcost-sim: %s:%lu: not S D BYTES PATTERN STAY_NS MOVE_NS\n",
                    options->against, count);
            status = SIM_USAGE;
            break;
        }
        if (claim.pattern == EVICT) {
            bool right;
            if (!compare_decay(truth, &claim, home, options, wrong < SHOWN, &right))
                status = SIM_ENGINE;
            else
                wrong += !right;
            continue;
        }
        const struct truth_work work = {claim.bytes, claim.pattern, options->engine.access, home};
        if (!truth_legs(truth, claim.s, claim.d, work, &legs)) {
            status = SIM_ENGINE;
            break;
        }
        double scale = options->control.truth_permille / 1000.0;
        if (agrees((double)legs.stay_ps, claim.stay_ns * scale, tolerance) &&
            agrees((double)legs.move_ps, claim.move_ns * scale, tolerance))
            continue;
        if (wrong++ < SHOWN)
            printf("CPU %u to %u, %llu bytes, pattern %u: model stay %.0f move %.0f ns, "
                   "claimed stay %.0f move %.0f ns\n",
                   claim.s, claim.d, (unsigned long long)claim.bytes, claim.pattern,
                   (double)legs.stay_ps / 1000, (double)legs.move_ps / 1000, claim.stay_ns,
                   claim.move_ns);
    }
    if (!standard)
        fclose(file);
    if (status == SIM_OK)
        printf("%s: %lu figures, %lu of them not the model's\n", desc->name, count, wrong);
    return status != SIM_OK ? status : wrong ? SIM_BEYOND : SIM_OK;
}
