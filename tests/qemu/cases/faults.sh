# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Faults on purpose: firmware that lies, volumes that cannot be written, and power that goes away.

# CPUs that somebody has disabled stay so: none, one and all of the others (A8, A2).
case_disabled() {
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 4)" <<'NSH'
try one disable.efi 2
try run migcost.efi --size 16K
try still disable.efi look
try all disable.efi 13
load watch.efi
try alone migcost.efi --size 16K --no-store
try watch tell.efi
try stillall disable.efi look
try boot launch.efi boot --quiet --force --size 16K
try entry launch.efi sysprep --force --size 16K
NSH
    ends "the hook disabled a CPU" one 0x0
    ends "the others are measured" run 0x0
    says "all three of them" run '3 CPUs; measuring'
    says "what is left out is flagged" run '.*cpus-left-out:'
    says "the disabled one stays disabled (A8)" still 'cpu: 2 disabled'
    says "and the others enabled" still 'cpu: 3 enabled'
    ends "the hook disabled all others" all 0x0
    ends "then the boot CPU is alone (A2)" alone 0x13
    watched "nobody is inside" watch aps -eq 0
    watched "no CPU is enabled or disabled (A8)" watch enables -eq 0
    check "$this: all three stay disabled" \
        [ "$(section stillall | grep -c '^cpu: [123] disabled')" -eq 3 ]
    launch_status "a boot ends with the same status" boot 0x13
    launch_status "and SysPrep goes on" entry 0x0
}

# A store that says that it is empty and takes nothing: SetVariable has the last word (D3).
case_liar() {
    boot_shell -cpu "$VM_CPU" -smp 2 <<'NSH'
load watch.efi
try fill fill.efi
load lie.efi
tell.efi
try typed migcost.efi --size 16K
try watch1 tell.efi
try none migcost.efi --show
try boot launch.efi boot --quiet --size 16K
try watch2 tell.efi
try entry launch.efi sysprep --size 16K
try crumb dmpstore MigrationRun -guid 947a949a-b9cc-4678-b178-443eddc5a6e7
NSH
    ends "the hook filled the variable store" fill 0x0
    ends "that the record is refused has a status of its own" typed 0x7
    says "the result is shown nevertheless" typed 'decay +500 us'
    says "it is said by what it was refused" typed \
        'record: not stored: the firmware refused the write \(Out of Resources\)'
    says "and that no breadcrumb could be left" typed \
        'migcost: no breadcrumb can be left: Out of Resources'
    watched "one write for each, and one of a shorter record (D5)" watch1 sets -le 3
    ends "nothing is half stored" none 0xC
    launch_status "a boot without a breadcrumb does not measure" boot 0x10
    watched "no CPU is started then" watch2 starts -eq 0
    watched "one write is tried" watch2 sets -eq 1
    launch_status "SysPrep goes on" entry 0x0
    says "nothing is left behind" crumb 'dmpstore: No matching variables'
}

# Volumes that cannot be written: read-only, and without a free cluster (G8). Beside the usual disk.
case_volumes() {
    local full=$boot_logs/$this.full.img readonly=$boot_logs/$this.ro.img small=$boot_logs/$this.small
    head -c 4096 /dev/zero >"$boot_logs/$this.store"
    head -c 512 /dev/zero | tr '\0' ' ' >"$small"
    vm_disk "$readonly" 2 build/migcost.efi=/migcost.efi "$boot_logs/$this.store=/MigrationCost.bin" \
        "$small=/report.json"
    vm_disk "$full" 2 build/migcost.efi=/migcost.efi "$boot_logs/$this.store=/MigrationCost.bin"
    head -c 2M /dev/zero | mcopy -i "$full" - ::/rest 2>/dev/null # as much as there is room for
    rest_of_volume "$full"
    boot_shell -cpu "$VM_CPU" -smp 2 -device qemu-xhci \
        -device usb-storage,drive=ro -drive "if=none,id=ro,format=raw,readonly=on,file=$readonly" \
        -device usb-storage,drive=full -drive "if=none,id=full,format=raw,file=$full" <<'NSH'
map -r
fs1:
try ro migcost.efi --store=esp --size 16K --report
try robin launch.efi boot
fs2:
try full migcost.efi --store=esp --size 16K
try again migcost.efi --store=esp --show
try stick migcost.efi --usb --size 16K
fs0:
NSH
    says "a read-only volume is told: the breadcrumb" ro 'migcost: no breadcrumb can be left: Write Protected'
    says "the record" ro 'record: not stored: .*\(Write Protected\)'
    says "and the report" ro 'report: report\.json: .*\(Write Protected\)'
    ends "the status is that of the record" ro 0x7
    ends "a full volume takes what was made beforehand" full 0x0
    ends "which is found again" again 0x0
    says "a new file on it is told" stick 'report: report\.json: .*\(Volume Full\)'
    ends "and has a status of its own" stick 0xB
    check "$this: the full volume is in order" fsck.fat -n "$full" >/dev/null
    check "$this: nothing was written to the read-only one" \
        [ "$(mtype -i "$readonly" ::/MigrationCost.bin | tr -d '\0' | wc -c)" -eq 0 ]
}
# rest_of_volume IMAGE: fills it up cluster by cluster.
rest_of_volume() {
    local i=0
    while [ $((i += 1)) -lt 4096 ] &&
        head -c 2048 /dev/zero | mcopy -i "$1" - "::/rest$i" 2>/dev/null; do
        :
    done
}

