/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the option parser: lines are tokens. What is accepted lies within its range, what is
 * refused gives one printable line. */
#include "accepted.h"
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 80

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
