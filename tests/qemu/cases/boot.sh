# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # boot.sh sets this, boot_...
# Cases that start the application without a shell: as a boot entry, from a stick, before Linux.

case_bootx64() {
    # The firmware boots the disk by itself; the shell is its next entry.
    {
        printf '@echo -off\nfs0:\n'
        printf 'echo = begin show =\nmigcost.efi --show\necho = end show %%lasterror%% =\nreset -s\n'
    } >"$boot_logs/$this.nsh"
    boot_disk build/migcost.efi=/EFI/BOOT/BOOTX64.EFI "$boot_logs/$this.nsh=/startup.nsh"
    boot -cpu "$VM_CPU" -smp 2
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
    check "$this: the application ran as BOOTX64.EFI" \
        grep -q '^migcost: done in .*: measured, stored' "$boot_logs/$this.txt"
    check "$this: the firmware went on to its next entry (F2)" \
        grep -q '^= begin show =' "$boot_logs/$this.txt"
    ends "the record is there" show 0x0
}

# Linux takes over after ExitBootServices (A11), finds its initrd (E9) and its knob (I1).
case_linux() {
    local line
    if ! tests/qemu/fetch-kernel >"$boot_logs/$this.fetch" 2>&1; then
        echo "skip $this: $(tail -n 1 "$boot_logs/$this.fetch")"
        return
    fi
    OUT=$boot_logs/$this tests/qemu/run >"$boot_logs/$this.txt" 2>&1
    check "$this: make run ends with status 0" [ $? -eq 0 ]
    while read -r line; do
        case $line in
        "run: ok: "*) ok "$this: ${line#run: ok: }" ;;
        "run: FAILED: "*) not_ok "$this: ${line#run: FAILED: }" ;;
        esac
    done <"$boot_logs/$this.txt"
    check "$this: the terminal shows nothing of firmware, shell and kernel" calm
}
calm() {
    ! grep -Eq $'\e|BdsDxe|Shell|^\[ *[0-9]+\.' "$boot_logs/$this.txt"
}
