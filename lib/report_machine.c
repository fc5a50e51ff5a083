/* SPDX-License-Identifier: BSD-2-Clause */
/* The head of a report: what machine this is, by whose word, and what was measured with. */
#include "report_parts.h"

static void machine_line(const struct report_page *page, const struct report_machine *machine)
{
    char vendor[16] = "", model[64] = "", firmware[64] = "";
    if (machine->vendor)
        report_clean(vendor, sizeof vendor, machine->vendor);
    if (machine->model)
        report_clean(model, sizeof model, machine->model);
    if (machine->firmware)
        report_clean(firmware, sizeof firmware, machine->firmware);
    report_field(page, "machine", "%s%s%s%ssignature 0x%x", vendor, vendor[0] ? ", " : "", model,
                 model[0] ? ", " : "", machine->cpu_signature);
    if (firmware[0])
        report_field(page, "firmware", "%s", firmware);
}

/* Distinct groups of a level among the CPUs that took part; 0 where one is not known. */
static unsigned group_count(const struct result *result, unsigned level)
{
    unsigned groups = 0;
    for (unsigned i = 0; i < result->cpu_count; i++) {
        uint32_t share = result->cpus[i].share[level];
        if (!report_takes_part(&result->cpus[i]))
            continue;
        if (share == SHARE_UNKNOWN)
            return 0;
        unsigned j = 0;
        while (j < i &&
               (!report_takes_part(&result->cpus[j]) || result->cpus[j].share[level] != share))
            j++;
        groups += j == i;
    }
    return groups;
}

static void counts(const struct text_sink *sink, const struct result *result)
{
    static const struct {
        uint8_t level;
        char name[17];
    } groups[] = {{LEVEL_PACKAGE, "package"},
                  {LEVEL_DIE, "die"},
                  {LEVEL_LLC, "last-level cache"},
                  {LEVEL_CORE, "core"}};
    unsigned said = 0;
    if (result->numa && result->numa->node_count > 1)
        text_print(sink, "%s%u nodes", said++ ? ", " : ": ", result->numa->node_count);
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        unsigned count = group_count(result, groups[i].level);
        if (count && !(groups[i].level == LEVEL_DIE && /* seldom anything but the package */
                       count == group_count(result, LEVEL_PACKAGE)))
            text_print(sink, "%s%u %s%s", said++ ? ", " : ": ", count, groups[i].name,
                       count == 1 ? "" : "s");
    }
}

#define REASONS 3u /* to leave a CPU out */

static void left_out(const struct report_page *page, const struct result *result)
{
    static const struct {
        uint8_t flag;
        char why[11];
    } reasons[REASONS] = {
        {CPU_LOST, "lost"}, {CPU_DISABLED, "disabled"}, {CPU_NOT_CHOSEN, "not chosen"}};
    struct report_list list;
    report_list_begin(&list, page, "left out");
    for (unsigned i = 0; i < result->cpu_count; i++) {
        unsigned r = 0;
        while (r < REASONS && !(result->cpus[i].flags & reasons[r].flag))
            r++;
        if (r < REASONS) /* one is enough */
            report_list_item(&list, "APIC\036%u (%s)", result->cpus[i].apic_id, reasons[r].why);
    }
    report_list_end(&list, "");
}

static bool result_name(const void *ctx, unsigned i, uint32_t *ret_apic_id)
{
    const struct result *result = ctx;
    *ret_apic_id = result->cpus[i].apic_id;
    return report_takes_part(&result->cpus[i]);
}

/* Ids first, first + step, ...; the step is open while there is but one. */
struct run {
    uint32_t first, step;
    unsigned length;
};

static uint32_t run_last(const struct run *run)
{
    return run->first + run->step * (run->length - 1);
}

static bool run_extend(struct run *run, uint32_t id)
{
    if (run->length == 0)
        run->first = id;
    else if (run->length == 1 && id > run->first)
        run->step = id - run->first;
    else if (run->length == 1 || id <= run_last(run) || id - run_last(run) != run->step)
        return false;
    run->length++;
    return true;
}

/* Prints what can no longer grow. Of a pair with a gap the second may still begin a run. */
static void run_flush(const struct text_sink *sink, struct run *run)
{
    unsigned printed = run->length == 2 && run->step > 1 ? 1 : run->length;
    if (printed > 1 && run->step == 1)
        text_print(sink, " %u-%u", run->first, run_last(run));
    else if (printed > 3)
        text_print(sink, " %u-%u\036by\036%u", run->first, run_last(run), run->step);
    else
        for (unsigned i = 0; i < printed; i++)
            text_print(sink, " %u", run->first + run->step * i);
    run->first = run_last(run);
    run->length -= printed;
}

