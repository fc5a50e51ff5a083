# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# A system made of files, and expectations about what the command does there.

out=build/linux
root=$out/root
program=build/migcost
variable=sys/firmware/efi/efivars/MigrationCost-947a949a-b9cc-4678-b178-443eddc5a6e7
debugfs_knob=sys/kernel/debug/sched/migration_cost_ns
# shellcheck disable=SC2034 # for the parts
sysctl_knob=proc/sys/kernel/sched_migration_cost_ns

build_craft() {
    mkdir -p $out
    gcc -std=c11 -O1 -Wall -Wextra -Werror -o $out/craft tests/linux/craft.c \
        lib/record_*.c lib/crc32.c
}

# put FILE TEXT: a file of the system.
put() {
    mkdir -p "$root/$(dirname "$1")"
    printf '%s\n' "$2" >"$root/$1"
}

# system: one with everything in place and a sound record of four CPUs.
system() {
    rm -rf $root
    mkdir -p $root/proc/sys/kernel $root/run $root/sys/firmware/efi/efivars
    put proc/cmdline 'BOOT_IMAGE=/vmlinuz root=/dev/sda1 quiet'
    put proc/mounts 'efivarfs /sys/firmware/efi/efivars efivarfs rw,nosuid 0 0
debugfs /sys/kernel/debug debugfs rw,nosuid 0 0'
    put proc/filesystems 'nodev	debugfs
	ext4'
    put proc/sys/kernel/osrelease 6.1.0
    put sys/class/dmi/id/bios_version 1.2.3
    put $debugfs_knob 500000
    cpus 0 1 2 3
    record
}

# cpus ID...: those that are online. Family 6, model 143, stepping 8: signature 0x806F8.
cpus() {
    local id
    for id in "$@"; do
        printf 'processor\t: %s\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: a CPU : 7\n' "$id"
        printf 'stepping\t: 8\napicid\t\t: %s\ninitial apicid\t: 99\nflags\t\t: fpu\n\n' "$id"
    done >$root/proc/cpuinfo
}

# record ARGUMENT...: the EFI variable, as tests/linux/craft.c takes them.
# shellcheck disable=SC2120 # the parts pass arguments
record() {
    $out/craft $root/$variable attributes=7 signature=0x806F8 firmware=1.2.3 class=0:10:0 \
        class=3:10:40000 class=7:10:123456 "$@"
}

# run ARGUMENT...: the command in that system. Sets code, said (standard output), error.
run() {
    "$program" --root=$root "$@" >$out/said 2>$out/error
    code=$?
    said=$(<$out/said)
    error=$(<$out/error)
}

# expect NAME CODE PATTERN ARGUMENT...: one test: the command ends with that status, and what it says
# on both channels matches. A failure says one line on standard error that begins with its name.
expect() {
    local name=$1 want=$2 pattern=$3
    shift 3
    run "$@"
    if [ "$code" -ne "$want" ]; then
        not_ok "$name: status $code, not $want"
    elif ! grep -Eq -- "$pattern" <<<"$said"$'\n'"$error"; then
        not_ok "$name: says something else"
    elif [ "$want" -ne 0 ] && ! grep -q '^migcost: ' <<<"$error"; then
        not_ok "$name: no message"
    else
        ok "$name"
        return
    fi
    printf '%s\n%s\n' "$said" "$error" | sed 's/^/    /'
}

# holds NAME FILE TEXT: one test: the system's file holds that.
holds() {
    local have
    have=$(cat "$root/$2" 2>&1)
    if [ "$have" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1: $2 holds '$have', not '$3'"
    fi
}

# gone NAME FILE: one test: the system has no such file.
gone() {
    if [ -e "$root/$2" ]; then not_ok "$1: $2 is there"; else ok "$1"; fi
}

# equal NAME A B: one test.
equal() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1"
        printf 'have: %s\nwant: %s\n' "$2" "$3" | sed 's/^/    /'
    fi
}
