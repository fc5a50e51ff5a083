/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the whole application share: ways to start it, and what must hold at the end of
 * every boot, whatever failed in it. Include it after cmocka.h. */
#ifndef TESTS_WHOLE_H
#define TESTS_WHOLE_H

#include "../../lib/breadcrumb.h"
#include "../../lib/record_file.h"
#include "../firmware/firmware.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct way {
    const char *name, *options;
    bool sysprep, by_shell;
    bool has_record; /* one of this machine is stored .. */
    bool has_old;    /* .. or one of another */
    bool blocking;   /* MP services refuse an event (A36) */
    bool files;      /* those that it may write into are there */
    bool takes_over; /* the image that is started does not come back */
};

static inline void way_set(struct fw *fw, const struct way *way)
{
    fw->options = way->options;
    fw->sysprep = way->sysprep;
    fw->by_shell = way->by_shell;
    fw->refuse_event = way->blocking;
    fw->child_takes_over = way->takes_over;
}

/* A machine before that boot. */
static inline void way_prepare(struct fw *fw, const struct way *way)
{
    fw_init(fw);
    if (way->files) {
        fw->store.present = fw->report.present = true;
        fw->store.length = RECORD_FILE_BYTES;
        fw->report.length = FW_FILE_MAX;
    }
    if (way->has_record || way->has_old) {
        fw->by_shell = true;
        fw->options = way->files ? "--quiet --store=esp" : "--quiet";
        fw->signature += way->has_old;
        fw_boot(fw);
        assert_int_equal(fw->end, FW_RETURNED);
        assert_int_equal(fw->status, EFI_SUCCESS);
        fw->signature -= way->has_old;
    }
    way_set(fw, way);
}

/* Where a failed assertion came from. */
static char whole_where[256];
static inline void whole_at(const struct fw *fw, const char *name)
{
    static const char *const faults[] = {"nothing",    "fails",     "fails always",
                                         "cut before", "cut after", "torn"};
    unsigned call = fw->fault_call;
    snprintf(whole_where, sizeof(whole_where), "%s: call %u, %s, %s, status %u", name, call,
             call < fw->calls && call < FW_CALLS_MAX
                 ? fw_service_name((enum fw_service)fw->service_of[call])
                 : "not reached",
             faults[fw->fault], (unsigned)(fw->fault_status & 0xFF));
}
#define HOLDS(condition)                                 \
    do {                                                 \
        if (!(condition))                                \
            fail_msg("%s: %s", whole_where, #condition); \
    } while (0)

static inline enum fw_service whole_faulty(const struct fw *fw)
{
    unsigned call = fw->fault_call;
    return fw->fault != FW_NO_FAULT && call < fw->calls && call < FW_CALLS_MAX
               ? (enum fw_service)fw->service_of[call]
               : FW_SERVICES;
}

/* What lies in the store: whole, or not there (D17). */
static inline void whole_store(const struct fw *fw)
{
    static struct record record;
    struct breadcrumb crumb;
    HOLDS(!fw->record.present ||
          record_decode(fw->record.bytes, fw->record.length, &record) == RECORD_OK);
    HOLDS(!fw->crumb.present || breadcrumb_decode(fw->crumb.bytes, fw->crumb.length, &crumb));
}

/* After every boot, however it ended. */
static inline void whole_end(const struct fw *fw)
{
    if (fw->misuse)
        fail_msg("%s: %s %s", whole_where, fw_service_name(fw->misused), fw->misuse);
    HOLDS(fw->sets <= 6 && fw->deletes <= 3 && fw->starts <= 2 && fw->children <= 1); /* (D4) */
    whole_store(fw);
    bool watchdog_fails = whole_faulty(fw) == FW_SET_WATCHDOG;
    HOLDS(fw->children == 0 || fw->watchdog_at_child == 300 || watchdog_fails); /* (E14) */
    if (fw->end != FW_RETURNED)
        return;
    HOLDS(fw->pages_out == 0 && fw->pools_out == 0);
    HOLDS(fw->events_open == 0 && fw->files_open == 0 && fw->images_loaded == 0);
    HOLDS(fw->watchdog == 300 || watchdog_fails || (fw->by_shell && fw->watchdog == 0)); /* (G1) */
}

#endif
