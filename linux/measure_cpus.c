/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs there are, which may be used, and which are asked for. */
#include "measure.h"
#include <string.h>

bool measure_cpus_find(const char *present, const char *online, const struct cpu_set *allowed,
                       struct measure_cpus *ret)
{
    struct cpu_set all, running;

    memset(ret, 0, sizeof *ret);
    /* Where the kernel does not say, what may be used is what there is. */
    if (!cpu_list_parse(online, &running) || cpu_set_count(&running) == 0)
        running = *allowed;
    if (!cpu_list_parse(present, &all))
        all = running;
    for (unsigned number = 0; number < CPU_NUMBERS; number++) {
        if (!cpu_set_has(&running, number))
            ret->offline += cpu_set_has(&all, number);
        else if (!cpu_set_has(allowed, number))
            ret->outside++;
        else if (ret->allowed_count == MAX_CPUS)
            ret->too_many++;
        else
            ret->number[ret->allowed_count++] = number;
    }
    return ret->allowed_count > 0;
}

static bool is_known(const struct cpu_info *cpus, unsigned count, uint32_t apic_id)
{
    for (unsigned i = 0; i < count; i++)
        if (cpus[i].apic_id == apic_id)
            return true;
    return false;
}

unsigned measure_cpus_append(const uint32_t *ids, unsigned id_count, struct cpu_info *cpus,
                             unsigned count)
{
    for (unsigned i = 0; i < id_count && count < MAX_CPUS; i++) {
        if (is_known(cpus, count, ids[i]))
            continue;
        topology_cpu_init(&cpus[count], ids[i]);
        cpus[count++].flags = CPU_DISABLED;
    }
    return count;
}

static bool any_usable(const struct cpu_info *cpus, unsigned count, uint32_t first, uint32_t last)
{
    for (unsigned i = 0; i < count; i++)
        if (cpus[i].apic_id >= first && cpus[i].apic_id <= last &&
            (cpus[i].flags & CPU_DISABLED) == 0)
            return true;
    return false;
}

bool measure_cpus_choose(const struct options *options, const struct measure_cpus *found,
                         struct cpu_info *cpus, unsigned count, struct message *message)
{
    for (unsigned i = 0; i < options->cpu_range_count; i++) {
        uint32_t first = options->cpu_range[i].first, last = options->cpu_range[i].last;
        char range[32];
        if (any_usable(cpus, count, first, last))
            continue;
        text_format(range, sizeof range, last == first ? "%u" : "%u to %u", first, last);
        if (first == last && is_known(cpus, count, first))
            message_set(message,
                        "--cpus: the CPU with APIC id %s is outside of this process's "
                        "cpuset",
                        range);
        else
            message_set(message,
                        "--cpus: no CPU has APIC id %s; %u may be used, the first has %u%s", range,
                        found->allowed_count, (unsigned)cpus[0].apic_id,
                        found->offline > 0 ? "; some are offline" : "");
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        if (!options_cpu_chosen(options, cpus[i].apic_id))
            cpus[i].flags |= CPU_NOT_CHOSEN;
    return true;
}

enum status measure_status(const struct measure_cpus *found, const struct result *result,
                           bool stopped, bool chosen)
{
    unsigned usable = 0;
    bool lost = false;

    for (unsigned i = 0; i < result->cpu_count; i++) {
        usable += (result->cpus[i].flags & (CPU_LOST | CPU_DISABLED | CPU_NOT_CHOSEN)) == 0;
        lost |= (result->cpus[i].flags & CPU_LOST) != 0;
    }
    if (stopped)
        return STATUS_STOPPED;
    if (lost)
        return STATUS_LOST;
    if (usable < 2)
        return STATUS_ONE_CPU;
    if (chosen)
        return STATUS_OK;
    if (found->outside > 0 || found->too_many > 0)
        return STATUS_CPUSET;
    return found->offline > 0 ? STATUS_OFFLINE : STATUS_OK;
}
