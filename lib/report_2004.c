/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines that the 2004 patch printed at boot (linux-kernel, 2004-10-06), so that its published
 * matrices and ours can be laid side by side. */
#include "report.h"

#define NS_PER_MS 1000000u

static bool takes_part(const struct report_2004 *data, unsigned cpu)
{
    return !data->cpus || !(data->cpus[cpu].flags & (CPU_LOST | CPU_DISABLED | CPU_NOT_CHOSEN));
}

static unsigned name_of(const struct report_2004 *data, unsigned cpu)
{
    return data->cpus ? data->cpus[cpu].apic_id : cpu;
}

static uint64_t whole_ms(uint64_t ns, bool units_2004)
{
    return units_2004 ? ns >> 20 : ns / NS_PER_MS;
}

/* The patch divided 1/1024 units by 102, not 102.4: from about .99 on its digit starts again at 0,
 * and the published matrices show it (87.0 stands for 87.99). */
static unsigned tenth_ms(uint64_t ns, bool units_2004)
{
    return (unsigned)(units_2004 ? (ns >> 10) / 102 % 10 : ns / (NS_PER_MS / 10) % 10);
}

static void print_header(const struct text_sink *sink, const struct report_2004 *data)
{
    text_print(sink, "      ");
    for (unsigned d = 0; d < data->cpu_count; d++)
        if (takes_part(data, d))
            text_print(sink, "  [%02u]", name_of(data, d));
    text_print(sink, "\n");
}

static void print_row(const struct text_sink *sink, const struct report_2004 *data, unsigned source)
{
    text_print(sink, "[%02u]: ", name_of(data, source));
    for (unsigned d = 0; d < data->cpu_count; d++) {
        if (!takes_part(data, d))
            continue;
        uint64_t ns = data->raw_ns[(size_t)source * data->cpu_count + d];
        text_print(sink, " %3llu.%u", (unsigned long long)whole_ms(ns, data->units_2004),
                   tenth_ms(ns, data->units_2004));
    }
    text_print(sink, "\n");
}

void report_2004(const struct text_sink *sink, const struct report_2004 *data)
{
    text_print(sink, "arch cache_decay_nsec: %llu\n", (unsigned long long)data->arch_decay_ns);
    text_print(sink, "migration cost matrix (cache_size: %llu, cpu: %llu MHz):\n",
               (unsigned long long)data->cache_bytes, (unsigned long long)data->cpu_mhz);
    print_header(sink, data);
    for (unsigned s = 0; s < data->cpu_count; s++)
        if (takes_part(data, s))
            print_row(sink, data, s);
    text_print(sink, "min_delta: %lld\n", (long long)data->min_delta_ns);
    text_print(sink, "using cache_decay nsec: %llu (%llu msec)\n",
               (unsigned long long)data->decay_ns,
               (unsigned long long)whole_ms(data->decay_ns, data->units_2004));
}

void report_2004_from_result(const struct result *result,
                             const struct recommendation *recommendation,
                             const struct report_machine *machine, uint64_t *scratch,
                             struct report_2004 *ret)
{
    *ret = (struct report_2004){
        .cpu_count = result->cpu_count,
        .raw_ns = scratch,
        .cpus = result->cpus,
        .cpu_mhz = result->clock.khz / 1000,
        .min_delta_ns = REPORT_2004_NO_DELTA,
        .decay_ns = recommendation->decay_ns,
    };
    for (unsigned level = 1; level < CACHE_LEVELS; level++)
        if (machine->capacity[level])
            ret->cache_bytes = machine->capacity[level];
    ret->arch_decay_ns = arch_estimate_ns(result->clock.khz, ret->cache_bytes >> 10);

    for (unsigned s = 0; s < result->cpu_count; s++)
        for (unsigned d = 0; d < result->cpu_count; d++) {
            unsigned cell = result_cell(result, s, d);
            scratch[cell] = result->raw_ns ? result->raw_ns[cell] : 0;
            if (s != d && scratch[cell] && scratch[cell] < ret->min_delta_ns)
                ret->min_delta_ns = scratch[cell];
        }
}