# An image that comes back, with every status there is (E13): told, unloaded, and the boot goes on.
case_children() {
    local code
    {
        echo 'migcost.efi --size 16K --quiet'
        echo 'try before dh -p LoadedImage'
        for code in {0..35}; do
            printf 'try s%d launch.efi boot --chain \\child.efi status=%x\n' "$code" "$code"
        done
        echo 'try after dh -p LoadedImage'
        # As docs/safety.md says how to remove everything.
        echo "setvar MigrationRun -guid $OUR_GUID -nv -bs -rt =0102"
        echo 'try delete migcost.efi --delete'
        echo "try setvar setvar MigrationRun -guid $OUR_GUID -nv -bs -rt ="
        echo "try gone dmpstore -guid $OUR_GUID"
    } | boot_shell -cpu "$VM_CPU" -smp 2
    check "$this: each of 36 statuses is told" all_children 'migcost: .child\.efi(: the firmware|) (came back|refuses)'
    check "$this: after each the firmware gets our own status" all_children 'launch: status 0x(14|f)'
    says "by its name where it has one" s14 'migcost: .child\.efi came back: Not Found'
    says "one is that of an image that firmware did not start (UEFI 2.10, 7.4)" s26 \
        'migcost: .child\.efi: the firmware refuses to start it: Security Violation'
    check "$this: no image is left in memory" \
        [ "$(section before | grep -c .)" = "$(section after | grep -c .)" ]
    ends "the record can be deleted" delete 0x0
    ends "the breadcrumb too, from the shell" setvar 0x0
    says "nothing is left" gone 'dmpstore: No matching variables'
}
OUR_GUID=947a949a-b9cc-4678-b178-443eddc5a6e7
all_children() { # all_children ERE
    local code
    for code in {0..35}; do
        has_line "s$code" "$1" || return
    done
}

# ---- Power cuts ----

# boot_cut PATTERN COMMAND...: boots, and pulls the plug when the console shows that, some seconds
# after the command (which may be nothing) was run. The lines come from standard input.
boot_cut() {
    local pattern=$1 pid_file=$boot_logs/$this.pid log=$boot_logs/$this.log cutter
    shift
    lines_to_disk
    rm -f "$pid_file"
    : >"$log"
    (
        until grep -aq "$pattern" "$log"; do sleep 0.1; done
        "$@"
        kill -KILL "$(<"$pid_file")"
    ) &
    cutter=$!
    boot -cpu "$VM_CPU" -smp 2 -pidfile "$pid_file" "${CUT_ARGUMENTS[@]}" >/dev/null 2>&1
    kill $cutter 2>/dev/null
    check "$this: the power was cut: $pattern" cut_there "$pattern"
}
CUT_ARGUMENTS=()
cut_there() {
    [ "$boot_status" -ne 0 ] && [ "$boot_status" -ne 124 ] && grep -q "$1" "$boot_logs/$this.txt" &&
        lacks_text '^= went on ='
}
# lines_to_disk: as startup.nsh, onto the case's disk, which is made if it is not there.
lines_to_disk() {
    {
        printf '@echo -off\nfs0:\n'
        sed -E 's/^try ([^ ]+) (.*)/echo = begin \1 =\n\2\necho = end \1 %lasterror% =/'
        printf 'echo = went on =\nreset -s\n'
    } >"$boot_logs/$this.nsh"
    [ -e "$boot_logs/$this.img" ] || boot_disk
    mcopy -n -o -i "$boot_logs/$this.img" "$boot_logs/$this.nsh" ::/startup.nsh
}

