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

# boots: how often the machine ran its lines.
boots() {
    grep -c '^= begin first =' "$boot_logs/$this.txt"
}

# Firmware that hangs: the watchdog resets the machine, twice, and then it comes up (A3, F6, G1).
case_hang() {
    VM_REBOOT=()
    VM_TYPE=()
    boot_shell -cpu "$VM_CPU" -smp 2 <<'NSH'
load watch.efi
load hang.efi
try first launch.efi boot --quiet --budget 3 --chain \child.efi
try watch1 tell.efi
try crumb dmpstore MigrationRun -guid 947a949a-b9cc-4678-b178-443eddc5a6e7
try second launch.efi sysprep --budget 3
try shell migcost.efi --budget 3
try watch2 tell.efi
NSH
    check "$this: the watchdog resets the machine twice, and no more" [ "$(boots)" -eq 3 ]
    says "the third start has its image started" first 'child: options'
    watched "and starts no CPU" watch1 starts -eq 0
    watched "nor writes a variable" watch1 sets -eq 0
    says "the breadcrumb counts two" crumb ' +00000000: 4D 49 47 52 01 01 02 00'
    launch_status "SysPrep goes on as well" second 0x0
    ends "in the shell it has a status of its own" shell 0x6
    says "what it means is said" shell 'migcost: 2 runs hung, were cut off or not stored; --force'
    watched "nor does that start a CPU" watch2 starts -eq 0
    watched "or write anything" watch2 sets -eq 0
}

# What is written, and when: twice around a measurement, never else (D4). A key skips it (F6).
case_crumb() {
    VM_TYPE=('startup\.nsh.* continue' '\r' 'measuring in 1 s' 'x')
    boot_shell -cpu "$VM_CPU" -smp 2 <<'NSH'
load watch.efi
try key launch.efi boot --size 16K
try watch0 tell.efi
try run launch.efi boot --mode=sysprep --size 16K
try watch1 tell.efi
try left dmpstore MigrationRun -guid 947a949a-b9cc-4678-b178-443eddc5a6e7
try typed migcost.efi --size 16K
try watch2 tell.efi
migcost.efi --delete
tell.efi
set -v our 947a949a-b9cc-4678-b178-443eddc5a6e7
setvar MigrationCost -guid %our% -nv -bs -rt =0102030405060708090a0b0c0d0e0f1011121314
tell.efi
try foreign launch.efi sysprep --size 16K
try watch3 tell.efi
setvar MigrationCost -guid %our% -nv -bs -rt =
setvar MigrationRun -guid %our% -nv -bs =0102030405060708090a0b0c0d0e0f1011121314
tell.efi
try odd launch.efi sysprep --size 16K
try watch4 tell.efi
migcost.efi --delete
try fill fill.efi
tell.efi
try full launch.efi boot --quiet --size 16K
try watch5 tell.efi
try nostore launch.efi boot --quiet --size 16K --no-store
try watch6 tell.efi
NSH
    says "a key skips measuring within a second" key 'migcost: done.*: skipped by a key: not measured'
    watched "no CPU is started then" watch0 starts -eq 0
    watched "and no variable written" watch0 sets -eq 0
    launch_status "--mode says how it was started" run 0x0
    launched "as SysPrep it prints nothing" run prints -eq 0
    watched "a boot that measures writes the breadcrumb and the record" watch1 sets -eq 2
    watched "and takes the breadcrumb away" watch1 deletes -eq 1
    says "nothing is left of it" left 'dmpstore: No matching variables'
    watched "back in the shell the watchdog is off, as the shell had it" watch2 watchdog -eq 0
    watched "what is unchanged costs the breadcrumb alone" watch2 sets -eq 1
    watched "which is taken away again" watch2 deletes -eq 1
    launched "the watchdog is at its default afterwards (G1)" run watchdog -eq 300
    launch_status "with nowhere to store a boot goes on" foreign 0x0
    watched "it does not measure for nothing at every boot" watch3 starts -eq 0
    watched "a breadcrumb that is none is written over" watch4 starts -eq 1
    watched "after it was deleted for its attributes (D8)" watch4 deletes -eq 2
    launch_status "in a full store no breadcrumb can be left: not measured" full 0x10
    watched "no CPU is started then" watch5 starts -eq 0
    watched "nothing is written" watch5 sets -eq 0
    watched "--no-store measures without one" watch6 starts -eq 1
    watched "and writes nothing" watch6 sets -eq 0
}

