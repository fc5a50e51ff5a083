# SPDX-License-Identifier: BSD-2-Clause
# Finds in a disassembly what firmware code must not use: vector, MMX and x87 registers (H9), memory
# below the stack pointer (H10), and instructions that change the CPU's state for good (A10).
# usage: objdump -d FILE | awk -f registers.awk

/^[0-9a-f]+ <.*>:$/ { name = $2 }

/^ *[0-9a-f]+:\t/ {
    split($0, column, "\t")
    code = column[3]
    instructions++
    why = ""
    if (code ~ /%[xyz]mm[0-9]|%mm[0-7]|%k[0-7][^a-z]|%st/) why = "vector or x87 register (H9)"
    else if (code ~ /^f/ || code ~ /^(emms|ldmxcsr|stmxcsr|vldmxcsr|xsave|xrstor)/)
        why = "x87 or vector state (H9)"
    else if (code ~ /-0x[0-9a-f]+\(%rsp/) why = "memory below the stack pointer (H10)"
    else if (code ~ /^(cli|sti|lidt|lgdt|lldt|ltr|wrmsr|wbinvd|invd|hlt)/ || code ~ /,%(cr|db)[0-9]/)
        why = "changes the CPU's state (A10, B11)"
    # The one write of an MSR: the interrupt command register in x2APIC mode (A14).
    if (name == "<apic_send>:" && code ~ /^wrmsr/ && !sent++) why = ""
    if (why != "") {
        printf "    %s %s: %s\n", name, code, why
        bad = 1
    }
}

END {
    if (!instructions) print "    no instruction"
    exit bad || !instructions
}
