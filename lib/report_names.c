/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of patterns, clocks and classes as reports print them. */
#include "report_parts.h"

static const char *known(const char *name)
{
    return name ? name : "?";
}

const char *report_pattern(unsigned pattern)
{
    return known(touch_pattern_name(pattern));
}

const char *report_access(unsigned access)
{
    return known(touch_access_name(access));
}

const char *report_clock(unsigned source)
{
    return known(text_nth("CPUID\0the PM timer\0Stall\0the OS\0the model\0", source));
}

static void kind_name(char *buffer, size_t size, unsigned kind)
{
    switch (kind) {
    case CORE_KIND_P:
        text_format(buffer, size, "P");
        break;
    case CORE_KIND_E:
        text_format(buffer, size, "E");
        break;
    case CORE_KIND_LP_E:
        text_format(buffer, size, "LP");
        break;
    default:
        text_format(buffer, size, "%02x", kind);
    }
}

size_t report_class_name(char *buffer, size_t size, struct class_key key, unsigned class_flags)
{
    char distance[8] = "", low[4], high[4], kinds[12] = "";
    if (key.distance != DISTANCE_LOCAL)
        text_format(distance, sizeof distance, " d%u", key.distance);
    kind_name(low, sizeof low, key.kind_low);
    kind_name(high, sizeof high, key.kind_high);
    if (key.kind_low != key.kind_high)
        text_format(kinds, sizeof kinds, " %s+%s", low, high);
    else if (key.kind_low)
        text_format(kinds, sizeof kinds, " %s", low);
    return text_format(buffer, size, "%s%s%s%s", level_name(key.level), distance, kinds,
                       class_flags & CLASS_SPLIT ? " split" : "");
}