# A working set of which the time that is left does not hold many touches: our own end lies before
# the firmware's, which would reset a CPU at work (A6).
long_huge() {
    boot_shell -m 1024 -cpu "$VM_CPU" -smp 2 <<'NSH'
load watch.efi
try run migcost.efi --size 160M --pattern chase --budget 3 --no-store
try watch tell.efi
NSH
    ends "a working set that is too large for its budget comes to an end" run 0x0
    says "what is missing is flagged" run ".*budget-hit:"
    says_not "no CPU is lost for it" run ".*did not answer|.*by force"
    watched "all CPUs are back" watch aps -eq 1
}

# Each field of the identity, changed in a record that else is sound (D16): what must is measured anew.
case_identity() {
    local field
    {
        echo 'load watch.efi'
        echo 'launch.efi sysprep --size 16K'
        for field in 48 52 60 64 68 72 40 76=1; do
            printf 'forge.efi %s\ntell.efi\n' "$field"
            printf 'launch.efi sysprep --size 16K\ntry at%s tell.efi\n' "${field%=*}"
        done
        echo 'try deleted migcost.efi --delete'
    } | boot_shell -cpu "$VM_CPU" -smp 2
    watched "another CPU signature is measured anew" at48 starts -eq 1
    watched "another microcode is not: a note" at52 starts -eq 0
    watched "other caches are" at60 starts -eq 1
    watched "other NUMA nodes are" at64 starts -eq 1
    watched "another firmware version is" at68 starts -eq 1
    watched "another measuring method is" at72 starts -eq 1
    watched "another duration of the run says nothing of the machine" at40 starts -eq 0
    watched "and writes nothing" at40 sets -eq 0
}

# --verify compares, and says so by its status; it writes no record unless told to.
case_verify() {
    # The first class: no flags, 8.4 ms, no spread.
    local lie="84=0 96=0 97=0 98=128 99=0 100=0 101=0 102=0 103=0"
    boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 4)" <<NSH
load watch.efi
try none migcost.efi --verify
migcost.efi --size 16K
tell.efi
try holds migcost.efi --verify
try watch1 tell.efi
forge.efi $lie
tell.efi
try drifted migcost.efi --verify
try watch2 tell.efi
try kept migcost.efi --verify --no-store
try anew migcost.efi --verify --force --size 16K
try watch3 tell.efi
forge.efi 68
try other migcost.efi --verify
NSH
    ends "without a record there is nothing to verify" none 0xC
    ends "a record that holds is a success" holds 0x0
    says "each class has a line" holds 'core +[-0-9]'
    says "it is said how many hold" holds '2 of 2 classes measured again, 0 drifted'
    watched "the other CPUs are started once" watch1 starts -eq 1
    watched "the breadcrumb alone is written" watch1 sets -eq 1
    ends "drift has a status of its own" drifted 0x18
    says "the class is named" drifted 'core .* drifted$'
    watched "the record is not written" watch2 sets -eq 1
    ends "a second look finds the same: nothing was changed" kept 0x18
    ends "--force measures anew what has drifted" anew 0x0
    watched "and stores it" watch3 sets -eq 2
    ends "a record of another machine is none to verify" other 0xD
    says "it is said what differs" other 'migcost: the record is of another machine or state: firmware'
}

# esp_file FILE: takes the file out of the disk, into FILE.
esp_file() {
    mcopy -n -o -i "$boot_logs/$this.img" ::/MigrationCost.bin "$1"
}
clean_volume() {
    fsck.fat -n "$boot_logs/$this.img" >"$boot_logs/$this.fsck" 2>&1
}
# again_on_disk <<LINES: boots the same disk with other lines.
again_on_disk() {
    {
        printf '@echo -off\nfs0:\n'
        sed -E 's/^try ([^ ]+) (.*)/echo = begin \1 =\n\2\necho = end \1 %lasterror% =/'
        echo 'reset -s'
    } >"$boot_logs/$this.nsh"
    mcopy -n -o -i "$boot_logs/$this.img" "$boot_logs/$this.nsh" ::/startup.nsh
    boot -cpu "$VM_CPU" -smp 2
}

