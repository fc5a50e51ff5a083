# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Cases about a program that runs before every boot: what it costs when there is nothing to do, and
# what it does when something goes wrong. launch.efi starts it as firmware does.

# launched WHAT LABEL NAME OPERATOR NUMBER: what launch.efi printed compares so.
launched() {
    check "$this: $1" compare "$(section "$2" | sed -n "s/^launch: $3 //p")" "$4" "$5"
}
# launch_status WHAT LABEL STATUS: the application returned this to firmware.
launch_status() {
    check "$this: $1" [ "$(section "$2" | sed -n 's/^launch: status //p')" = "$3" ]
}
# idle LABEL: with nothing to do it did nothing. The calls of a watcher between.
idle() {
    watched "no CPU is started" "$1" starts -eq 0
    watched "no variable is written" "$1" sets -eq 0
    watched "and none deleted" "$1" deletes -eq 0
}

# The clock is that of the instructions done, 64 ns each: `make bench` has the time.
case_once() {
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 8)" <<'NSH'
load watch.efi
try first launch.efi sysprep --size 16K
try watch1 tell.efi
try second launch.efi sysprep
try watch2 tell.efi
try entry launch.efi boot --quiet
try watch3 tell.efi
try chain launch.efi boot --handoff=cmdline --chain \child.efi status=0 root=/dev/x
try watch4 tell.efi
try forced launch.efi boot --force --size 16K
try watch5 tell.efi
NSH
    launch_status "the first start as SysPrep ends well" first 0x0
    watched "it measures" watch1 starts -eq 1
    launched "it prints nothing (G4)" first prints -eq 0
    launched "and reads no key" first keys -eq 0
    launch_status "the second one as well" second 0x0
    idle watch2
    launched "it prints nothing" second prints -eq 0
    launched "it takes few instructions (F6)" second us -le 20000
    launch_status "a boot entry is aborted, so that the next one is tried (F2)" entry 0x15
    idle watch3
    launched "a quiet one prints nothing" entry prints -eq 0
    idle watch4
    says "an entry that chain-loads starts its image at once, with the stored result" chain \
        'child: options \[status=0 root=/dev/x migcost\.cache_decay_ns=500000'
    watched "--force measures nevertheless" watch5 starts -eq 1
}
