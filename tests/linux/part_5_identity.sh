# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# Whether a record is of this machine (I8, I9, D16).

system
run apply --dry-run
equal "the same machine: nothing to remark" "$error" ""
while read -r name signature family model stepping; do
    sed -i "s/^cpu family.*/cpu family\t: $family/; s/^model\t\t:.*/model\t\t: $model/
        s/^stepping.*/stepping\t: $stepping/" $root/proc/cpuinfo
    record signature="$signature"
    expect "signature $signature: $name" 0 '123456' apply --dry-run
    equal "signature $signature: compared" "$error" ""
done <<'END'
SapphireRapids 0x806F8 6 143 8
Zen4 0xA10F11 25 17 1
Zen1 0x800F12 23 1 2
K8 0x00020F32 15 35 2
PentiumPro 0x00000619 6 1 9
P4 0x00000F29 15 2 9
Pentium 0x00100543 5 4 3
END
system
record signature=0x806F7
expect "another stepping" 10 'stepping 7; this one is of family 6, model 143, stepping 8' apply
expect "another stepping, forced" 0 'stepping 8 \(forced\)' apply --force --dry-run
record signature=0x806E8
expect "another model" 10 'model 142' apply
record signature=0xA10F11
expect "another family" 10 'family 25' apply
holds "a record of another machine is not applied" $debugfs_knob 500000
record firmware=1.2.4
expect "another firmware version" 10 'another firmware version' apply
put sys/class/dmi/id/bios_version '1.2.4   '
expect "trailing blanks of the version do not count" 0 '123456' apply --dry-run
rm $root/sys/class/dmi/id/bios_version
expect "no firmware version here: a note" 0 "note: the firmware's version" apply --dry-run
system
$out/craft $root/$variable attributes=7 signature=0x806F8
expect "no firmware version there: a note" 0 "note: the firmware's version" apply --dry-run
record signature=0
expect "no signature there: a note" 0 "note: the CPU's signature" apply --dry-run
rm $root/proc/cpuinfo
expect "no /proc/cpuinfo: notes" 0 'note: the APIC ids' apply --dry-run

system
cpus 0 2
expect "CPUs offline are no mismatch" 0 "note: 2 of the record's 4 CPUs are online" apply --dry-run
cpus 3 1 0 2
run apply --dry-run
equal "CPUs in any order" "$code $error" "0 "
cpus 0 1 2 4
expect "a CPU that the record does not know" 10 'APIC id 4 is online and not in the record' apply
cpus 0 1 2 3 4
expect "a CPU more than the record has" 10 'APIC id 4' apply
record ids=0,2,0x10000,0xFFFFFFFE
cpus 0 2 65536 4294967294
run apply --dry-run
equal "APIC ids of 32 bits (A15)" "$code $error" "0 "

# Too many ids for a list: the sum is all there is.
record ids=4,9,17,200 hash
cpus 4 9 17 200
run apply --dry-run
equal "the sum of the ids, the same CPUs" "$code $error" "0 "
cpus 200 17 9 4
run apply --dry-run
equal "the sum of the ids, in another order" "$code $error" "0 "
cpus 4 9 17 201
expect "the sum of the ids, other CPUs" 10 'other APIC ids' apply
cpus 4 9 17
expect "the sum of the ids, a part of the CPUs: a note" 0 '3 of 4 CPUs are online' apply --dry-run

system
seq 0 1023 | while read -r id; do printf 'apicid\t: %s\n' "$id"; done >$root/proc/cpuinfo
expect "1,024 CPUs online are all seen" 10 'APIC id 4 is' apply
seq 0 1024 | while read -r id; do printf 'apicid\t: %s\n' "$id"; done >$root/proc/cpuinfo
expect "more than 1,024: a note" 0 'note: the APIC ids of this machine are not known' apply --dry-run
head -c 100000 /dev/zero | tr '\0' x >$root/proc/cpuinfo
expect "a line of 100 KB" 0 'note: the APIC ids' apply --dry-run
expect "status tells the machine apart" 0 'machine: no difference' status
record firmware=9
expect "status says what differs" 0 'machine: the record was made under another firmware' status
