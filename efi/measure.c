/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring, from the facts of the machine to the recommendation: what comes before the other CPUs
 * are started, and what comes after they are back. */
#include "app.h"

#include "../lib/mem.h"

#define TIMEOUT_MARGIN_S 10u /* firmware takes a lost CPU back this long after the budget */
#define MISSING_TOLD     8u  /* CPUs named in a message */
#define LIMIT_MARGIN_S                                                           \
    5u /* no touch is begun that would end later; 4 s more to find one lost, and \
          to see all leave */

/* Fills cpus[] with all that firmware counts, or with this CPU alone. */
static bool find_cpus(struct app *app)
{
    unsigned room = start_open(app);
    if (room > MAX_CPUS)
        room = MAX_CPUS;
    app->cpus = app_allocate(app, room * sizeof(*app->cpus));
    if (!app->cpus)
        return false;
    start_list(app, room);
    if (app->cpu_count == 0) {
        topology_cpu_init(&app->cpus[0], cpuid_apic_id(&app->facts.cpuid));
        app->cpus[0].flags = CPU_BOOT;
        app->cpu_count = 1;
        app->has_mp = false;
    }
    while ((app->cpus[app->own_cpu].flags & CPU_BOOT) == 0)
        app->own_cpu++;
    return true;
}

/* True if that range of APIC ids names at least one CPU. */
static bool range_exists(const struct app *app, uint32_t first, uint32_t last)
{
    for (unsigned i = 0; i < app->cpu_count; i++)
        if (app->cpus[i].apic_id >= first && app->cpus[i].apic_id <= last)
            return true;
    return false;
}

static bool choose_cpus(struct app *app)
{
    const struct options *options = &app->options;

    for (unsigned i = 0; i < options->cpu_range_count; i++) {
        uint32_t first = options->cpu_range[i].first, last = options->cpu_range[i].last;
        if (range_exists(app, first, last))
            continue;
        char to[20] = "";
        if (last != first)
            text_format(to, sizeof(to), " to %u", last);
        app_tell(app, "--cpus: no CPU has APIC id %u%s; there are %u CPUs, the first has %u", first,
                 to, app->cpu_count, app->cpus[0].apic_id);
        return false;
    }
    for (unsigned i = 0; i < app->cpu_count; i++)
        if (!options_cpu_chosen(options, app->cpus[i].apic_id))
            app->cpus[i].flags |= CPU_NOT_CHOSEN;
    if (options->cpu_range_count > 0)
        app->flags |= FLAG_CPUS_CHOSEN;
    return true;
}

/* The largest working set that anyone may want. */
static uint64_t largest_wanted(const struct app *app)
{
    const struct options *options = &app->options;
    uint64_t largest = options->engine.size;

    for (unsigned i = 0; options->verify && i < app->stored.record.class_count; i++)
        if (app->stored.record.classes[i].working_set > largest)
            largest = app->stored.record.classes[i].working_set;
    for (unsigned i = 0; i < options->capacity_count; i++) {
        uint64_t bytes = options->capacity_bytes[i];
        if (bytes > largest)
            largest = bytes;
    }
    return largest;
}

static bool find_memory(struct app *app)
{
    const struct facts *facts = &app->facts;
    unsigned others = app->has_mp ? app->cpu_count - 1 : 0;
    uint64_t largest = largest_wanted(app);
    /* Clearing memory takes time, of which a look at one working set has little. */
    uint64_t wish = app->options.verify ? largest + 2 * ARENA_ALIGN : arena_wish(largest);
    bool ok = true;

    if (others > 0) {
        size_t bytes = sizeof(*app->team) + mp_team_bytes(others);
        app->team = app_allocate(app, bytes);
        app->ticket_of = app_allocate(app, app->cpu_count * sizeof(*app->ticket_of));
        ok = app->team && app->ticket_of;
        if (ok)
            mp_team_init(app->team, app->team + 1, others, &facts->features, true);
    }
    app->backend.regions.list = app_allocate(app, REGIONS_MAX * sizeof(struct mp_region));
    app->backend.dispatcher.lanes = app_allocate(app, app->cpu_count * sizeof(struct mp_lane));
    app->workspace_bytes =
        app->options.verify ? verify_workspace_bytes() : engine_workspace_bytes(app->cpu_count);
    app->workspace = app_allocate(app, app->workspace_bytes);
    ok = ok && app->backend.regions.list && app->backend.dispatcher.lanes && app->workspace &&
         arena_open(&app->efi, wish, app->has_numa ? &app->numa : NULL,
                    facts->has_mtrr ? &facts->mtrr : NULL, &app->arena);
    if (!ok) {
        app_tell(app, "the firmware has no memory to measure with (%u MiB at least)",
                 (unsigned)(ARENA_FLOOR_BYTES >> 20));
        return false;
    }
    if (app->arena.type != MEMORY_WB)
        app->flags |= FLAG_MEMORY_UNCACHED;
    if (app->arena.type == MEMORY_UC && !facts->features.hypervisor) {
        app_tell(app, "the memory at hand is not cached"); /* (C10) */
        return false;
    }
    memory_flush(app->arena.base, app->arena.bytes, app->cpus[app->own_cpu].line_bytes);
    return true;
}

