# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Cases about the other CPUs: how many, with which ids, lent by firmware of every kind.

# One start whatever the number of CPUs; for each CPU one question and for all of them a few.
lent_properly() { # lent_properly LABEL CPUS
    watched "one start call" "$1" starts -eq 1
    watched "at most one information call for each CPU" "$1" infos -le "$2"
    watched "the CPUs are counted once" "$1" counts -le 1
    watched "no start of a single CPU (A5, A9)" "$1" this-aps -eq 0
    watched "no other boot CPU (A35)" "$1" switches -eq 0
    watched "no CPU is disabled or enabled (A8)" "$1" enables -eq 0
    watched "every other CPU was inside" "$1" aps -eq $(($2 - 1))
    watched "the others' control registers and tables are as they were (A10)" "$1" changed -eq 0
    watched "less than 2 KiB of their stack are used (A25)" "$1" stack -lt 2048
    watched "their stack is used at all" "$1" stack -gt 0
}

case_one() {
    boot_shell -m 128 -cpu "$VM_CPU" -smp 1 <<'NSH'
load watch.efi
try run migcost.efi
try watch tell.efi
try show migcost.efi --show
NSH
    ends "one CPU has a status of its own (A2)" run 0x13
    says "it is said that there is no pair" run "matrix +one CPU makes no pair"
    says "what is left to recommend is the kernel's default" run "decay +500 us"
    watched "nothing is started" watch starts -eq 0
    watched "record and breadcrumb are written once each" watch sets -eq 2
    says "the record is of one CPU" show "CPUs +1; APIC ids 0$"
    ends "the record can be shown" show 0x0
}

case_two() {
    # No RDTSCP (B9), no caches described, and hardly any memory (C8).
    boot_shell -m 64 -cpu qemu64 -smp 2 <<'NSH'
load watch.efi
try run migcost.efi
try watch tell.efi
NSH
    ends "two CPUs without RDTSCP are measured, with 64 MiB of memory" run 0x0
    says "the record is stored" run "migcost: done in [0-9]+ ms: measured, stored$"
    lent_properly watch 2
}

case_three() {
    boot_shell -m 128 -cpu "$VM_CPU" -smp 3 <<'NSH'
load watch.efi
try run migcost.efi
try watch tell.efi
try take no_mp.efi
try without migcost.efi --start=mp
try show migcost.efi --show
NSH
    ends "three CPUs are measured, with 128 MiB of memory" run 0x0
    says "the matrix has three rows" run "2  0  0  \.$"
    lent_properly watch 3

    ends "the hook took the MP services away" take 0x0
    ends "no MP services have a status of their own (A1)" without 0x3
    says "it is said that there are none" without "migcost: this firmware has no MP services"
    says "the record is of the boot CPU alone" show "CPUs +1; APIC ids 0$"
    says "the record says why" show " +no-mp:|flags +no-mp:"
}

case_four() {
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 4)" <<'NSH'
load watch.efi
try first migcost.efi
try watch1 tell.efi
try second migcost.efi
try watch2 tell.efi
NSH
    ends "four CPUs are measured" first 0x0
    says "they are two packages of one core each" first "CPUs +4: 2 packages, .*, 2 cores; APIC ids 0-3$"
    says "threads of a core are a level" first "core +2 "
    says "packages are a level" first "system +4 "
    says "a cost that cannot be told from zero is said to be so" first ".*no cost can be told from zero"
    says "nothing but the kernel's default is recommended then" first "basis +the kernel's default: no cost"
    says "what differs on the others is flagged (A31)" first ".*cache-state-mismatch:"
    lent_properly watch1 4
    watched "the first run writes record and breadcrumb once each" watch1 sets -eq 2
    ends "a second run measures as well" second 0x0
    says "an unchanged result is said to be so" second "migcost: done in .*: measured, unchanged"
    watched "an unchanged result writes the breadcrumb alone (D4)" watch2 sets -eq 1
    watched "and takes it away" watch2 deletes -eq 1
    lent_properly watch2 4
}

