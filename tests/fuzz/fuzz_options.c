/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the option parser: lines are tokens. What is accepted lies within its range, what is
 * refused gives one printable line. */
#include "../../lib/options.h"
#include "../../lib/touch.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

#define MAX_TOKENS 80

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return value >= low && value <= high;
}

static void check_accepted(const struct options *o, unsigned count)
{
    REQUIRE(o->action <= ACTION_DELETE && o->format <= FORMAT_2004_UNITS);
    REQUIRE(o->handoff <= HANDOFF_SYSCTL && o->start <= START_MP && o->policy < POLICIES);
    REQUIRE(o->engine.pattern < TOUCH_PATTERNS && o->engine.access < TOUCH_ACCESSES);
    REQUIRE(o->factor_percent <= FACTOR_MAX_PERCENT);
    REQUIRE(o->decay_ns == 0 || within(o->decay_ns, DECAY_MIN_NS, DECAY_MAX_NS));
    REQUIRE(within(o->engine.budget_ns, 1000000000, ENGINE_BUDGET_MAX_S * 1000000000ull));
    REQUIRE(o->engine.size == 0 || within(o->engine.size, OPTIONS_BYTES_MIN, OPTIONS_BYTES_MAX));
    REQUIRE(o->engine.capacity[0] == 0);
    for (unsigned i = 1; i < CACHE_LEVELS; i++)
        REQUIRE(o->engine.capacity[i] == 0 ||
                within(o->engine.capacity[i], OPTIONS_BYTES_MIN, OPTIONS_BYTES_MAX));
    REQUIRE(o->cpu_range_count <= sizeof o->cpu_range / sizeof o->cpu_range[0]);
    for (unsigned i = 0; i < o->cpu_range_count; i++) {
        REQUIRE(o->cpu_range[i].first <= o->cpu_range[i].last);
        REQUIRE(o->cpu_range[i].last <= OPTIONS_APIC_ID_MAX);
        REQUIRE(options_cpu_chosen(o, o->cpu_range[i].first));
    }
    REQUIRE(memchr(o->chain_path, '\0', sizeof o->chain_path) != NULL);
    REQUIRE(o->chain == (o->chain_path[0] != '\0'));
    REQUIRE(o->chain_first_token <= count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), message[OPTIONS_MESSAGE_SIZE];
    const char *tokens[MAX_TOKENS];
    unsigned count = 0;
    REQUIRE(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; count < MAX_TOKENS && size > 0;) {
        tokens[count++] = at;
        at = strchr(at, '\n');
        if (at == NULL)
            break;
        *at++ = '\0';
    }

    struct options options;
    options_default(&options);
    enum options_status status = options_parse(&options, tokens, count, message, sizeof message);
    if (status == OPTIONS_OK) {
        REQUIRE(message[0] == '\0');
        check_accepted(&options, count);
    } else {
        const size_t length = strlen(message);
        REQUIRE(length > 0 && length + 1 < sizeof message); /* never cut */
        for (size_t i = 0; i < length; i++)
            REQUIRE((unsigned char)message[i] >= 0x20 && message[i] != 0x7F);
    }
    free(text);
    return 0;
}
