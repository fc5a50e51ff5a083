/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the disturbances that a machine file or the command line asks for. */
#include "noise.h"
#include "machine_file.h"
#include "mix.h"
#include <stdlib.h>
#include <string.h>

#define RAMP_STEPS 64u

typedef unsigned __int128 wide;

bool noise_init(struct noise *noise, const struct desc_noise *kinds, unsigned cpu_count,
                uint64_t seed)
{
    memset(noise, 0, sizeof *noise);
    noise->kinds = *kinds;
    noise->cpu_count = cpu_count;
    noise->chance = mix64(seed + 0x6E6F697365u);
    noise->salt = noise->chance;
    noise->busy_ps = calloc(cpu_count, sizeof *noise->busy_ps);
    noise->offset = calloc(cpu_count, sizeof *noise->offset);
    if (!noise->busy_ps || !noise->offset) {
        noise_free(noise);
        return false;
    }
    for (unsigned cpu = 0; cpu < cpu_count && kinds->offset_bits; cpu++)
        noise->offset[cpu] = mix_next(&noise->chance) >> (64 - kinds->offset_bits);
    return true;
}

void noise_free(struct noise *noise)
{
    free(noise->busy_ps);
    free(noise->offset);
    memset(noise, 0, sizeof *noise);
}

int32_t noise_gauss(uint64_t *chance)
{
    int32_t sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t four = mix_next(chance);
        for (unsigned part = 0; part < 4; part++)
            sum += (int32_t)(four >> (16 * part) & 0xFFFF);
    }
    return sum - 6 * 65536;
}

/* How long work takes that would take ps at the full clock, while the clock still rises; *risen_ps:
 * how long it has been rising. */
static uint64_t ramp(const struct desc_noise *kinds, uint64_t *risen_ps, uint64_t ps)
{
    uint64_t step_ps = kinds->ramp_ps / RAMP_STEPS + 1, spent = 0;
    while (ps && *risen_ps < kinds->ramp_ps) {
        uint64_t step = *risen_ps / step_ps;
        uint64_t speed =
            kinds->ramp_permille + (1000 - kinds->ramp_permille) * step / RAMP_STEPS; /* permille */
        uint64_t left = step_ps - *risen_ps % step_ps;
        uint64_t work = left * speed / 1000;
        uint64_t took = left;
        if (work >= ps) {
            work = ps;
            took = (uint64_t)((wide)ps * 1000 / speed);
        }
        ps -= work;
        spent += took;
        *risen_ps += took ? took : 1;
    }
    return spent + ps;
}

static uint64_t until_next_smi(struct noise *noise)
{
    uint64_t period = noise->kinds.smi_period_ps;
    return period / 2 + (uint64_t)((wide)period * (mix_next(&noise->chance) >> 32) >> 32) + 1;
}

/* Time with the SMIs in it. */
static uint64_t with_smis(struct noise *noise, uint64_t start_ps, uint64_t ps, uint32_t *ret_smis)
{
    const struct desc_noise *kinds = &noise->kinds;
    if (!kinds->smi_ps || !kinds->smi_period_ps)
        return ps;
    if (!noise->next_smi_ps)
        noise->next_smi_ps = until_next_smi(noise);
    while (noise->next_smi_ps < start_ps)
        noise->next_smi_ps += until_next_smi(noise);
    while (noise->next_smi_ps < start_ps + ps) {
        ps += kinds->smi_ps;
        if (!kinds->smi_silent)
            ++*ret_smis;
        noise->next_smi_ps += until_next_smi(noise);
        if (noise->next_smi_ps < start_ps + ps && kinds->smi_period_ps <= kinds->smi_ps)
            noise->next_smi_ps = start_ps + ps; /* a machine that does nothing else: go on */
    }
    return ps;
}

uint64_t noise_pass(struct noise *noise, unsigned cpu, uint64_t start_ps, uint64_t ps,
                    uint32_t *ret_smis)
{
    const struct desc_noise *kinds = &noise->kinds;
    *ret_smis = 0;
    uint64_t took = ps;
    uint64_t since_start = start_ps;
    if (kinds->ramp_ps)
        took = ramp(kinds, kinds->ramp_each ? &noise->busy_ps[cpu] : &since_start, ps);
    if (kinds->jitter_ppm) {
        /* A pass takes at least half its time, whatever is drawn. */
        int64_t ppm = (int64_t)kinds->jitter_ppm * noise_gauss(&noise->chance) / 65536;
        if (ppm < -500000)
            ppm = -500000;
        uint64_t parts = (uint64_t)(1000000 + ppm);
        took = (uint64_t)((wide)took * parts / 1000000);
    }
    if (kinds->slow_one_in && mix_below(&noise->chance, kinds->slow_one_in) == 0)
        took = (uint64_t)((wide)took * (1000u + kinds->slow_permille) / 1000);
    return with_smis(noise, start_ps, took, ret_smis);
}

