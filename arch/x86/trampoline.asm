; SPDX-License-Identifier: BSD-2-Clause
; What a CPU runs from its SIPI to the function that sipi_start() was given: real mode, protected
; mode, 64-bit mode with the boot CPU's page tables and memory types, a stack of its own, the call.
; Behind it the CPU waits for the INIT of sipi_stop().
;
; These bytes are data in the image, and run as a copy in a page below 1 MiB, whichever: no address
; is in them but those that sipi.c fills in, so there is no relocation. EBX holds the page's address
; all the way. Any number of CPUs go through here at once; until a CPU has its stack it writes to
; nothing but its own entry of targets. No loop here waits for anyone.
;
; An exception parks the CPU, and an NMI is ignored (A29): tables of our own, since the firmware's
; may not be there at all (A26). Interrupts stay off.

%define TRAMPOLINE_FIELD(name, offset) PAGE_ %+ name equ offset
%define TRAMPOLINE_VALUE(name, value) name equ value
%include "arch/x86/trampoline_equates.inc"

CR0_SET equ 0x33                ; PE, MP, ET, NE; CD and NW clear: INIT has set them (A31)
CR0_PG equ 1 << 31
CR0_CD_BIT equ 30
MSR_APIC_BASE equ 0x1B
APIC_BASE_X2APIC equ 1 << 10
MSR_X2APIC_ID equ 0x802
XAPIC_ID equ 0x20
MSR_MTRR_DEF_TYPE equ 0x2FF
MSR_EFER equ 0xC0000080
DATA equ 16                     ; selectors
CODE_32 equ 8

%define at(label) ((label) - trampoline_image)
; place NAME: the next byte is that field's.
%macro place 1
    times PAGE_%1 - ($ - trampoline_image) db 0
%endmacro

section .rodata.trampoline progbits alloc noexec nowrite align=16
global trampoline_image:data

bits 16
trampoline_image:
    jmp real_mode

place idtr_limit
    dw PAGE_msr - PAGE_idt - 1
place gdt
    dq 0
    dq 0x00CF9B000000FFFF       ; code, 32 bits
    dq 0x00CF93000000FFFF       ; data
    dq 0x00AF9B000000FFFF       ; code, 64 bits: TRAMPOLINE_CODE_64
place size
    dw at(trampoline_image_end)
    dw 4 * 8 - 1                ; the limit of gdt
place protected_offset
    dd at(protected_mode)
    dw CODE_32
    dw at(park)
    dd at(long_mode)
    dw TRAMPOLINE_CODE_64
    dw at(nmi)
place code

real_mode:
    cli
    cld
    mov ax, cs
    mov ds, ax
    movzx ebx, ax
    shl ebx, 4
    o32 lgdt [PAGE_gdtr_limit]
    mov eax, CR0_SET
    mov cr0, eax
    o32 jmp far [PAGE_protected_offset]

bits 32
protected_mode:
    mov eax, DATA
    mov ds, eax
    mov es, eax
    mov ss, eax
    mov eax, [ebx + PAGE_cr4]   ; PAE, and LA57 where the boot CPU has five levels (C11)
    mov cr4, eax
    mov eax, [ebx + PAGE_root]
    mov cr3, eax
    mov ecx, MSR_EFER
    rdmsr
    or eax, [ebx + PAGE_efer]
    wrmsr
    mov eax, CR0_SET | CR0_PG
    mov cr0, eax
    jmp far [ebx + PAGE_long_offset]

bits 64
long_mode:
    mov ebx, ebx                ; the upper half held whatever it did
    xor eax, eax
    mov fs, eax
    mov gs, eax
    mov rax, [rbx + PAGE_cr3]
    mov cr3, rax

; Which CPU is this? Its local APIC knows under which id it was called; CPUID may tell another (A21).
    mov ecx, MSR_APIC_BASE
    rdmsr
    test eax, APIC_BASE_X2APIC
    jz .xapic
    mov ecx, MSR_X2APIC_ID      ; (A14)
    rdmsr
    jmp .known
.xapic:
    shl rdx, 32
    and eax, ~0xFFF
    or rdx, rax
    mov eax, [rdx + XAPIC_ID]
    shr eax, 24
.known:
    mov rdi, [rbx + PAGE_targets]
    mov ecx, [rbx + PAGE_target_count]
.search:
    cmp [rdi], eax
    je .found
    add rdi, 8
    dec ecx
    jnz .search
    jmp park
.found:
    mov eax, TRAMPOLINE_EXPECTED
    mov edx, TRAMPOLINE_ALIVE
    lock cmpxchg [rdi + 4], edx
    jne park
    sub rdi, [rbx + PAGE_targets]
    shl rdi, TRAMPOLINE_STACK_SHIFT - 3
    add rdi, [rbx + PAGE_stacks]
    lea rsp, [rdi + (1 << TRAMPOLINE_STACK_SHIFT)]
    lidt [rbx + PAGE_idtr_limit]

; Memory types as on the boot CPU. After a reset there are none: all memory is uncached. Nothing is
; done where they agree, as they do on firmware that has once started this CPU, or its sibling.
    lea rsi, [rbx + PAGE_msr]
.compare:
    lodsd
    mov ecx, eax
    jrcxz .same
    rdmsr
    cmp eax, [rsi]
    jne .differ
    cmp edx, [rsi + 4]
    lea rsi, [rsi + 8]
    je .compare
.differ:                        ; Intel SDM volume 3A, 12.11.8
    mov rdi, cr0
    mov rax, rdi
    bts rax, CR0_CD_BIT
    mov cr0, rax
    wbinvd
    mov rbp, cr3
    mov cr3, rbp
    mov ecx, MSR_MTRR_DEF_TYPE  ; off; it is the last of the list, and so comes on again
    xor eax, eax
    xor edx, edx
    wrmsr
    lea rsi, [rbx + PAGE_msr]
.write:
    lodsd
    mov ecx, eax
    jrcxz .written
    lodsd
    mov edx, [rsi]
    add rsi, 4
    wrmsr
    jmp .write
.written:
    wbinvd
    mov cr3, rbp
    mov cr0, rdi
.same:
    mov rdi, [rbx + PAGE_argument]
    xor ebp, ebp
    call [rbx + PAGE_entry]

park:
    cli
    hlt
    jmp park

nmi:
    iretq

    times -($ - trampoline_image > PAGE_idt) db 0 ; an error if it is too long
trampoline_image_end:

section .note.GNU-stack noalloc noexec nowrite progbits
