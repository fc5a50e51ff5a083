/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic of the clock: from windows and steps to a rate that can be trusted, or that says how
 * far it cannot. */
#include "../../lib/flags.h"
#include "clock.h"
#include "cpu.h"
#include <stddef.h>

#define CORE_PERMILLE_MAX     20000u         /* no core runs at 20 times its base clock */
#define KHZ_MAX               1000000000000u /* beyond 1 PHz it is no clock */
#define KHZ_WITHOUT_CLOCK     1000000u
#define CONFIRM_ERROR_MAX_PPM 50000u /* who is off by more can confirm nothing within 1 percent */
#define STEP_SLACK            2u     /* a step that is no whole number of ticks is seen rounded */
#define STEP_MULTIPLES_MAX    4u     /* of the smallest difference: beyond, rounding adds up */

static uint32_t pm_timer_mask(unsigned bits)
{
    return bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
}

uint64_t clock_pm_timer_ns(uint32_t start, uint32_t end, unsigned bits)
{
    return (uint64_t)((end - start) & pm_timer_mask(bits)) * 1000000000u / PM_TIMER_HZ;
}

static uint32_t pm_timer_read(const struct clock_pm_timer *timer)
{
    return timer->read ? timer->read(timer->ctx) : cpu_in32(timer->port);
}

uint64_t clock_pm_timer_wait(void *pm_timer, uint32_t us)
{
    const struct clock_pm_timer *timer = pm_timer;
    if (us > PM_TIMER_WAIT_MAX_US)
        us = PM_TIMER_WAIT_MAX_US;
    uint64_t wanted = (uint64_t)us * PM_TIMER_HZ / 1000000u + 1, gone = 0;
    uint64_t reads = (uint64_t)us * PM_TIMER_READS_PER_US + PM_TIMER_STILL_READS;
    unsigned still = 0;
    uint32_t last = pm_timer_read(timer);

    while (reads-- > 0 && still < PM_TIMER_STILL_READS) {
        uint32_t now = pm_timer_read(timer);
        still = now == last ? still + 1 : 0;
        /* Added up between reads, so that only two neighbouring ones must be less than a wrap
         * apart. */
        gone += (now - last) & pm_timer_mask(timer->bits);
        last = now;
        if (gone >= wanted)
            return gone * 1000000000u / PM_TIMER_HZ;
        cpu_relax();
    }
    return 0;
}

uint64_t clock_khz(uint64_t ticks, uint64_t ns)
{
    if (ticks == 0 || ns == 0)
        return 0;
    uint64_t khz = machine_million(ticks, ns);
    return khz > KHZ_MAX ? KHZ_MAX : khz;
}

uint32_t clock_core_permille(const struct clock_core *start, const struct clock_core *end)
{
    uint64_t aperf = end->aperf - start->aperf, mperf = end->mperf - start->mperf;
    uint64_t permille = mperf == 0 ? 0 : machine_million(aperf, mperf) / 1000;
    return permille > CORE_PERMILLE_MAX ? 0 : (uint32_t)permille;
}

/* Difference of two rates in ppm of the first, rounded up. */
static uint32_t difference_ppm(uint64_t khz, uint64_t other)
{
    uint64_t ppm = machine_million(khz > other ? khz - other : other - khz, khz);
    if (khz != other && ppm < UINT32_MAX)
        ppm++;
    return ppm > UINT32_MAX ? UINT32_MAX : (uint32_t)ppm;
}

