# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What the cases of boot-tests are written in: boot a machine, run commands in the UEFI shell, and look
# at what each one said. To be sourced; a case runs in a subshell of its own with `this` set.
# shellcheck source=tests/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/qemu/vm.sh
source tests/qemu/vm.sh

BOOT_SECONDS=300 # of one machine: some 8 s on an idle host
boot_logs=build/check/qemu
: "${this:=}"

# With its clock bound to the instructions done, 2^6 ns each, a guest measures the same at every run,
# however loaded the host is; and what it waits for costs little. Linux needs a faster machine.
BOOT_CLOCK=(-icount "shift=6,sleep=off")

# boot_disk [SOURCE=TARGET]...: the case's disk, with the application, the hooks and these files.
boot_disk() {
    local hook files=(build/migcost.efi=/migcost.efi)
    for hook in build/hooks/*.efi; do
        files+=("$hook=/${hook##*/}")
    done
    vm_disk "$boot_logs/$this.img" 16 "${files[@]}" "$@"
}

# boot QEMU-ARGUMENT...: starts a machine with the case's disk and a fresh variable store, unless the
# case has one.
boot() {
    [ -e "$boot_logs/$this.vars" ] || cp "$VM_VARS" "$boot_logs/$this.vars"
    vm_run $BOOT_SECONDS "$boot_logs/$this.log" "$boot_logs/$this.img" "$boot_logs/$this.vars" \
        "${BOOT_CLOCK[@]}" "$@"
    boot_status=$?
    vm_text "$boot_logs/$this.log" >"$boot_logs/$this.txt"
}

# boot_shell [-f SOURCE=TARGET]... QEMU-ARGUMENT... <<LINES: runs these lines in the UEFI shell, then
# switches the machine off. A line `try LABEL COMMAND` runs the command so that what it says and its
# status can be asked for by that label.
boot_shell() {
    local files=()
    while [ "${1:-}" = -f ]; do
        files+=("$2")
        shift 2
    done
    {
        printf '@echo -off\nfs0:\n'
        sed -E 's/^try ([^ ]+) (.*)/echo = begin \1 =\n\2\necho = end \1 %lasterror% =/'
        echo 'reset -s'
    } >"$boot_logs/$this.nsh"
    boot_disk "$boot_logs/$this.nsh=/startup.nsh" "${files[@]}" || return
    boot "$@"
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
}

# section LABEL: what the command of that label printed.
section() {
    sed -n "/^= begin $1 =/,/^= end $1 /p" "$boot_logs/$this.txt" | sed '1d;$d'
}

# Tests of one command, each named for what should hold: WHAT LABEL ...

# ends WHAT LABEL STATUS: the shell's %lasterror% was that.
ends() {
    check "$this: $1" grep -Eq "^= end $2 $3 =" "$boot_logs/$this.txt"
}
# says WHAT LABEL ERE: a line begins so.
says() {
    check "$this: $1" has_line "$2" "$3"
}
# says_not WHAT LABEL ERE: the command ended, and no line begins so.
says_not() {
    check "$this: $1" lacks_line "$2" "$3"
}
# watched WHAT LABEL NAME OPERATOR NUMBER: what tell.efi printed compares so ("starts -eq 1").
watched() {
    check "$this: $1" compare "$(watch_value "$2" "$3")" "$4" "$5"
}

has_line() {
    section "$1" | grep -Eq "^($2)"
}
lacks_line() {
    grep -q "^= end $1 " "$boot_logs/$this.txt" && ! has_line "$1" "$2"
}
watch_value() {
    section "$1" | sed -n "s/^watch: $2 //p"
}
compare() {
    test -n "$1" && test "$1" "$2" "$3"
}

# matrix LABEL: the rows of the migration cost matrix with the figures taken out: its shape.
matrix() {
    section "$1" | sed -n '/^migration cost in us/,/^$/p' | sed -E 's/ [<0-9.]+/ x/2g' | sed 1d
}
