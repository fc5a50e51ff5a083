/* SPDX-License-Identifier: BSD-2-Clause */
/* The first code that runs: applies the image's own relocations, then calls efi_main(). It stands
 * in for gnu-efi's crt0, whose layout changes between versions (H7). */
#include "entry.h"

#ifndef HAVE_USE_MS_ABI
#error "gnu-efi must use the compiler's ms_abi, or every EFIAPI call is wrong (H7)"
#endif

#define R_X86_64_RELATIVE 8u

/* Elf64_Rela. */
struct rela {
    UINT64 offset; /* of the pointer, from the image base */
    UINT64 info;   /* type in the lower half */
    UINT64 addend; /* what the pointer is to hold, from the image base */
};

/* linker.ld. Hidden, so that their addresses are taken relative to RIP, without a relocation. */
extern UINT8 image_base[] __attribute__((visibility("hidden")));
extern const struct rela rela_start[] __attribute__((visibility("hidden")));
extern const struct rela rela_end[] __attribute__((visibility("hidden")));

EFI_STATUS EFIAPI efi_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

EFI_STATUS EFIAPI efi_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    /* Nothing here may need a relocation: no pointer tables, no strings by address. */
    for (const struct rela *rela = rela_start; rela < rela_end; rela++) {
        if ((UINT32)rela->info != R_X86_64_RELATIVE)
            return EFI_LOAD_ERROR; /* the lint of the image keeps this from ever happening (H2) */
        *(UINT64 *)(image_base + rela->offset) = (UINT64)image_base + rela->addend;
    }
    return efi_main(image, system_table);
}
