# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Cases about our own start of the other CPUs, by INIT and SIPI. TCG of QEMU 7.2 has no x2APIC: what
# is written there is looked at on the host (unit/test_apic.c).

# What is said of the CPUs, the matrix without its figures, and the levels, of one run.
shape() { # shape LABEL
    section "$1" | grep -E '^CPUs '
    matrix "$1"
    section "$1" | sed -nE 's/^(core|L2|module|LLC|die|package|node|system)( +[0-9]+) .*/\1\2/p'
}
same_shape() { # same_shape LABEL LABEL
    [ "$(shape "$1" | wc -l)" -ge 5 ] && diff <(shape "$1") <(shape "$2")
}

case_sipi() {
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 4)" <<'NSH'
load watch.efi
try lent migcost.efi --size 16K --no-store
try watch1 tell.efi
try taken migcost.efi --size 16K --no-store --start=sipi
try watch2 tell.efi
try after migcost.efi --size 16K --no-store --start=mp
try take no_mp.efi
try own migcost.efi --size 16K
try second migcost.efi --size 16K --start=sipi
try mp migcost.efi --size 16K --no-store --start=mp
NSH
    ends "the firmware's start measures" lent 0x0
    ends "so does our own while there are MP services" taken 0x0
    says "it is said whose CPUs these are (A11)" taken \
        "migcost: starting the other CPUs by INIT and SIPI, behind the back of the firmware"
    watched "the firmware is asked once, after all, whether it can wake its CPUs (A11)" watch2 starts -eq 1
    watched "in a blocking way" watch2 blocking -eq 1
    watched "and all of them answer it" watch2 aps -eq 3
    check "$this: the result is the same as by the firmware's start" same_shape lent taken
    ends "the firmware can start them as before" after 0x0
    ends "without MP services our own start measures (A1, A12)" own 0x0
    says "the record is stored" own "migcost: done in [0-9]+ ms: measured, stored$"
    check "$this: the result is the same again" same_shape lent own
    says "the others have other memory types after the firmware's start (A31)" lent \
        ".*cache-state-mismatch:"
    says_not "they have the boot CPU's after ours (A31)" own ".*cache-state-mismatch:"
    says_not "nothing is said to be missing" own ".*(no-mp|cpus-left-out):"
    ends "our own start works a second time" second 0x0
    ends "--start=mp without MP services has a status of its own (A1)" mp 0x3
    says "it is said that there are none" mp \
        "migcost: this firmware has no MP services: the boot CPU alone"
}

case_sipi_ids() {
    # Ids with holes (A19), more memory than 32 bits can name (A26), and empty slots (A17).
    boot_shell -m 5G -cpu "$VM_CPU" -smp 6,maxcpus=12,sockets=4,cores=3,threads=1 <<'NSH'
try lent migcost.efi --size 16K --no-store
try take no_mp.efi
try own migcost.efi --size 16K --no-store
NSH
    ends "six CPUs of twelve are started" own 0x0
    says "CPUs are named by their APIC ids" own "CPUs +6: .*; APIC ids 0-2[ ,]4-6$"
    says_not "empty slots are not missed (A17)" own ".*cpus-left-out:"
    check "$this: the result is the same as by the firmware's start" same_shape lent own
}

case_sipi_silent() {
    boot_shell -m 128 -cpu "$VM_CPU" -smp 3 <<'NSH'
try take no_mp.efi
try list madt.efi
try own migcost.efi --size 16K --no-store
try again migcost.efi --size 16K --no-store
NSH
    ends "ACPI lists CPUs that are not there" list 0x0
    ends "those that are there are measured nevertheless (A16)" own 0x0
    says "those that do not answer are named, once each" own \
        "migcost: 2 of 5 CPUs did not answer, APIC id 112, 300$"
    says "the matrix is of the three" own "2  0  0  \.$"
    says "the result is flagged" own ".*cpus-left-out:"
    ends "and again" again 0x0
}

case_sipi_levels() {
    boot_shell -cpu "$VM_CPU" -smp 3 <<'NSH'
try lent migcost.efi --size 16K --no-store
try take no_mp.efi
try five la57.efi
try own migcost.efi --size 16K --no-store
NSH
    ends "the boot CPU has page tables of five levels" five 0x0
    ends "the others are started into them (C11)" own 0x0
    check "$this: the result is the same as with four" same_shape lent own
}

case_sipi_low() {
    boot_shell -m 128 -cpu "$VM_CPU" -smp 2 <<'NSH'
try take no_mp.efi
try low no_low.efi
try own migcost.efi --size 16K
NSH
    ends "the memory below 1 MiB is gone" low 0x0
    ends "no way to start CPUs has a status of its own (C5)" own 0x3
    says "it is said why (C5)" own \
        "migcost: there is no memory below 640 KiB to start CPUs in: the boot CPU alone$"
    says "the result says so too" own ".*no-mp:"
}

# All CPUs must be where firmware would have left them when Linux starts them again (A11).
sipi_linux() { # sipi_linux HOOK OPTIONS
    if ! tests/qemu/fetch-kernel >"$boot_logs/$this.fetch" 2>&1; then
        echo "skip $this: $(tail -n 1 "$boot_logs/$this.fetch")"
        return
    fi
    MACHINE=none HOOK=$1 OPTIONS="$2 --size 16K" OUT=$boot_logs/$this tests/qemu/run >"$boot_logs/$this.txt" 2>&1
    check "$this: make run ends with status 0" [ $? -eq 0 ]
    check "$this: the CPUs were started by INIT and SIPI" \
        grep -q '^migcost: starting the other CPUs by INIT and SIPI' "$boot_logs/$this.txt"
    check "$this: Linux brings up all of them" grep -Eq '^linux: .*, 4 CPUs$' "$boot_logs/$this.txt"
}
case_sipi_linux() {
    sipi_linux no_mp ""
}
long_sipi_linux_taken() {
    sipi_linux "" --start=sipi
}
long_sipi_many() { # as many as there are without x2APIC
    BOOT_SECONDS=900
    BOOT_CLOCK=()
    boot_shell -m 1024 -cpu "$VM_CPU" -smp 255 <<'NSH'
try take no_mp.efi
try own migcost.efi --size 16K --no-store --budget 20
NSH
    ends "255 CPUs are measured after our own start" own 0x0
    says "all of them came" own "CPUs +255:"
    says_not "none is missing" own ".*cpus-left-out:"
}