# The record in a file that is made beforehand, and written in place: power cuts leave it, and the
# file system, in order (G8).
case_esp() {
    local file=$boot_logs/$this.bin
    head -c 4096 /dev/zero >"$file"
    boot_shell -f "$file=/MigrationCost.bin" -cpu "$VM_CPU" -smp 2 <<'NSH'
load watch.efi
try run launch.efi sysprep --store=esp --size 16K
try again launch.efi sysprep --store=esp
try watch1 tell.efi
try show migcost.efi --store=esp --show
try none migcost.efi --show
try typed migcost.efi --store=esp --size 16K
NSH
    launch_status "a boot stores into the file" run 0x0
    watched "it measures once" watch1 starts -eq 1
    watched "and writes no variable" watch1 sets -eq 0
    ends "the file's record can be shown" show 0x0
    ends "there is none in the variable" none 0xC
    says "what is unchanged is not written again (D4)" typed 'migcost: done.*: measured, unchanged'
    esp_file "$file"
    check "$this: Linux reads it" build/migcost show --file="$file" >/dev/null
    check "$this: the breadcrumb is gone" [ "$(od -An -tx1 -j512 -N16 "$file" | tr -d ' 0\n')" = "" ]
    check "$this: the file system is clean" clean_volume

    # Cut off while other CPUs are to be out: by the watchdog, which ends QEMU.
    again_on_disk <<'NSH'
load hang.efi
launch.efi sysprep --store=esp --force --size 16K
echo = went on =
NSH
    check "$this: the machine was cut off" lacks_text '^= went on ='
    esp_file "$file"
    check "$this: the breadcrumb is there then" \
        [ "$(od -An -tx1 -j512 -N8 "$file" | tr -d ' \n')" = 4d49475201010100 ]
    check "$this: the record is as it was" build/migcost show --file="$file" >/dev/null
    check "$this: the file system is still clean" clean_volume

    # As if it had been cut off between the two sectors of a record.
    printf '\0\0\0\0\0\0\0\0' | dd of="$file" bs=1 seek=1100 conv=notrunc status=none
    mcopy -n -o -i "$boot_logs/$this.img" "$file" ::/MigrationCost.bin
    refuse "$this: Linux refuses a torn record" 'damaged|does not check|CRC' build/migcost show --file="$file"
    again_on_disk <<'NSH'
load watch.efi
try torn launch.efi sysprep --store=esp --size 16K
try watch2 tell.efi
try shown migcost.efi --store=esp --show
try volatile migcost.efi --store=volatile --size 16K
try where dmpstore MigrationCost -guid 947a949a-b9cc-4678-b178-443eddc5a6e7
try watch3 tell.efi
try delete migcost.efi --store=esp --delete
try gone migcost.efi --store=esp --show
rm MigrationCost.bin
try nofile launch.efi boot --quiet --store=esp --size 16K
try watch4 tell.efi
NSH
    watched "a torn record is measured anew" watch2 starts -eq 1
    ends "and replaced" shown 0x0
    says "a volatile variable takes the record as well (D9)" volatile 'record: stored, '
    says "it has no attribute that would keep it" where "Variable RT\+BS "
    watched "and nothing else is written for it" watch3 sets -eq 1
    ends "the record in the file can be deleted" delete 0x0
    ends "after which there is none" gone 0xC
    launch_status "without the file a boot has a status of its own" nofile 0x1f
    watched "and measures nothing" watch4 starts -eq 0
    check "$this: no file is made (G8)" no_esp_file
}
lacks_text() {
    ! grep -q "$1" "$boot_logs/$this.txt"
}
no_esp_file() {
    ! mdir -i "$boot_logs/$this.img" ::/MigrationCost.bin >/dev/null 2>&1
}
