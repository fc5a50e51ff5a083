/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the reader of machine files. What it refuses has a line and a reason; what it takes is
 * within every range, and small machines of it can be built and touched. */
#include "../machine/backend.h"
#include "../machine/noise.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

#define SMALL_BYTES (1u << 20) /* of caches and memory: larger ones take too long to build */
#define SMALL_CPUS  16u
#define TOUCHED     4096u /* bytes: what a touch does line by line is not what is looked for here */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ranges(const struct desc *desc)
{
    REQUIRE(desc->cpu_count >= 1 && desc->cpu_count <= MAX_CPUS);
    REQUIRE(desc->boot_cpu < desc->cpu_count && desc->name[0]);
    REQUIRE(desc->line_bytes >= 16 && desc->line_bytes <= 256);
    REQUIRE(desc->cache_count >= 1 && desc->cache_count <= DESC_CACHES);
    REQUIRE(desc->kind_count >= 1 && desc->kind_count <= DESC_KINDS);
    REQUIRE(desc->node_count >= 1 && desc->node_count <= MAX_NODES && desc->clock.khz);
    for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++) {
        const struct desc_cpu *of = &desc->cpu[cpu];
        REQUIRE(of->kind < desc->kind_count && of->node < desc->node_count && of->speed_permille);
        for (unsigned other = 0; other < desc->cpu_count; other++)
            REQUIRE(other == cpu || desc->distance_of[(size_t)cpu * desc->cpu_count + other] <
                                        desc->distance_count);
    }
    for (unsigned i = 0; i < desc->cache_count; i++) {
        const struct desc_cache *cache = &desc->cache[i];
        REQUIRE(cache->ways >= 1 && cache->ways <= DESC_WAYS && cache->instances >= 1);
        REQUIRE(cache->bytes >= (uint64_t)cache->ways * desc->line_bytes);
        for (unsigned cpu = 0; cpu < desc->cpu_count; cpu++)
            REQUIRE(cache->instance_of[cpu] == DESC_NONE ||
                    cache->instance_of[cpu] < cache->instances);
    }
    for (unsigned i = 0; i < desc->kind_count; i++)
        for (unsigned overlap = 0; overlap < OVERLAPS; overlap++)
            REQUIRE(desc->kind[i].overlap[overlap] >= 1000 && desc->kind[i].speed_permille);
    for (unsigned i = 0; i < desc->link_count; i++)
        REQUIRE(desc->link[i].node_a < desc->node_count && desc->link[i].bytes_per_us);
}

static bool is_small(const struct desc *desc)
{
    uint64_t bytes = desc->memory_bytes * desc->node_count;
    for (unsigned i = 0; i < desc->cache_count; i++)
        bytes += (desc->cache[i].bytes + desc->cache[i].filter_bytes) * desc->cache[i].instances;
    return desc->cpu_count <= SMALL_CPUS && bytes <= 4 * SMALL_BYTES;
}

/* Some of everything that an engine would ask for. */
static void use(const struct desc *desc)
{
    struct model *model = model_new(desc);
    struct memo memo;
    struct backend backend;
    REQUIRE(model && memo_init(&memo, model));
    REQUIRE(backend_init(&backend, &memo, &desc->noise, 1));
    const struct machine *machine = &backend.machine;
    uint16_t region;
    uint32_t home;
    uint64_t quarter = desc->memory_bytes / 4;
    uint64_t bytes = touch_round(quarter < TOUCHED ? quarter : TOUCHED, desc->line_bytes);
    if (machine->ops->region_get(machine->ctx, NODE_UNKNOWN, bytes, &region, &home)) {
        for (unsigned i = 0; i < 6; i++) {
            const struct touch_job job = {(uint16_t)(i / 2 % desc->cpu_count),
                                          0,
                                          region,
                                          (uint8_t)(i % TOUCH_PATTERNS),
                                          TOUCH_UPDATE,
                                          0,
                                          bytes};
            struct touch_result result;
            REQUIRE(machine->ops->run(machine->ctx, &job, &result, 1));
        }
        REQUIRE(backend.misuses == 0);
    }
    backend_free(&backend);
    memo_free(&memo);
    model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct desc_error error;
    memset(&error, 0, sizeof error);
    struct desc *desc = desc_parse((const char *)data, size, &error);
    if (!desc) {
        unsigned long lines = 1;
        for (size_t i = 0; i < size; i++)
            lines += data[i] == '\n';
        REQUIRE(error.text[0] && memchr(error.text, '\0', sizeof error.text));
        REQUIRE(error.line <= lines);
        return 0;
    }
    check_ranges(desc);
    if (is_small(desc))
        use(desc);
    /* The same bytes as text of --noise. */
    char noise[200];
    struct value_error noise_error;
    size_t length = size < sizeof noise ? size : sizeof noise - 1;
    memcpy(noise, data, length);
    noise[length] = '\0';
    if (!noise_parse(desc, noise, &noise_error))
        REQUIRE(memchr(noise_error.text, '\0', sizeof noise_error.text));
    desc_free(desc);
    return 0;
}