uint64_t noise_beside_busy(const struct noise *noise, uint64_t start_ps, uint64_t ps,
                           uint32_t slow_permille)
{
    const struct desc_noise *kinds = &noise->kinds;
    uint64_t period = kinds->busy_period_ps, spent = 0;
    if (!period)
        return (uint64_t)((wide)ps * slow_permille / 1000);
    for (uint64_t at = start_ps / period; ps; at++) {
        /* One burst in each period, somewhere in it. */
        uint64_t begin = at * period + mix_two(noise->salt, at) % (period - kinds->busy_ps + 1);
        uint64_t now = start_ps + spent, end = begin + kinds->busy_ps, next = (at + 1) * period;
        uint64_t quiet = now < begin ? begin - now : 0;
        quiet = quiet < ps ? quiet : ps;
        ps -= quiet;
        now += quiet;
        uint64_t loud = now < end ? end - now : 0, done = loud * 1000 / slow_permille;
        if (done >= ps && now < end) {
            loud = (uint64_t)((wide)ps * slow_permille / 1000);
            done = ps;
        }
        ps -= done;
        now += loud;
        quiet = now < next ? next - now : 0;
        quiet = quiet < ps ? quiet : ps;
        ps -= quiet;
        spent = now + quiet - start_ps;
    }
    return spent;
}

uint64_t noise_counter(const struct noise *noise, const struct desc_clock *clock, unsigned cpu,
                       uint64_t at_ps)
{
    const struct desc_noise *kinds = &noise->kinds;
    uint64_t ps = at_ps;
    uint64_t rate = (uint64_t)(1000000 + (int64_t)kinds->drift_ppm);
    if (cpu == kinds->drift_cpu)
        ps = (uint64_t)((wide)ps * rate / 1000000);
    if (clock->step_ps)
        ps = ps / clock->step_ps * clock->step_ps;
    uint64_t ticks = noise->offset[cpu] + (uint64_t)((wide)ps * clock->khz / 1000000000);
    if (cpu == kinds->jump_cpu && at_ps >= kinds->jump_at_ps)
        ticks += (uint64_t)kinds->jump_ticks;
    return ticks;
}

/* 2 percent, one in ten 30 percent slower, 150 us of SMM once a second. */
static void add_study(struct desc_noise *kinds)
{
    kinds->jitter_ppm = 20000;
    kinds->slow_one_in = 10;
    kinds->slow_permille = 300;
    kinds->smi_ps = 150000000;
    kinds->smi_period_ps = 1000000000000;
}

static void set_none(struct desc_noise *kinds)
{
    memset(kinds, 0, sizeof *kinds);
    kinds->drift_cpu = kinds->jump_cpu = kinds->late_cpu = DESC_NONE;
    kinds->dead_cpu = kinds->busy_cpu = DESC_NONE;
    kinds->ramp_permille = 1000;
}

bool noise_parse(struct desc *desc, const char *text, struct value_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return value_fail(error, "out of memory");
    reader->desc = desc;
    reader->section = SECTION_NOISE;
    reader->target = &desc->noise;
    bool good = true;
    while (good && *text) {
        char item[100];
        size_t length = strcspn(text, ",");
        if (length >= sizeof item) {
            good = value_fail(error, "longer than it can be: '%.40s'", text);
            break;
        }
        memcpy(item, text, length);
        item[length] = '\0';
        text += length + (text[length] == ',');
        char *equals = strchr(item, '=');
        if (strcmp(item, "none") == 0) {
            set_none(&desc->noise);
        } else if (strcmp(item, "study") == 0) {
            add_study(&desc->noise);
        } else if (!equals) {
            good = value_fail(error, "'%.40s' is none of: none, study, key=value", item);
        } else {
            *equals = '\0';
            good = machine_file_set(reader, item, equals + 1);
            if (!good)
                *error = reader->error;
        }
    }
    free(reader);
    return good && machine_check(desc, error);
}
