; SPDX-License-Identifier: BSD-2-Clause
; A boot sector that prints the CPUID leaves of every CPU to QEMU's debug port. `capture` runs it.
;
; 0000:7C00  this sector, as the BIOS loads it
; 0000:7000  top of the stack of whichever CPU holds the lock
; 0000:8000  where the other CPUs start (SIPI vector 8): a far jump to here
; CPUS is given on the command line of nasm.

bits 16
org 0x7C00

DEBUG_PORT equ 0xE9                 ; -debugcon
EXIT_PORT  equ 0xF4                 ; -device isa-debug-exit
SIPI_PAGE  equ 8
SUBLEAVES  equ 5                    ; more than any leaf of QEMU's has
ICR_LOW    equ 0xFEE00300
INIT_REST  equ 0x000C4500           ; INIT, all but this CPU
SIPI_REST  equ 0x000C4600 | SIPI_PAGE

boot:   cli
        cld
        xor     ax, ax
        mov     ds, ax
        mov     es, ax
        mov     byte [SIPI_PAGE << 12], 0xEA
        mov     word [(SIPI_PAGE << 12) + 1], begin
        mov     word [(SIPI_PAGE << 12) + 3], ax
        lgdt    [gdt]               ; FS gets a limit of 4 GiB, to reach the local APIC
        mov     eax, cr0
        inc     ax
        mov     cr0, eax
        mov     bx, 8
        mov     fs, bx
        dec     ax
        mov     cr0, eax
        jmp     0:begin

begin:  xor     ax, ax
        mov     ds, ax
        mov     ss, ax
        mov     al, 1
.lock:  pause
        xchg    al, [lock_byte]     ; printing CPU by CPU; the stack is under the lock too
        test    al, al
        jnz     .lock
        mov     sp, 0x7000
        mov     si, ranges
.range: lodsd
        cmp     eax, -1
        je      .done
.leaf:  xor     ecx, ecx
.sub:   call    line
        inc     cx
        cmp     cl, SUBLEAVES
        jne     .sub
        inc     eax
        cmp     eax, [si]
        jne     .leaf
        add     si, 4
        jmp     .range
.done:  mov     al, 10
        out     DEBUG_PORT, al      ; an empty line after each CPU
        xor     eax, eax
        inc     byte [answered]
        cmp     byte [answered], 1
        mov     [lock_byte], al
        je      start_others        ; the first one is the boot CPU
        cmp     byte [answered], CPUS
        jne     $                   ; asleep would do as well, but for the last one
exit:   out     EXIT_PORT, al
        hlt

start_others:
        cmp     byte [answered], CPUS
        je      exit
        mov     eax, INIT_REST
        call    send
        mov     eax, SIPI_REST
        call    send
        mov     eax, SIPI_REST
        call    send
        jmp     $

send:   mov     [fs:dword ICR_LOW], eax
        mov     cx, 0xFFFF
.wait:  in      al, 0x80            ; takes its time
        loop    .wait
        ret

; eax leaf, ecx subleaf: prints both and the four registers, keeps all.
line:   pushad
        call    hex
        xchg    eax, ecx
        call    hex
        xchg    eax, ecx
        cpuid
        push    edx
        push    ecx
        call    hex
        xchg    eax, ebx
        call    hex
        pop     eax
        call    hex
        pop     eax
        call    hex
        mov     al, 10
        out     DEBUG_PORT, al
        popad
        ret

hex:    pushad
        mov     edx, eax
        mov     cx, 8
.digit: rol     edx, 4
        mov     al, dl
        and     al, 15
        cmp     al, 10
        sbb     al, 0x69            ; 0-9, A-F
        das
        out     DEBUG_PORT, al
        loop    .digit
        mov     al, ' '
        out     DEBUG_PORT, al
        popad
        ret

align 4
ranges: dd 0x00000000, 0x00000022   ; first, one past the last
        dd 0x40000000, 0x40000011
        dd 0x80000000, 0x80000027
        dd -1
gdt:    dw 15                       ; where the null entry would be: its own pointer
        dd gdt
        dw 0
        dw 0xFFFF, 0, 0x9200, 0x008F
lock_byte: db 0
answered: db 0

times 510 - ($ - $$) db 0
        dw 0xAA55
