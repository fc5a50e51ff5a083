/* SPDX-License-Identifier: BSD-2-Clause */
/* In the place of the engine, for the firmware for tests: some touches on every CPU, then a result
 * that is the same at every run. */
#include "private.h"

#include "../../lib/engine.h"
#include "../../lib/verify.h"
#include "../unit/record_machine.h"

#define REGION_BYTES 4096u

/* These names are what ld --wrap asks for. NOLINTBEGIN(bugprone-reserved-identifier) */
enum engine_status __wrap_engine_run(const struct machine *machine,
                                     const struct engine_options *options, void *workspace,
                                     size_t workspace_bytes, struct result *ret_result);
void __wrap_verify_run(const struct machine *machine, const struct record *record,
                       const uint8_t *bytes, void *workspace, struct verify *ret);
/* NOLINTEND(bugprone-reserved-identifier) */

/* By number of CPUs. */
static struct {
    bool made;
    struct fixture fixture;
} results[FW_CPUS + 1];

static const struct result *result_of(unsigned count)
{
    struct fixture *fixture = &results[count].fixture;
    struct result *result = &fixture->result;

    if (!results[count].made) {
        const struct shape shape = {
            .name = "test", .sockets = 1, .clusters = 1, .cores = count, .threads = 1};
        fixture_make(fixture, &shape);
        result->raw_ns = calloc((size_t)count * count, sizeof(*result->raw_ns));
        result->source = calloc((size_t)count * count, sizeof(*result->source));
        result->stay = calloc(count, sizeof(*result->stay));
        results[count].made = true;
    }
    return result;
}

void fw_engine_done(void)
{
    for (unsigned i = 0; i <= FW_CPUS; i++) {
        if (!results[i].made)
            continue;
        free(results[i].fixture.result.raw_ns);
        free(results[i].fixture.result.source);
        free(results[i].fixture.result.stay);
        fixture_free(&results[i].fixture);
        results[i].made = false;
    }
}

/* Each CPU in turn, and between their touches what a back end does between batches. */
static void touch_all(const struct machine *machine)
{
    uint16_t region;
    uint32_t home;

    if (!machine->ops->region_get(machine->ctx, NODE_UNKNOWN, REGION_BYTES, &region, &home))
        return;
    for (unsigned cpu = 0; cpu < machine->cpu_count; cpu++) {
        const struct touch_job job = {.cpu = (uint16_t)cpu,
                                      .region = region,
                                      .pattern = TOUCH_SCATTER,
                                      .access = TOUCH_UPDATE,
                                      .bytes = 1024};
        const struct progress progress = {"test", cpu, machine->cpu_count};
        struct touch_result result;
        if (!machine->ops->run(machine->ctx, &job, &result, 1) ||
            !machine->ops->between(machine->ctx, &progress))
            break;
    }
    machine->ops->region_put(machine->ctx, region);
    if (machine->ops->release)
        machine->ops->release(machine->ctx);
}

enum engine_status __wrap_engine_run(const struct machine *machine,
                                     const struct engine_options *options, void *workspace,
                                     size_t workspace_bytes, struct result *ret_result)
{
    (void)options, (void)workspace, (void)workspace_bytes;
    touch_all(machine);
    *ret_result = *result_of(machine->cpu_count);
    ret_result->cpus = machine->cpus;
    ret_result->flags |= machine->flags;
    return ENGINE_OK;
}

void __wrap_verify_run(const struct machine *machine, const struct record *record,
                       const uint8_t *bytes, void *workspace, struct verify *ret)
{
    (void)bytes, (void)workspace;
    touch_all(machine);
    memset(ret, 0, sizeof(*ret));
    ret->measured = record->class_count;
}
