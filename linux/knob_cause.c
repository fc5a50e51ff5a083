/* SPDX-License-Identifier: BSD-2-Clause */
/* The reasons that a kernel has for keeping its knob closed, by errno. */
#include "knob.h"
#include <errno.h>
#include <string.h>

enum status knob_cause(int error, bool locked_down)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return STATUS_NO_KNOB;
    case EPERM:
        return locked_down ? STATUS_LOCKED : STATUS_DENIED;
    case EACCES:
    case EROFS:
        return STATUS_DENIED;
    default:
        return STATUS_FAILED;
    }
}

/* "none [integrity] confidentiality": the one in brackets is on. */
bool knob_locked_down(const char *text)
{
    return strchr(text, '[') != NULL && strstr(text, "[none]") == NULL;
}