void report_apic_ids(const struct text_sink *sink, const struct report_cells *cells)
{
    struct run run = {0};
    for (unsigned i = 0; i < cells->count; i++) {
        uint32_t id;
        if (!cells->name(cells->ctx, i, &id))
            continue;
        while (!run_extend(&run, id))
            run_flush(sink, &run);
    }
    while (run.length)
        run_flush(sink, &run);
}

static void cpu_lines(const struct report_page *page, const struct result *result,
                      const struct report_machine *machine)
{
    struct report_wrap wrap;
    const struct report_cells names = {
        .count = result->cpu_count, .ctx = result, .name = result_name};
    unsigned used = 0;
    for (unsigned i = 0; i < result->cpu_count; i++)
        used += report_takes_part(&result->cpus[i]);
    report_wrap_begin(&wrap, page, "CPUs");
    text_print(&wrap.sink, "%u", used);
    if (used != result->cpu_count)
        text_print(&wrap.sink, " of %u", result->cpu_count);
    counts(&wrap.sink, result);
    text_print(&wrap.sink, "; APIC ids");
    report_apic_ids(&wrap.sink, &names);
    report_wrap_end(&wrap);
    if (machine->madt_cpus && machine->mp_cpus && machine->madt_cpus != machine->mp_cpus)
        report_field(page, "", "ACPI's MADT lists %u enabled, MP Services %u", machine->madt_cpus,
                     machine->mp_cpus);
    left_out(page, result);
}

static void clock_line(const struct report_page *page, const struct clock_info *clock,
                       uint32_t flags)
{
    struct report_wrap wrap;
    report_wrap_begin(&wrap, page, "clock");
    text_print(&wrap.sink, "%llu.%03llu\036MHz by %s", (unsigned long long)(clock->khz / 1000),
               (unsigned long long)(clock->khz % 1000), report_clock(clock->source));
    if (clock->second != clock->source)
        text_print(&wrap.sink, ", %s %s",
                   flags & FLAG_CLOCK_DISAGREES ? "not confirmed by" : "checked against",
                   report_clock(clock->second));
    else
        text_print(&wrap.sink, ", not checked");
    text_print(&wrap.sink, ", +-%u\036ppm; resolution %u\036tick%s, a read costs %u",
               clock->error_ppm, clock->resolution, clock->resolution == 1 ? "" : "s",
               clock->read_cost);
    if (clock->core_permille)
        text_print(&wrap.sink, "; cores ran at %u.%02u of base", clock->core_permille / 1000,
                   clock->core_permille % 1000 / 10);
    report_wrap_end(&wrap);
}

static void cache_line(const struct report_page *page, const struct result *result,
                       const struct report_machine *machine)
{
    struct report_wrap wrap;
    unsigned seen = 0;
    report_wrap_begin(&wrap, page, "caches");
    for (unsigned level = 1; level < CACHE_LEVELS; level++) {
        char bytes[24];
        if (machine->capacity[level])
            text_print(&wrap.sink, "%sL%u\036%s", seen++ ? ", " : "", level,
                       report_bytes(bytes, sizeof bytes, machine->capacity[level]));
    }
    if (!seen)
        text_print(&wrap.sink, "capacities not known");
    if (machine->capacity_source) {
        char source[48];
        report_clean(source, sizeof source, machine->capacity_source);
        text_print(&wrap.sink, " (%s)", source);
    }
    if (result->cpu_count && result->cpus[0].line_bytes)
        text_print(&wrap.sink, "; lines of %u\036B", result->cpus[0].line_bytes);
    report_wrap_end(&wrap);
}

void report_machine_fields(const struct report_page *page, const struct result *result,
                           const struct report_machine *machine)
{
    char bytes[24], date[24];
    machine_line(page, machine);
    cpu_lines(page, result, machine);
    clock_line(page, &result->clock, result->flags);
    cache_line(page, result, machine);
    report_bytes(bytes, sizeof bytes, result->region_bytes);
    if (result->region_home == NODE_UNKNOWN)
        report_field(page, "buffer", "%s, node not known", bytes);
    else
        report_field(page, "buffer", "%s on node %u", bytes, result->region_home);
    report_date(date, sizeof date, result->started);
    report_field(page, "touch", "%s/%s%s%s%s", report_pattern(result->pattern),
                 report_access(result->access), result->started ? ", started " : "",
                 result->started ? report_solid(date) : "",
                 result->started ? " by the machine's clock" : "");
}

void report_machine_lines(const struct text_sink *sink, const struct result *result,
                          const struct report_machine *machine)
{
    struct report_page page = report_page(sink, REPORT_COLUMNS_DEFAULT);
    report_machine_fields(&page, result, machine);
}
