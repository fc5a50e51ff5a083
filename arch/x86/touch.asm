; SPDX-License-Identifier: BSD-2-Clause
; The timed touch kernel: nine loops, one for each pattern and access, each between two clock reads.
;
; uint64_t touch_run(const struct touch_order *order, enum touch_pattern, enum touch_access)
;
; System V calling convention in firmware and on Linux alike; general registers only; no stack
; access but the saved registers, outside the markers; no data, so no relocation. Every loop's
; registers are set up before its begin marker: between the two clock reads stand the loop and its
; fences, and the two moves that keep the first reading out of the second one's way.
;
; RDTSC and not RDTSCP, which some CPUs lack (B9). MFENCE and LFENCE before each reading: LFENCE
; alone would leave the loop's stores in the buffer, and the clock would not see what they cost.

bits 64
default rel

%define TOUCH_FIELD(name, offset) ORDER_ %+ name equ offset
%define TOUCH_VALUE(name, value) name equ value
%include "arch/x86/touch_equates.inc"

; Linear.
%define point r8            ; line to touch next
%define step r9             ; line size
%define end rsi             ; first byte behind the working set

; Scatter and chase: in each round one line of every segment.
%define segment r8          ; segment to touch next
%define segment_bytes r9
%define total rsi           ; all segments together
%define mask rdi            ; line offsets within a segment
%define twist rbx           ; differs from segment to segment; 0 behind the last one
%define twist_start rbp
%define twist_step r12
%define state r13           ; generator of the round, 0 at the first and after the last one
%define folded r14          ; state, folded: the round's part of each offset
%define fold cl

%define offset rax          ; RAX and RDX are free inside a loop only: RDTSC writes them
%define loaded rdx

; The first reading, kept in the two halves that RDTSC gives.
%define start_low r10
%define start_high r11

; Marker of a pass, by which a QEMU plugin finds the loop: see touch_kernel.h.
%macro mark 3               ; 0 or TOUCH_MARK_END, pattern, access
    nop dword [rax + rax + (TOUCH_MARK | %1 | %2 << 4 | %3)]
%endmacro

%macro begin 2              ; pattern, access
    align 32, int3
    times 7 int3            ; and the 25 bytes before a loop, which so begins at a multiple of 32
%1_%2:
    mark 0, %1, %2
    mfence
    lfence
    rdtsc
    mov start_low, rax
    mov start_high, rdx
    lfence
%endmacro

%macro finish 2             ; pattern, access
    mfence
    lfence
    rdtsc
    mark TOUCH_MARK_END, %1, %2
    jmp elapsed
%endmacro

; A write stores the low half of the time it began: not what the last pass stored.
%macro access 2             ; access, address
%if %1 == TOUCH_READ
    mov loaded, [%2]
%elif %1 == TOUCH_WRITE
    mov [%2 + TOUCH_DATA], start_low
%else
    add qword [%2 + TOUCH_DATA], 1
%endif
%endmacro

%macro linear 1             ; access
    begin TOUCH_LINEAR, %1
.line:
    access %1, point
    add point, step
    cmp point, end
    jne .line
    finish TOUCH_LINEAR, %1
%endmacro

; Two loops: over the segments, with an address that takes three cheap instructions and no load, and
; over the rounds: touch_kernel.h says in which order. The twist counts up to 0, so it ends a round;
; the generator has full period, so it ends the pass when it is back at 0.
%macro mixed 2              ; TOUCH_SCATTER or TOUCH_CHASE, access
    begin %1, %2
.line:
    mov offset, twist
    xor offset, folded
    and offset, mask
%if %1 == TOUCH_CHASE
    access TOUCH_READ, segment + offset
  %if %2 != TOUCH_READ
    access %2, segment + offset
  %endif
    add segment, segment_bytes
    add segment, loaded     ; 0, but the next address has to wait for it
%else
    access %2, segment + offset
    add segment, segment_bytes
%endif
    add twist, twist_step
    jnz .line

    sub segment, total
    imul state, state, TOUCH_MULTIPLIER
    add state, mask         ; that is, - line
    and state, mask
    mov folded, state
    shr folded, fold
    xor folded, state       ; what falls below a line, the mask takes away
    mov twist, twist_start
    test state, state
    jnz .line
    finish %1, %2
%endmacro

%macro select 2             ; pattern, access
    cmp eax, %1 * TOUCH_ACCESSES + %2
    je %1_%2
%endmacro

section .text align=64
global touch_run:function
touch_run:
    xor eax, eax
    cmp esi, TOUCH_PATTERNS
    jae .refused
    cmp edx, TOUCH_ACCESSES
    jae .refused
    cmp qword [rdi + ORDER_bytes], 0
    je .refused

    push rbx
    push rbp
    push r12
    push r13
    push r14
    lea eax, [rsi + rsi * 2]
    add eax, edx
    cmp esi, TOUCH_LINEAR
    mov r8, [rdi + ORDER_base]
    mov rsi, [rdi + ORDER_bytes]
    je .linear

    mov segment_bytes, [rdi + ORDER_segment_bytes]
    mov rcx, [rdi + ORDER_fold]
    mov twist_step, [rdi + ORDER_twist]
    mov twist_start, [rdi + ORDER_twist_start]
    mov mask, [rdi + ORDER_mask]
    mov twist, twist_start
    xor state, state
    xor folded, folded
    select TOUCH_SCATTER, TOUCH_READ
    select TOUCH_SCATTER, TOUCH_WRITE
    select TOUCH_SCATTER, TOUCH_UPDATE
    select TOUCH_CHASE, TOUCH_READ
    select TOUCH_CHASE, TOUCH_WRITE
    jmp TOUCH_CHASE_TOUCH_UPDATE

.linear:
    mov step, [rdi + ORDER_line]
    add end, point
    select TOUCH_LINEAR, TOUCH_READ
    select TOUCH_LINEAR, TOUCH_WRITE
    jmp TOUCH_LINEAR_TOUCH_UPDATE

.refused:
    ret

    linear TOUCH_READ
    linear TOUCH_WRITE
    linear TOUCH_UPDATE
    mixed TOUCH_SCATTER, TOUCH_READ
    mixed TOUCH_SCATTER, TOUCH_WRITE
    mixed TOUCH_SCATTER, TOUCH_UPDATE
    mixed TOUCH_CHASE, TOUCH_READ
    mixed TOUCH_CHASE, TOUCH_WRITE
    mixed TOUCH_CHASE, TOUCH_UPDATE

; End of every pass: the second reading is in RDX:RAX.
elapsed:
    shl rdx, 32
    or rax, rdx
    shl start_high, 32
    or start_low, start_high
    sub rax, start_low
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret

section .note.GNU-stack noalloc noexec nowrite progbits
