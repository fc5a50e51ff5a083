/* SPDX-License-Identifier: BSD-2-Clause */
/* The one way to UEFI's types and services: gnu-efi's headers, the protocols that they lack in some
 * version, and what every file of this folder needs of the firmware.
 *
 * Own protocols have own names: a guard cannot protect a struct that a later gnu-efi brings (H7).
 */
#ifndef EFI_EFI_H
#define EFI_EFI_H

#include <efi.h>

#include "../lib/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef HAVE_USE_MS_ABI
#error "gnu-efi must use the compiler's ms_abi, or every EFIAPI call is wrong (H7)"
#endif

/* PI specification 1.8, volume 2, 13.4. */
struct mp_processor_info {
    UINT64 processor_id; /* the APIC id */
    UINT32 status;       /* MP_STATUS_... */
    UINT32 package, core, thread;
    UINT64 reserved[8]; /* later versions write more */
};
#define MP_STATUS_BSP     1u
#define MP_STATUS_ENABLED 2u
#define MP_STATUS_HEALTHY 4u

struct mp_protocol;
typedef VOID(EFIAPI *mp_procedure)(VOID *argument);
struct mp_protocol {
    EFI_STATUS(EFIAPI *get_number_of_processors)
    (struct mp_protocol *self, UINTN *total, UINTN *enabled);
    EFI_STATUS(EFIAPI *get_processor_info)
    (struct mp_protocol *self, UINTN number, struct mp_processor_info *ret);
    EFI_STATUS(EFIAPI *startup_all_aps)
    (struct mp_protocol *self, mp_procedure procedure, BOOLEAN one_after_the_other, EFI_EVENT event,
     UINTN timeout_us, VOID *argument, UINTN **failed);
    VOID *startup_this_ap;   /* never called: one start, not one a CPU (A5, A9) */
    VOID *switch_bsp;        /* never called (A35) */
    VOID *enable_disable_ap; /* never called (A8) */
    EFI_STATUS(EFIAPI *who_am_i)(struct mp_protocol *self, UINTN *number);
};

/* UEFI Shell specification 2.2, 2.3. */
struct shell_parameters_protocol {
    CHAR16 **argv;
    UINTN argc;
    VOID *std_in, *std_out, *std_err;
};

/* What the firmware gave to this image. */
struct efi {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *st;
    EFI_BOOT_SERVICES *bs;
    EFI_RUNTIME_SERVICES *rt;
    EFI_LOADED_IMAGE_PROTOCOL *self; /* NULL where the firmware does not say */
};

void efi_open(struct efi *efi, EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

extern const EFI_GUID efi_loaded_image_guid;

/* Firmware takes GUIDs and names that it only reads by pointers that are not const. */
#define EFI_CONST(pointer) ((VOID *)(uintptr_t)(pointer))

/* The protocol on that handle, or NULL. */
void *efi_protocol(const struct efi *efi, EFI_HANDLE handle, const EFI_GUID *guid);

/* Zeroed memory in whole pages, or NULL. Give the same size back. */
void *efi_allocate(const struct efi *efi, size_t bytes);
void efi_free(const struct efi *efi, void *memory, size_t bytes);

/* Restarts the firmware's watchdog. Failure is of no consequence and not told. */
void efi_watchdog(const struct efi *efi, uint64_t seconds);
#define EFI_WATCHDOG_DEFAULT_S 300u /* what a boot manager sets before it starts an image (G1) */

/* The configuration table of that kind, or NULL. */
const void *efi_configuration_table(const struct efi *efi, const EFI_GUID *guid);

/* Seconds since 1970 by the firmware's clock, 0 where it has none or says nonsense. */
uint64_t efi_wall_clock(const struct efi *efi);
/* Its arithmetic. A time zone that is not given counts as UTC. */
uint64_t efi_seconds(const EFI_TIME *time);

#endif
