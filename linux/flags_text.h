/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of a result's flags in one line. */
#ifndef LINUX_FLAGS_TEXT_H
#define LINUX_FLAGS_TEXT_H

#include <stdint.h>

#define FLAGS_TEXT 512u /* all of them at once fit */

/* "hypervisor, smi-seen"; empty where there is none. */
void flags_list(uint32_t flags, char ret[FLAGS_TEXT]);

#endif
