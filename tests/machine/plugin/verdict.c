/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured, by the plugin's account, and true: verdict.h has the contract. */
#include "verdict.h"
#include "../../../lib/text.h"
#include "../sim_compare.h"
#include "accounting.h"
#include "measured.h"
#include <stdio.h>
#include <stdlib.h>

/* The engine takes medians: what a few passes lose does not matter, what many lose does. */
#define DISTURBED_PERCENT 10u
#define LATE_PERCENT      10u

struct sides {
    const struct guest *guest;
    struct truth *truth;
    const struct accounting *accounting;
    const struct measured *measured;
    struct sim_comparison comparison;
    int64_t tolerance_ppm;
    bool good;
};

static const char *percent(int64_t ppm, char *buffer, size_t size)
{
    if (llabs(ppm) >= ERROR_MAX)
        snprintf(buffer, size, "off");
    else
        snprintf(buffer, size, "%+lld.%lld%%", (long long)(ppm / 10000), llabs(ppm) / 1000 % 10);
    return buffer;
}

static void fail(struct sides *sides, const char *why)
{
    printf("known-machine: FAILED: %s\n", why);
    sides->good = false;
}

/* One class: what was measured, what the plugin had the guest see for just these passes, what is
 * true of the machine at this working set and at its dearest. */
static void print_class(struct sides *sides, unsigned index)
{
    const struct class_result *of = &sides->measured->result.classes[index];
    const struct sim_class *against = &sides->comparison.classes[index];
    char cost[32], set[32], shown[32] = "-", at_set[32], largest[32], error[32] = "-", most[32];
    if (against->truth_class == TRUTH_NONE) {
        printf("  class %u was not measured\n", index);
        return;
    }
    int64_t shown_ps = 0, shown_ppm = 0;
    bool has_shown = accounting_cost(
        sides->accounting, of->cpu_a, of->cpu_b, (uint32_t)(of->working_set / GUEST_LINE),
        sides->measured->result.pattern, sides->measured->result.access, &shown_ps);
    text_duration(cost, sizeof cost, of->cost.ns);
    text_bytes(set, sizeof set, of->working_set);
    text_duration(at_set, sizeof at_set, against->at_set_ns);
    text_duration(largest, sizeof largest, against->largest_ns);
    if (has_shown) {
        text_duration(shown, sizeof shown, shown_ps / 1000);
        shown_ppm = against->zero ? 0 : sim_error_ppm(of->cost.ns, shown_ps / 1000);
        percent(shown_ppm, error, sizeof error);
    }
    printf("  %-24s %5u %9s %9s %9s %8s %9s %9s %8s%s\n",
           sides->truth->classes[against->truth_class].name, of->pairs, set, cost, shown, error,
           at_set, largest, percent(against->error_ppm, most, sizeof most),
           against->zero ? " zero" : "");
    if (!has_shown && !against->zero)
        fail(sides, "the plugin has no account of this class");
    if (llabs(shown_ppm) > sides->tolerance_ppm)
        fail(sides, "this class is not what the plugin let the guest see");
    if (llabs(against->error_ppm) > sides->tolerance_ppm)
        fail(sides, "this class is not what is true of the machine");
}

static void print_cells(const struct sides *sides)
{
    const struct sim_comparison *of = &sides->comparison;
    char cell[32], raw[32];
    const struct layout_cpu *cpu = sides->guest->layout.cpu;
    if (!of->cells)
        return;
    printf("cells: the worst of %u is %s off, from %u to %u; of the whole touches %s\n", of->cells,
           percent(of->worst_cell_ppm, cell, sizeof cell), cpu[of->worst_cell[0]].apic_id,
           cpu[of->worst_cell[1]].apic_id, percent(of->worst_raw_ppm, raw, sizeof raw));
}

static void print_decay(struct sides *sides, unsigned index)
{
    const struct class_result *of = &sides->measured->result.classes[index];
    const struct sim_class *against = &sides->comparison.classes[index];
    char footprint[32], bytes[32], time[32], truly[32];
    if (against->decay != DECAY_RIGHT && against->decay != DECAY_OFF)
        return;
    text_bytes(footprint, sizeof footprint, of->footprint);
    text_bytes(bytes, sizeof bytes, of->evict_bytes);
    text_bytes(truly, sizeof truly, against->evict_bytes);
    text_duration(time, sizeof time, of->evict_ns);
    printf("decay of %s: %s gone after %s of other data (%s), truly after %s\n",
           sides->truth->classes[against->truth_class].name, footprint, bytes, time, truly);
    if (against->decay == DECAY_OFF && sides->accounting->late)
        printf(
            "    which proves nothing: behind much other data QEMU was slower than the machine\n");
    else if (against->decay == DECAY_OFF)
        fail(sides, "that is more than a step of the ladder off");
}

