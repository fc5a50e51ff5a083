# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Cases about what is typed in the UEFI shell: options, right and wrong, and images to chain-load.

case_options() {
    head -c 65536 /dev/zero | tr '\0' ' ' >"$boot_logs/$this.blank"
    boot_shell -f "$boot_logs/$this.blank=/report.json" -cpu "$VM_CPU" -smp "$(vm_smp 4)" <<'NSH'
load watch.efi
try unknown migcost.efi --sise 16K
try badvalue migcost.efi --budget 0
try nosuchcpu migcost.efi --cpus 0,9
try toolarge migcost.efi --capacity L3=2T
try watch0 tell.efi
try help migcost.efi --help
try version migcost.efi --version
try shownone migcost.efi --show
try deletenone migcost.efi --delete
try budget migcost.efi --budget 1 --no-store
try some migcost.efi --size 16K --cpus 0,2-3 --no-store
try quiet migcost.efi --size 16K --no-store --quiet
try lines migcost.efi --size 16K --no-store --format=2004
try watch1 tell.efi
try report migcost.efi --size 16K --report
try watch2 tell.efi
try show migcost.efi --show
try delete migcost.efi --delete
try showagain migcost.efi --show
NSH
    ends "a wrong option is an invalid parameter" unknown 0x2
    says "it names itself and the nearest right one" unknown 'migcost: unknown option "--sise": did you mean --size\?'
    ends "a number out of range is an invalid parameter" badvalue 0x2
    says "the range is said" badvalue 'migcost: --budget: "0" is out of range \(1 to '
    ends "a CPU that is not there has a status of its own" nosuchcpu 0x11
    says "it is said which one" nosuchcpu 'migcost: --cpus: no CPU has APIC id 9'
    ends "a size beyond all reason is an invalid parameter" toolarge 0x2
    watched "none of these starts a CPU" watch0 starts -eq 0
    watched "or writes a variable" watch0 sets -eq 0
    ends "--help succeeds" help 0x0
    says "--help lists the options" help ' +--budget SECONDS'
    ends "--version succeeds" version 0x0
    ends "without a record --show has a status of its own" shownone 0xC
    ends "and so has --delete" deletenone 0xC
    ends "a budget of one second is kept to" budget 0x0
    check "$this: measuring took less than three seconds then" took_less budget 3000
    ends "some of the CPUs can be chosen" some 0x0
    says "a choice is flagged" some '.*cpus-chosen:'
    ends "--quiet measures" quiet 0x0
    check "$this: --quiet prints nothing (G4)" [ -z "$(section quiet)" ]
    ends "--format=2004 measures" lines 0x0
    says "it prints the lines of 2004" lines 'migration cost matrix \(cache_size: '
    watched "--no-store writes no variable" watch1 sets -eq 0
    watched "and deletes none" watch1 deletes -eq 0
    ends "--report measures" report 0x0
    check "$this: the report is whole, and fills its file (G8)" report_is_whole
    watched "record and breadcrumb are written once each" watch2 sets -eq 2
    ends "--show shows the record" show 0x0
    says "with its CPUs" show 'CPUs +4; APIC ids 0-3$'
    ends "--delete deletes it" delete 0x0
    ends "after which there is none" showagain 0xC
}
took_less() { # took_less LABEL MILLISECONDS: by the line "taken"
    section "$1" | awk -v most="$2" '
        /^taken / { unit = $3; ms = $2 * (unit ~ /^ms/ ? 1 : unit ~ /^s/ ? 1000 : unit ~ /^us/ ? 0.001 : 1e9) }
        END { exit !(ms != "" && ms < most) }'
}
report_is_whole() {
    mcopy -n -o -i "$boot_logs/$this.img" ::/report.json "$boot_logs/$this.json" &&
        [ "$(stat -c %s "$boot_logs/$this.json")" -eq 65536 ] &&
        jq -e '.record and .cpus' "$boot_logs/$this.json" >/dev/null
}

case_images() {
    echo "no image" >"$boot_logs/$this.bad"
    boot_shell -f "$boot_logs/$this.bad=/bad.efi" -cpu "$VM_CPU" -smp 2 <<'NSH'
load watch.efi
try missing migcost.efi --size 16K --chain \none.efi
try watch1 tell.efi
try bad migcost.efi --size 16K --no-store --chain \bad.efi
try plain migcost.efi --size 16K --no-store --chain \child.efi
try passed migcost.efi --size 16K --no-store --chain \child.efi status=5 "two  words" --budget=9
try handed migcost.efi --size 16K --no-store --handoff=cmdline --chain child.efi root=/dev/x
try sysctl migcost.efi --size 16K --no-store --handoff=sysctl --chain child.efi root=/dev/x
try report migcost.efi --size 16K --no-store --report
try wrong migcost.efi --sise 16K --chain \child.efi
NSH
    ends "an image that is not there has a status of its own" missing 0xE
    says "it is named" missing 'migcost: \\none\.efi: no such file on this volume'
    watched "that is told before anything is measured" watch1 starts -eq 0
    ends "a file that is no image has another" bad 0x1
    says "it is named as well" bad 'migcost: \\bad\.efi'
    ends "an image that comes back is told from one that stays" plain 0x14
    says "it has a volume and a path (E9)" plain 'child: a device, a path'
    says "it has no options where none are given" plain 'child: options \[\]'
    says "its options are what was typed" passed 'child: options \[status=5 "two  words" --budget=9\]'
    says "its status is told (E13)" passed 'migcost: \\child\.efi came back: Buffer Too Small'
    says "the result is appended when asked for" handed \
        'child: options \[root=/dev/x migcost\.cache_decay_ns=500000( migcost\.level_ns=0:0)?\]'
    says "as a sysctl too" sysctl \
        'child: options \[root=/dev/x sysctl\.kernel\.sched_migration_cost_ns=500000\]'
    ends "a report without a file to write into has a status of its own (G8)" report 0xB
    check "$this: and creates none" no_report
    ends "after a wrong option" wrong 0x2
    says_not "no image is started" wrong 'child:'
}
no_report() {
    ! mdir -i "$boot_logs/$this.img" ::/report.json >/dev/null 2>&1
}