case_sparse() {
    boot_shell -cpu "$VM_CPU" -smp 6,sockets=2,cores=3,threads=1 \
        -object memory-backend-ram,id=near,size=256M -object memory-backend-ram,id=far,size=256M \
        -numa node,nodeid=0,cpus=0-2,memdev=near -numa node,nodeid=1,cpus=3-5,memdev=far <<'NSH'
load watch.efi
try run migcost.efi --size 16K
try watch tell.efi
try one migcost.efi --size 16K --no-store --cpus 5
try hole migcost.efi --size 16K --no-store --cpus 3
NSH
    ends "six CPUs with sparse APIC ids are measured (A19)" run 0x0
    says "CPUs are named by their APIC ids" run "CPUs +6: .*; APIC ids 0-2[ ,]4-6$"
    says "the hole has no row" run "4  0  0  0  \.  0  0$"
    says "two nodes without memory placed on each are flagged" run ".*numa-placement:"
    ends "a CPU behind the hole can be chosen, and makes no pair" one 0x13
    ends "one in the hole cannot" hole 0x11
    lent_properly watch 6
}

case_eight() {
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 8)" <<'NSH'
load watch.efi
try free migcost.efi --size 16K --no-store
try watch1 tell.efi
load refuse.efi
try bound migcost.efi --size 16K --no-store
try watch2 tell.efi
NSH
    ends "eight CPUs are measured" free 0x0
    lent_properly watch1 8
    ends "eight CPUs are measured where the non-blocking start is refused (A36)" bound 0x0
    watched "the start is non-blocking where it can be" watch1 blocking -eq 0
    watched "and blocking where it must be" watch2 blocking -eq 1
    check "$this: the matrix has the same shape then" same_matrix free bound
    lent_properly watch2 8 # behind the hook that refuses: one start gets through
    check "$this: the image ran at two addresses (H2)" \
        [ "$(watch_value watch1 procedure)" != "$(watch_value watch2 procedure)" ]
}
same_matrix() {
    [ "$(matrix "$1" | wc -l)" -ge 8 ] && [ "$(matrix "$1")" = "$(matrix "$2")" ]
}

case_lost() {
    # Whoever has lost a CPU starts nothing and resets: QEMU ends instead (-no-reboot).
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 4)" <<'NSH'
load lose.efi
try run migcost.efi --size 16K --budget 1 --report --chain \child.efi
echo = not reset =
NSH
    check "$this: a CPU that does not answer is said (A4, A6, A11)" \
        grep -q '^migcost: 1 of 4 CPUs did not answer' "$boot_logs/$this.txt"
    check "$this: it is said that nothing can be started" \
        grep -q '^migcost: .*: nothing can be started safely; reset in' "$boot_logs/$this.txt"
    check "$this: the others are measured" grep -q '^taken ' "$boot_logs/$this.txt"
    check "$this: no image is started, and the machine is reset" \
        never_said '^child:|^= not reset|^= end run'
    check "$this: nothing of the firmware that could wait for that CPU is used" \
        never_said '^record:|^report:'
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 4)" <<'NSH'
try crumb dmpstore MigrationRun -guid 947a949a-b9cc-4678-b178-443eddc5a6e7
try show migcost.efi --show
try again migcost.efi --size 16K
NSH
    says "the next boot finds the breadcrumb" crumb ' +00000000: 4D 49 47 52 01 01 01 00'
    ends "and no record" show 0xC
    says "what it means is said" again 'migcost: the last run did not come to its end'
    ends "and it is tried once more" again 0x0
}
never_said() {
    ! grep -Eq "$1" "$boot_logs/$this.txt"
}

# many CPUS: a machine of that many, by the clock of the host: where so many wait in turn, a clock of
# instructions runs away.
many() {
    BOOT_SECONDS=900
    BOOT_CLOCK=()
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp "$1")" -m 1024 <<'NSH'
load watch.efi
try run migcost.efi --size 16K --budget 20
try watch tell.efi
try show migcost.efi --show
NSH
    ends "$1 CPUs are measured" run 0x0
    says "and stored" run "migcost: done in .*: measured, stored"
    lent_properly watch "$1"
    watched "record and breadcrumb are written once each" watch sets -eq 2
    says "it is of all of them" show "CPUs +$1;"
}
long_sixteen() {
    many 16
}
long_sixty_four() {
    many 64
}
long_255() { # as many as there are without x2APIC
    many 255
}
