/* SPDX-License-Identifier: BSD-2-Clause */
/* The recommended decay: the number, what it stands on, and what else is known beside it. */
#include "report_parts.h"

static void number_line(const struct report_page *page, const struct recommendation *recommendation)
{
    char decay[24];
    report_duration(decay, sizeof decay, recommendation->decay_ns);
    report_field(page, "decay", "%s (%u\036ns)%s", decay, recommendation->decay_ns,
                 recommendation->clamped ? ", put to the bound of the allowed range" : "");
}

/* Why there is nothing but the kernel's default, as exactly as the levels tell. */
static const char *default_reason(const struct recommendation *recommendation)
{
    bool beyond_core = false, cost = false;
    for (unsigned i = 0; i < recommendation->level_count; i++) {
        if (recommendation->level[i].level == LEVEL_CORE)
            continue;
        beyond_core = true;
        cost = cost || !recommendation->level[i].zero;
    }
    if (cost)
        return basis_sentence(BASIS_KERNEL_DEFAULT);
    if (beyond_core)
        return "the kernel's default: no cost could be told from zero";
    return recommendation->level_count
               ? "the kernel's default: only threads of one core were measured, and they share "
                 "every cache"
               : "the kernel's default: no pair of CPUs was measured";
}

static const char *policy_text(unsigned policy)
{
    const char *text = text_nth(
        "cost\0smallest move (v1)\0largest cost (v5)\0expected cost\0cost, at most the time to "
        "evict\0",
        policy);
    return text ? text : "?";
}

static void apart_line(const struct report_page *page, unsigned ratio_percent)
{
    if (ratio_percent >= 1000)
        report_field(page, "", "the dearest pairs cost %u times the cheapest", ratio_percent / 100);
    else if (ratio_percent)
        report_field(page, "", "the dearest pairs cost %u.%u times the cheapest",
                     ratio_percent / 100, ratio_percent / 10 % 10);
}

/* What is asked of a task beyond the one number: a number per level where there are several. */
static unsigned levels_beyond_core(const struct recommendation *recommendation)
{
    unsigned count = 0;
    for (unsigned i = 0; i < recommendation->level_count; i++)
        count += recommendation->level[i].level != LEVEL_CORE;
    return count;
}

static void basis_line(const struct report_page *page, const struct recommendation *recommendation,
                       unsigned pattern, unsigned access)
{
    const char *sentence = basis_sentence(recommendation->basis);
    if (recommendation->basis == BASIS_KERNEL_DEFAULT)
        sentence = default_reason(recommendation);
    else if (recommendation->basis == BASIS_NO_ONE_NUMBER &&
             levels_beyond_core(recommendation) == 1)
        sentence = "no one number fits, pairs of one level cost over 5 times more than others";
    if (recommendation->basis == BASIS_KERNEL_DEFAULT || recommendation->basis == BASIS_BY_HAND) {
        report_field(page, "basis", "%s", sentence);
        return;
    }
    char factor[16];
    report_factor(factor, sizeof factor, recommendation->factor_percent);
    report_field(page, "basis", "%s\036x\036%s: %s", factor, policy_text(recommendation->policy),
                 sentence ? sentence : "not known to this version");
    if (recommendation->partial)
        report_field(page, "", "of what was measured: some pairs were not");
    if (recommendation->basis == BASIS_NO_ONE_NUMBER)
        apart_line(page, recommendation->ratio_percent);
    if (pattern == TOUCH_SCATTER && access == TOUCH_UPDATE)
        report_field(page, "", "it rests on costs of scatter/update");
    else
        report_field(page, "",
                     "it rests on costs of %s/%s; scatter/update is what a recommendation should "
                     "rest on",
                     report_pattern(pattern), report_access(access));
}

static void level_line(const struct report_page *page, const struct recommendation *recommendation)
{
    struct report_wrap wrap;
    if (!recommendation->level_count || recommendation->basis == BASIS_KERNEL_DEFAULT)
        return;
    report_wrap_begin(&wrap, page, "per level");
    for (unsigned i = 0; i < recommendation->level_count; i++) {
        const struct level_decay *level = &recommendation->level[i];
        struct class_key key = {.level = level->level, .distance = level->distance};
        char name[24], decay[24];
        report_class_name(name, sizeof name, key, 0);
        report_duration(decay, sizeof decay, level->decay_ns);
        text_print(&wrap.sink, "%s%s\036%s", i ? ", " : "", report_solid(name), decay);
    }
    report_wrap_end(&wrap);
}

void report_advice(const struct report_page *page, const struct recommendation *recommendation,
                   unsigned pattern, unsigned access, uint64_t arch_ns)
{
    char usual[24];
    number_line(page, recommendation);
    basis_line(page, recommendation, pattern, access);
    level_line(page, recommendation);
    report_duration(usual, sizeof usual, KERNEL_DEFAULT_NS);
    if (!arch_ns) {
        report_field(page, "beside it", "%s is Linux's default", usual);
        return;
    }
    report_field(page, "beside it",
                 "%s is Linux's default; %llu\036ms is what i386 estimated until 2.6.15 from clock "
                 "and cache size",
                 usual, (unsigned long long)(arch_ns / 1000000));
}

uint64_t report_arch_estimate(const struct result *result, const struct report_machine *machine)
{
    uint64_t bytes = 0;
    for (unsigned level = 1; level < CACHE_LEVELS; level++)
        if (machine->capacity[level])
            bytes = machine->capacity[level];
    return arch_estimate_ns(result->clock.khz, bytes >> 10);
}

void report_recommendation(const struct text_sink *sink, const struct result *result,
                           const struct recommendation *recommendation,
                           const struct report_machine *machine)
{
    struct report_page page = report_page(sink, REPORT_COLUMNS_DEFAULT);
    report_advice(&page, recommendation, result->pattern, result->access,
                  report_arch_estimate(result, machine));
}
