/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a recording, line by line. The text is foreign: each number has its bounds, and the first
 * line that breaks one ends the reading. */
#include "replay_text.h"
#include "number.h"

#define LINE_BYTES_MIN 16u /* a touch writes at +8 of a line */
#define LINE_BYTES_MAX 32768u

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t')
        reader->at++;
}

static bool at_boundary(const struct reader *reader)
{
    char c = *reader->at;
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void end_line(struct reader *reader)
{
    skip_blanks(reader);
    if (*reader->at == '\r')
        reader->at++;
    if (reader->bad || *reader->at != '\n') {
        reader->bad = true;
        return;
    }
    reader->at++;
    reader->line++;
}

void reader_skip_notes(struct reader *reader)
{
    while (!reader->bad) {
        struct reader ahead = *reader;
        skip_blanks(&ahead);
        if (*ahead.at == '#')
            while (*ahead.at != 0 && *ahead.at != '\n')
                ahead.at++;
        end_line(&ahead);
        if (ahead.bad)
            return;
        *reader = ahead;
    }
}

bool reader_take_if(struct reader *reader, const char *word)
{
    struct reader ahead = *reader;
    skip_blanks(&ahead);
    for (; *word != 0; word++, ahead.at++)
        if (*ahead.at != *word)
            return false;
    if (reader->bad || !at_boundary(&ahead))
        return false;
    *reader = ahead;
    return true;
}

void reader_take_word(struct reader *reader, const char *word)
{
    if (!reader_take_if(reader, word))
        reader->bad = true;
}

static uint64_t take(struct reader *reader, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    if (reader->bad)
        return least;
    skip_blanks(reader);
    if (number_take(&reader->at, &value) != NUMBER_OK || !at_boundary(reader) || value < least ||
        value > most) {
        reader->bad = true;
        return least;
    }
    return value;
}

static uint64_t take64(struct reader *reader)
{
    return take(reader, 0, UINT64_MAX);
}

static uint32_t take32(struct reader *reader)
{
    return reader_take_if(reader, "-") ? UINT32_MAX : (uint32_t)take(reader, 0, UINT32_MAX);
}

static uint16_t take16(struct reader *reader)
{
    return (uint16_t)take(reader, 0, UINT16_MAX);
}

static uint8_t take8(struct reader *reader)
{
    return (uint8_t)take(reader, 0, UINT8_MAX);
}

static bool take_answer(struct reader *reader)
{
    return take(reader, 0, 1) == 1;
}

/* ---- The machine ---- */

void replay_read_machine(struct reader *reader, struct machine *ret)
{
    reader_skip_notes(reader);
    reader_take_word(reader, "migcost");
    reader_take_word(reader, "recording");
    reader_take_word(reader, "1");
    end_line(reader);
    reader_skip_notes(reader);
    reader_take_word(reader, "machine");
    ret->cpu_count = (unsigned)take(reader, 1, MAX_CPUS);
    ret->clock.khz = take(reader, 1, UINT64_MAX);
    ret->clock.resolution = (uint32_t)take(reader, 1, UINT32_MAX);
    ret->clock.read_cost = take32(reader);
    ret->clock.error_ppm = take32(reader);
    ret->clock.core_permille = take32(reader);
    ret->clock.source = (uint8_t)take(reader, 0, CLOCK_MODEL);
    ret->clock.second = (uint8_t)take(reader, 0, CLOCK_MODEL);
    ret->region_max = take64(reader);
    ret->flags = take32(reader);
    end_line(reader);
}

void replay_read_cpu(struct reader *reader, struct cpu_info *ret)
{
    reader_skip_notes(reader);
    reader_take_word(reader, "cpu");
    ret->apic_id = take32(reader);
    ret->flags = take32(reader);
    for (unsigned i = 0; i < LEVELS; i++)
        ret->share[i] = take32(reader);
    ret->node = take32(reader);
    for (unsigned i = 0; i < CACHE_LEVELS; i++)
        ret->cache_bytes[i] = take64(reader);
    for (unsigned i = 0; i < CACHE_LEVELS; i++)
        ret->cache_ways[i] = take16(reader);
    ret->line_bytes = (uint16_t)take(reader, LINE_BYTES_MIN, LINE_BYTES_MAX);
    if ((ret->line_bytes & (ret->line_bytes - 1)) != 0)
        reader->bad = true;
    ret->core_kind = take8(reader);
    end_line(reader);
}

void replay_read_numa(struct reader *reader, struct numa *ret)
{
    ret->node_count = (unsigned)take(reader, 1, MAX_NODES);
    ret->range_count = (unsigned)take(reader, 0, MAX_MEMORY_RANGES);
    end_line(reader);
    for (unsigned i = 0; i < ret->node_count && !reader->bad; i++) {
        reader_skip_notes(reader);
        reader_take_word(reader, "node");
        ret->node_id[i] = take32(reader);
        for (unsigned j = 0; j < ret->node_count; j++)
            ret->distance[i][j] = take8(reader);
        end_line(reader);
    }
    for (unsigned i = 0; i < ret->range_count && !reader->bad; i++) {
        reader_skip_notes(reader);
        reader_take_word(reader, "range");
        ret->range[i].base = take64(reader);
        ret->range[i].bytes = take64(reader);
        ret->range[i].node = take32(reader);
        end_line(reader);
    }
}

/* ---- The calls ---- */

bool replay_read_run(struct reader *reader, unsigned *ret_count)
{
    *ret_count = take32(reader);
    reader_take_word(reader, "=");
    bool ok = take_answer(reader);
    end_line(reader);
    return ok;
}

void replay_read_job(struct reader *reader, struct touch_job *ret_job,
                     struct touch_result *ret_result)
{
    reader_skip_notes(reader);
    reader_take_word(reader, "job");
    ret_job->cpu = take16(reader);
    ret_job->lane = take16(reader);
    ret_job->region = take16(reader);
    ret_job->pattern = take8(reader);
    ret_job->access = take8(reader);
    ret_job->offset = take64(reader);
    ret_job->bytes = take64(reader);
    reader_take_word(reader, "=");
    ret_result->ticks = take64(reader);
    ret_result->noise = take32(reader);
    ret_result->status = (uint32_t)take(reader, TOUCH_DONE, TOUCH_SKIPPED);
    end_line(reader);
}

void replay_read_get(struct reader *reader, struct get_call *ret)
{
    ret->node = take32(reader);
    ret->bytes = take64(reader);
    reader_take_word(reader, "=");
    ret->ok = take_answer(reader);
    ret->region = take16(reader);
    ret->home = take32(reader);
    end_line(reader);
}

uint16_t replay_read_put(struct reader *reader)
{
    uint16_t region = take16(reader);
    end_line(reader);
    return region;
}

uint64_t replay_read_now(struct reader *reader)
{
    reader_take_word(reader, "=");
    uint64_t ns = take64(reader);
    end_line(reader);
    return ns;
}

bool replay_read_between(struct reader *reader)
{
    (void)take32(reader);
    (void)take32(reader);
    skip_blanks(reader);
    while (*reader->at > ' ')
        reader->at++;
    reader_take_word(reader, "=");
    bool ok = take_answer(reader);
    end_line(reader);
    return ok;
}

void replay_read_flags(struct reader *reader, unsigned cpu_count, unsigned *ret_cpu,
                       uint32_t *ret_flags)
{
    *ret_cpu = (unsigned)take(reader, 0, cpu_count - 1);
    *ret_flags = take32(reader);
    end_line(reader);
}

static void skip_run(struct reader *reader)
{
    unsigned count;
    (void)replay_read_run(reader, &count);
    for (unsigned i = 0; i < count && !reader->bad; i++) {
        struct touch_job job;
        struct touch_result result;
        replay_read_job(reader, &job, &result);
    }
}

void replay_read_call(struct reader *reader, unsigned cpu_count)
{
    struct get_call get;
    unsigned cpu;
    uint32_t flags;
    if (reader_take_if(reader, "run"))
        skip_run(reader);
    else if (reader_take_if(reader, "get"))
        replay_read_get(reader, &get);
    else if (reader_take_if(reader, "now"))
        (void)replay_read_now(reader);
    else if (reader_take_if(reader, "between"))
        (void)replay_read_between(reader);
    else if (reader_take_if(reader, "flags"))
        replay_read_flags(reader, cpu_count, &cpu, &flags);
    else {
        reader_take_word(reader, "put");
        (void)replay_read_put(reader);
    }
}
