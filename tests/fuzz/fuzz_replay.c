/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the reader of recordings. What is accepted must answer its own questions to the end, must
 * when recorded anew give a recording that does so too, and must notice a question it does not
 * hold.
 */
#include "../../lib/replay.h"
#include "../../lib/replay_text.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

#define JOBS_MAX 256u
#define TAPE_MAX (1u << 20)

struct tape {
    char text[TAPE_MAX];
    size_t length;
    bool full;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tape_write(void *ctx, const char *text, size_t length)
{
    struct tape *tape = ctx;
    if (length >= TAPE_MAX - tape->length) {
        tape->full = true;
        return;
    }
    memcpy(tape->text + tape->length, text, length);
    tape->length += length;
    tape->text[tape->length] = 0;
}

/* False: a batch larger than we ask for. */
static bool ask_run(const struct machine *machine, struct reader *reader)
{
    static struct touch_job jobs[JOBS_MAX];
    static struct touch_result results[JOBS_MAX], answers[JOBS_MAX];
    unsigned count;
    bool ok = replay_read_run(reader, &count);
    if (count > JOBS_MAX)
        return false;
    memset(results, 0, sizeof(results));
    memset(answers, 0, sizeof(answers));
    for (unsigned i = 0; i < count; i++)
        replay_read_job(reader, &jobs[i], &results[i]);
    REQUIRE(machine->ops->run(machine->ctx, jobs, answers, count) == ok);
    REQUIRE(memcmp(answers, results, sizeof(results)) == 0);
    return true;
}

static void ask_get(const struct machine *machine, struct reader *reader)
{
    struct get_call get;
    uint16_t region = REGION_NONE;
    uint32_t home = NODE_UNKNOWN;
    replay_read_get(reader, &get);
    REQUIRE(machine->ops->region_get(machine->ctx, get.node, get.bytes, &region, &home) == get.ok);
    REQUIRE(!get.ok || (region == get.region && home == get.home));
}

/* Asks what the replayer will be asked next, through `machine`, until the recording ends. */
static bool follow(const struct machine *machine, const struct replayer *replayer)
{
    for (;;) {
        struct reader reader = {.at = replayer->text, .line = replayer->line};
        struct progress progress = {"step", 1, 2};
        reader_skip_notes(&reader);
        if (*reader.at == 0)
            return true;
        if (reader_take_if(&reader, "run")) {
            if (!ask_run(machine, &reader))
                return false;
        } else if (reader_take_if(&reader, "get")) {
            ask_get(machine, &reader);
        } else if (reader_take_if(&reader, "put")) {
            machine->ops->region_put(machine->ctx, replay_read_put(&reader));
        } else if (reader_take_if(&reader, "now")) {
            REQUIRE(machine->ops->now(machine->ctx) == replay_read_now(&reader));
        } else {
            REQUIRE(reader_take_if(&reader, "between"));
            REQUIRE(machine->ops->between(machine->ctx, &progress) == replay_read_between(&reader));
        }
        REQUIRE(!reader.bad);
        REQUIRE(replayer->diverged == 0);
    }
}

static void check_machine(const struct machine *machine)
{
    REQUIRE(machine->cpu_count >= 1 && machine->cpu_count <= MAX_CPUS);
    REQUIRE(machine->clock.khz != 0 && machine->clock.resolution != 0);
    for (unsigned i = 0; i < machine->cpu_count; i++)
        REQUIRE(machine->cpus[i].line_bytes >= 16);
    if (machine->numa)
        REQUIRE(machine->numa->node_count <= MAX_NODES &&
                machine->numa->range_count <= MAX_MEMORY_RANGES);
}

/* Nothing is left in it: each further question must be refused, and the first one noted. */
static void check_end(struct replayer *replayer)
{
    const struct machine *machine = &replayer->machine;
    struct touch_job job = {.bytes = 64};
    struct touch_result result = {.status = TOUCH_DONE};
    struct progress progress = {"step", 1, 2};
    uint16_t region;
    uint32_t home;
    REQUIRE(replayer_finished(replayer));
    unsigned long line = replayer->line;
    REQUIRE(!machine->ops->run(machine->ctx, &job, &result, 1));
    REQUIRE(result.status == TOUCH_SKIPPED);
    REQUIRE(replayer->diverged == line);
    REQUIRE(!machine->ops->between(machine->ctx, &progress));
    REQUIRE(!machine->ops->region_get(machine->ctx, 0, 64, &region, &home));
    REQUIRE(machine->ops->now(machine->ctx) == machine->ops->now(machine->ctx));
    REQUIRE(replayer->diverged == line);
    REQUIRE(!replayer_finished(replayer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct replayer replayer;
    static struct recorder recorder;
    static struct cpu_info cpus[MAX_CPUS];
    static struct tape tape;
    static const struct text_sink sink = {tape_write, &tape};
    unsigned long line = 0;
    char *text = malloc(size + 1);
    REQUIRE(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;

    if (!replayer_init(&replayer, text, cpus, &line)) {
        REQUIRE(line >= 1 && line <= size + 1);
    } else {
        check_machine(&replayer.machine);
        tape.length = 0;
        tape.full = false;
        recorder_init(&recorder, &replayer.machine, &sink);
        if (follow(&recorder.machine, &replayer)) {
            check_end(&replayer);
            if (!tape.full) {
                REQUIRE(replayer_init(&replayer, tape.text, cpus, &line));
                REQUIRE(follow(&replayer.machine, &replayer));
                check_end(&replayer);
            }
        }
    }
    free(text);
    return 0;
}