# What the boot before has left, as every boot looks at first.
LEFT="try crumb dmpstore MigrationRun -guid $OUR_GUID
try record migcost.efi --show
load watch.efi"
STAGE='setvar Stage -guid 5b0f7a64-1d0c-4f4e-8a6d-0e631f5290d7 -bs'
# count WHAT NUMBER: the breadcrumb that was left counts so many runs; 0: there is none.
count() {
    if [ "$2" -eq 0 ]; then
        says "$1" crumb 'dmpstore: No matching variables'
    else
        says "$1" crumb " +00000000: 4D 49 47 52 01 01 0$2 00"
    fi
}

# The power goes at four stages, one boot after the other, with the same variables (A3).
case_cuts() {
    boot_cut 'stage: before the breadcrumb' : <<NSH
$LEFT
$STAGE =62
load stage.efi
launch.efi boot --size 16K
NSH
    boot_cut 'stage: after the breadcrumb' : <<NSH
$LEFT
$STAGE =61
load stage.efi
launch.efi boot --size 16K
NSH
    count "a cut before the breadcrumb leaves none" 0
    ends "and no record" record 0xC
    boot_cut 'measuring takes about' : <<NSH
$LEFT
launch.efi boot
NSH
    count "a cut after it leaves it" 1
    ends "and no record" record 0xC
    boot_cut 'stage: while the record is written' sleep 0.5 <<NSH
$LEFT
try skipped launch.efi boot --size 16K
try entry launch.efi sysprep --size 16K
try watch1 tell.efi
migcost.efi --size 16K --force
$STAGE =77
load stage.efi
launch.efi boot --size 32K --force
NSH
    count "a cut while it is measured leaves it, counted" 2
    ends "and no record" record 0xC
    launch_status "after two cuts it is not tried again" skipped 0x6
    launch_status "and SysPrep goes on" entry 0x0
    watched "no CPU is started then" watch1 starts -eq 0
    ends_well
}
# What must hold after a cut while the record was written; then all is as after a good boot.
ends_well() {
    again_on_disk <<NSH
$LEFT
try second launch.efi boot --size 16K --force
try third launch.efi boot --quiet
try watch2 tell.efi
try crumb2 dmpstore MigrationRun -guid $OUR_GUID
NSH
    count "a cut while the record is written leaves the breadcrumb" 1
    check "$this: the record is the old one, the new one or none, never half" whole_or_none
    says "it is measured once more" second 'migcost: done.*: measured, (stored|unchanged)'
    launch_status "the next boot finds its record" third 0x15
    watched "CPUs were started once, for both" watch2 starts -eq 1
    says "and no breadcrumb is left" crumb2 'dmpstore: No matching variables'
}
whole_or_none() {
    grep -Eq '^= end record (0x0|0xC) =' "$boot_logs/$this.txt"
}

long_128() { # start.sh has other numbers
    many 128
}

# The same eight times, at whatever byte the flash is then.
long_cuts() {
    local good=0 i
    for i in {1..8}; do
        boot_cut 'stage: while the record is written' sleep "0.$((RANDOM % 10))" <<NSH >/dev/null
migcost.efi --size 16K --force
$STAGE =77
load stage.efi
launch.efi boot --size 32K --force
NSH
        ends_well >"$boot_logs/$this.well"
        grep -q '^not ok' "$boot_logs/$this.well" || good=$((good + 1))
    done
    check "$this: 8 of 8 boots after such a cut end well ($good did)" [ $good -eq 8 ]
}

# A non-maskable interrupt while CPUs are out: firmware's to handle. What it shows then is its own
# affair; the machine comes up afterwards (A29).
case_nmi() {
    local pipe=$boot_logs/$this.monitor
    rm -f "$pipe".{in,out}
    mkfifo "$pipe.in" "$pipe.out"
    exec 9<>"$pipe.in" 8<>"$pipe.out"
    CUT_ARGUMENTS=(-chardev "pipe,id=hand,path=$pipe" -mon chardev=hand)
    boot_cut 'measuring takes about' send_nmi <<NSH
launch.efi boot
NSH
    if grep -q 'X64 Exception Type' "$boot_logs/$this.txt"; then
        ok "$this: the firmware shows its exception screen and stops"
    else
        echo "skip $this: this firmware does nothing that can be seen after an NMI"
    fi
    exec 9>&- 8>&-
    again_on_disk <<NSH
$LEFT
try second launch.efi boot --size 16K
try third launch.efi boot --quiet
try watch2 tell.efi
NSH
    count "the breadcrumb was written before (A3)" 1
    says "the next boot measures" second 'migcost: done.*: measured, stored'
    launch_status "and the one after it has nothing to do" third 0x15
    watched "CPUs were started once, for both" watch2 starts -eq 1
}
send_nmi() {
    echo nmi >&9
    sleep 5
}
