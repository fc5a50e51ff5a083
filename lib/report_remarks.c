/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies beside the costs: placement, odd CPUs, and the effort taken. */
#include "report_parts.h"

#define PAIRS_NAMED 4u /* of a class that was split off: which they are shows from a few */

/* Where the matrix is not what CPUID and ACPI claim (A20 to A24): which pairs of CPUs. */
static void differences(const struct report_page *page, const struct result *result,
                        const struct report_class *classes)
{
    for (unsigned i = 0; i < result->class_count && i < MAX_CLASSES; i++) {
        struct report_list list;
        char tail[96];
        unsigned named = 0;
        if (!(result->classes[i].flags & CLASS_SPLIT))
            continue;
        report_list_begin(&list, page, "differs");
        for (unsigned a = 0; a < result->cpu_count; a++) {
            for (unsigned b = a + 1; b < result->cpu_count; b++) {
                if (result->class_of[result_cell(result, a, b)] == i && named++ < PAIRS_NAMED)
                    report_list_item(&list, "APIC\036%u-%u", result->cpus[a].apic_id,
                                     result->cpus[b].apic_id);
            }
        }
        if (named > PAIRS_NAMED)
            report_list_item(&list, "%u\036more", named - PAIRS_NAMED);
        text_format(tail, sizeof tail, ": %s; CPUID and ACPI say it is like others",
                    classes[i].name);
        report_list_end(&list, tail);
    }
}

/* Said where it stands out of the noise and is over a twentieth of the cost. */
static void placements(const struct report_page *page, const struct result *result,
                       const struct report_class *classes)
{
    for (unsigned i = 0; i < result->class_count && i < MAX_CLASSES; i++) {
        const struct class_result *class = &result->classes[i];
        int64_t more = class->placement_ns, cost = class->cost.ns;
        char time[24];
        if (class->cpu_a >= result->cpu_count || class->cpu_b >= result->cpu_count)
            continue;
        uint32_t slow = result->cpus[more > 0 ? class->cpu_b : class->cpu_a].apic_id;
        uint32_t fast = result->cpus[more > 0 ? class->cpu_a : class->cpu_b].apic_id;
        more = more < 0 ? -more : more;
        if (!class->cost.samples || more <= class->cost.spread_ns ||
            more * 20 <= (cost < 0 ? -cost : cost))
            continue;
        report_field(page, "placement",
                     "%s: staying on APIC\036%u takes %s longer than on APIC\036%u (slower core or "
                     "farther memory; no part of the cost)",
                     classes[i].name, slow, report_duration(time, sizeof time, more), fast);
    }
}

/* Least and most of the CPUs of one kind that are not odd. False: there are none. */
static bool usual_stay(const struct result *result, unsigned kind, unsigned level,
                       struct figure *ret_least, struct figure *ret_most)
{
    bool found = false;
    for (unsigned i = 0; i < result->cpu_count; i++) {
        const struct figure *stay = &result->stay[i].stay[level];
        if (result->stay[i].odd || !stay->samples || result->cpus[i].core_kind != kind)
            continue;
        if (!found || stay->ns < ret_least->ns)
            *ret_least = *stay;
        if (!found || stay->ns > ret_most->ns)
            *ret_most = *stay;
        found = true;
    }
    return found;
}

/* Shows the first capacity at which the CPU lies outside of its like, else says only that it is
 * odd. */
static void odd_cpu(const struct report_page *page, const struct result *result, unsigned cpu)
{
    uint32_t apic_id = result->cpus[cpu].apic_id;
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        const struct figure *stay = &result->stay[cpu].stay[level];
        struct figure least = {0}, most = {0};
        char own[16], low[16], high[16], where[24];
        if (!stay->samples ||
            !usual_stay(result, result->cpus[cpu].core_kind, level, &least, &most) ||
            (stay->ns >= least.ns && stay->ns <= most.ns))
            continue;
        text_format(where, sizeof where, "0.9 of L%u", level);
        report_us(own, sizeof own, stay->ns, stay->spread_ns);
        report_us(low, sizeof low, least.ns, least.spread_ns);
        report_us(high, sizeof high, most.ns, most.spread_ns);
        report_field(page, "odd CPU",
                     "APIC\036%u: staying costs %s\036us at %s, others of its kind %s..%s\036us",
                     apic_id, own, where, low, high);
        return;
    }
    report_field(page, "odd CPU", "APIC\036%u: its staying costs are unlike those of its kind",
                 apic_id);
}

void report_remarks(const struct report_page *page, const struct result *result,
                    const struct report_class *classes)
{
    if (result->class_of)
        differences(page, result, classes);
    placements(page, result, classes);
    for (unsigned i = 0; result->stay && i < result->cpu_count; i++)
        if (result->stay[i].odd)
            odd_cpu(page, result, i);
}

void report_effort(const struct report_page *page, const struct result *result)
{
    char taken[24], bytes[24], longest[24];
    report_field(page, "taken", "%s; %llu touches of %s in all; longest %s %s",
                 report_duration(taken, sizeof taken, (int64_t)result->duration_ns),
                 (unsigned long long)result->touches,
                 report_bytes(bytes, sizeof bytes, result->touched_bytes),
                 result->flags & FLAG_UNDER_OS ? "touch" : "window with interrupts off",
                 report_duration(longest, sizeof longest, (int64_t)result->longest_touch_ns));
}
