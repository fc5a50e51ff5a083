/* SPDX-License-Identifier: BSD-2-Clause */
/* How much our cost and V5's differ from one repetition to the next, on the machine at hand. Hosts
 * that are shared change meanwhile, so a fingerprint stands before and after each repetition, and
 * only those during which the machine was as it was for most of the time are compared. */
#include "real.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPETITIONS 15u
#define SECONDS     50  /* no more repetitions after this */
#define LIKE        120 /* percent of the usual that a component of a fingerprint may be off */

struct repetition {
    struct real_print before, after;
    int64_t ours_ns[REAL_CAPACITIES], v5_ns[REAL_CAPACITIES];
    struct v5_found search;
    bool alike, whole; /* the machine was as usual; everything could be measured */
};

struct all {
    struct real real;
    struct real_v5 v5;
    struct repetition repetition[REPETITIONS];
    unsigned done, alike;
};

/* Which of the two comes first takes turns. */
static void repeat(struct all *all, struct repetition *ret)
{
    const struct v5_machine v5 = real_v5_machine(&all->v5);
    struct real *real = &all->real;
    ret->whole = real_fingerprint(real, &ret->before);
    for (unsigned part = 0; part < 2; part++) {
        for (unsigned i = 0; i < real->capacity_count; i++) {
            uint64_t bytes = real->capacity[i].bytes;
            if (part == all->done % 2) {
                ret->whole &= real_cost(real, bytes, &ret->ours_ns[i]);
            } else {
                ret->v5_ns[i] = v5_cost(&v5, 0, 1, (uint32_t)bytes);
            }
        }
        if (part != all->done % 2)
            v5_search(&v5, v5_range(0), 0, 1, &ret->search);
        real_v5_home(&all->v5);
    }
    ret->whole &= real_fingerprint(real, &ret->after);
}

