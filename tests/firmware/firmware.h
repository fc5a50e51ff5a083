/* SPDX-License-Identifier: BSD-2-Clause */
/* A whole firmware on the host, on which the application runs from its entry to its end: boot and
 * runtime services, MP services with threads as CPUs, a console, a volume, a variable store that
 * outlives a boot. Every call of every service is counted, and any one of them can be made to fail
 * with any status, or to be the last before the power goes. What a service is asked for in the
 * wrong state (while other CPUs are out, on another CPU, at a raised level) is a misuse, and so is
 * whatever the application is never to call.
 *
 * The processor's part is the host's, but for what only firmware may do: no CPU of this machine has
 * MSRs or MONITOR. The engine is replaced by one that gives a known result after a few touches on
 * every CPU; it has its own tests. */
#ifndef TESTS_FIRMWARE_FIRMWARE_H
#define TESTS_FIRMWARE_FIRMWARE_H

#include "../../efi/efi.h"

#define FW_CPUS      3u
#define FW_CALLS_MAX 4096u
#define FW_FILE_MAX  (64u * 1024)

/* In the order of fw_service_name(). */
enum fw_service {
    FW_ALLOCATE_PAGES,
    FW_FREE_PAGES,
    FW_FREE_POOL,
    FW_HANDLE_PROTOCOL,
    FW_LOCATE_PROTOCOL,
    FW_CREATE_EVENT,
    FW_CLOSE_EVENT,
    FW_CHECK_EVENT,
    FW_SET_TIMER,
    FW_LOAD_IMAGE,
    FW_START_IMAGE,
    FW_UNLOAD_IMAGE,
    FW_SET_WATCHDOG,
    FW_STALL,
    FW_RAISE_TPL,
    FW_RESTORE_TPL,
    FW_GET_VARIABLE,
    FW_SET_VARIABLE,
    FW_QUERY_VARIABLE_INFO,
    FW_GET_TIME,
    FW_RESET,
    FW_OUTPUT,
    FW_QUERY_MODE,
    FW_READ_KEY,
    FW_MP_COUNT,
    FW_MP_INFO,
    FW_MP_START,
    FW_MP_WHO,
    FW_OPEN_VOLUME,
    FW_OPEN,
    FW_READ,
    FW_WRITE,
    FW_FLUSH,
    FW_SET_POSITION,
    FW_GET_POSITION,
    FW_CLOSE,
    FW_NEVER, /* any other */
    FW_SERVICES
};
const char *fw_service_name(enum fw_service service);

/* What is done to one call: the one with that number, from 0 in a boot. */
enum fw_fault {
    FW_NO_FAULT,
    FW_FAILS,        /* it does nothing and returns status; what gives something back does so */
    FW_FAILS_ALWAYS, /* and so do all later calls of the same service */
    FW_CUT_BEFORE,   /* the power goes before anything is done */
    FW_CUT_AFTER,    /* after it is done */
    FW_CUT_TORN,     /* SetVariable: the old contents are gone, the new ones not there */
};

struct fw_variable {
    bool present;
    UINT32 attributes;
    UINTN length;
    uint8_t bytes[2048];
};

struct fw_file {
    bool present;
    UINTN length;
    uint8_t bytes[FW_FILE_MAX];
};

/* How a boot ended. */
enum fw_end {
    FW_RETURNED, /* fw.status */
    FW_RESET_END,
    FW_POWER_CUT,
    FW_TAKEN_OVER, /* the image that was started ended the boot services */
};

struct fw {
    /* Outlives a boot. */
    struct fw_variable record, crumb;
    struct fw_file config, report, store;

    /* How this firmware behaves; set before a boot. */
    bool sysprep, by_shell; /* how the application is started; neither: as a boot entry */
    const char *options;
    UINT32 signature;  /* of its CPUs: another one, another machine */
    bool refuse_event; /* non-blocking starts (A36) */
    bool child_takes_over;
    EFI_STATUS child_status;
    enum fw_fault fault;
    unsigned fault_call;
    EFI_STATUS fault_status;

    /* What came of it. */
    enum fw_end end;
    EFI_STATUS status;
    unsigned calls, starts, sets, deletes, children;
    uint8_t service_of[FW_CALLS_MAX];
    UINTN watchdog, watchdog_at_child;
    const char *misuse; /* NULL: none */
    enum fw_service misused;
    unsigned pages_out, pools_out, events_open, images_loaded, files_open; /* at its end */
};

/* A machine as it comes from the factory. */
void fw_init(struct fw *fw);
/* One boot: the application runs, and all that it left behind is counted and then taken away. */
void fw_boot(struct fw *fw);
/* Frees what fw_boot() keeps for all boots. */
void fw_done(void);

#endif