bool measure_identify(struct app *app, enum outcome *ret_outcome)
{
    *ret_outcome = OUTCOME_NO_MEMORY;
    facts_identify(&app->efi, &app->facts);
    if (!find_cpus(app))
        return false;
    *ret_outcome = OUTCOME_NO_SUCH_CPU;
    if (!choose_cpus(app))
        return false;
    cpuid_describe_caches(&app->facts.cpuid, &app->cpus[app->own_cpu]);
    app->has_numa = acpi_tables_numa(&app->facts.acpi, app->cpus, app->cpu_count, &app->numa);
    return true;
}

void measure_identity(const struct app *app, struct record_identity *ret)
{
    *ret = (struct record_identity){
        .cpu_signature = app->facts.signature,
        .microcode = app->facts.microcode,
        .apic_ids_crc = record_apic_ids_crc(app->cpus, app->cpu_count),
        .caches_crc = record_caches_crc(&app->cpus[app->own_cpu]),
        .numa_crc = app->has_numa ? record_numa_crc(&app->numa) : 0,
        .firmware_crc = record_firmware_crc(app->facts.firmware),
        .method = RECORD_METHOD,
    };
}

/* Flags that need no other CPU. */
static void flag_machine(struct app *app)
{
    if (app->facts.features.hypervisor)
        app->flags |= FLAG_HYPERVISOR;
    if (!app->has_mp)
        app->flags |= FLAG_NO_MP;
    if (app->has_numa && app->numa.node_count > 1)
        app->flags |= FLAG_NUMA_PLACEMENT;
    if (app->left_out > 0)
        app->flags |= FLAG_CPUS_LEFT_OUT;
    if (app->has_mp && app->facts.acpi.madt_cpus != 0 &&
        app->facts.acpi.madt_cpus != app->mp.enabled)
        app->flags |= FLAG_TOPOLOGY_UNTRUSTED; /* (A13) */
}

static void fill_backend(struct app *app)
{
    struct backend *backend = &app->backend;
    struct mp_dispatcher *dispatcher = &backend->dispatcher;
    const struct cpuid_features *features = &app->facts.features;

    backend->efi = &app->efi;
    backend->console = &app->console;
    backend->arena = &app->arena;
    backend->limit_ns = app->options.engine.budget_ns + LIMIT_MARGIN_S * 1000000000ull;
    backend->machine.numa = app->has_numa ? &app->numa : NULL;
    backend->machine.clock = app->clock;
    dispatcher->team = app->team;
    dispatcher->cpus = app->cpus;
    dispatcher->cpu_count = app->cpu_count;
    dispatcher->own_cpu = app->own_cpu;
    dispatcher->ticket_of = app->ticket_of;
    dispatcher->monitor = features->monitor && features->monitor_break;
    dispatcher->count_smis = features->smi_counter;
}

static enum outcome end_of_run(struct app *app)
{
    switch (app->engine_status) {
    case ENGINE_OK:
        break;
    case ENGINE_NO_MEMORY:
        app_tell(app, "too little memory for the smallest working set");
        return OUTCOME_NO_MEMORY;
    case ENGINE_BAD_OPTION:
        app_tell(app, "--size is more than this machine can serve");
        return OUTCOME_BAD_SIZE;
    }
    if (app->backend.stopped)
        return OUTCOME_STOPPED;
    if (!app->has_mp || (app->flags & FLAG_NO_MP) != 0)
        return OUTCOME_NO_MP;
    return machine_usable_count(&app->backend.machine) < 2 ? OUTCOME_ONE_CPU : OUTCOME_STORED;
}

