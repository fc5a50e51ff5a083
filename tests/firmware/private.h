/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the firmware for tests share. */
#ifndef TESTS_FIRMWARE_PRIVATE_H
#define TESTS_FIRMWARE_PRIVATE_H

#include "firmware.h"
#include <pthread.h>
#include <setjmp.h>

/* Calls get no context: there is one machine at a time. */
struct fw_state {
    struct fw *fw;
    jmp_buf power; /* where a boot ends that does not return; its value: enum fw_end */
    pthread_t boot_cpu;
    bool aps_out;
    EFI_TPL level;
    enum fw_service failing; /* FW_FAILS_ALWAYS: once its call has come */

    EFI_SYSTEM_TABLE table;
    EFI_BOOT_SERVICES boot;
    EFI_RUNTIME_SERVICES runtime;
    SIMPLE_TEXT_OUTPUT_INTERFACE out;
    SIMPLE_TEXT_OUTPUT_MODE out_mode;
    SIMPLE_INPUT_INTERFACE in;
    EFI_LOADED_IMAGE_PROTOCOL self, child;
    struct mp_protocol mp;
    EFI_FILE_IO_INTERFACE volume;
    CHAR16 options[256];
    struct shell_parameters_protocol shell;
    CHAR16 *argv[32];
};
extern struct fw_state fw_state;

/* One call: counts it, looks whether it may be made, and says what becomes of it. */
enum fw_fate { FW_GOES_WELL, FW_RETURNS, FW_DIES_AFTER, FW_DIES_TORN };
enum fw_fate fw_enter(enum fw_service service);
void fw_misuse(enum fw_service service, const char *what);
_Noreturn void fw_power_off(enum fw_end end);

/* Makes a service fail or end the boot as planned. Where it does neither, what follows is done, and
 * FW_LEAVE() ends it. */
#define FW_ENTER(service)                        \
    const enum fw_fate fate = fw_enter(service); \
    if (fate == FW_RETURNS)                      \
    return fw_state.fw->fault_status
#define FW_LEAVE(value)                   \
    do {                                  \
        const EFI_STATUS left_ = (value); \
        if (fate >= FW_DIES_AFTER)        \
            fw_power_off(FW_POWER_CUT);   \
        return left_;                     \
    } while (0)
/* For those that give something back: it is given back, whatever they say then. */
#define FW_LEAVE_FREED(value) FW_LEAVE(fate == FW_RETURNS ? fw_state.fw->fault_status : (value))

/* Each part puts its services into the tables, and takes away what a boot left. */
void fw_memory_open(void);
void fw_memory_close(void);
void fw_images_open(void);
void fw_images_close(void);
void fw_variables_open(void);
void fw_console_open(void);
void fw_cpus_open(void);
void fw_cpus_close(void);
void fw_files_open(void);
void fw_files_close(void);
/* What they keep for all boots. */
void fw_memory_done(void);
void fw_engine_done(void);

#endif
