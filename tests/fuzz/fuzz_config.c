/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the reader of the configuration file: whatever is in it, options lie within their ranges,
 * what is chained is text of the file, and the notes are a few whole, printable lines. */
#include "../../lib/config.h"
#include "accepted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_chained(const struct config *config, const struct options *options)
{
    const char *text = options->chain_options;
    if (!options->chain) {
        REQUIRE(text == NULL);
        return;
    }
    REQUIRE(text != NULL &&
            (text[0] == '\0' || (text >= config->raw && text < config->raw + sizeof config->raw)));
    for (; *text != '\0'; text++)
        REQUIRE((unsigned char)*text >= 0x20 || *text == '\t');
}

static void check_notes(const char *notes)
{
    unsigned lines = 0;
    REQUIRE(strlen(notes) + 1 < CONFIG_NOTES_SIZE); /* never cut */
    REQUIRE(notes[0] == '\0' || notes[strlen(notes) - 1] == '\n');
    for (; *notes != '\0'; notes++) {
        lines += *notes == '\n';
        REQUIRE(*notes == '\n' || ((unsigned char)*notes >= 0x20 && *notes != 0x7F));
    }
    REQUIRE(lines <= CONFIG_NOTES_MAX + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config *config = malloc(sizeof *config);
    struct options options;
    REQUIRE(config != NULL);
    memset(config, 0xA5, sizeof *config);
    if (size > sizeof config->raw)
        size = sizeof config->raw;
    if (size > 0)
        memcpy(config->raw, data, size);

    options_default(&options);
    config_apply(config, size, &options);
    REQUIRE(options.action == ACTION_MEASURE);
    check_accepted(&options, OPTIONS_MAX_TOKENS);
    check_chained(config, &options);
    check_notes(config->notes);
    free(config);
    return 0;
}
