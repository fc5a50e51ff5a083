/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags of a result, each with the sentence that says what it means. */
#include "report_parts.h"

void report_flag_lines(const struct report_page *page, uint32_t flags)
{
    const char *label = "flags";
    if (!flags)
        report_field(page, label, "none");
    for (unsigned bit = 0; bit < 32; bit++) {
        if (!(flags >> bit & 1))
            continue;
        if (bit < FLAG_COUNT)
            report_field(page, label, "%s: %s", flag_name(bit), flag_sentence(bit));
        else
            report_field(page, label, "bit %u: set by a later version, not known to this one", bit);
        label = "";
    }
}

void report_flags(const struct text_sink *sink, uint32_t flags)
{
    struct report_page page = report_page(sink, REPORT_COLUMNS_DEFAULT);
    report_flag_lines(&page, flags);
}
