/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of /proc/cmdline as the kernel takes them apart. */
#ifndef LINUX_CMDLINE_WORDS_H
#define LINUX_CMDLINE_WORDS_H

#include <stdbool.h>

/* Calls each() for every parameter before "--": key, and value without quotes, NULL where there is
 * no '='. It returns false to stop. Returns 0, or the errno of reading. */
int cmdline_words(const char *root, bool (*each)(void *ctx, const char *key, const char *value),
                  void *ctx);

#endif
