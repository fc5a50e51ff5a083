/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel parameters from a result. */
#include "boot_lines.h"
#include "../lib/cmdline.h"
#include <string.h>

/* The scheduling domains that those kernels knew on x86, innermost first. Their array has one value
 * for each that the machine has; empty ones were taken out before the index was counted. */
enum domain { DOMAIN_SIBLING, DOMAIN_MULTICORE, DOMAIN_NODE, DOMAIN_ALL, DOMAINS };

static enum domain domain_of(const struct level_decay *level)
{
    if (level->level == LEVEL_CORE)
        return DOMAIN_SIBLING;
    if (level->distance > DISTANCE_LOCAL)
        return DOMAIN_ALL;
    return level->level <= LEVEL_LLC ? DOMAIN_MULTICORE : DOMAIN_NODE;
}

static void take_levels(const struct source *source, struct recommendation *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->decay_ns = source->decay_ns;
    if (source->has_record) {
        for (unsigned i = 0; i < source->record.class_count; i++) {
            const struct record_class *class = &source->record.classes[i];
            ret->level[ret->level_count++] = (struct level_decay){
                .level = class->level, .distance = class->distance, .decay_ns = class->decay_ns};
        }
        return;
    }
    for (unsigned i = 0; i < source->level_count; i++)
        ret->level[ret->level_count++] =
            (struct level_decay){.level = source->level[i].level,
                                 .distance = DISTANCE_LOCAL,
                                 .decay_ns = source->level[i].decay_ns};
}

static void old_kernels(FILE *to, const struct recommendation *recommendation)
{
    bool there[DOMAINS] = {false};
    uint32_t most[DOMAINS] = {0};
    for (unsigned i = 0; i < recommendation->level_count; i++) {
        const struct level_decay *level = &recommendation->level[i];
        enum domain domain = domain_of(level);
        there[domain] = true;
        if (level->decay_ns > most[domain])
            most[domain] = level->decay_ns;
    }
    fputs("# Linux 2.6.16 to 2.6.22: microseconds, innermost scheduling domain first\n", to);
    const char *before = "migration_cost=";
    for (unsigned domain = 0; domain < DOMAINS; domain++)
        if (there[domain]) {
            /* Nothing told from zero is no reason to call a task cold at once. */
            uint32_t ns = most[domain];
            if (ns == 0 && domain != DOMAIN_SIBLING)
                ns = recommendation->decay_ns;
            fprintf(to, "%s%u", before, (unsigned)(ns / 1000));
            before = ",";
        }
    if (!recommendation->level_count)
        fprintf(to, "%s%u", before, (unsigned)(recommendation->decay_ns / 1000));
    fputc('\n', to);
}

void boot_lines(FILE *to, const struct source *source)
{
    struct recommendation recommendation;
    char line[512];
    take_levels(source, &recommendation);
    old_kernels(to, &recommendation);
    fputs("# current kernels: read by `migcost apply`, and by a kernel with the migcost patch\n",
          to);
    if (cmdline_handoff(&recommendation, HANDOFF_CMDLINE, line, sizeof line))
        fprintf(to, "%s\n", line);
}
