# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Virtual machines for tests and for `make run`: firmware, disks, and QEMU under TCG. To be sourced.

# OVMF of Debian: the 4M build is in 12 and 13, the 2M build only in 12.
# shellcheck disable=SC2034 # used by those who source this
VM_CODE=/usr/share/OVMF/OVMF_CODE_4M.fd
# shellcheck disable=SC2034
VM_VARS=/usr/share/OVMF/OVMF_VARS_4M.fd

# A model of which TCG lacks nothing that it would warn of. An Intel one: the default, AMD, cannot
# have two threads a core, nor does it describe its caches.
VM_CPU=max,vendor=GenuineIntel

# vm_need FILE...: says which file is missing and what brings it.
vm_need() {
    local file
    for file; do
        [ -e "$file" ] && continue
        echo "vm: $file is missing (make deps installs what QEMU runs need)" >&2
        return 1
    done
}

# vm_smp CPUS: the argument of -smp that makes two sockets, and two threads of each core, wherever
# that number of CPUs allows it, so that levels show.
vm_smp() {
    if [ $(($1 % 4)) -eq 0 ]; then
        echo "$1,sockets=2,cores=$(($1 / 4)),threads=2"
    elif [ $(($1 % 2)) -eq 0 ]; then
        echo "$1,sockets=2,cores=$(($1 / 2)),threads=1"
    else
        echo "$1,sockets=1,cores=$1,threads=1"
    fi
}

# vm_fill VOLUME [SOURCE=TARGET]...: copies files to a FAT volume, which is named as mtools do:
# IMAGE, or IMAGE@@OFFSET. Folders of TARGET are made.
vm_fill() {
    local volume=$1 pair folder part parts
    shift
    for pair; do
        folder=
        IFS=/ read -ra parts <<<"${pair#*=}"
        for part in "${parts[@]:1:${#parts[@]}-2}"; do
            folder=$folder/$part
            mmd -D s -i "$volume" "::$folder" >/dev/null 2>&1 || true # there already
        done
        mcopy -o -i "$volume" "${pair%%=*}" "::${pair#*=}" || return
    done
}

# vm_disk IMAGE MEGABYTES [SOURCE=TARGET]...: a disk that is one FAT volume, without partitions,
# with these files.
vm_disk() {
    local image=$1 megabytes=$2
    shift 2
    rm -f "$image"
    truncate -s "${megabytes}M" "$image" &&
        mformat -i "$image" -v MIGCOST :: &&
        vm_fill "$image" "$@"
}

# vm_run SECONDS LOG DISK VARS QEMU-ARGUMENT...: runs a machine until it powers off or the time is up
# (status 124). Its serial console goes to LOG, and to the terminal where VM_SHOW is set. VM_TYPE holds
# pairs, in the order of their coming: a pattern to wait for, and the keys to send then. The usual
# one cuts the countdown of the UEFI shell short.
#
# thread=single: with one thread for each CPU, PAUSE takes a global lock, and CPUs that wait starve
# the one that works.
# VM_REBOOT is empty where a machine that resets is to start again.
VM_REBOOT=(-no-reboot)
VM_TYPE=('startup\.nsh.* continue' '\r')
vm_run() {
    local seconds=$1 log=$2 disk=$3 vars=$4
    shift 4
    local command=(timeout --foreground --kill-after=5 "$seconds" qemu-system-x86_64
        -machine q35 -accel "tcg,thread=single" -m 512 -net none -display none
        "${VM_REBOOT[@]}" -serial stdio -monitor none
        -drive "if=pflash,format=raw,unit=0,readonly=on,file=$VM_CODE"
        -drive "if=pflash,format=raw,unit=1,file=$vars"
        -drive "format=raw,file=$disk" "$@")
    : >"$log"
    if [ -n "${VM_SHOW:-}" ]; then
        vm_with_keys "$log" "${command[@]}" | tee "$log" | vm_calm
        return "${PIPESTATUS[0]}"
    fi
    vm_with_keys "$log" "${command[@]}" >>"$log" 2>&1
}

# vm_with_keys LOG COMMAND...: runs it, and types into its standard input what its output in LOG asks
# for.
vm_with_keys() {
    local log=$1 keys typist status
    shift
    exec {keys}< <(vm_type "$log" "${VM_TYPE[@]}")
    typist=$!
    "$@" <&"$keys"
    status=$?
    kill "$typist" 2>/dev/null
    exec {keys}<&-
    return $status
}

# vm_type LOG [PATTERN KEYS]...: waits until LOG holds the pattern, and prints the keys.
vm_type() {
    local log=$1
    shift
    while [ $# -ge 2 ]; do
        until grep -aq "$1" "$log"; do
            sleep 0.2
        done
        printf '%b' "$2"
        shift 2
    done
}

# vm_text LOG: what a serial console showed at last, line by line: without what moves a cursor, and of a
# line written over only what stood there in the end.
vm_text() {
    sed -e 's/\x1b\[[0-9;=?]*[A-Za-z]//g' -e 's/\r*$//' -e 's/.*\r//' "$1"
}

# vm_calm: of a serial console, what our parts say. Firmware, boot loader and kernel are left out, and
# whatever moves a cursor. A line that is written over (the progress) is shown as such on a
# terminal, elsewhere not at all.
vm_calm() {
    local piece line="" part=others
    shopt -s extglob
    while IFS= read -r -d $'\r' piece || [ -n "$piece" ]; do
        piece=${piece//$'\e['*([0-9;=?])[A-Za-z]/}
        if [[ $piece == $'\n'* ]]; then # what came before was a whole line
            vm_calm_line "$line"
            piece=${piece#$'\n'}
        elif [ -t 1 ] && [ $part = application ]; then
            printf '\r%s' "$line"
        fi
        line=$piece
    done
    [ -z "$line" ] || vm_calm_line "$line"
}

# Uses and sets vm_calm's part.
vm_calm_line() {
    case $1 in
    "migcost "[0-9]*) part=application ;;
    "linux: "*) part=linux ;;
    "run: "* | "migcost: "*) ;;   # shown wherever they come
    "variable: "*) part=others ;; # what follows is for the host
    "["*[0-9]"] "*) return ;;     # the kernel's
    esac
    [ "$part" = others ] && return
    printf '%s\n' "$1"
    case $1 in "migcost: done"*) part=others ;; esac
}
