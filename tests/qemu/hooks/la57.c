/* SPDX-License-Identifier: BSD-2-Clause */
/* Application: puts a fifth level above the firmware's page tables, as newer server firmware has it
 * (C11). OVMF does not; what it has is mapped as before. Only for memory below 4 GiB. */
#include "hook.h"

#define CR4_LA57 0x1000u

static UINT64 gdt[] = {
    0, 0x00CF9B000000FFFF, /* 8: code, 32 bits */
    0x00AF9B000000FFFF,    /* 16: code, 64 bits */
};
struct __attribute__((packed)) table_register {
    UINT16 limit;
    UINT64 base;
};

static bool has_la57(VOID)
{
    UINT32 eax = 7, ebx, ecx = 0, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return (ecx >> 16 & 1) != 0;
}

/* The number of levels changes only while paging is off: to 32-bit code, and back. */
static VOID switch_to(UINT64 table)
{
    struct table_register ours = {sizeof(gdt) - 1, (UINTN)gdt}, firmwares;
    UINT64 code;

    __asm__ volatile("sgdt %0" : "=m"(firmwares));
    __asm__ volatile("mov %%cs, %0" : "=r"(code));
    __asm__ volatile("pushq %%rbp\n\t"
                     "pushfq\n\t"
                     "cli\n\t"
                     "pushq %%rcx\n\t" /* the firmware's code segment, .. */
                     "pushq %%rdx\n\t" /* .. and its descriptor table */
                     "lgdt (%%rax)\n\t"
                     "leaq 2f(%%rip), %%rsi\n\t"
                     "pushq $8\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n\t"
                     ".code32\n"
                     "1:\n\t"
                     "movl %%cr0, %%eax\n\t"
                     "andl $0x7FFFFFFF, %%eax\n\t"
                     "movl %%eax, %%cr0\n\t"
                     "movl %%cr4, %%eax\n\t"
                     "orl $0x1000, %%eax\n\t"
                     "movl %%eax, %%cr4\n\t"
                     "movl %%edi, %%cr3\n\t"
                     "movl %%cr0, %%eax\n\t"
                     "orl $0x80000000, %%eax\n\t"
                     "movl %%eax, %%cr0\n\t"
                     "pushl $16\n\t"
                     "pushl %%esi\n\t"
                     "lretl\n\t"
                     ".code64\n"
                     "2:\n\t"
                     "movl %%esp, %%esp\n\t"
                     "popq %%rdx\n\t"
                     "lgdt (%%rdx)\n\t"
                     "leaq 3f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "3:\n\t"
                     "popfq\n\t"
                     "popq %%rbp"
                     : "+D"(table)
                     : "a"(&ours), "c"(code), "d"(&firmwares)
                     : "rbx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
                       "memory");
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    EFI_PHYSICAL_ADDRESS address = 0xFFFFFFFF;
    UINT64 cr3, cr4;

    efi_open(&efi, image, system_table);
    __asm__ volatile("mov %%cr3, %0" : "=r"(cr3));
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    if (!has_la57() || (cr4 & CR4_LA57) != 0)
        return EFI_UNSUPPORTED;
    EFI_STATUS status = efi.bs->AllocatePages(AllocateMaxAddress, EfiBootServicesData, 1, &address);
    if (EFI_ERROR(status))
        return status;
    UINT64 *table = (UINT64 *)(UINTN)address;
    __builtin_memset(table, 0, 4096);
    table[0] = (cr3 & ~(UINT64)0xFFF) | 7;
    switch_to(address);
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    return (cr4 & CR4_LA57) != 0 ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}