static int by_value(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t median(int64_t *values, unsigned count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static bool near(uint64_t value, uint64_t usual)
{
    return value * 100 <= usual * LIKE && value * LIKE >= usual * 100;
}

static bool like(const struct repetition *of, const struct real_print *usual, unsigned component)
{
    return near(of->before.ticks[component], usual->ticks[component]) &&
           near(of->after.ticks[component], usual->ticks[component]);
}

/* Marks the repetitions that began and ended like this; returns how many. */
static unsigned mark(struct all *all, const struct real_print *usual)
{
    unsigned count = 0;
    for (unsigned i = 0; i < all->done; i++) {
        struct repetition *of = &all->repetition[i];
        of->alike = of->whole;
        for (unsigned k = 0; k < PRINTS; k++)
            of->alike &= like(of, usual, k);
        count += of->alike;
    }
    return count;
}

/* The usual is the fingerprint that most repetitions are like; tells what the others were unlike
 * in.
 */
static void compare_prints(struct all *all)
{
    struct real_print usual = all->repetition[0].before;
    for (unsigned i = 0; i < all->done; i++) {
        unsigned count = mark(all, &all->repetition[i].before);
        if (count <= all->alike)
            continue;
        all->alike = count;
        usual = all->repetition[i].before;
    }
    mark(all, &usual);
    printf("%-44s %12u of %u repetitions\n", "spread, machine alike before and after in",
           all->alike, all->done);
    unsigned failed = 0, unlike[PRINTS] = {0};
    for (unsigned i = 0; i < all->done; i++) {
        failed += !all->repetition[i].whole;
        for (unsigned k = 0; k < PRINTS; k++)
            unlike[k] += all->repetition[i].whole && !like(&all->repetition[i], &usual, k);
    }
    if (failed)
        printf("%-44s %12u repetitions: too disturbed\n", "spread, nothing measured in", failed);
    for (unsigned k = 0; k < PRINTS; k++)
        if (unlike[k])
            printf("%-44s %12u repetitions: %s\n", "spread, machine another in", unlike[k],
                   real_print_name(k));
}

/* Median of the values, and half of what lies between the second and the second last, in
 * thousandths of ours at the same place: fewer than four values have no spread. */
struct spread {
    int64_t median_ns, half_ns;
};

static struct spread spread_of(int64_t *values, unsigned count)
{
    struct spread spread = {median(values, count), 0};
    spread.half_ns = (values[count - 2] - values[1]) / 2;
    return spread;
}

static double percent(struct spread of)
{
    return of.median_ns ? 100.0 * (double)of.half_ns / (double)llabs(of.median_ns) : 0;
}

static void print_spread(const char *what, const char *where, struct spread of)
{
    char name[64];
    snprintf(name, sizeof name, "spread, %s %s", what, where);
    printf("%-44s %12.1f us +- %.1f%%\n", name, (double)of.median_ns / 1000, percent(of));
}

static void print_ratio(const char *what, const char *where, struct spread theirs,
                        struct spread ours)
{
    char name[64];
    snprintf(name, sizeof name, "spread, %s to ours %s", what, where);
    if (ours.half_ns && ours.median_ns && theirs.median_ns)
        printf("%-44s %12.1f times\n", name, percent(theirs) / percent(ours));
}

static void print_capacity(const struct all *all, unsigned at, struct spread search)
{
    int64_t ours[REPETITIONS], v5[REPETITIONS];
    unsigned count = 0;
    for (unsigned i = 0; i < all->done; i++) {
        if (!all->repetition[i].alike)
            continue;
        ours[count] = all->repetition[i].ours_ns[at];
        v5[count++] = all->repetition[i].v5_ns[at];
    }
    char where[32];
    snprintf(where, sizeof where, "at L%u, %llu KiB", all->real.capacity[at].level,
             (unsigned long long)all->real.capacity[at].bytes / 1024);
    struct spread of_ours = spread_of(ours, count), of_v5 = spread_of(v5, count);
    print_spread("ours", where, of_ours);
    print_spread("V5", where, of_v5);
    print_ratio("V5", where, of_v5, of_ours);
    print_ratio("V5's search", where, search, of_ours);
}

static void print_all(const struct all *all)
{
    int64_t values[REPETITIONS];
    unsigned count = 0;
    for (unsigned i = 0; i < all->done; i++)
        if (all->repetition[i].alike)
            values[count++] = (int64_t)all->repetition[i].search.max_ns;
    struct spread search = spread_of(values, count);
    print_spread("V5's search", "64 KiB to 10 MiB", search);
    for (unsigned i = 0; i < all->real.capacity_count; i++)
        print_capacity(all, i, search);
    printf("%-44s %12u times (CLFLUSH in place of WBINVD)\n", "spread, V5 lost its CPU in a touch",
           all->v5.preempted);
}

static uint64_t most_bytes(const struct real *real)
{
    uint64_t most = v5_range(0).most;
    for (unsigned i = 0; i < real->capacity_count; i++)
        most = real->capacity[i].bytes > most ? real->capacity[i].bytes : most;
    return most;
}

int main(void)
{
    static struct all all;
    const char *complaint = real_open(&all.real);
    if (complaint) {
        printf("%-44s %12s (%s)\n", "spread", "skipped", complaint);
        return 0;
    }
    printf("%-44s %8u and %u\n", "spread, CPUs", all.real.number[0], all.real.number[1]);
    time_t end = time(NULL) + SECONDS;
    if (real_v5_open(&all.v5, &all.real, most_bytes(&all.real)))
        for (; all.done < REPETITIONS && time(NULL) < end; all.done++)
            repeat(&all, &all.repetition[all.done]);
    if (all.done)
        compare_prints(&all);
    if (all.alike < 5)
        printf("%-44s %12s\n", "spread", "none: fewer than five of them can be compared");
    else
        print_all(&all);
    real_v5_close(&all.v5);
    real_close(&all.real);
    return 0;
}
