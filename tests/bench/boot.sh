#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Figures of the application in OVMF under TCG, by the guest's own clock: a busy host makes them larger.
# shellcheck source=tests/qemu/boot.sh
source "$(dirname "$0")/../qemu/boot.sh"

if ! vm_need "$VM_CODE" "$VM_VARS" || ! make --no-print-directory -s efi hooks >/dev/null; then
    exit 0
fi
boot_logs=build/bench/qemu
BOOT_CLOCK=() # the clock of the host
mkdir -p $boot_logs
# shellcheck disable=SC2154 # boot.sh wants it
for cpus in 4 8; do
    this=$cpus-cpus
    rm -f "$boot_logs/$this".*
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp $cpus)" >"$boot_logs/$this.results" <<'NSH'
load watch.efi
try run migcost.efi
try watch tell.efi
for %i run (1 8)
launch.efi sysprep
endfor
NSH
    limit=
    [ $cpus -eq 4 ] && limit=" (limit 20000)"
    printf '%-44s %12s %s\n' \
        "$cpus CPUs, first to last line" \
        "$(section run | sed -n 's/^migcost: done in \([0-9]*\) ms.*/\1/p')" "ms$limit" \
        "$cpus CPUs, start calls" "$(watch_value watch starts)" "(limit 1)" \
        "$cpus CPUs, information calls" "$(watch_value watch infos)" "(limit $cpus)" \
        "$cpus CPUs, a boot with a valid record" \
        "$(sed -n 's/^launch: us //p' "$boot_logs/$this.txt" | sort -n | head -n 1)" \
        "us, entry to exit, best of 8 (limit 5000)" \
        "$cpus CPUs, stack used on another CPU" "$(watch_value watch stack)" "bytes (limit 2047)"
done