static void print_host(const struct accounting *of)
{
    char beyond[32];
    text_duration(beyond, sizeof beyond,
                  of->count ? (long long)(of->overshoot_ps / of->count / 1000) : 0);
    printf(
        "host: %zu passes, %llu over 1%% too long, %llu because QEMU was slower than the machine; "
        "%s too long on average%s\n",
        of->count, (unsigned long long)of->disturbed, (unsigned long long)of->late, beyond,
        of->hurried ? "" : "; no real-time priority was to be had");
}

/* Whether the guest saw the machine at all. */
static int judge_run(const struct accounting *of, const struct measured *measured)
{
    if (!of->complete || !of->count) {
        printf("known-machine: the plugin's account is %s\n",
               of->count ? "cut off" : "empty: it found no touch kernel");
        return VERDICT_FAULT;
    }
    if (of->strays || of->outside || of->broken) {
        printf(
            "known-machine: the plugin lost track: %llu accesses without a pass, %llu outside of "
            "memory, %llu passes in pieces\n",
            (unsigned long long)of->strays, (unsigned long long)of->outside,
            (unsigned long long)of->broken);
        return VERDICT_FAULT;
    }
    if (measured->strangers || measured->cpus != measured->result.cpu_count) {
        printf(
            "known-machine: the guest has %u CPUs, %u of them not of the machine, which has %u\n",
            measured->cpus, measured->strangers, measured->result.cpu_count);
        return VERDICT_FAULT;
    }
    if (of->late * 100 > of->count * LATE_PERCENT)
        return VERDICT_SLOW;
    if (measured->clock_doubted) { /* held up by the host while it compared its timers */
        printf("known-machine: the guest's clocks disagree\n");
        return VERDICT_BUSY;
    }
    return of->disturbed * 100 > of->count * DISTURBED_PERCENT ? VERDICT_BUSY : VERDICT_GOOD;
}

static int compare(struct sides *sides)
{
    static const struct sim_control as_it_is = {.truth_permille = 1000};
    const struct result *result = &sides->measured->result;
    if (!sim_compare(sides->truth, result, &as_it_is, &sides->comparison))
        return VERDICT_FAULT;
    printf("  %-24s %5s %9s %9s %9s %8s %9s %9s %8s\n", "class", "pairs", "set", "measured",
           "shown", "error", "true", "at most", "error");
    for (unsigned i = 0; i < result->class_count; i++)
        print_class(sides, i);
    print_cells(sides);
    for (unsigned i = 0; i < result->class_count; i++)
        print_decay(sides, i);
    if (!result->class_count && result->cpu_count > 1)
        fail(sides, "no classes");
    if (!sides->comparison.classes_agree) {
        fail(sides, "the groups are not those of the machine:");
        printf("    %s\n", sides->comparison.disagreement);
    } else {
        printf("groups: as they are\n");
    }
    return sides->good ? VERDICT_GOOD : VERDICT_BEYOND;
}

int verdict(const struct guest *guest, struct truth *truth, const char *trace, const char *report,
            uint32_t tolerance_percent)
{
    struct accounting accounting;
    struct measured measured;
    char reason[300];
    if (!accounting_read(&accounting, trace, guest->desc->cpu_count, reason, sizeof reason)) {
        printf("known-machine: %s\n", reason);
        return VERDICT_FAULT;
    }
    if (!measured_read(&measured, report, guest, accounting.scale, reason, sizeof reason)) {
        printf("known-machine: %s\n", reason);
        accounting_free(&accounting);
        return VERDICT_FAULT;
    }
    struct sides sides = {.guest = guest,
                          .truth = truth,
                          .accounting = &accounting,
                          .measured = &measured,
                          .tolerance_ppm = (int64_t)tolerance_percent * 10000,
                          .good = true};
    print_host(&accounting);
    int status = judge_run(&accounting, &measured);
    if (status != VERDICT_FAULT) {
        int compared = compare(&sides);
        if (status == VERDICT_GOOD)
            status = compared;
        if (status == VERDICT_BUSY)
            printf("known-machine: the host was too busy: nothing is proved\n");
        else if (status == VERDICT_SLOW)
            printf("known-machine: QEMU was too slow for this machine: nothing is proved\n");
    }
    accounting_free(&accounting);
    measured_free(&measured);
    return status;
}