static uint32_t add_ppm(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static void sort(uint64_t *values, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        uint64_t value = values[i];
        unsigned at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

uint64_t clock_settle(uint64_t *khz, unsigned count, uint32_t *ret_spread_ppm)
{
    sort(khz, count);
    while (count > 0 && *khz == 0) {
        khz++;
        count--;
    }
    *ret_spread_ppm = CLOCK_SPREAD_UNKNOWN_PPM;
    if (count == 0)
        return 0;

    unsigned majority = count / 2 + 1, best = (count - majority) / 2;
    for (unsigned i = 0; i + majority <= count; i++)
        if (khz[i + majority - 1] - khz[i] < khz[best + majority - 1] - khz[best])
            best = i;
    uint64_t median = khz[best + majority / 2];
    uint64_t width = khz[best + majority - 1] - khz[best];
    uint32_t spread_ppm = difference_ppm(median, median + (width + 1) / 2);
    *ret_spread_ppm = count < 3 ? add_ppm(CLOCK_SPREAD_UNKNOWN_PPM, spread_ppm) : spread_ppm;
    return median;
}

uint32_t clock_step(const uint64_t *differences, unsigned count)
{
    uint64_t least = 0;
    for (unsigned i = 0; i < count; i++)
        if (differences[i] != 0 && (least == 0 || differences[i] < least))
            least = differences[i];
    if (least == 0)
        return 1;
    if (least > UINT32_MAX)
        return UINT32_MAX;

    /* Euclid, but what is left within the slack is rounding. */
    uint64_t step = least;
    for (unsigned i = 0; i < count; i++) {
        uint64_t a = differences[i], b = step;
        if (a == 0 || a / least >= STEP_MULTIPLES_MAX)
            continue;
        while (b > STEP_SLACK) {
            uint64_t rest = a % b;
            if (b - rest < rest)
                rest = b - rest;
            a = b;
            b = rest;
        }
        step = a > STEP_SLACK ? a : 1;
        if (step == 1)
            break;
    }
    return (uint32_t)step;
}

struct candidate {
    uint64_t khz;
    uint32_t error_ppm;
    uint8_t source;
};

/* Those that are there, the hint first. */
struct candidates {
    unsigned count;
    struct candidate list[1 + CLOCK_REFERENCES];
};

static void add(struct candidates *all, uint64_t khz, uint32_t error_ppm, uint8_t source)
{
    if (khz != 0 && khz <= KHZ_MAX)
        all->list[all->count++] = (struct candidate){khz, error_ppm, source};
}

/* The candidate of another source that is nearest to `to`. `confirming`: the most exact of those
 * that agree with it and could have noticed if they did not. */
static const struct candidate *find_other(const struct candidates *all, const struct candidate *to,
                                          bool confirming)
{
    const struct candidate *found = NULL;
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < all->count; i++) {
        const struct candidate *other = &all->list[i];
        uint32_t apart = difference_ppm(to->khz, other->khz);
        uint32_t rank = confirming ? other->error_ppm : apart;
        if (other->source == to->source || (found && rank >= least) ||
            (confirming && (apart > CLOCK_AGREE_PPM || rank > CONFIRM_ERROR_MAX_PPM)))
            continue;
        found = other;
        least = rank;
    }
    return found;
}

static bool choose_confirmed(const struct candidates *all, struct candidate *ret_best,
                             struct candidate *ret_second)
{
    const struct candidate *best = NULL;
    for (unsigned i = 0; i < all->count; i++) {
        const struct candidate *one = &all->list[i], *second;
        if (one->error_ppm > CONFIRM_ERROR_MAX_PPM || (best && one->error_ppm >= best->error_ppm))
            continue;
        second = find_other(all, one, true);
        if (!second)
            continue;
        best = one;
        *ret_best = *one;
        *ret_second = *second;
    }
    return best != NULL;
}

static struct candidate choose_alone(const struct candidates *all)
{
    const struct candidate *hint = NULL, *measured = NULL;
    for (unsigned i = 0; i < all->count; i++) {
        const struct candidate *one = &all->list[i];
        if (one->source == CLOCK_CPUID)
            hint = one;
        else if (!measured || one->error_ppm < measured->error_ppm)
            measured = one;
    }
    if (!measured)
        return hint ? *hint : (struct candidate){KHZ_WITHOUT_CLOCK, UINT32_MAX, CLOCK_CPUID};
    struct candidate best = *measured;
    /* A measurement too vague to contradict the hint is no better than it. */
    if (hint && difference_ppm(measured->khz, hint->khz) <= measured->error_ppm) {
        best.khz = hint->khz;
        best.source = hint->source;
    }
    return best;
}

void clock_choose(uint64_t hint_khz, const uint64_t *khz, const uint32_t *spread_ppm,
                  const struct clock_reference *references, unsigned count, struct clock_info *ret,
                  uint32_t *ret_flags)
{
    struct candidates all = {0};
    struct candidate best = {0}, second = {0}; /* gcc 14 does not see them set */
    add(&all, hint_khz, CLOCK_HINT_ERROR_PPM, CLOCK_CPUID);
    for (unsigned i = 0; i < count && i < CLOCK_REFERENCES; i++)
        add(&all, khz[i], add_ppm(spread_ppm[i], references[i].error_ppm), references[i].source);

    *ret_flags = 0;
    if (!choose_confirmed(&all, &best, &second)) {
        *ret_flags = FLAG_CLOCK_DISAGREES;
        best = second = choose_alone(&all);
        const struct candidate *nearest = find_other(&all, &best, false);
        if (nearest) {
            uint32_t apart_ppm = difference_ppm(best.khz, nearest->khz);
            if (apart_ppm > best.error_ppm)
                best.error_ppm = apart_ppm;
            second = *nearest;
        }
    }
    ret->khz = best.khz;
    ret->error_ppm = best.error_ppm;
    ret->source = best.source;
    ret->second = second.source;
}

uint32_t clock_flags(const struct clock_info *clock, bool invariant)
{
    uint32_t flags = invariant ? 0 : FLAG_CLOCK_NOT_INVARIANT;
    return clock->read_cost > CLOCK_TRAPPED_TICKS ? flags | FLAG_CLOCK_TRAPPED : flags;
}

uint32_t clock_core_flags(uint32_t core_permille)
{
    if (core_permille == 0)
        return FLAG_CORE_CLOCK_UNKNOWN;
    return core_permille < CLOCK_CORE_BASE ? FLAG_CORE_BELOW_BASE : 0;
}