/* Says who did not arrive. */
static void tell_missing(const struct app *app)
{
    const struct text_sink *sink = &app->console.sink;
    unsigned told = 0;

    text_print(sink, "migcost: %u of %u CPUs did not answer, APIC id", app->roster.missing,
               app->mp.enabled);
    for (unsigned i = 0; i < app->cpu_count && told < MISSING_TOLD; i++)
        if ((app->cpus[i].flags & CPU_LOST) != 0)
            text_print(sink, "%s %u", told++ > 0 ? "," : "", app->cpus[i].apic_id);
    text_print(sink, "%s\n", told < app->roster.missing ? ", .." : "");
}

/* What firmware said when it did not let us have its CPUs. */
static void tell_start(struct app *app)
{
    if (app->no_start) {
        app_tell(app, "%s: the boot CPU alone", app->no_start);
        app->flags |= FLAG_NO_MP;
    } else if (app->team && app->mp_end == MP_NOT_STARTED &&
               app->mp_run.status != EFI_NOT_STARTED) {
        app_tell(app, "the firmware did not start the other CPUs: %s",
                 efi_status_text(app->mp_run.status));
        app->flags |= FLAG_NO_MP;
    }
    if (app->mp_end != MP_NOT_STARTED && app->roster.missing > 0)
        tell_missing(app);
}

/* From the facts to the other CPUs being back. False: no memory. */
static bool go_out(struct app *app)
{
    uint32_t clock_flags = 0;
    uint64_t timeout_us = app->options.engine.budget_ns / 1000 + TIMEOUT_MARGIN_S * 1000000ull;

    facts_read(&app->facts);
    app->started = efi_wall_clock(&app->efi);
    flag_machine(app);
    facts_clock(&app->efi, &app->facts, &app->clock, &clock_flags);
    app->flags |= clock_flags;
    if (!find_memory(app))
        return false;
    fill_backend(app);

    app->mp_end = MP_NOT_STARTED;
    if (app->team)
        app->mp_end = start_run(app, timeout_us);
    else
        window_work(app);
    tell_start(app);
    return true;
}

static void flag_result(struct app *app)
{
    struct result *result = &app->result;
    result->started = app->started;
    result->flags |= app->flags;
    for (unsigned i = 0; i < app->cpu_count; i++)
        if ((app->cpus[i].flags & (CPU_LOST | CPU_DISABLED)) != 0)
            result->flags |= FLAG_CPUS_LEFT_OUT;
    if (app->backend.stopped)
        result->flags |= FLAG_STOPPED;
    if (app->options.decay_ns != 0)
        result->flags |= FLAG_DECAY_BY_HAND;
}

enum outcome measure_run(struct app *app)
{
    struct result *result = &app->result;

    if (!go_out(app))
        return OUTCOME_NO_MEMORY;
    flag_result(app);
    enum outcome outcome = end_of_run(app);
    if (app->engine_status == ENGINE_OK)
        recommend(result, app->options.policy, app->options.factor_percent, app->options.decay_ns,
                  &app->recommendation);
    return app->mp_end == MP_LOST ? outcome_worse(outcome, OUTCOME_LOST_CPU) : outcome;
}

enum outcome measure_verify(struct app *app)
{
    const struct record *record = &app->stored.record;
    struct record_identity identity;
    const char *field = NULL;

    if (app->stored.found != STORE_VALID)
        return app->stored.found == STORE_ABSENT ? OUTCOME_NO_RECORD : OUTCOME_BAD_RECORD;
    measure_identity(app, &identity);
    if (!record_same_machine(&record->identity, &identity, &field)) {
        app_tell(app, "the record is of another machine or state: %s", field);
        return OUTCOME_OTHER_MACHINE;
    }
    if (record->class_count == 0)
        return OUTCOME_ONE_CPU;
    if (!go_out(app))
        return OUTCOME_NO_MEMORY;
    verify_report(&app->console.sink, record, &app->verify);
    if (app->mp_end == MP_LOST)
        return OUTCOME_LOST_CPU;
    if (app->backend.stopped)
        return OUTCOME_STOPPED;
    if (app->verify.measured == 0)
        return app->has_mp ? OUTCOME_ONE_CPU : OUTCOME_NO_MP;
    return app->verify.drifted > 0 ? OUTCOME_DRIFTED : OUTCOME_VERIFIED;
}

void measure_forget(struct app *app)
{
    app_release(app);
    app->cpus = NULL;
    app->team = NULL;
    app->ticket_of = NULL;
    app->cpu_count = app->own_cpu = app->left_out = 0;
    app->flags = app->inside = 0;
    app->roster = (struct roster){0};
    memset(&app->backend, 0, sizeof(app->backend));
}
